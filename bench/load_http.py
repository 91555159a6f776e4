"""As much of HTTP/1.1 as the clients need, at the least cost."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from bench.processes import CannotMeasure

_PASSING = (429, 503, 504)  # as docs/retries.md has it
_PATIENCE = 60.0  # s
_PAUSE, _LONGEST_PAUSE = 0.25, 8.0  # s


class Connection:
    """A connection that is kept alive; it is made with the first call."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, verb: str, path: str, token: str, body: Mapping[str, Any]) -> Any:
        """The answer's JSON. What may pass is sent again, as it is; raises CannotMeasure for what is refused."""
        sent = verb, path, token, json.dumps(body).encode()
        give_up, pause = time.monotonic() + _PATIENCE, _PAUSE
        while True:
            status, wait, answer = await self._once(sent)
            if status == 200:
                return json.loads(answer)
            if status not in _PASSING or time.monotonic() > give_up:
                raise CannotMeasure(f"{verb} {path}: {status} {answer.decode()}")
            await asyncio.sleep(wait or pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self, sent: tuple[str, str, str, bytes]) -> tuple[int, float, bytes]:
        """The status, the seconds to wait if it says so, the body."""
        try:
            status, headers, reader = await self._ask(*sent)
        except (asyncio.IncompleteReadError, ConnectionError):  # closed after long silence; sent again, it is the same
            self.close()
            status, headers, reader = await self._ask(*sent)
        answer = await reader.readexactly(int(headers[b"content-length"]))
        return status, float(headers.get(b"retry-after", b"0")), answer

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
