"""`croupier bots`: the house's bots."""

import asyncio
import logging
import signal
from contextlib import suppress
from pathlib import Path

import click

from croupier_bots.client import CAPACITY, Server
from croupier_bots.errors import BotError
from croupier_bots.house import EACH, LEVELS, run_house
from croupier_cli.alive import keep_touching, touch
from croupier_cli.problem import Problem


@click.command(short_help="House bots, ordinary players.")
@click.option(
    "--target",
    default="127.0.0.1:50051",
    show_default=True,
    envvar="CROUPIER_GRPC_TARGET",
    help="gRPC address of the service, or a list of replicas.",
)
@click.option(
    "--level", "levels", multiple=True, help=f"A level to run; may be given several times. [all: {', '.join(LEVELS)}]"
)
@click.option("--count", type=click.IntRange(1, 1000), default=EACH, show_default=True, help="Players of each level.")
@click.option(
    "--capacity", type=click.IntRange(1, 10_000), default=CAPACITY, show_default=True, help="Matches at a time, each."
)
@click.option(
    "--token-file", type=click.Path(path_type=Path), help="Where tokens are kept, to come back as the same players."
)
@click.option(
    "--alive-file",
    type=click.Path(path_type=Path),
    envvar="CROUPIER_ALIVE_FILE",
    help="A file to touch as long as they live, for `croupier health`.",
)
def bots(
    target: str, levels: tuple[str, ...], count: int, capacity: int, token_file: Path | None, alive_file: Path | None
) -> None:
    """Run house bots: ordinary players that sit down wherever a table asks for their level.

    They wait for a service that is not there yet. Prints a line when all of them can be asked for.
    """
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)s %(message)s")
    if alive_file is not None:
        touch(alive_file)
    try:
        asyncio.run(_run(Server(target), levels or LEVELS, count, capacity, token_file, alive_file))
    except BotError as problem:
        raise Problem(str(problem)) from problem


async def _run(
    server: Server,
    levels: tuple[str, ...],
    count: int,
    capacity: int,
    token_file: Path | None,
    alive_file: Path | None,
) -> None:
    house = asyncio.create_task(
        run_house(
            server,
            levels,
            token_file=token_file,
            each=count,
            capacity=capacity,
            ready=lambda players: click.echo(f"bots: {players} players are ready"),
        )
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, house.cancel)
    alive = asyncio.create_task(keep_touching(alive_file)) if alive_file is not None else None
    try:
        with suppress(asyncio.CancelledError):
            await house
    finally:
        if alive is not None:
            alive.cancel()
