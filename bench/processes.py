"""Processes that are measured, and the CPU time that they have used."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from croupier_service.embedded import EmbeddedRedis
from croupier_service.lifeline import lifeline

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# A measurement is not to be held up by limits against too many guests, tables and calls, nor ended by a slow disk.
SETTINGS = {
    "CROUPIER_GRPC_PORT": "0",
    "CROUPIER_LOG_LEVEL": "WARNING",
    "CROUPIER_PLAYERS_PER_MINUTE": "1000000",
    "CROUPIER_MATCHES_PER_MINUTE": "1000000",
    "CROUPIER_OPEN_TABLES": "1000000",
    "CROUPIER_QUEUE": "60000",
    "CROUPIER_STORE_TIMEOUT": "60000",
}

NO_SETTINGS: Mapping[str, str] = {}


class CannotMeasure(Exception):  # noqa: N818 - it says why
    """Something is not there, does not go together, or has failed. The text says what to do."""


def cpu_seconds(*pids: int) -> float:
    """CPU time that processes have used so far, all threads."""
    return sum(_ticks(pid) for pid in pids) / _TICKS


def cpu_exact(pid: int) -> float:
    """The same of one process whose threads stay, to the nanosecond: a tick is much for what hardly does anything."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e9


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def rss_mb(*pids: int) -> float:
    """Resident memory of processes, in MB; what they share is counted for each of them."""
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids) * _PAGE / 1e6


def pin(pid: int, core: int) -> None:
    """Keep a process, with the threads that it has and those to come, on one core."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


class Child:
    """A child process that says a line such as `grpc: ADDRESS` when it is ready, and more later."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], announces: str) -> None:
        self._process = subprocess.Popen(
            lifeline([sys.executable, *command]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | dict(environment) | {"PYTHONUNBUFFERED": "1"},
            text=True,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._command = command
        self.address = self.line().removeprefix(f"{announces}: ")

    def pids(self) -> list[int]:
        """Its own, and those of its children, such as the workers of gunicorn."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [self.pid, *map(int, children)]

    def go(self) -> None:
        """Tell it to go on, with an empty line."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """The next line that it says. Raises CannotMeasure if it has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CannotMeasure(f"`{' '.join(self._command[:3])}` has ended with {self._process.wait()}")
        return line.strip()

    def stop(self) -> None:
        """SIGTERM, and wait."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


@contextmanager
def running_redis(*, durable: bool) -> Iterator[EmbeddedRedis]:
    """A Valkey server; `durable`: every write is on disk before it is answered."""
    with (
        tempfile.TemporaryDirectory(prefix="croupier-bench-") as folder,
        EmbeddedRedis(Path(folder), durable=durable) as server,
    ):
        yield server


@contextmanager
def running_child(command: Sequence[str], environment: Mapping[str, str], announces: str) -> Iterator[Child]:
    """A child that is ready, and gone afterwards."""
    child = Child(command, environment, announces)
    try:
        yield child
    finally:
        child.stop()


@contextmanager
def running_service(
    redis_url: str, durability: str, profile: str | None = None, settings: Mapping[str, str] = NO_SETTINGS
) -> Iterator[Child]:
    """One replica; `profile`: a file for what cProfile finds in it; `settings`: beyond those of every measurement."""
    environment = {**SETTINGS, **settings, "CROUPIER_REDIS_URL": redis_url, "CROUPIER_DURABILITY": durability}
    with running_child(command("serve", profile), environment, "grpc") as service:
        yield service


def command(role: str, profile: str | None) -> list[str]:
    """What starts a role of the product; `profile`: a file for what cProfile finds in it."""
    return ["-P", "-m", "croupier_cli", role] if profile is None else ["-m", "bench.profiled", role, profile]
