"""`croupier export`: matches that are over, as JSON lines."""

import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import click
from google.protobuf import json_format

from croupier_cli.operating import redis_option, tell_unread, with_store
from croupier_cli.problem import Problem
from croupier_engine.registry import GAMES
from croupier_service.exporting import Wanted, finished
from croupier_service.servicers import replay
from croupier_service.store.opening import Store


def _time(text: str) -> int:
    """A date, or a date and a time, in UTC unless it says otherwise, as milliseconds."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no time such as 2030-01-31 or 2030-01-31T18:00:00Z") from None
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


@click.command(short_help="Finished matches from the store, as JSON lines.")
@redis_option
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="In place of stdout.")
@click.option("--game", type=click.Choice(sorted(GAMES)), help="Only matches of this game.")
@click.option("--since", type=_time, metavar="TIME", help="Only matches that ended then or later, such as 2030-01-31.")
@click.option("--until", type=_time, metavar="TIME", help="Only matches that ended before.")
def export(redis_url: str | None, output: Path | None, game: str | None, since: int | None, until: int | None) -> None:
    """Write every match that is over as a line of JSON, private ones too, with all cards and its seed.

    `croupier verify` and `croupier replay` read the lines. The service may run meanwhile. FILE appears when all of it
    is written, unless it is a pipe or a device; an export that is interrupted leaves no half a line. Matches that
    this version cannot read are named on stderr and left out: the exit code is then 3.
    """
    wanted = Wanted(game or "", since, until)
    unread: dict[str, str] = {}
    with _lines(output) as write:
        count = with_store(redis_url, lambda store: _write(store, wanted, write, unread))
        click.echo(f"{count} matches exported", err=True)
    tell_unread(unread)


async def _write(store: Store, wanted: Wanted, write: Callable[[bytes], None], unread: dict[str, str]) -> int:
    count = 0
    async with aclosing(finished(store.matches, wanted, unread)) as matches:
        async for view in matches:
            text = json_format.MessageToJson(
                replay.message(view), indent=None, always_print_fields_with_no_presence=True
            )
            write(text.encode() + b"\n")
            count += 1
    return count


@contextmanager
def _lines(output: Path | None) -> Iterator[Callable[[bytes], None]]:
    """Where lines go, each whole or not at all: a signal to stop waits for the end of one."""
    try:
        if output is None:
            yield _writer(sys.stdout.buffer)
            return
        if _takes_all(output):
            with output.open("wb") as taker:
                yield _writer(taker)
            return
        file = output.resolve()  # what a link leads to is written, not the link
        part = file.with_name(f"{file.name}.part")
        if os.path.lexists(part) and (part.is_symlink() or not part.is_file()):
            raise Problem(f"{part} is in the way; put it elsewhere")
        try:
            with part.open("wb") as growing:
                yield _writer(growing)
                os.fsync(growing.fileno())
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as problem:
        raise Problem(f"{output or 'the output'} cannot be written ({problem.strerror})") from None


def _takes_all(output: Path) -> bool:
    """It is a pipe or a device, which takes what comes and stays what it is. OSError if that cannot be told."""
    try:
        return not stat.S_ISREG(output.stat().st_mode)
    except FileNotFoundError:
        return False


def _writer(file: BinaryIO) -> Callable[[bytes], None]:
    def write(line: bytes) -> None:
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            file.write(line)
            file.flush()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    return write
