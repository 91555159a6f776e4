"""One stream for all matches of a player: what `Bots.Play` does, in engine types."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import structlog

from croupier_engine.game import Outcome, Seat
from croupier_engine.registry import GAMES
from croupier_service.errors import Refused, StoreUnavailable, unavailable
from croupier_service.matches import Choice, GameAction, Matches, RequestKey
from croupier_service.players import Caller, Names
from croupier_service.projection import EventView, MatchView, WindowView, YouView
from croupier_service.store.matches import MatchStore
from croupier_service.store.offers import OfferStore
from croupier_service.store.players import PlayerStore
from croupier_service.store.servertime import ServerTime
from croupier_service.watching import Beat, End, Events, Snapshot, Watching, WindowChange

_log = structlog.get_logger()
_WAITING = 1000  # messages that may wait for a slow reader before its matches are read no further
_STALLED = 60_000  # ms without an acknowledgement of what was sent


@dataclass(frozen=True, slots=True)
class Hello:
    """What a player offers, and what it has received already: match -> number of the last event."""

    games: Mapping[str, tuple[str, ...]]
    capacity: int
    resume: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Welcome:
    """The stream is open."""

    player: str


@dataclass(frozen=True, slots=True)
class Seated:
    """A match that the player sits in."""

    match: MatchView


@dataclass(frozen=True, slots=True)
class Question:
    """The player is asked."""

    match: str
    sequence: int
    you: YouView


@dataclass(frozen=True, slots=True)
class Happened:
    """What happened in a match."""

    match: str
    events: list[EventView]


@dataclass(frozen=True, slots=True)
class Acted:
    """An act was applied."""

    match: str
    request: str
    applied_sequence: int


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message was refused."""

    match: str
    request: str
    refusal: Refused


@dataclass(frozen=True, slots=True)
class Done:
    """A match is done; without an outcome it was abandoned."""

    match: str
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Pong:
    """An answer to a ping, or a heartbeat."""

    payload: str


@dataclass(frozen=True, slots=True)
class GoAway:
    """The stream ends; `retry_after` is in seconds, None: do not come back."""

    reason: str
    retry_after: float | None


Message: TypeAlias = Welcome | Seated | Question | Happened | Acted | RefusedMessage | Done | Pong | GoAway


class Playing:
    """All `Play` streams of this process."""

    def __init__(
        self,
        matches: Matches,
        watching: Watching,
        store: MatchStore,
        players: PlayerStore,
        offers: OfferStore,
        time: ServerTime,
        names: Names,
        heartbeat: int,
    ) -> None:
        self.matches = matches
        self.watching = watching
        self.store = store
        self.players = players
        self.offers = offers
        self.time = time
        self.heartbeat = heartbeat
        self._names = names
        self._sessions: dict[str, Session] = {}

    async def open(self, caller: Caller, hello: Hello) -> "Session":
        """A new stream of a player; an older one, wherever it is, is sent away."""
        for game in hello.games:
            if game not in GAMES:
                raise Refused("GAME_NOT_FOUND", {"game": game})
        session = Session(self, caller, hello, self._names.stream())
        older = self._sessions.get(caller.player)
        if older is not None:
            older.go_away("REPLACED", None)
        self._sessions[caller.player] = session
        await self.players.note("STREAM", caller.player, session.name)
        await session.begin()
        return session

    def forget(self, session: "Session") -> None:
        """A stream has ended."""
        if self._sessions.get(session.caller.player) is session:
            del self._sessions[session.caller.player]

    def go_away(self) -> None:
        """Send all streams away: this process is going down."""
        for session in self._sessions.values():
            session.go_away("GOING_DOWN", 1.0)

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """Of no use here: the feeds tell."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """A player was seated, or has a newer stream somewhere."""
        session = self._sessions.get(player)
        if session is None:
            return
        if kind == "SEATED":
            session.attach(value, None)
        elif kind == "STREAM" and value != session.name:
            session.go_away("REPLACED", None)

    async def lost_touch(self) -> None:
        """Every stream looks again at its next heartbeat."""


class Session:
    """A player's stream."""

    def __init__(self, playing: Playing, caller: Caller, hello: Hello, name: str) -> None:
        self.caller = caller
        self.name = name
        self._playing = playing
        self._hello = hello
        self._outbox: asyncio.Queue[Message] = asyncio.Queue(_WAITING)
        self._end: GoAway | None = None
        self._ended = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by match
        self._errands: set[asyncio.Task[None]] = set()
        self._unbooked: set[str] = set()  # booked matches that a look has found without us, once
        self._sent: dict[str, int] = {}
        self._acked: dict[str, int] = {}
        self._behind_since: int | None = None

    async def begin(self) -> None:
        """Welcome, renew the offer, and attach to all matches."""
        await self._outbox.put(Welcome(self.caller.player))
        for match, sequence in self._hello.resume.items():
            self.attach(match, sequence)
        await self._look()
        self._errand(self._keep_looking())

    async def close(self) -> None:
        """Stop everything, and withdraw the offer."""
        self._playing.forget(self)
        tasks = [*self._tasks.values(), *self._errands]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(StoreUnavailable):
            await self._playing.offers.withdraw(self.caller.player, self.name)

    def go_away(self, reason: str, retry_after: float | None) -> None:
        """End the stream."""
        if self._end is None:
            self._end = GoAway(reason, retry_after)
            self._ended.set()

    async def frames(self) -> AsyncGenerator[list[Message], None]:
        """What is to be sent: all that waits leaves as one frame."""
        ended = asyncio.create_task(self._ended.wait())
        try:
            while True:
                first = asyncio.create_task(self._outbox.get())
                await asyncio.wait((first, ended), return_when=asyncio.FIRST_COMPLETED)
                frame: list[Message] = []
                if first.done():
                    frame.append(first.result())
                else:
                    first.cancel()
                while not self._outbox.empty():
                    frame.append(self._outbox.get_nowait())
                if self._end is not None:
                    yield [*frame, self._end]
                    return
                yield frame
        finally:
            ended.cancel()

    # What the player sends.

    def act(self, match: str, key: RequestKey, window: str, what: GameAction | Choice) -> None:
        """Act in a window; the answer follows on the stream."""

        async def act() -> Message:
            applied = await self._playing.matches.act(self.caller, match, key, window, what, None)
            return Acted(match, key.id, applied.applied_sequence)

        self._errand(self._answer(match, key.id, act))

    def leave(self, match: str, key: RequestKey) -> None:
        """Give a seat back before the start."""

        async def leave() -> Message:
            view = await self._playing.matches.leave(self.caller, match, key)
            return Acted(match, key.id, view.sequence)

        self._errand(self._answer(match, key.id, leave))

    def ack(self, match: str, sequence: int) -> None:
        """The player has received a match up to an event."""
        if match in self._sent:
            self._acked[match] = max(self._acked.get(match, 0), sequence)
        if all(self._acked.get(m, 0) >= s for m, s in self._sent.items()):
            self._behind_since = None
        elif self._behind_since is not None:
            self._behind_since = self._playing.time.now()

    async def pong(self, payload: str) -> None:
        """Answer a ping."""
        await self._outbox.put(Pong(payload))

    async def refuse(self, match: str, request: str, refusal: Refused) -> None:
        """Answer a message that could not be understood."""
        await self._outbox.put(RefusedMessage(match, request, refusal))

    async def _answer(self, match: str, request: str, call: Callable[[], Coroutine[Any, Any, Message]]) -> None:
        try:
            message = await call()
        except Refused as refusal:
            message = RefusedMessage(match, request, refusal)
        except StoreUnavailable:
            message = RefusedMessage(match, request, unavailable())
        await self._outbox.put(message)

    def _errand(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errand_done)

    def _errand_done(self, task: "asyncio.Task[None]") -> None:
        self._errands.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("play.fault", player=self.caller.player, exc_info=fault)
            self.go_away("INTERNAL", 1.0)

    # What happens in its matches.

    def attach(self, match: str, after: int | None) -> None:
        """Follow a match, unless it is followed already."""
        if match in self._tasks or self._ended.is_set():
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

    async def _follow(self, match: str, after: int | None) -> None:
        asked: WindowView | None = None
        try:
            async with aclosing(self._playing.watching.watch(self.caller, match, after)) as items:
                async for item in items:
                    messages: list[Message] = []
                    match item:
                        case Snapshot(view):
                            if view.you.seat is None:
                                return
                            messages.append(Seated(view))
                            self._delivered(match, view.sequence)
                            if _asks_anew(view.you, asked):
                                messages.append(Question(match, view.sequence, view.you))
                            asked = view.you.window
                        case Events(events):
                            messages.append(Happened(match, events))
                            self._delivered(match, events[-1].sequence)
                        case WindowChange(sequence, you):
                            if you.seat is None:
                                return
                            if _asks_anew(you, asked):
                                messages.append(Question(match, sequence, you))
                            asked = you.window
                        case End("GO_AWAY"):
                            return
                        case End(_, _, view):
                            messages.append(Done(match, None if view is None else view.outcome))
                        case Beat():
                            pass
                    for message in messages:
                        await self._outbox.put(message)
        except Refused:
            # A cursor for a match that is not there, or not for this player, is of no consequence.
            return
        except StoreUnavailable as gone:
            _log.warning("play.unavailable", match=match, error=str(gone))
            self.go_away("UNAVAILABLE", 1.0)

    def _delivered(self, match: str, sequence: int) -> None:
        self._sent[match] = sequence
        if self._behind_since is None:
            self._behind_since = self._playing.time.now()

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(self._playing.heartbeat / 1000)
            await self._outbox.put(Pong(""))
            if self._behind_since is not None and self._playing.time.now() - self._behind_since > _STALLED:
                self.go_away("STALLED", 1.0)
            try:
                await self._look()
            except StoreUnavailable as gone:
                _log.warning("play.unavailable", player=self.caller.player, error=str(gone))

    async def _look(self) -> None:
        """Renew the offer; attach to matches that no note told of; free bookings that came to nothing."""
        now, player = self._playing.time.now(), self.caller.player
        if self._hello.games:
            until = now + 3 * self._playing.heartbeat
            await self._playing.offers.renew(player, self._hello.games, self._hello.capacity, self.name, until)
        live = [match for _, match in await self._playing.players.live(player)]
        booked = await self._playing.offers.booked(player)
        unknown = [match for match in dict.fromkeys([*live, *booked]) if match not in self._tasks]
        found = await self._playing.store.load_all(unknown, None, now) if unknown else []
        seats: dict[str, Seat | None] = {
            match: None if loaded is None or loaded.record.phase.done else loaded.record.seat_of(player)
            for match, loaded in zip(unknown, found, strict=True)
        }
        idle = {match for match, seat in seats.items() if seat is None}
        for match in unknown:
            if match not in idle:
                self.attach(match, None)
        # A seat that is only just being taken looks idle too, so it is dropped at the second look.
        for match, loaded in zip(unknown, found, strict=True):
            if match not in idle & self._unbooked:
                continue
            await self._playing.offers.release(match, [player])
            if loaded is not None and loaded.record.seat_of(player) is not None:
                await self._playing.players.move_past(player, match, loaded.record.meta.created_at)
            else:
                await self._playing.players.drop_live(player, match)
        self._unbooked = idle


def _asks_anew(you: YouView, asked: WindowView | None) -> bool:
    """Whether a player is asked something that he was not asked before; others' answers do not repeat a question."""
    window = you.window
    if window is None or not window.actions:
        return False
    return asked is None or (window.id, window.choices) != (asked.id, asked.choices)
