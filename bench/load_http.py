"""As much of HTTP/1.1 as the clients need, at the least cost."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any


class Connection:
    """A connection that is kept alive; it is made with the first call."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, verb: str, path: str, token: str, body: Mapping[str, Any]) -> Any:
        """The answer's JSON. Raises RuntimeError for any status but 200."""
        sent = verb, path, token, json.dumps(body).encode()
        try:
            status, headers, reader = await self._ask(*sent)
        except (asyncio.IncompleteReadError, ConnectionError):  # closed after long silence; sent again, it is the same
            self.close()
            status, headers, reader = await self._ask(*sent)
        answer = await reader.readexactly(int(headers[b"content-length"]))
        if status != 200:
            raise RuntimeError(f"{verb} {path}: {status} {answer.decode()}")
        return json.loads(answer)

    def close(self) -> None:
        """The next call makes it again."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(
        self, verb: str, path: str, token: str, body: bytes
    ) -> tuple[int, dict[bytes, bytes], asyncio.StreamReader]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        head = (
            f"{verb} {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
        return int(first.split(b" ")[1]), headers, reader
