"""Clients of the benches send again what may pass."""

import asyncio

import pytest

from bench.load_http import Connection
from bench.processes import CannotMeasure

_GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


async def _call(status: bytes) -> tuple[object, list[bytes]]:
    """What comes of a call that is first answered with a status; and the bodies that were sent."""
    bodies: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            bodies.append(await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split()[0])))
            bad = b"HTTP/1.1 " + status + b" No\r\nRetry-After: 0.01\r\nContent-Length: 2\r\n\r\n{}"
            writer.write(bad if len(bodies) == 1 else _GOOD)
            if len(bodies) == 2 or status == b"409":
                writer.close()
                return

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        connection = Connection(*server.sockets[0].getsockname())
        try:
            return await connection.call("POST", "/", "-", {"requestId": "one"}), bodies
        finally:
            connection.close()


@pytest.mark.parametrize("status", [b"429", b"503", b"504"])
async def test_the_same_again(status: bytes) -> None:
    answer, bodies = await _call(status)
    assert answer == {}
    assert bodies == [b'{"requestId": "one"}'] * 2


async def test_a_refusal_is_told() -> None:
    with pytest.raises(CannotMeasure, match="409"):
        await _call(b"409")
