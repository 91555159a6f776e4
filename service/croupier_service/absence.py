"""Who plays for a seat while its player is away.

An absence is announced with a time. Until then the player may come back, and nothing has happened. Then a bot that
offers the game at the level that the match names plays for the seat, until the player is there again: a stream that he
opens, or anything that he asks for, ends it (see Changing.arrived). A bot that stands in and goes away itself is missed
and replaced in the same way.
"""

import asyncio
import itertools
from collections.abc import Callable, Collection, Iterable
from enum import Enum, auto

import structlog

from croupier_engine.game import Seat
from croupier_service.change import Change
from croupier_service.changing import ATTEMPTS, Changing
from croupier_service.errors import Refused, StoreUnavailable, Unreadable, lasting
from croupier_service.hub import Hub
from croupier_service.presence import Presence
from croupier_service.record import Chair, Phase, Record
from croupier_service.seating import Seating
from croupier_service.store.matches import Loaded, MatchStore
from croupier_service.store.pipe import answered
from croupier_service.store.servertime import ServerTime

_log = structlog.get_logger()
_BLINK = 0.5  # seconds: a stream that is opened again within this was never away
_AT_ONCE = 32  # matches that are looked at together
_SHARDS = 4  # shards whose matches are read together, so that others get their turn in between
_FULL = 6  # every so many looks all shards are looked at, in case a notice was lost


class Need(Enum):
    """What is to be done about who plays for a seat."""

    RETURN = auto()  # who was missed is there
    NOTICE = auto()  # who plays is away
    BOT = auto()  # the time that was announced has come


def need_of(chair: Chair, present: Collection[str], now: int, new: int, left: str | None = None) -> Need | None:
    """What is to be done about a seat by now; None: nothing.

    Whoever has only begun to play has `new` ms to show up, unless he is known to have `left`.
    """
    player, playing = chair.player, chair.played_by
    if player is None or playing is None or chair.resigned:
        return None
    if any(chair.misses(each) and each in present for each in (player, playing)):
        return Need.RETURN
    if chair.absent_until is not None:
        return Need.BOT if chair.absent_until <= now else None
    if playing not in present and (playing == left or chair.since + new <= now):
        return Need.NOTICE
    return None


class Absence:
    """Notices who is away, and has a bot stand in for him."""

    def __init__(
        self,
        changing: Changing,
        seating: Seating,
        store: MatchStore,
        hub: Hub,
        presence: Presence,
        time: ServerTime,
        heartbeat: int,
    ) -> None:
        self._changing = changing
        self._seating = seating
        self._store = store
        self._hub = hub
        self._presence = presence
        self._time = time
        self._heartbeat = heartbeat
        self._trusted = 0  # server ms from which on it is known again who is there
        self._empty: set[int] = set()  # shards without a match of interest, and nothing has changed since
        self._silent: set[int] = set()  # shards that could not be asked when they were last looked at
        self._noticing: set[asyncio.Task[None]] = set()

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match was changed: bots may stand in there from now on."""
        if self._empty:
            self._empty.discard(self._store.shard(match))

    def noted(self, kind: str, player: str, value: str) -> None:
        """Of no use here."""

    async def lost_touch(self) -> None:
        """Notices may have been missed."""
        self._empty.clear()
        self._doubt()  # no look need have failed, if there was nothing to look at

    async def closed(self, record: Record, player: str, stream: str) -> None:
        """A player's stream is closed; he is away if it was the last, and if he asks for nothing either."""
        guarded = record.meta.stand_in is not None and record.phase is Phase.RUNNING
        if guarded and self._hub.closing:
            return  # he is sent elsewhere, and counts as present while he goes
        gone = await self._store.set_absent(record.id, stream, self._time.now())
        if guarded and gone and record.seat_of(player) is not None:
            task = asyncio.create_task(self._left(record.id, player))
            self._noticing.add(task)
            task.add_done_callback(self._noticing.discard)

    async def _left(self, match: str, player: str) -> None:
        await asyncio.sleep(min(_BLINK, self._heartbeat / 1000))
        with lasting(_log, "absence.left"):
            await self._look(match, player)

    async def run(self, led: Callable[[], Iterable[int]]) -> None:
        """Look at all matches of the shards that this process leads, once a heartbeat, until cancelled."""
        self._doubt()
        try:
            for look in itertools.count():
                await asyncio.sleep(self._heartbeat / 1000)
                self._presence.forget()
                if look % _FULL == 0:
                    self._empty.clear()
                with lasting(_log, "absence.look"):
                    shards = [shard for shard in led() if shard not in self._empty]
                    gone: StoreUnavailable | None = None
                    for begin in range(0, len(shards), _SHARDS):
                        try:
                            await self._look_at_all(shards[begin : begin + _SHARDS])
                        except StoreUnavailable as fault:  # others may be where somebody answers
                            gone = fault
                    if gone is not None:
                        raise gone
        finally:
            for task in self._noticing:
                task.cancel()

    def _doubt(self) -> None:
        """While the store could not be told who is there, everybody seemed to go."""
        self._trusted = self._time.now() + 2 * self._heartbeat

    async def _look_at_all(self, shards: list[int]) -> None:
        """Look at the matches of some shards; StoreUnavailable, in the end, if one could not be asked."""
        now = self._time.now()
        self._empty.update(shards)  # unless something is there, or comes while it is looked at
        try:
            looks = await answered(self._wanting(shard) for shard in shards)
        except Exception:
            self._empty.difference_update(shards)
            raise
        gone = {shard: each for shard, each in zip(shards, looks, strict=True) if isinstance(each, StoreUnavailable)}
        self._empty -= gone.keys()
        if gone.keys() != self._silent & set(shards):
            self._doubt()  # not at each look, since the others are where somebody answers
        self._silent = self._silent.difference(shards) | gone.keys()
        unanswered = list(gone.values())
        wanting = [match for each in looks if not isinstance(each, StoreUnavailable) for match in each]
        if now < self._trusted:
            wanting = []
        for begin in range(0, len(wanting), _AT_ONCE):
            looking = (self._look(match) for match in wanting[begin : begin + _AT_ONCE])
            for fault in await asyncio.gather(*looking, return_exceptions=True):
                if isinstance(fault, StoreUnavailable):
                    unanswered.append(fault)
                elif fault is not None:
                    with lasting(_log, "absence.look"):  # whatever is wrong with one, the others are looked at
                        raise fault
        if unanswered:
            raise unanswered[0]

    async def _wanting(self, shard: int) -> list[str]:
        """The matches of a shard where something is to be done, as it seems."""
        guarded = await self._store.guarded([shard])
        if guarded:
            self._empty.discard(shard)
        now = self._time.now()
        present = await self._store.present([match for match, _ in guarded], now)
        return [
            match
            for (match, chairs), there in zip(guarded, present, strict=True)
            # Of chairs that cannot be read the record tells.
            if chairs is None or any(need_of(chair, there, now, self._new) for chair in chairs)
        ]

    @property
    def _new(self) -> int:
        return 3 * self._heartbeat

    async def _look(self, match: str, left: str | None = None) -> None:
        async with self._changing.turn(match):
            for _ in range(ATTEMPTS):
                try:
                    loaded = await self._store.load(match, None, self._time.now())
                except Unreadable as problem:  # it may be readable at a later look
                    self._store.log_unread({match: problem})
                    return
                if loaded is None:
                    await self._store.unguard(match)
                    return
                if await self.settle(loaded, left):
                    return

    async def settle(self, loaded: Loaded, left: str | None = None) -> bool:
        """Do what is to be done by now; False if somebody else changed the match meanwhile: load again."""
        record, now = loaded.record, self._time.now()
        if record.meta.stand_in is None or record.phase is not Phase.RUNNING:
            return True
        change = self._changing.begin(record, now)
        for seat, chair in enumerate(record.meta.seats):
            match need_of(chair, loaded.present, change.at, self._new, left):
                case Need.RETURN:
                    for player in loaded.present:
                        change.arrive(player)
                case Need.NOTICE:
                    change.miss(seat)
                case Need.BOT:
                    await self._find(change, seat, record.meta.stand_in.level)
        if not change.changed:
            return True
        return await self._changing.commit(change) is not None

    async def _find(self, change: Change, seat: Seat, level: str) -> None:
        record = change.before
        # Whoever has played for another seat knows its cards.
        elsewhere = [bot for other, chair in enumerate(record.meta.seats) if other != seat for bot in chair.former]
        try:
            bot = (await self._seating.book(record, [{"level": level}], elsewhere))[0]
        except Refused:
            if not record.meta.seats[seat].overdue:
                change.lack(seat)
            return
        await self._seating.expect(bot.id, record)
        change.take_over(seat, bot.id, bot.name)
