"""The gateway as a process, and clients of it: calls, and streams of events."""

import asyncio
import http.client
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.processes import Child, command, running_child
from croupier_gateway.config import MAX_THREADS, RESERVED_THREADS

MOST_STREAMS = MAX_THREADS - RESERVED_THREADS  # on one gateway


@contextmanager
def running_gateway(target: str, streams: int, profile: str | None = None) -> Iterator[Child]:
    """A gateway, under gunicorn, with room for so many streams at a time; its address is `http://HOST:PORT`.

    `profile`: a file for what cProfile finds in it.
    """
    environment = {
        "CROUPIER_GRPC_TARGET": target,
        "CROUPIER_GATEWAY_PORT": "0",
        "CROUPIER_GATEWAY_THREADS": str(streams + RESERVED_THREADS),
        "CROUPIER_LOG_LEVEL": "WARNING",
    }
    with running_child(command("gateway", profile), environment, "web") as gateway:
        yield gateway


def place_of(web: str) -> tuple[str, int]:
    """Host and port."""
    host, port = web.removeprefix("http://").rsplit(":", 1)
    return host, int(port)


class Caller:
    """A client with one connection that is kept."""

    def __init__(self, web: str, token: str) -> None:
        self._connection = http.client.HTTPConnection(*place_of(web), timeout=30)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: bytes | None = None, *, gzip: bool = False) -> bytes:
        """The body of the answer, as it came. Raises RuntimeError where it is refused."""
        self._connection.request(
            method, path, body, self._headers | {"Accept-Encoding": "gzip" if gzip else "identity"}
        )
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {answer!r}")
        return answer

    def close(self) -> None:
        """No more calls."""
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Frame:
    """Of a stream of events: `name` is empty for a comment, `sequence` 0 where it has no id; `size`: bytes."""

    name: str
    sequence: int
    size: int


async def follow(web: str, match: str, token: str) -> AsyncIterator[Frame]:
    """A stream of a match's events, to its end."""
    reader, writer = await asyncio.open_connection(*place_of(web))
    try:
        # By HTTP/1.0, so that nothing but the body comes behind the head.
        writer.write(
            f"GET /v1/matches/{match}/events HTTP/1.0\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise RuntimeError(f"a stream was refused: {head!r}")
        name, sequence, size = "", 0, 0
        while line := await reader.readline():
            size += len(line)
            if line.startswith(b"event: "):
                name = line[7:].strip().decode()
            elif line.startswith(b"id: "):
                sequence = int(line[4:].split(b":")[0])
            elif line == b"\n":
                yield Frame(name, sequence, size)
                name, sequence, size = "", 0, 0
    finally:
        writer.close()
