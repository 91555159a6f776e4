"""Commands on their way to Redis, and what their answers mean."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)

from croupier_service.errors import StoreUnavailable

# Answers of a server that another one may have taken over from: they are tried again.
ELSEWHERE = (ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError, MovedError, AskError)
OF_A_SLOT = (TryAgainError, MovedError)  # those that say nothing of the server itself
# Answers of a server that lives but cannot do its work for the moment.
_CANNOT_NOW = (OutOfMemoryError, *ELSEWHERE)
_PREFIXES = ("MISCONF", "NOREPLICAS")  # those that the client has no class for

_READS = frozenset({
    "PING", "ECHO", "TIME", "INFO", "CONFIG", "SCRIPT", "EXISTS", "GET", "MGET", "HGET", "HMGET", "HGETALL", "HVALS",
    "HEXISTS", "LRANGE", "ZCARD", "ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZREVRANGE", "ZSCORE",
    "PTTL", "TTL", "TYPE", "SCAN", "SMEMBERS",
})  # fmt: skip


@dataclass(slots=True, eq=False)
class Call:
    """A command on its way. `client`: the server that it is for, whoever has its key; `asking`: as its ASK said."""

    command: tuple[Any, ...]
    answer: "asyncio.Future[Any]"
    until: float  # when it gives up, in the event loop's time
    client: "Redis | None" = None
    asking: bool = False
    tries: int = 0  # how often a server was given time to recover for it
    writes: bool = False  # it does, or one of those that it goes out with: reads do not wait for what waits for copies


def is_write(command: Sequence[Any]) -> bool:
    """It may change something."""
    return command[0] not in _READS


def still_open(calls: Sequence[Call]) -> list[Call]:
    """Those that somebody waits for."""
    return [call for call in calls if not call.answer.done()]


def tried(calls: Sequence[Call]) -> Sequence[Call]:
    """The calls, after one more try."""
    for call in calls:
        call.tries += 1
    return calls


def by_map(call: Call) -> bool:
    """Have a call go to whoever has its slot by the map; False if it is for one server and no other."""
    if call.asking:
        call.client, call.asking = None, False
    return call.client is None


def fault_of(answer: RedisError) -> Exception:
    """What an error that is an answer means to whoever called."""
    cannot_now = isinstance(answer, _CANNOT_NOW) or str(answer).startswith(_PREFIXES)
    return StoreUnavailable(str(answer)) if cannot_now else answer


def fail(batch: Sequence[Call], fault: BaseException) -> None:
    """Those that somebody waits for have failed."""
    for call in batch:
        if not call.answer.done():
            call.answer.set_exception(fault)
