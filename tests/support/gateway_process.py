"""The gateway as a process of its own, and plain HTTP calls to it."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO


@dataclass
class GatewayProcess:
    """A running gateway."""

    process: subprocess.Popen[str]
    host: str
    port: int

    def connect(self, timeout: float = 10) -> http.client.HTTPConnection:
        """A connection of its own."""
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """Status and JSON of one call."""
        connection = self.connect()
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): each for name, each in headers.items()})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def watch(self, path: str = "/v1/matches/abcd/events", **headers: str) -> "Watch":
        """Open a stream; what comes before the first message is read by `Watch`."""
        connection = self.connect()
        connection.request(
            "GET",
            path,
            headers={"Accept": "text/event-stream", **{n.replace("_", "-"): each for n, each in headers.items()}},
        )
        return Watch(connection, connection.getresponse())

    def refused(self, path: str = "/v1/matches/abcd/events") -> dict[str, Any]:
        """The problem that a stream is refused with."""
        with closing(self.watch(path)) as watch:
            assert watch.response.headers["Content-Type"] == "application/problem+json"
            problem: dict[str, Any] = json.loads(watch.response.read())
            assert problem["status"] == watch.status
            return problem

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(how)
        return self.process.wait(30)


@dataclass
class Watch:
    """A stream from its client's side."""

    connection: http.client.HTTPConnection
    response: http.client.HTTPResponse

    @property
    def status(self) -> int:
        """Of HTTP."""
        return self.response.status

    def block(self) -> list[str]:
        """The lines of the next event or comment; none: the stream has ended."""
        lines = []
        while line := self.response.readline().decode().rstrip("\n"):
            lines.append(line)
        return lines

    def close(self) -> None:
        """Go away without a word."""
        self.response.close()
        self.connection.close()


@contextmanager
def running_gateway(target: str, stderr: BinaryIO | int | None = None, **environment: str) -> Iterator[GatewayProcess]:
    """A gateway on a free port, up to the point where it has printed its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "croupier_gateway.main"],
        env={
            **os.environ,
            "CROUPIER_GRPC_TARGET": target,
            "CROUPIER_GATEWAY_PORT": "0",
            "CROUPIER_GATEWAY_THREADS": "40",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=stderr if stderr is not None else subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("web: http://"), line
        host, port = line.removeprefix("web: http://").strip().rsplit(":", 1)
        yield GatewayProcess(process, host, int(port))
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait for something that happens soon. Raises AssertionError if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
