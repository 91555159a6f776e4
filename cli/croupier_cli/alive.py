"""A file that a program without a port touches as long as it lives."""

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from croupier_cli.problem import Problem

_TOUCH_S = 5.0
_STALE_S = 30.0


def touch(file: Path) -> None:
    """Say that the program lives. Raises Problem if the file cannot be written."""
    try:
        file.touch(mode=0o600)
    except OSError as problem:
        raise Problem(f"{file} cannot be written ({problem.strerror}); choose another --alive-file") from None


async def keep_touching(file: Path) -> None:
    """Touch the file again and again until cancelled; then it is gone."""
    try:
        while True:
            await asyncio.sleep(_TOUCH_S)
            with suppress(Problem):  # it grows old, and whoever looks knows
                touch(file)
    finally:
        _remove(file)


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def is_alive(file: Path) -> bool | None:
    """Whether the file was touched of late; None if there is none."""
    try:
        return time.time() - file.stat().st_mtime < _STALE_S
    except FileNotFoundError:
        return None
