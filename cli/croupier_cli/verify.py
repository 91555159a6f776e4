"""`croupier verify`: whether a replay is what was played."""

import sys
from pathlib import Path

import click

from croupier_cli.replay_file import Wrong, read_replay
from croupier_cli.verification import verify as check

EXIT_TAMPERED = 1


@click.command(short_help="Check a replay offline: seed, deals, rules, result.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--commitment", help="The commitment that was noted while the match was played; it must be the replay's.")
def verify(file: Path, commitment: str | None) -> None:
    """Check offline that the replay in FILE is what was played.

    The seed must be the one that the match was committed to, every deal must follow from it, the rules must allow
    every command, events must be numbered without a gap, and the result must be the one that the log leads to.

    Exits with 0 if all of that holds, with 1 if not, saying at which step, and with 2 if the file is no replay.
    """
    message = read_replay(file)
    try:
        found = check(message, commitment)
    except Wrong as wrong:
        click.echo(f"not what was played: {wrong}")
        sys.exit(EXIT_TAMPERED)
    click.echo(f"match      {message.match}: {message.game}, {len(message.seats)} seats")
    click.echo(f"seed       fits the commitment {message.commitment}")
    noted = "the one noted" if commitment is not None else "the replay's own; compare it with the one of the match"
    click.echo(f"           which is {noted}")
    click.echo(f"deals      {found.deals}, all of them the seed's")
    click.echo(f"commands   {found.commands}, all of them legal; events are numbered without a gap")
    click.echo(f"result     places {' '.join(map(str, found.places))}, scores {' '.join(map(str, found.scores))}")
    click.echo("ok")
