"""A bot as a program: `main(MyBot)`."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

import grpc

from croupier_bots.bot import Bot
from croupier_bots.client import CAPACITY, Offers, Server
from croupier_bots.declaration import name_of
from croupier_bots.errors import BotError, BotStopped
from croupier_bots.guests import TokenFile, run_guest

EXIT_STOPPED, EXIT_PROBLEM = 1, 2  # the server will not have it back; it cannot start, and the line says why


def main(bot: type[Bot], argv: Sequence[str] | None = None) -> None:
    """Run a bot until Ctrl-C, as told on the command line; see `--help`. It must offer a game: see `Bot.games`."""
    parser = argparse.ArgumentParser(description=bot.__doc__)
    parser.add_argument(
        "target",
        nargs="?",
        default="127.0.0.1:50051",
        help="the server, host:port, or a list of replicas (%(default)s)",
    )
    parser.add_argument("--name", default=name_of(bot), help="the name that others see (%(default)s)")
    parser.add_argument(
        "--token-file", help="where its tokens are kept, one for each server, so that it comes back as the same player"
    )
    parser.add_argument("--capacity", type=int, default=CAPACITY, help="matches at a time (%(default)s)")
    parser.add_argument("--seed", type=int, help="makes its play repeatable")
    parser.add_argument("--tls", action="store_true", help="the server speaks TLS")
    given = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        offers = Offers.of(bot, given.capacity, given.seed, offering=True)
        server = Server(given.target, grpc.ssl_channel_credentials() if given.tls else None)
        tokens = TokenFile(given.token_file) if given.token_file else None
        asyncio.run(run_guest(offers, server, given.name, tokens, key=f"{given.name}@{given.target}"))
    except BotError as problem:
        sys.stderr.write(f"{given.name}: {problem}\n")
        sys.exit(EXIT_STOPPED if isinstance(problem, BotStopped) else EXIT_PROBLEM)
    except KeyboardInterrupt:
        pass
