"""Waiting for things to happen, and looking at processes, in tests."""

import time
from collections.abc import Callable
from pathlib import Path


def eventually(holds: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether something becomes true in time."""
    give_up = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    """Whether a process runs; a zombie has ended, only its parent has not looked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
