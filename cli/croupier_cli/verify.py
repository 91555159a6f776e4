"""`croupier verify`: whether a replay is what was played."""

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import click

from croupier.v1 import matches_pb2
from croupier_cli.problem import EXIT_PROBLEM, Problem
from croupier_cli.replay_file import Wrong, parse_replay, read_replay, replay_texts
from croupier_cli.verification import verify as check

EXIT_TAMPERED = 1


@click.command(short_help="Check a replay offline: seed, deals, rules, result.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--commitment", help="The commitment that was noted while the match was played; it must be the replay's.")
@click.option("--match", metavar="MATCH", help="Of a file of many matches, check this one.")
def verify(file: Path, commitment: str | None, match: str | None) -> None:
    """Check offline that the replay in FILE is what was played; of a file of many lines, each of them.

    The seed must be the one that the match was committed to, every deal must follow from it, the rules must allow
    every command, events must be numbered without a gap, and the result must be the one that the log leads to.

    Exits with 0 if all of that holds, with 1 if not, saying at which step, and with 2 if the file is no replay.
    """
    if match is not None:
        _verify_one(read_replay(file, match), commitment)
        return
    texts = replay_texts(file)
    first, second = next(texts), next(texts, None)
    if second is None and file.suffix == ".jsonl" and not first[1].strip():  # an export of a time without matches
        if commitment is not None:
            raise Problem(f"{file} is empty: there is no match that the commitment could be of")
        _verify_many(())
        return
    if second is None:
        _verify_one(parse_replay(*first), commitment)
        return
    if commitment is not None:
        raise Problem(f"{file} holds the replays of many matches; say with --match whose commitment it is")
    _verify_many(chain((first, second), texts))


def _verify_many(texts: Iterable[tuple[str, str]]) -> None:
    sound, tampered, unread = 0, 0, 0
    for name, text in texts:
        try:
            message = parse_replay(name, text)
        except Problem as problem:
            problem.show()
            unread += 1
            continue
        try:
            check(message)
        except Wrong as wrong:
            click.echo(f"{name}, {message.match}: not what was played: {wrong}")
            tampered += 1
        else:
            sound += 1
    click.echo(f"{sound} of {sound + tampered + unread} replays are what was played")
    if tampered or unread:
        sys.exit(EXIT_TAMPERED if tampered else EXIT_PROBLEM)
    click.echo("ok")


def _verify_one(message: matches_pb2.Replay, commitment: str | None) -> None:
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
