"""Notices that something was committed. They are hints: one may be lost, so whoever listens also looks by himself."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import structlog
from redis.asyncio import Redis

from croupier_service.errors import StoreUnavailable, lasting
from croupier_service.store.keys import NOTES, ShardKeys

_log = structlog.get_logger()
_QUIET = 5.0  # seconds


class Listener(Protocol):
    """Who wants to hear."""

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match was changed to this version; `deadline` is the time at which the clock must look, server ms."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """Something is new for a player: kind SEATED with a match, or STREAM with the name of his newest stream."""

    async def lost_touch(self) -> None:
        """Notices may have been missed; look at everything again."""


class Notices:
    """Listens to all shards on one connection, and comes back when it breaks."""

    def __init__(self, client: "Redis", shards: int, listeners: list[Listener]) -> None:
        self._client = client
        self._channels = [ShardKeys(shard).channel for shard in range(shards)]
        self._listeners = listeners
        self.ready = asyncio.Event()  # it listened at least once

    async def run(self) -> None:
        """Listen until cancelled."""
        pause = 0.05
        while True:
            with lasting(_log, "notices.interrupted"):
                async with self._client.pubsub() as pubsub:
                    await pubsub.ssubscribe(*self._channels)
                    await pubsub.subscribe(NOTES)
                    subscribed, asked = 0, False
                    while True:
                        message = await pubsub.get_message(timeout=_QUIET)
                        if message is None:
                            # Nothing for a while: is the server still at the other end?
                            if asked:
                                raise StoreUnavailable("the notices' connection is dead")
                            await pubsub.ping()
                            asked = True
                            continue
                        asked = False
                        if message["type"] in ("ssubscribe", "subscribe"):
                            subscribed += 1
                            if subscribed >= len(self._channels) + 1:
                                pause = 0.05
                                self.ready.set()
                                await self._each(lambda listener: listener.lost_touch())
                        else:
                            self._hear(message)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)

    async def _each(self, call: Callable[[Listener], Awaitable[None]]) -> None:
        for listener in self._listeners:
            await call(listener)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "smessage":
            match, version, deadline = json.loads(message["data"])
            for listener in self._listeners:
                listener.changed(match, version, deadline)
        elif message["type"] == "message":
            kind, player, value = json.loads(message["data"])
            for listener in self._listeners:
                listener.noted(kind, player, value)
        elif message["type"] == "sunsubscribe":  # the server's own doing, as when a slot moves
            raise StoreUnavailable("unsubscribed by the server")
