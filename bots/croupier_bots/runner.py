"""A bot as a program: `main(MyBot)`."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

import grpc

from croupier_bots.bot import Bot
from croupier_bots.client import CAPACITY, Timing, run
from croupier_bots.errors import BotStopped, TokenFileInvalid, Unauthenticated
from croupier_bots.guests import TokenFile, guest

log = logging.getLogger("croupier_bots")


async def run_named(
    bot: type[Bot],
    target: str,
    name: str,
    tokens: TokenFile | None = None,
    *,
    capacity: int = CAPACITY,
    seed: int | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    timing: Timing = Timing(),  # noqa: B008 - frozen
) -> None:
    """As `run`, with the token kept under `name`; a new guest if there is none, or the server does not know it."""
    token = tokens.get(name) if tokens else None
    while True:
        fresh = token is None
        if token is None:
            token = await guest(target, name, credentials=credentials, timing=timing)
            if tokens:
                tokens.put(name, token)
        try:
            await run(bot, target, token, capacity=capacity, seed=seed, credentials=credentials, timing=timing)
        except Unauthenticated:
            if fresh:
                raise
            log.warning("%s: the server does not know the kept token, it becomes a new guest", name)
            token = None


def main(bot: type[Bot], argv: Sequence[str] | None = None) -> None:
    """Run a bot until Ctrl-C, as told on the command line; see `--help`."""
    parser = argparse.ArgumentParser(description=bot.__doc__)
    parser.add_argument("target", nargs="?", default="127.0.0.1:50051", help="the server, host:port (%(default)s)")
    parser.add_argument("--name", default=bot.__name__, help="the name that others see (%(default)s)")
    parser.add_argument("--token-file", help="where its token is kept, so that it comes back as the same player")
    parser.add_argument("--capacity", type=int, default=CAPACITY, help="matches at a time (%(default)s)")
    parser.add_argument("--seed", type=int, help="makes its play repeatable")
    parser.add_argument("--tls", action="store_true", help="the server speaks TLS")
    given = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        asyncio.run(
            run_named(
                bot,
                given.target,
                given.name,
                TokenFile(given.token_file) if given.token_file else None,
                capacity=given.capacity,
                seed=given.seed,
                credentials=grpc.ssl_channel_credentials() if given.tls else None,
            )
        )
    except (BotStopped, TokenFileInvalid) as problem:
        sys.exit(f"{given.name}: {problem}")
    except KeyboardInterrupt:
        pass
