"""The way to the server: all commands of one turn of the event loop leave as one write."""

import asyncio
import time
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterDownError,
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from croupier_service import metrics
from croupier_service.errors import StoreUnavailable
from croupier_service.store.scripts import Script

# Seconds. A call must fail fast, since its caller may send it again; blocking reads are not used at all.
CONNECT_TIMEOUT = 2.0
ANSWER_TIMEOUT = 5.0

# Answers of a server that lives but cannot do its work for the moment.
_CANNOT_NOW = (OutOfMemoryError, ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError)
_PREFIXES = ("MISCONF", "NOREPLICAS")  # those that the client has no class for


def connect(url: str, *, answer_timeout: float | None = ANSWER_TIMEOUT) -> "Redis":
    """A client for a `redis://`, `rediss://` or `unix://` address. It tries once more when a connection was gone.

    So a command may be carried out twice. Every write is the same however often it is done, or says when it was done
    before (COMMIT), or wastes a little that lapses by itself (BOOK, TAKE).
    """
    return Redis.from_url(
        url,
        socket_connect_timeout=CONNECT_TIMEOUT,
        socket_timeout=answer_timeout,
        retry=Retry(NoBackoff(), 1),
        retry_on_error=[RedisConnectionError],
        decode_responses=False,
        protocol=3,
    )


class Pipe:
    """Sends commands, many at a time."""

    def __init__(self, client: "Redis") -> None:
        self._client = client
        self._waiting: list[tuple[tuple[Any, ...], asyncio.Future[Any]]] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def call(self, *command: Any) -> Any:
        """The answer to one command; StoreUnavailable if there was none."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((command, future))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._flush)
        answer = await future
        if isinstance(answer, _CANNOT_NOW) or (isinstance(answer, RedisError) and str(answer).startswith(_PREFIXES)):
            raise StoreUnavailable(str(answer))
        if isinstance(answer, RedisError):
            raise answer
        return answer

    async def calls(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The answers to several commands that go out together."""
        return await asyncio.gather(*(self.call(*command) for command in commands))

    async def script(self, script: Script, keys: list[str], *arguments: Any) -> Any:
        """The answer of a script; it is sent whole when the server does not know it."""
        try:
            return await self.call("EVALSHA", script.sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self.call("EVAL", script.source, len(keys), *keys, *arguments)

    async def drain(self) -> None:
        """Wait for the answers to all that was sent, so that no connection is dropped in use."""
        await asyncio.gather(*self._sending, return_exceptions=True)

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        task = asyncio.get_running_loop().create_task(self._send(batch))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, batch: list[tuple[tuple[Any, ...], asyncio.Future[Any]]]) -> None:
        sent = time.monotonic()
        try:
            async with self._client.pipeline(transaction=False) as pipeline:
                for command, _ in batch:
                    pipeline.execute_command(*command)
                answers = await pipeline.execute(raise_on_error=False)
        except (RedisConnectionError, RedisTimeoutError, OSError) as gone:
            metrics.unanswered(len(batch))
            for _, future in batch:
                if not future.done():
                    future.set_exception(StoreUnavailable(str(gone)))
            return
        except BaseException as fault:
            for _, future in batch:
                if not future.done():
                    future.set_exception(fault)
            raise
        metrics.answered(len(batch), time.monotonic() - sent)
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                if isinstance(answer, (RedisConnectionError, RedisTimeoutError)):
                    future.set_exception(StoreUnavailable(str(answer)))
                else:
                    future.set_result(answer)
