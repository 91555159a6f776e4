"""Servers that do not answer: calls for them fail at once, and nobody but this asks them, until one answer has come."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import structlog
from redis.exceptions import RedisError

from croupier_service.store.topology import Topology

if TYPE_CHECKING:
    from redis.asyncio import Redis

_log = structlog.get_logger()
_ASK = 0.2  # seconds between two questions to a server; an earlier one may still be answered


class Silence:
    """Which servers of the store are silent. `ask` puts a question to one, and says whether an answer came in time.

    A server is silent from the moment on that a call has not been answered in its time, nor any that was sent since.
    """

    def __init__(self, topology: Topology, ask: Callable[["Redis"], Awaitable[bool]]) -> None:
        self._topology = topology
        self._ask = ask
        self._heard: WeakKeyDictionary[Redis, float] = (
            WeakKeyDictionary()
        )  # when a server has answered last, in the event loop's time
        self._asking: dict[Redis, asyncio.Task[None]] = {}
        self._ended = False
        self.over = asyncio.Event()  # somebody who was silent has answered

    def __contains__(self, client: object) -> bool:
        return client in self._asking

    def heard(self, client: "Redis") -> None:
        """A server has answered."""
        self._heard[client] = asyncio.get_running_loop().time()
        asking = self._asking.pop(client, None)
        if asking is not None:
            asking.cancel()
            _log.info("store.answers_again")
            self.over.set()

    def missed(self, client: "Redis", since: float) -> None:
        """A server has not answered what it was sent at a time of the event loop's."""
        if not self._ended and client not in self._asking and self._heard.get(client, 0.0) <= since:
            _log.warning("store.silent")
            self._asking[client] = asyncio.get_running_loop().create_task(self._keep_asking(client), context=Context())

    async def end(self) -> None:
        """Ask no more, whatever is missed from now on."""
        self._ended = True
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_asking(self, client: "Redis") -> None:
        asked: set[asyncio.Task[None]] = set()
        try:
            # One that is no longer called for anything has a successor.
            while client in self._topology.primaries():
                question = asyncio.create_task(self._question(client))
                asked.add(question)
                question.add_done_callback(asked.discard)
                await asyncio.sleep(_ASK)
                # A question of its own connection each: what waits on one that is dead is never answered.
                with suppress(RedisError, OSError):
                    await self._topology.recover(client, 0)
        finally:
            left = list(asked)
            for question in left:
                question.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            if self._asking.get(client) is asyncio.current_task():
                del self._asking[client]
                self.over.set()

    async def _question(self, client: "Redis") -> None:
        if await self._ask(client):
            self.heard(client)
