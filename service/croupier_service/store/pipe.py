"""The way to Redis: all commands of one turn of the event loop leave as one write, or as one for each server."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from redis.asyncio import Redis
from redis.exceptions import AskError, NoScriptError, RedisError

from croupier_service import metrics
from croupier_service.errors import StoreUnavailable
from croupier_service.store.calls import ELSEWHERE, OF_A_SLOT, Call, by_map, fail, fault_of, is_write, still_open, tried
from croupier_service.store.keys import once
from croupier_service.store.line import Line
from croupier_service.store.scripts import Once, Script
from croupier_service.store.silence import Silence
from croupier_service.store.topology import Topology

_Answer = TypeVar("_Answer")
_ASKING = ("ASKING",)
_PULSE = 1_000  # ms that the mark of a batch is kept
_SCANNED = 500  # keys that a server looks at before it answers


class Pipe:
    """Sends commands, many at a time, and one batch after the other.

    `timeout`: seconds that a call may take, attempts and connecting included; then it is StoreUnavailable. A server
    that has not answered what it was sent for so long is silent.
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
        self._asked: dict[Call, None] = {}  # what somebody waits for, as it was called
        self._giving_up: asyncio.TimerHandle | None = None
        self._lanes: dict[tuple[Redis, bool], list[Call]] = {}  # what waits while a batch is under way
        # They outlast their lanes, but not their servers.
        self._lines: dict[bool, WeakKeyDictionary[Redis, Line]] = {
            True: WeakKeyDictionary(),
            False: WeakKeyDictionary(),
        }
        self._sending: set[asyncio.Task[None]] = set()
        self.silence = Silence(topology, self._answers)

    async def call(self, *command: Any) -> Any:
        """The answer to one command; StoreUnavailable if there was none."""
        call = self._ask(command, is_write(command))
        try:
            return await call.answer
        finally:
            del self._asked[call]

    async def calls(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The answers to several commands that go out together."""
        writes = any(map(is_write, commands))
        return await self._all([self._ask(command, writes) for command in commands])

    async def everywhere(self, *command: Any) -> list[Any]:
        """The answer of every server that has keys: of the only one, or of each primary of a cluster."""
        clients = self._topology.primaries()
        writes = is_write(command)
        return await self._all([self._ask(command, writes, client) for client in clients])

    async def scan(self, pattern: str, kind: str) -> AsyncIterator[list[str]]:
        """The names of all keys of a type that fit a pattern, some at a time, wherever they are; one may come twice."""
        for client in self._topology.primaries():
            cursor, begun = 0, False
            while cursor or not begun:
                command = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED, "TYPE", kind)
                ((answer, found),) = await self._all([self._ask(command, False, client)])
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
        for lines in self._lines.values():
            while lines:
                await lines.popitem()[1].let_go()

    async def _all(self, calls: Sequence[Call]) -> list[Any]:
        """The answers to calls, or the first that is a fault: none is left alone, or its own would be nobody's."""
        try:
            answers = await asyncio.gather(*(call.answer for call in calls), return_exceptions=True)
        finally:
            for call in calls:
                del self._asked[call]
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    def _ask(self, command: tuple[Any, ...], writes: bool, client: "Redis | None" = None) -> Call:
        loop = asyncio.get_running_loop()
        call = Call(command, loop.create_future(), loop.time() + self._timeout, client, writes=writes)
        self._enqueue([call])
        self._asked[call] = None
        if self._giving_up is None:
            self._giving_up = loop.call_at(call.until, self._give_up_the_late)
        return call

    def _give_up_the_late(self) -> None:
        """One timer does for all: they have the same time, so they are late in the order in which they came."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._give_up([call for call in self._asked if call.until <= now])
        next_one = next((call for call in self._asked if call.until > now), None)
        self._giving_up = None if next_one is None else loop.call_at(next_one.until, self._give_up_the_late)

    def _give_up(self, calls: Sequence[Call]) -> None:
        for call in calls:  # a fault each: whoever raises one adds to its traceback
            fail([call], StoreUnavailable(f"Redis has not answered within {self._timeout:g} s"))

    def _enqueue(self, calls: Sequence[Call]) -> None:
        """Have calls wait for their servers: what is called first is carried out first."""
        for call in calls:
            client = self._server(call)
            if client is None:
                continue
            if client in self.silence:
                fail([call], StoreUnavailable("Redis does not answer"))
                continue
            lane = self._lanes.get((client, call.writes))
            if lane is not None:
                lane.append(call)
                continue
            # It begins in the next turn: what comes in this one goes with it.
            lane = self._lanes[client, call.writes] = [call]
            self._begin(self._serve(client, call.writes, lane))

    def _server(self, call: Call) -> "Redis | None":
        """Where a call goes; None if that cannot be told, and it has failed."""
        try:
            return call.client or self._topology.client_for(call.command)
        except StoreUnavailable as unknown:
            fail([call], unknown)
            return None

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        # It works for others, too: its lines in the log are not those of whoever calls.
        task = asyncio.get_running_loop().create_task(work, context=Context())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _serve(self, client: "Redis", writes: bool, lane: list[Call]) -> None:
        """Send what waits, batch by batch, until nothing does."""
        batch: list[Call] = []
        try:
            line = self._lines[writes].get(client)
            if line is None:
                line = self._lines[writes][client] = Line(client)
            while lane:
                batch = still_open(lane)
                lane.clear()
                if client in self.silence:
                    fail(batch, StoreUnavailable("Redis does not answer"))
                elif batch:
                    await self._send(client, line, batch)
        except Exception as fault:
            fail([*batch, *lane], fault)
            raise
        finally:
            fail([*batch, *lane], StoreUnavailable("the way to Redis was closed"))
            del self._lanes[client, writes]

    async def _send(self, client: "Redis", line: Line, batch: list[Call]) -> None:
        """Send a server its part; what is answered, has failed or is for another server is taken out of `batch`.

        The server has its full time for that, however little is left to some of the calls: each gives up by itself.
        """
        sent = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(sent + self._timeout):
                while batch:
                    batch[:] = await self._attempt(client, line, batch)
                    if batch:
                        await self._topology.recover(client, min(call.tries for call in batch))
                        here: list[Call] = []
                        elsewhere: list[Call] = []
                        for call in tried(batch):
                            (here if self._server(call) is client else elsewhere).append(call)
                        batch[:] = here
                        # These wait for their own server alone, and hold nobody up here.
                        self._enqueue(elsewhere)
        except TimeoutError:
            metrics.unanswered(len(batch))
            self.silence.missed(client, sent)
            self._give_up(batch)

    async def _attempt(self, client: "Redis", line: Line, batch: Sequence[Call]) -> list[Call]:
        """Answer what can be answered; the calls that wait for the server to recover.

        When nobody waits any more a PING is sent for them, so that it is known whether the server answers in its time.
        """
        sent = time.monotonic()
        calls = still_open(batch)
        pulse = self._pulse(client, calls) if self._copies else []
        commands: list[tuple[Any, ...]] = []
        for call in calls:
            if call.asking:
                commands.append(_ASKING)
            commands.append(call.command)
        commands += pulse
        try:
            answers = await line.exchange(commands or [("PING",)])
        except (RedisError, OSError) as gone:  # one that is an answer is among the answers
            metrics.unanswered(len(batch))
            fail([call for call in batch if self._final(call)], StoreUnavailable(str(gone)))
            again = [call for call in batch if not self._final(call)]
            for call in again:
                by_map(call)
            return again
        metrics.answered(len(calls), time.monotonic() - sent)
        self.silence.heard(client)
        answers = [answer for command, answer in zip(commands, answers, strict=False) if command is not _ASKING]
        kept: int | RedisError | None = None
        if pulse:
            *answers, marked, kept = answers
            kept = marked if isinstance(marked, RedisError) else kept
        return self._answered(client, calls, answers, kept)

    def _answered(
        self, client: "Redis", calls: Sequence[Call], answers: Sequence[Any], kept: int | RedisError | None
    ) -> list[Call]:
        """Tell calls their answers; those that wait for the server to recover. What another may take goes there."""
        again, asked, unknown = [], [], []
        for call, answer in zip(calls, answers, strict=True):
            if call.answer.done():
                continue
            written = None if kept is None or not is_write(call.command) else kept
            if isinstance(answer, AskError) and not self._final(call):
                call.client, call.asking = self._topology.client_at(answer.host, answer.port), True
                asked.append(call)
            elif isinstance(answer, OF_A_SLOT) and not self._final(call) and by_map(call):
                unknown.append(call)
            elif isinstance(answer, ELSEWHERE) and not self._final(call) and by_map(call):
                again.append(call)
            elif isinstance(written, ELSEWHERE) and not self._final(call) and by_map(call):
                # The mark's own slot is elsewhere: whether the copies have the rest is to be asked once more.
                unknown.append(call)
            elif written is not None and (isinstance(written, RedisError) or written < self._copies):
                call.answer.set_exception(StoreUnavailable(f"{written} of {self._copies} replicas have it"))
            elif isinstance(answer, RedisError):
                call.answer.set_exception(fault_of(answer))
            else:
                call.answer.set_result(answer)
        self._enqueue(asked)
        if unknown:
            self._begin(self._find(client, unknown))
        return again

    async def _find(self, client: "Redis", calls: Sequence[Call]) -> None:
        """Send calls on that a server does not take, when it is known again who does; they hold nobody up meanwhile."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(max(call.until for call in calls)):
                    await self._topology.recover(client, max(call.tries for call in calls))
            self._enqueue(tried(calls))
        except Exception as fault:
            fail(calls, fault)
            raise

    def _final(self, call: Call) -> bool:
        """Whether whatever comes now is the answer."""
        return call.tries > 0 and not self._topology.patient

    def _pulse(self, client: "Redis", calls: Sequence[Call]) -> list[tuple[Any, ...]]:
        """Something to write before WAIT, which looks no further than its own connection's last write, and the WAIT.

        A commit that was made before, on another connection, writes nothing and must be waited for all the same.
        """
        writes = [call for call in calls if is_write(call.command)]
        if not writes:
            return []
        key = self._topology.pulse(client)
        asking = []
        if key is None:  # it has no slot of its own yet
            beside = min(writes, key=lambda call: not call.asking)
            key = self._topology.beside(beside.command)
            asking = [_ASKING] if beside.asking else []
        # The replicas have a little less time than the call that has most of it.
        left = max(call.until for call in writes) - asyncio.get_running_loop().time()
        return [*asking, ("SET", key, 1, "PX", _PULSE), ("WAIT", self._copies, max(1, int(left * 900)))]

    async def _answers(self, client: "Redis") -> bool:
        """Whether a server answers, whatever it says, within the time of a call."""
        line = Line(client)
        try:
            async with asyncio.timeout(self._timeout):
                await line.exchange([("PING",)])
        except (RedisError, OSError, TimeoutError):
            return False
        finally:
            await line.let_go()
        return True


async def answered(calls: Iterable[Awaitable[_Answer]]) -> list[_Answer | StoreUnavailable]:
    """What each of several calls gives: a server that does not answer keeps nothing from those who ask others."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    found: list[_Answer | StoreUnavailable] = []
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, StoreUnavailable):
            raise answer
        found.append(answer)
    return found
