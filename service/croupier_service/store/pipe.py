"""The way to Redis: all commands of one turn of the event loop leave as one write, or as one for each server."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from hiredis import pack_command
from redis.asyncio import Redis
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

from croupier_service import metrics
from croupier_service.errors import StoreUnavailable
from croupier_service.store.keys import once
from croupier_service.store.scripts import Once, Script
from croupier_service.store.silence import Silence
from croupier_service.store.topology import Topology

# Answers of a server that another one may have taken over from: they are tried again.
_ELSEWHERE = (ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError, MovedError, AskError)
# Answers of a server that lives but cannot do its work for the moment.
_CANNOT_NOW = (OutOfMemoryError, *_ELSEWHERE)
_PREFIXES = ("MISCONF", "NOREPLICAS")  # those that the client has no class for

_READS = frozenset({
    "PING", "ECHO", "TIME", "INFO", "CONFIG", "SCRIPT", "EXISTS", "GET", "MGET", "HGET", "HMGET", "HGETALL", "HVALS",
    "HEXISTS", "XRANGE", "XREVRANGE", "XLEN", "ZCARD", "ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZREVRANGE", "ZSCORE",
    "PTTL", "TTL", "TYPE", "SCAN", "SMEMBERS",
})  # fmt: skip
_PULSE = 1_000  # ms that the mark of a batch is kept
_SCANNED = 500  # keys that a server looks at before it answers


@dataclass(slots=True, eq=False)
class _Call:
    """A command on its way. `client`: the server that it is for, whoever has its key; `asking`: as its ASK said."""

    command: tuple[Any, ...]
    answer: "asyncio.Future[Any]"
    client: "Redis | None" = None
    asking: bool = False
    until: float = 0.0  # when it gives up, in the event loop's time
    writes: bool = False  # it does, or one of those that it goes out with: reads do not wait for what waits for copies


class Pipe:
    """Sends commands, many at a time, and one batch after the other.

    `timeout`: seconds that a call may take, attempts and connecting included; then it is StoreUnavailable.
    `copies`: replicas that must have a write before it is answered; short of them it is StoreUnavailable, too.

    Where a server has not answered for so long, calls for it fail at once until it does: see `Silence`.

    A command may be carried out twice, since its answer may be lost. Every write is the same however often it is done,
    or knows when it was done before (COMMIT by its name, a script that is Once by that of the call), or wastes a little
    that lapses by itself (TAKE).
    """

    def __init__(self, topology: Topology, timeout: float, copies: int = 0) -> None:
        self._topology = topology
        self._timeout = timeout
        self._copies = copies
        self._waiting: list[_Call] = []
        self._lanes: dict[tuple[Redis, bool], list[_Call]] = {}  # what waits while a batch is under way
        self._sending: set[asyncio.Task[None]] = set()
        self.silence = Silence(topology, self._answers)

    async def call(self, *command: Any) -> Any:
        """The answer to one command; StoreUnavailable if there was none."""
        return await self._call(command, writes=_writes(command))

    async def calls(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The answers to several commands that go out together."""
        writes = any(map(_writes, commands))
        return await asyncio.gather(*(self._call(command, writes=writes) for command in commands))

    async def everywhere(self, *command: Any) -> list[Any]:
        """The answer of every server that has keys: of the only one, or of each primary of a cluster."""
        clients = self._topology.primaries()
        writes = _writes(command)
        return await asyncio.gather(*(self._call(command, client, writes=writes) for client in clients))

    async def scan(self, pattern: str, kind: str) -> AsyncIterator[list[str]]:
        """The names of all keys of a type that fit a pattern, some at a time, wherever they are; one may come twice."""
        for client in self._topology.primaries():
            cursor, begun = 0, False
            while cursor or not begun:
                command = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED, "TYPE", kind)
                answer, found = await self._call(command, client)
                cursor, begun = int(answer), True
                yield [name.decode() for name in found]

    async def script(self, script: Script, keys: list[str], *arguments: Any) -> Any:
        """The answer of a script; it is sent whole when the server does not know it."""
        if isinstance(script, Once):
            keys = [*keys, once(keys[0], secrets.token_hex(8))]
        try:
            return await self.call("EVALSHA", script.sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self.call("EVAL", script.source, len(keys), *keys, *arguments)

    async def settled(self, key: str) -> None:
        """Whatever was written so far where a key lives is as durable as a new write would be.

        To be awaited before an earlier write is acknowledged again: its own acknowledgement may have failed for that.
        """
        if self._copies:
            await self.call("TOUCH", key)

    async def drain(self) -> None:
        """Wait for the answers to all that was sent, so that no connection is dropped in use."""
        await self.silence.end()
        while self._sending:
            await asyncio.gather(*self._sending, return_exceptions=True)

    async def _call(self, command: tuple[Any, ...], client: "Redis | None" = None, *, writes: bool = False) -> Any:
        loop = asyncio.get_running_loop()
        call = _Call(command, loop.create_future(), client, writes=writes)
        self._waiting.append(call)
        if len(self._waiting) == 1:
            loop.call_soon(self._flush)
        answer = await call.answer
        if isinstance(answer, RedisError):
            if isinstance(answer, _CANNOT_NOW) or str(answer).startswith(_PREFIXES):
                raise StoreUnavailable(str(answer))
            raise answer
        return answer

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        until = asyncio.get_running_loop().time() + self._timeout
        for call in batch:
            call.until = until
        self._enqueue(batch)

    def _enqueue(self, calls: list[_Call]) -> None:
        """Have calls wait for their servers: what is called first is carried out first."""
        for writes in (True, False):
            for client, part in self._parts([call for call in calls if call.writes is writes]).items():
                if client in self.silence:
                    _fail(part, StoreUnavailable("Redis does not answer"))
                    continue
                lane = self._lanes.get((client, writes))
                if lane is not None:
                    lane += part
                    continue
                self._lanes[client, writes] = part
                task = asyncio.get_running_loop().create_task(self._serve(client, writes, part))
                self._sending.add(task)
                task.add_done_callback(self._sending.discard)

    def _parts(self, batch: list[_Call]) -> dict["Redis", list[_Call]]:
        """What goes to which server; what cannot be told has failed."""
        parts: dict[Redis, list[_Call]] = {}
        for call in batch:
            try:
                client = call.client or self._topology.client_for(call.command)
            except StoreUnavailable as unknown:
                _fail([call], unknown)
            else:
                parts.setdefault(client, []).append(call)
        return parts

    async def _serve(self, client: "Redis", writes: bool, lane: list[_Call]) -> None:
        """Send what waits, batch by batch, until nothing does."""
        try:
            while lane:
                batch = lane[:]
                lane.clear()
                if client in self.silence:
                    _fail(batch, StoreUnavailable("Redis does not answer"))
                else:
                    # All give up with the first: there was no answer for so long that the rest is not worth trying.
                    await self._send(client, batch, min(call.until for call in batch))
        finally:
            _fail(lane, StoreUnavailable("the way to Redis was closed"))
            del self._lanes[client, writes]

    async def _send(self, client: "Redis", batch: list[_Call], until: float) -> None:
        """Send a server its part, which is done or has failed by `until`, or is for another server to answer."""
        elsewhere: list[_Call] = []
        try:
            async with asyncio.timeout_at(until):
                tries, left = 0, batch
                while left:
                    again = await self._attempt(client, left, until, last=tries > 0 and not self._topology.patient)
                    if again and not all(call.asking for call in again):
                        await self._topology.recover(client, tries)
                    parts = self._parts(again)
                    left = parts.pop(client, [])
                    # These wait for that server alone, and hold nobody up here.
                    found = [call for part in parts.values() for call in part]
                    elsewhere += found
                    self._enqueue(found)
                    tries += 1
        except TimeoutError:
            metrics.unanswered(len(batch))
            self.silence.missed(client, until - self._timeout)
            _fail(_without(batch, elsewhere), StoreUnavailable(f"Redis has not answered within {self._timeout:g} s"))
        except Exception as fault:
            _fail(_without(batch, elsewhere), fault)
            raise
        finally:
            _fail(_without(batch, elsewhere), StoreUnavailable("the way to Redis was closed"))

    async def _attempt(self, client: "Redis", batch: list[_Call], until: float, *, last: bool) -> list[_Call]:
        """Answer what can be answered; the calls that are to be sent again, to whoever should have them then."""
        sent = time.monotonic()
        pulse = self._pulse(batch) if self._copies else None
        try:
            commands: list[tuple[Any, ...]] = []
            for call in batch:
                if call.asking:
                    commands.append(("ASKING",))
                commands.append(call.command)
            if pulse is not None:
                commands += [("SET", pulse, 1, "PX", _PULSE), ("WAIT", self._copies, self._patience(until))]
            answers = await _exchange(client, commands)
        except (RedisError, OSError) as gone:  # one that is an answer is among the answers
            metrics.unanswered(len(batch))
            if not last:
                for call in batch:
                    if call.asking:  # by the map again
                        call.client, call.asking = None, False
                return batch
            if isinstance(gone, RedisTimeoutError):
                self.silence.missed(client, until - self._timeout)
            _fail(batch, StoreUnavailable(str(gone)))
            return []
        metrics.answered(len(batch), time.monotonic() - sent)
        self.silence.heard(client)
        kept: int | RedisError | None = None
        if pulse is not None:
            *answers, marked, kept = answers
            kept = marked if isinstance(marked, RedisError) else kept
        if any(call.asking for call in batch):
            answers = _of_commands(batch, answers)
        again = []
        for call, answer in zip(batch, answers, strict=True):
            if call.answer.done():
                continue
            if not last and isinstance(answer, _ELSEWHERE) and self._redirected(call, answer):
                again.append(call)
            elif kept is not None and _writes(call.command) and (isinstance(kept, RedisError) or kept < self._copies):
                call.answer.set_exception(StoreUnavailable(f"{kept} of {self._copies} replicas have it"))
            else:
                call.answer.set_result(answer)
        return again

    def _redirected(self, call: _Call, answer: RedisError) -> bool:
        """Where a call goes next; False if it was for this server and no other."""
        if isinstance(answer, AskError):
            call.client, call.asking = self._topology.client_at(answer.host, answer.port), True
            return True
        if call.asking:
            call.client, call.asking = None, False
        return call.client is None

    def _pulse(self, batch: Sequence[_Call]) -> str | None:
        """A key of the same server to write before WAIT, which looks no further than its own connection's last write.

        A commit that was made before, on another connection, writes nothing and must be waited for all the same.
        """
        for call in batch:
            if _writes(call.command):
                return self._topology.beside(call.command)
        return None

    async def _answers(self, client: "Redis") -> bool:
        """Whether a server answers, whatever it says, within the time of a call."""
        try:
            async with asyncio.timeout(self._timeout):
                await _exchange(client, [("PING",)])
        except (RedisError, OSError, TimeoutError):
            return False
        return True

    def _patience(self, until: float) -> int:
        """Milliseconds that the replicas have: a little less than the call."""
        return max(1, int((until - asyncio.get_running_loop().time()) * 900))


async def _exchange(client: "Redis", commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Send commands as one write, and read their answers; an error that is an answer is one of them.

    The client's own pipeline does the same, but packs each argument in Python, which costs more than all else here.
    """
    pool = client.connection_pool
    connection = await pool.get_connection()  # type: ignore[no-untyped-call]
    answers: list[Any] = []
    try:
        await connection.send_packed_command(b"".join(map(pack_command, commands)))
        for command in commands:
            try:
                answer = await connection.read_response()
            except ResponseError as error:
                answer = error
            else:
                shape = client.response_callbacks.get(command[0])
                answer = answer if shape is None else shape(answer)
            answers.append(answer)
    finally:
        await pool.release(connection)
    return answers


def _writes(command: Sequence[Any]) -> bool:
    return command[0] not in _READS


def _of_commands(batch: Sequence[_Call], answers: list[Any]) -> list[Any]:
    """The answers without those to ASKING."""
    each = iter(answers)
    found = []
    for call in batch:
        if call.asking:
            next(each)
        found.append(next(each))
    return found


def _without(batch: Sequence[_Call], others: Sequence[_Call]) -> Sequence[_Call]:
    return [call for call in batch if call not in others] if others else batch


def _fail(batch: Sequence[_Call], fault: BaseException) -> None:
    for call in batch:
        if not call.answer.done():
            call.answer.set_exception(fault)
