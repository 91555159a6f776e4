"""`croupier up` as a child process, on free ports, for tests of the whole."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.processes import eventually, is_running

CROUPIER = (sys.executable, "-P", "-m", "croupier_cli")


class House:
    """A running `croupier up`; `web` is `http://HOST:PORT`, `grpc` is `HOST:PORT`."""

    def __init__(self, data: Path, *flags: str) -> None:
        self.data = data
        self.lines: dict[str, str] = {}
        self._process = subprocess.Popen(
            [*CROUPIER, "up", "--port", "0", "--grpc-port", "0", "--data", data, *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def await_ready(self) -> None:
        """Wait for the addresses."""
        assert self._process.stdout is not None
        while "grpc" not in self.lines:
            line = self._process.stdout.readline()
            if not line:
                _, errors = self._process.communicate()
                raise AssertionError(f"croupier up ended with {self._process.returncode}: {errors}\n{self._logs()}")
            name, _, address = line.strip().partition(": ")
            self.lines[name] = address

    @property
    def web(self) -> str:
        """Address of the gateway."""
        return self.lines["web"]

    @property
    def grpc(self) -> str:
        """Address of the service."""
        return self.lines["grpc"]

    def family(self) -> list[int]:
        """The process ids of all its descendants that run."""
        return _descendants(self._process.pid)

    def child(self, word: str) -> int | None:
        """The child process that has `word` in its command line, such as `serve`; None while it does not run."""
        for pid in self.family():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if _parent(pid) == self._process.pid and word.encode() in words:
                    return pid
            except (FileNotFoundError, ProcessLookupError):
                continue
        return None

    def send(self, number: signal.Signals) -> None:
        """Send the supervisor a signal."""
        self._process.send_signal(number)

    def wait(self, seconds: float = 40) -> tuple[int, str, str]:
        """Wait until it has ended: exit code, what else it said, what it complained of."""
        said, errors = self._process.communicate(timeout=seconds)
        return self._process.returncode, said, errors

    def stop(self) -> None:
        """End it if it runs, with everything of it."""
        family = self.family()
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.communicate(timeout=40)
        finally:
            self._process.kill()
            if not eventually(lambda: not any(map(is_running, family)), seconds=15):
                for pid in filter(is_running, family):
                    os.kill(pid, signal.SIGKILL)
                raise AssertionError("croupier up left processes behind")

    def _logs(self) -> str:
        logs = sorted((self.data / "logs").glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-2000:]}" for log in logs)


@contextmanager
def running_house(data: Path, *flags: str) -> Iterator[House]:
    """A house that is ready, and gone afterwards."""
    house = House(data, *flags)
    try:
        house.await_ready()
        yield house
    finally:
        house.stop()


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def _descendants(pid: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = _parent(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = [pid]
    for parent in found:
        found += [child for child, its in parents.items() if its == parent]
    return found[1:]
