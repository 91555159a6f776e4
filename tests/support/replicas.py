"""Replicas of the service as processes of their own, each on a port that stays the same over restarts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.redis_rig import free_port

from croupier_service.lifeline import lifeline

QUICK = {"LEASE": "1000", "HEARTBEAT": "500", "TURN_GRACE": "100"}  # quick enough for tests, and in proportion
_START_S = 30.0


class Replica:
    """`croupier serve`; `settings` are variables without their prefix. What it says is added to `log`.

    `port`: 0 is any free one.
    """

    def __init__(
        self, redis_url: str, log: Path, settings: Mapping[str, str], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.host, self.port = host, port or free_port()
        self.log = log
        self._environment = {
            "CROUPIER_REDIS_URL": redis_url,
            "CROUPIER_GRPC_HOST": host,
            "CROUPIER_GRPC_PORT": str(self.port),
            **{f"CROUPIER_{name}": value for name, value in settings.items()},
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def target(self) -> str:
        """Its address."""
        return f"{self.host}:{self.port}"

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
        with self.log.open("ab") as log:
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

    def await_ready(self) -> None:
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
                    raise AssertionError(f"a replica did not start: {self.log.read_text(errors='replace')[-3000:]}")
                time.sleep(0.2)

    def start(self) -> None:
        """Start it, and wait until it serves."""
        self.launch()
        self.await_ready()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def wait(self, seconds: float = 30) -> int:
        """Wait until it has ended; its exit code."""
        process, self._process = self._process, None
        assert process is not None, "it does not run"
        return process.wait(seconds)

    def restart(self) -> int:
        """SIGTERM, and start it again; its exit code."""
        self.send(signal.SIGTERM)
        code = self.wait()
        self.start()
        return code

    def kill9(self) -> None:
        """End it without a warning, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def stop(self, grace: float = 20.0) -> None:
        """SIGTERM, and after a grace SIGKILL; nothing if it does not run."""
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


@contextmanager
def running_replicas(redis_url: str, folder: Path, count: int, **settings: str) -> Iterator[list[Replica]]:
    """Some replicas over one Redis that keeps nothing, ended afterwards without more ado."""
    quick = {"DURABILITY": "memory"} | QUICK | settings
    replicas = [Replica(redis_url, folder / f"replica-{number}.log", quick) for number in range(count)]
    try:
        for replica in replicas:
            replica.start()
        yield replicas
    finally:
        for replica in replicas:
            replica.kill9()
