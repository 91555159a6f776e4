"""How long calls wait in gRPC's own queues before anything of ours hears of them, and the bound on that.

Nothing tells the age of a call that is taken on, and each method has a queue of its own. So the service puts calls of
its own into the queues that are busy: what is taken on now has waited for as long as the oldest of those that are still
on their way.
"""

import asyncio
import math
import secrets
from collections import Counter
from contextlib import suppress

import grpc
import structlog

from croupier_service.errors import Refused

_log = structlog.get_logger()
_EVERY = 0.1  # seconds between two calls of our own
_BUSY = 10  # calls of a method in that time, from which on there may be a queue
_MOST = 100  # calls of our own in one queue at a time
_MARK = "x-croupier-queue"  # metadata of our own calls, with a word that nobody else knows


class Queue:
    """The calls that wait to be taken on. `limit`: seconds that one may have waited."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._mark = (_MARK, secrets.token_hex(16))
        self._came: Counter[str] = Counter()  # calls of each method since a moment
        self._since = 0.0  # that moment, in the event loop's time
        self._busy: set[str] = set()  # methods that many calls came for since the last look
        self._look = asyncio.Event()  # there are some
        self._sent: dict[str, dict[int, float]] = {}  # our own that are on their way, oldest first, by when they left
        self._sends: set[asyncio.Task[None]] = set()
        self._number = 0
        self._over = False

    def own(self, details: grpc.HandlerCallDetails) -> bool:
        """It is one of our own calls, which has done its work by getting here."""
        return details.method in self._sent and self._mark in details.invocation_metadata

    def take(self, method: str) -> Refused | None:
        """A call is taken on; OVERLOADED if it has waited for too long for anything to be done for it."""
        now = asyncio.get_running_loop().time()
        if now > self._since + _EVERY:
            self._came.clear()
            self._since = now
        self._came[method] += 1
        if self._came[method] == _BUSY:
            self._busy.add(method)
            self._look.set()
        oldest = next(iter(self._sent.get(method, {}).values()), None)
        waited = 0.0 if oldest is None else now - oldest
        if waited <= self._limit:
            return None
        if not self._over:
            self._over = True
            _log.warning("overloaded", method=method, waited_ms=round(waited * 1000))
        retry = float(math.ceil(waited))  # those who are turned away together had better not come back at once
        bound = f"{self._limit * 1000:g} ms"
        return Refused("OVERLOADED", {"limit": bound, "retry_after": f"{retry:g}"}, retry_after=retry)

    async def run(self, target: str) -> None:
        """Look, for as long as the service serves at `target`."""
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
        async with grpc.aio.insecure_channel(target, options=options) as channel:
            while True:
                if not self._sent:
                    await self._look.wait()
                self._look.clear()
                busy, self._busy = self._busy, set()
                for method in busy | self._sent.keys():
                    self._ask(channel, method)
                await asyncio.sleep(_EVERY)
                self._over = self._over and bool(self._sent)

    def _ask(self, channel: grpc.aio.Channel, method: str) -> None:
        sent = self._sent.setdefault(method, {})
        if len(sent) < _MOST:
            self._number += 1
            sent[self._number] = asyncio.get_running_loop().time()
            send = asyncio.create_task(self._send(channel, method, self._number))
            self._sends.add(send)
            send.add_done_callback(self._sends.discard)

    async def _send(self, channel: grpc.aio.Channel, method: str, number: int) -> None:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
        try:
            with suppress(grpc.aio.AioRpcError):
                await call(b"", metadata=(self._mark,))
        finally:
            del self._sent[method][number]
            if not self._sent[method]:
                del self._sent[method]


async def nothing(_request: bytes, _context: object) -> bytes:
    """What one of our own calls is answered."""
    return b""


def own_address(host: str, port: int) -> str:
    """How a service that listens there calls itself."""
    everywhere = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "::": "[::1]"}  # noqa: S104 - they are replaced
    return f"{everywhere.get(host, host)}:{port}"
