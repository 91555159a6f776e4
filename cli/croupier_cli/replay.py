"""`croupier replay`: a match that is over, step by step or as text."""

from pathlib import Path
from typing import Any

import click

from croupier.v1 import matches_pb2
from croupier_cli.guest import Guest, guest_options
from croupier_cli.problem import Problem
from croupier_cli.remote import Player
from croupier_cli.replay_file import Wrong, read_replay, save_replay
from croupier_cli.replay_text import notation
from croupier_cli.stepping import step_through
from croupier_cli.tables import TABLES
from croupier_cli.terminal.ink import clean
from croupier_cli.terminal.screen import check_terminal


@click.command(short_help="Step through a replay, print it, or save one.")
@click.argument("source", metavar="FILE|MATCH")
@click.option("--text", is_flag=True, help="Print all of it in card notation.")
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE", help="Fetch the replay of MATCH into this file."
)
@click.option("--match", metavar="MATCH", help="Of a FILE of many matches, take this one.")
@guest_options
def replay(source: str, text: bool, save: Path | None, match: str | None, **guest: Any) -> None:
    """Step through the replay in FILE, with all hands open; offline.

    With --save the replay of MATCH is fetched from the server, once that is over.
    """
    if save is not None:
        Guest(**guest).run(lambda player: _fetch(player, source, save))
        return
    if not Path(source).exists():
        raise Problem(
            f"there is no file {source}; `croupier replay MATCH --save FILE` makes one of a match that is over"
        )
    message = read_replay(Path(source), match)
    if message.game not in TABLES:
        raise Problem(f"{source} is a replay of {message.game}, and this terminal has no table for that")
    try:
        if text:
            for line in notation(message):
                click.echo(clean(line))
        else:
            check_terminal()
            step_through(message)
    except Wrong as wrong:
        raise Problem(f"{source} cannot be played further: {wrong}") from None


async def _fetch(player: Player, match: str, file: Path) -> None:
    message = await player.call(player.matches.GetReplay, matches_pb2.GetReplayRequest(match=match))
    save_replay(message, file)
    click.echo(f"{file}: {len(message.log)} commands; check it with `croupier verify {file}`")
