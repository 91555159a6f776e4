"""Replicas of the service as processes of their own, each on a port that stays the same over restarts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.redis_rig import free_port

QUICK = {"LEASE": "1000", "HEARTBEAT": "500", "TURN_GRACE": "100"}  # quick enough for tests, and in proportion


class ServingProcess:
    """`croupier serve`; `settings` are variables without their prefix. `port`: 0 is any free one."""

    def __init__(
        self, redis_url: str, log: Path, settings: dict[str, str], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.host, self.port = host, port or free_port()
        self.log = log
        self._environment = {
            **os.environ,
            "CROUPIER_REDIS_URL": redis_url,
            "CROUPIER_DURABILITY": "memory",
            "CROUPIER_GRPC_HOST": host,
            "CROUPIER_GRPC_PORT": str(self.port),
            **{f"CROUPIER_{name}": value for name, value in (QUICK | settings).items()},
        }
        self._process: subprocess.Popen[str] | None = None

    @property
    def target(self) -> str:
        """Its address."""
        return f"{self.host}:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it serves."""
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "croupier_cli", "serve"],
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == f"grpc: {self.target}\n", self.log.read_text()[-3000:]

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, seconds: float = 30) -> int:
        """Wait until it has ended; its exit code."""
        process, self._process = self._process, None
        assert process is not None
        assert process.stdout is not None
        code = process.wait(seconds)
        process.stdout.close()
        return code

    def restart(self) -> int:
        """SIGTERM, and start it again; its exit code."""
        self.send(signal.SIGTERM)
        code = self.wait()
        self.start()
        return code

    def end(self) -> None:
        """End it if it runs."""
        if self._process is not None:
            self._process.kill()
            self.wait()


@contextmanager
def running_replicas(redis_url: str, folder: Path, count: int, **settings: str) -> Iterator[list[ServingProcess]]:
    """Some replicas over one Redis, ended afterwards without more ado."""
    replicas = [ServingProcess(redis_url, folder / f"replica-{number}.log", settings) for number in range(count)]
    try:
        for replica in replicas:
            replica.start()
        yield replicas
    finally:
        for replica in replicas:
            replica.end()
