"""A child process that says in a line of its output when it is ready, and what at."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from croupier_cli.problem import EXIT_PROBLEM, Problem
from croupier_service.lifeline import lifeline


class Program:
    """A program with its output in a log file.

    It is ready when it has written the line `<announces>: <address>`. `environment` is added to the supervisor's own.
    The port of the first address is kept: it goes into the environment variable `port_variable` for later launches.
    `grace`: seconds that it may take to stop.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        announces: str,
        log: Path,
        environment: Mapping[str, str],
        port_variable: str | None = None,
        grace: float = 15.0,
    ) -> None:
        self.name = name
        self.address = ""  # known once it is ready
        self._command = command
        self._environment = dict(environment)
        self._port_variable = port_variable
        self._grace = grace
        self._announces = f"{announces}: "
        self._log = log
        self._log_start = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._group: int | None = None

    @property
    def pid(self) -> int | None:
        """The process id of its latest launch."""
        return None if self._process is None else self._process.pid

    def launch(self) -> None:
        """Start it, without waiting. Raises `Problem` when its log cannot be written."""
        try:
            self._log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            output = self._log.open("ab")
        except OSError as problem:
            raise Problem(
                f"{self._log} cannot be written ({problem.strerror}); choose another folder with --data"
            ) from None
        with output:
            self._log_start = output.tell()
            self._process = subprocess.Popen(  # noqa: S603 - a program of our own choosing
                lifeline(self._command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ | self._environment | {"PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # Ctrl-C is for the supervisor, which stops its children in order
                umask=0o077,
            )
        self._group = self._process.pid

    def ready(self) -> bool:
        """Whether it has announced itself. Raises `Problem` when it has ended instead."""
        how = self.ended()
        written = self._written()
        if how is not None:
            assert self._process is not None
            if self._process.returncode == EXIT_PROBLEM and written:
                raise Problem("\n".join(_plain_end(written)))
            raise Problem(f"{self.name} ended ({how}): {written[-1] if written else 'without a word'}; see {self._log}")
        for line in written:
            if line.startswith(self._announces):
                self.address = line.removeprefix(self._announces)
                if self._port_variable is not None:
                    self._environment[self._port_variable] = self.address.rpartition(":")[2]
                return True
        return False

    def ended(self) -> str | None:
        """How it ended; None while it runs. What it left of its process group is ended too."""
        assert self._process is not None
        code = self._process.poll()
        if code is None:
            return None
        self._end_group()
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def stop(self) -> None:
        """End it: SIGTERM, and after a grace SIGKILL for all of its process group."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(self._grace)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._end_group()

    def _end_group(self) -> None:
        """End what is left of the process group; once only, since its number may be given to others later."""
        if self._group is None:
            return
        # macOS refuses for a group of which only a zombie is left.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, signal.SIGKILL)
        self._group = None

    def _written(self) -> list[str]:
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            return [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]


def _plain_end(lines: list[str]) -> list[str]:
    """The last lines that are no log records; those begin with a bracket."""
    plain = list(takewhile(lambda line: line[0] not in "[{", reversed(lines)))
    return plain[::-1] or lines[-1:]
