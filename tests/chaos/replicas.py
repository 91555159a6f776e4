"""Replicas of the service as real processes, and their ways to Redis."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.redis_rig import free_port

from croupier_service.lifeline import lifeline

_TESTS = Path(__file__).resolve().parents[1]
_START_S = 30.0


def environment() -> dict[str, str]:
    """For a process of the rig's own: it finds the rig's modules, too."""
    path = os.pathsep.join([str(_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path}


class Replica:
    """`croupier serve` on a port that stays the same over restarts."""

    def __init__(self, redis_url: str, log: Path, settings: Mapping[str, str]) -> None:
        self.port = free_port()
        self._log = log
        self._environment = {
            "CROUPIER_REDIS_URL": redis_url,
            "CROUPIER_GRPC_PORT": str(self.port),
            "CROUPIER_LOG_LEVEL": "WARNING",
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def target(self) -> str:
        """Its address."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The running process."""
        assert self._process is not None, "it does not run"
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs; one that is paused does."""
        return self._process is not None and self._process.poll() is None

    def launch(self) -> None:
        """Start it, without waiting."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                lifeline([sys.executable, "-P", "-m", "croupier_cli", "serve"]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | self._environment | {"PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )

    def revive(self) -> None:
        """Start it again if it has ended."""
        if not self.alive:
            self.launch()

    def wait(self) -> None:
        """Wait until it serves; one that found no Redis at its start is started again, as by a supervisor."""
        give_up = time.monotonic() + _START_S
        request = health_pb2.HealthCheckRequest()
        with grpc.insecure_channel(self.target, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            check = health_pb2_grpc.HealthStub(channel)
            while True:
                try:
                    if check.Check(request, timeout=2, wait_for_ready=True).status == 1:
                        return
                except grpc.RpcError:
                    pass
                self.revive()
                if time.monotonic() > give_up:
                    raise AssertionError(f"a replica did not start: {self._log.read_text(errors='replace')[-3000:]}")
                time.sleep(0.2)

    def kill9(self) -> None:
        """End it without a warning."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def stop(self, grace: float = 20.0) -> None:
        """SIGTERM, and after a grace SIGKILL."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(grace)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()


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
