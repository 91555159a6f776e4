"""The ways of the replicas to Redis, which a run may break."""

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from support.redis_rig import free_port

from croupier_service.lifeline import lifeline

_TESTS = Path(__file__).resolve().parents[1]


def environment() -> dict[str, str]:
    """For a process of the rig's own: it finds the rig's modules, too."""
    path = os.pathsep.join([str(_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path}


class Proxy:
    """The process that all bytes between replicas and Redis go through; a line each."""

    def __init__(self, redis_port: int, lines: int) -> None:
        self.ports = [free_port() for _ in range(lines)]
        self._redis_port = redis_port
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            lifeline([sys.executable, "-m", "chaos.proxy", str(self._redis_port), *map(str, self.ports)]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
            start_new_session=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n", "the proxy did not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.communicate()

    def tell(self, word: str, line: int, ms: int = 0) -> None:
        """`cut`, `delay` (ms), `hole` or `heal` a line."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word} {line} {ms}\n")
        self._process.stdin.flush()
