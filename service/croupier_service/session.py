"""A player's stream: the matches he follows on it, what he sends, what waits to be sent."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

import structlog

from croupier_service import metrics
from croupier_service.acting import Choice, MakeAction
from croupier_service.changing import RequestKey
from croupier_service.errors import Refused, StoreUnavailable, Unreadable, lasting, unavailable, unreadable
from croupier_service.following import Item
from croupier_service.log import Cursor
from croupier_service.messages import Acted, GoAway, Hello, Message, Pong, RefusedMessage, Welcome
from croupier_service.outbox import Outbox
from croupier_service.players import Caller
from croupier_service.table import Table

if TYPE_CHECKING:
    from croupier_service.playing import Playing

_log = structlog.get_logger()
_FAREWELL = 5.0  # seconds that a player has to take the last message
_AGAIN = 0.2  # seconds until a match that could not be followed is tried again
_UNDER_WAY = 64  # acts of one stream at a time; the next is read when one is answered


class Session:
    """A player's stream."""

    def __init__(self, playing: "Playing", caller: Caller, hello: Hello, name: str, cut: Callable[[], object]) -> None:
        self.caller = caller
        self._cut = cut  # ends the call at once
        self._cutting: asyncio.TimerHandle | None = None
        self.name = name
        self._playing = playing
        self._hello = hello
        self._touch = playing.watching.touch
        self._silence = 2 * playing.stall  # ms without an acknowledgement of what was sent
        self._outbox = Outbox()
        self._send = self._outbox.send
        self._ended = False
        self.away: GoAway | None = None  # why it ends
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by match
        self._errands: set[asyncio.Task[None]] = set()
        self._under_way = 0  # of what the player asked for
        self._answered = asyncio.Event()
        self._unread: set[str] = set()  # matches of which the player was told that they cannot be read
        self._unbooked: set[str] = set()  # booked matches that a look has found without us, once
        self._sent: dict[str, Cursor] = {}
        self._acked: dict[str, int] = {}
        self._behind_since: int | None = None

    async def begin(self) -> None:
        """Welcome, renew the offer, and attach to all matches."""
        self._outbox.put(Welcome(self.caller.player))
        for match, cursor in self._hello.resume.items():
            self.attach(match, cursor)
        # Whoever is welcomed can be seated. What he missed meanwhile is looked for while he hears of the rest already.
        if await self._renew():
            self._errand(self._keep_beating())
            self._errand(self._keep_looking())

    async def close(self) -> None:
        """Stop everything, and withdraw the offer; called by Playing.close."""
        self._ended = True
        if self._cutting is not None:
            self._cutting.cancel()
        tasks = [*self._tasks.values(), *self._errands]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(StoreUnavailable):
            await self._playing.offers.withdraw(self.caller.player, self.name)

    def go_away(self, reason: str, retry_after: float | None) -> None:
        """End the stream."""
        if not self._ended:
            self._ended = True
            self.away = GoAway(reason, retry_after)
            self._outbox.put(self.away)
            # A reader that takes nothing any more cannot be told.
            self._cutting = asyncio.get_running_loop().call_later(_FAREWELL, self._cut)

    async def frame(self) -> list[Message]:
        """What is to be sent next, up to a GoAway: all that waits leaves as one frame."""
        return await self._outbox.frame()

    # What the player sends.

    async def act(
        self, match: str, key: RequestKey, window: str, what: MakeAction | Choice, epoch: int | None = None
    ) -> None:
        """Act in a window; the answer follows on the stream. Waits while too many acts are under way."""
        at = self._playing.time.now()

        async def act() -> Message:
            applied = await self._playing.acting.act(
                self.caller, match, key, window, what, at=at, epoch=epoch, told=False
            )
            return Acted(match, key.id, applied.applied_sequence)

        await self._answer_later(match, key.id, act)

    async def leave(self, match: str, key: RequestKey) -> None:
        """Give a seat back before the start."""

        async def leave() -> Message:
            view = await self._playing.matches.leave(self.caller, match, key)
            return Acted(match, key.id, view.sequence)

        await self._answer_later(match, key.id, leave)

    def ack(self, match: str, sequence: int) -> None:
        """The player has received a match up to an event."""
        if match in self._sent:
            self._acked[match] = max(self._acked.get(match, 0), sequence)
        if all(self._acked.get(m, 0) >= sent.sequence for m, sent in self._sent.items()):
            self._behind_since = None
        elif self._behind_since is not None:
            self._behind_since = self._playing.time.now()

    async def answered(self) -> None:
        """Wait until all that the player asked for is answered."""
        await self._fewer(1)

    async def _fewer(self, than: int) -> None:
        """Wait until fewer of what the player asked for are under way."""
        while self._under_way >= than:
            self._answered.clear()
            await self._answered.wait()

    @property
    def has_room(self) -> bool:
        """More can be told at once."""
        return not self._outbox.full and not self._ended

    def tell(self, table: Table, items: list[Item]) -> None:
        """Something has happened in a match that the player is seated in."""
        try:
            for item in items:
                for message in table.messages(item):
                    self._outbox.put(message)
            self._delivered(table)
        except Exception as fault:  # the stream must not go on with a gap, and the others are to be told all the same
            _log.error("play.fault", player=self.caller.player, match=table.match, exc_info=fault)
            self.go_away("INTERNAL", 1.0)

    async def pong(self, payload: str) -> None:
        """Answer a ping."""
        await self._send(Pong(payload, not self._touch.fresh))

    async def refuse(self, match: str, request: str, refusal: Refused) -> None:
        """Answer a message that could not be understood."""
        metrics.answered_on_stream(refusal.reason)
        await self._send(RefusedMessage(match, request, refusal))

    async def _answer_later(self, match: str, request: str, call: Callable[[], Coroutine[Any, Any, Message]]) -> None:
        await self._fewer(_UNDER_WAY)
        self._under_way += 1
        self._errand(self._answer(match, request, call))

    async def _answer(self, match: str, request: str, call: Callable[[], Coroutine[Any, Any, Message]]) -> None:
        try:
            message = await self._answer_to(match, request, call)
            outcome = message.refusal.reason if isinstance(message, RefusedMessage) else "OK"
            # Of a match only what is known to be the name of one.
            metrics.answered_on_stream(outcome)
            _log.debug("play.answered", outcome=outcome, **({"match": match} if outcome == "OK" else {}))
            await self._send(message)
        finally:
            self._under_way -= 1
            self._answered.set()

    async def _answer_to(self, match: str, request: str, call: Callable[[], Coroutine[Any, Any, Message]]) -> Message:
        try:
            with self._playing.load:
                return await call()
        except Refused as refusal:
            return RefusedMessage(match, request, refusal)
        except StoreUnavailable:
            self._touch.doubt()
            return RefusedMessage(match, request, unavailable())
        except Unreadable as problem:
            self._playing.store.log_unread({match: problem})
            return RefusedMessage(match, request, unreadable(match))

    def _errand(self, work: Coroutine[Any, Any, None]) -> None:
        """Do some work beside."""
        self._errands.add(asyncio.create_task(self._guarded(work)))

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as fault:
            _log.error("play.fault", player=self.caller.player, exc_info=fault)
            self.go_away("INTERNAL", 1.0)
        finally:
            self._errands.discard(asyncio.current_task())

    # What happens in its matches.

    def attach(self, match: str, after: Cursor | None) -> None:
        """Follow a match, unless it is followed already."""
        if match in self._tasks or self._ended:
            return
        task = asyncio.create_task(self._follow(match, after))
        self._tasks[match] = task

        def done(task: "asyncio.Task[None]") -> None:
            if self._tasks.get(match) is task:
                del self._tasks[match]
            self._sent.pop(match, None)
            self._acked.pop(match, None)
            if not task.cancelled() and (fault := task.exception()) is not None:
                _log.error("play.fault", player=self.caller.player, match=match, exc_info=fault)
                self.go_away("INTERNAL", 1.0)

        task.add_done_callback(done)

    async def _follow(self, match: str, after: Cursor | None) -> None:
        while not self._ended:
            try:
                await self._follow_on(match, after)
            except Refused as refusal:
                # Not there, or not for this player any more: whoever came with a cursor for it can forget it.
                await self._send(RefusedMessage(match, "", refusal))
            except StoreUnavailable as gone:  # it could not be begun: again, behind what was sent
                _log.debug("play.unavailable", match=match, error=str(gone))
                self._touch.doubt()
                after = self._sent.get(match, after)
                await asyncio.sleep(_AGAIN)
                continue
            except Unreadable as problem:  # it may be readable again some day
                self._refuse_unread({match: problem})
                after = self._sent.get(match, after)
                await asyncio.sleep(self._playing.heartbeat / 1000)
                continue
            return

    def _refuse_unread(self, unread: dict[str, Unreadable]) -> None:
        """Matches cannot be read: each is refused once, and the others go on."""
        self._playing.store.log_unread(unread)
        for match in unread.keys() - self._unread:
            self._unread.add(match)
            self._outbox.put(RefusedMessage(match, "", unreadable(match)))

    async def _follow_on(self, match: str, after: Cursor | None) -> None:
        reader = _Reader(self, match)
        async with aclosing(self._playing.watching.watch(self.caller, match, after, reader)) as items:
            async for item in items:
                for message in reader.table.messages(item):
                    await self._send(message)
                self._unread.discard(match)
                self._delivered(reader.table)
                if reader.table.left:
                    return

    def _delivered(self, table: Table) -> None:
        if table.sent is not None and table.sent != self._sent.get(table.match):
            self._sent[table.match] = table.sent
            if self._behind_since is None:
                self._behind_since = self._playing.time.now()

    async def _keep_beating(self) -> None:
        """Say that the stream lives, and at once when it is out of touch or in touch again."""
        turned = asyncio.Event()
        with self._touch.poke(turned):
            while not self._ended:
                turned.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._playing.heartbeat / 1000):
                        await turned.wait()
                if not self._outbox or turned.is_set():  # what waits to be sent is a sign of life, too
                    self._outbox.put(Pong("", not self._touch.fresh))
                if self._behind_since is not None and self._playing.time.now() - self._behind_since > self._silence:
                    self.go_away("STALLED", 1.0)

    async def _keep_looking(self) -> None:
        """Renew the offer, and look for matches that nobody told of. Each look takes as long as the store does."""
        turned = asyncio.Event()
        with self._touch.poke(turned):
            if self._touch.fresh:
                with lasting(_log, "play.look"):
                    await self._find()
            while not self._ended:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._playing.heartbeat / 1000):
                        await turned.wait()
                turned.clear()
                if self._touch.fresh:
                    with lasting(_log, "play.look"):
                        await self._look()

    async def _look(self) -> None:
        if await self._renew():
            await self._find()

    async def _renew(self) -> bool:
        """Renew the offer; False if the player has a newer stream, which ends this one."""
        now, player = self._playing.time.now(), self.caller.player
        # Also without a game to offer: whose name stands there has the player's newest stream.
        offers, until = self._playing.offers, now + 3 * self._playing.heartbeat
        if not await offers.renew(player, self._hello.games, self._hello.capacity, self.name, now, until):
            self.go_away("REPLACED", None)
            return False
        return True

    async def _find(self) -> None:
        """Attach to matches that no note told of; free bookings that came to nothing."""
        now, player = self._playing.time.now(), self.caller.player
        live = {match: score for score, match in await self._playing.players.live(player)}
        booked = await self._playing.offers.booked(player)
        unknown = [match for match in dict.fromkeys([*live, *booked]) if match not in self._tasks]
        unread: dict[str, Unreadable] = {}
        found = await self._playing.store.readable(unknown, None, now, unread) if unknown else []
        self._refuse_unread(unread)
        idle = set()
        for match, loaded in zip(unknown, found, strict=True):
            if match in unread:
                continue  # whether it is the player's is not known
            record = None if loaded is None else loaded.record
            if record is not None and not record.phase.done and record.seat_of(player) is not None:
                self.attach(match, None)
            elif match in booked or record is None or record.phase.done or not record.concerns(player):
                idle.add(match)
        # A seat that is only just being taken looks idle too, so it is dropped at the second look.
        for match, loaded in zip(unknown, found, strict=True):
            if match not in idle & self._unbooked:
                continue
            await self._playing.offers.release(match, [player])
            if loaded is None or not loaded.record.concerns(player):
                await self._playing.players.drop_live(player, match, live.get(match, 0))
            elif loaded.record.phase.done:
                await self._playing.players.move_past(player, match, loaded.record.meta.created_at)
        self._unbooked = idle


class _Reader:
    """Puts what happens in a match where it waits to be sent."""

    def __init__(self, session: Session, match: str) -> None:
        self.table = Table(match)
        self._session = session

    def ready(self) -> bool:
        return self._session.has_room

    def take(self, items: list[Item]) -> None:
        self._session.tell(self.table, items)
