"""Notices that something was committed. They are hints: one may be lost, so whoever listens also looks by himself."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

import msgspec
import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from croupier_service.errors import StoreUnavailable
from croupier_service.store.keys import NOTES, ShardKeys
from croupier_service.store.topology import Topology, grouped

_log = structlog.get_logger()
_QUIET = 3.0  # seconds; a connection is known to be dead after two or three times as long
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0  # seconds
_DEAD = "the notices' connection is dead"


class Listener(Protocol):
    """Who wants to hear."""

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match was changed to this version; `deadline` is the time at which the clock must look, server ms."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """Something is new for a player: kind SEATED with a match, or STREAM with the name of his newest stream."""

    async def lost_touch(self) -> None:
        """Notices may have been missed; look at everything again."""


class Notices:
    """Listens to all shards, on one connection to each server, and comes back when one breaks."""

    def __init__(
        self,
        topology: Topology,
        shards: int,
        listeners: list[Listener],
        timeout: float,
        broken: Callable[[], None] = lambda: None,
    ) -> None:
        """`broken` is called when a connection has broken, or cannot be made."""
        self._topology = topology
        self._channels = [NOTES, *(ShardKeys(shard).channel for shard in range(shards))]
        self._listeners = listeners
        self._timeout = timeout
        self._broken = broken
        self._ears: dict[Redis, _Ear] = {}
        self._changed = asyncio.Event()  # somebody does not listen any more
        self._deaf = False  # it has been said that not everything is listened to
        self.ready = asyncio.Event()  # all was listened to at least once

    async def run(self) -> None:
        """Listen until cancelled."""
        pause = _FIRST_PAUSE
        try:
            while True:
                # Cleared before anybody is looked for: who ends from here on is found in the next round.
                self._changed.clear()
                try:
                    await self._let_go_of_the_deaf()
                    await self._listen_where_the_channels_are()
                    await self._changed.wait()
                except StoreUnavailable as gone:
                    self._interrupted(gone)
                except Exception as fault:  # one bad round must not end all later ones
                    _log.exception("notices.fault", exc_info=fault)
                # Whoever heard something since he was started gives hope.
                heard = all(ear.heard.is_set() for ear in self._ears.values())
                pause = _FIRST_PAUSE if heard else min(pause * 2, _LONGEST_PAUSE)
                await asyncio.sleep(pause)
        finally:
            await _end(self._ears.values())

    async def _let_go_of_the_deaf(self) -> None:
        for client in [client for client, ear in self._ears.items() if ear.task.done()]:
            del self._ears[client]
            await self._topology.recover(client, 0)

    def _interrupted(self, why: BaseException) -> None:
        """Said once, until everything is listened to again."""
        if not self._deaf:
            self._deaf = True
            _log.warning("notices.interrupted", error=str(why) or type(why).__name__)

    async def _listen_where_the_channels_are(self) -> None:
        wanted = grouped(self._topology, self._channels)
        moved = [client for client, ear in self._ears.items() if ear.channels != wanted.get(client)]
        await _end([self._ears.pop(client) for client in moved])
        for client, channels in wanted.items():
            if client not in self._ears:
                ear = _Ear(channels)
                ear.task = asyncio.create_task(self._listen(client, ear))
                self._ears[client] = ear

    async def _listen(self, client: "Redis", ear: "_Ear") -> None:
        try:
            async with client.pubsub(push_handler_func=_as_it_is) as pubsub:
                async with asyncio.timeout(self._timeout):
                    await self._subscribe(pubsub, ear)
                ear.heard.set()
                if all(other.heard.is_set() and not other.task.done() for other in self._ears.values()):
                    self.ready.set()
                    self._deaf = False
                for listener in self._listeners:
                    await listener.lost_touch()
                await self._hear_all(pubsub)
        except (RedisError, OSError, StoreUnavailable) as gone:
            self._interrupted(gone)
            self._broken()
        except Exception as fault:  # of a listener: as with a broken line, all is looked at again
            _log.exception("notices.fault", exc_info=fault)
            self._broken()
        finally:
            self._changed.set()

    async def _subscribe(self, pubsub: PubSub, ear: "_Ear") -> None:
        for channel in ear.channels:  # one by one, since a node takes no two slots in one command
            if channel == NOTES:  # goes round the whole cluster, wherever it is published
                await pubsub.subscribe(channel)
            else:
                await pubsub.ssubscribe(channel)
        subscribed = 0
        while subscribed < len(ear.channels):
            message = await _next(pubsub)
            if message[0] in (b"ssubscribe", b"subscribe"):
                subscribed += 1
            else:
                self._hear(message)

    async def _hear_all(self, pubsub: PubSub) -> None:
        asked = False
        while True:
            heard = False
            with suppress(TimeoutError):
                async with asyncio.timeout(_QUIET):  # one for all that comes meanwhile
                    while True:
                        message = await _next(pubsub)
                        heard = True
                        self._hear(message)
            if heard:
                asked = False
            elif asked:
                raise StoreUnavailable(_DEAD)
            else:  # Nothing for a while: is the server still at the other end?
                await pubsub.ping()
                asked = True

    def _hear(self, message: Sequence[Any]) -> None:
        kind = message[0]
        if kind == b"smessage":
            match, version, deadline = _change.decode(message[2])
            for listener in self._listeners:
                listener.changed(match, version, deadline)
        elif kind == b"message":
            kind, player, value = json.loads(message[2])
            for listener in self._listeners:
                listener.noted(kind, player, value)
        elif kind == b"sunsubscribe":  # the server's own doing, as when a slot moves
            raise StoreUnavailable("unsubscribed by the server")


async def _next(pubsub: PubSub) -> Sequence[Any]:
    """What comes next, as the server says it: its kind, its channel and the rest, or the answer to a PING.

    `get_message` does the same, but has a timer, an attempt and a record for each message, which cost more than it.
    """
    connection: Any = pubsub.connection
    message: Sequence[Any] | None = await connection.read_response(
        timeout=inf, disconnect_on_error=False, push_request=True
    )
    if message is None:  # the system has given the line up
        raise StoreUnavailable(_DEAD)
    return message


async def _as_it_is(push: Any) -> Any:
    """In place of redis-py's own handler, which writes each notice out for a log that nobody reads."""
    return push


_change = msgspec.json.Decoder(tuple[str, int, int | None])


@dataclass(slots=True, eq=False)
class _Ear:
    """The channels listened to at one server. `heard`: it has been told that it is subscribed to all of them."""

    channels: frozenset[str]
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None]" = field(init=False)


async def _end(ears: Iterable[_Ear]) -> None:
    tasks = [ear.task for ear in ears]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
