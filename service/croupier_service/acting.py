"""How a match is played: acts, resignations, and what the clock does."""

from collections.abc import Callable
from typing import Any, TypeAlias

import structlog
from msgspec import Struct

from croupier_engine.errors import IllegalAction
from croupier_engine.game import By, Seat
from croupier_service import metrics
from croupier_service.absence import Absence
from croupier_service.change import Change
from croupier_service.changing import (
    ATTEMPTS,
    PROMPT_ATTEMPTS,
    Applied,
    Changing,
    RequestKey,
    Unsure,
    check_visible,
)
from croupier_service.errors import Refused
from croupier_service.players import Caller
from croupier_service.projection import WindowView, window_view
from croupier_service.record import Phase, Record
from croupier_service.restraint import Restraint
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead

_log = structlog.get_logger()


class Choice(Struct, frozen=True):
    """An action by its index among the window's choices."""

    index: int


MakeAction: TypeAlias = Callable[[str], Any]
"""Makes the action for the game of that name, in that game's own type; Refused if it is none of that game."""


class Acting:
    """Act in a match, give it up, fire its deadlines."""

    def __init__(
        self, changing: Changing, absence: Absence, store: MatchStore, time: ServerTime, *, illegal_limit: int
    ) -> None:
        self._changing = changing
        self._absence = absence
        self._store = store
        self._time = time
        self._illegal_limit = illegal_limit
        self._restraint = Restraint(illegal_limit)

    async def act(
        self,
        caller: Caller,
        match: str,
        key: RequestKey,
        window: str,
        what: MakeAction | Choice,
        *,
        at: int,
        after: int | None = None,
        epoch: int | None = None,
        told: bool = True,
    ) -> Applied:
        """Act in a window. The act counts as of `at`, when it arrived here, however long it has to wait for others.

        `epoch`: of the seat, as the caller knows it. `told`: the answer shows the match.
        """

        self._restraint.check(caller.player, match, window, at)

        async def act(change: Change) -> bool:
            record = change.before
            seat = _for_seated(record, caller)
            awaiting, clock = record.awaiting, record.clock
            assert awaiting is not None, "a running match waits for something"
            assert clock is not None, "a running match has clocks"
            chair = record.meta.seats[seat]
            if epoch is not None and epoch != chair.epoch:
                raise _refused(record, seat, "SEAT_EPOCH_STALE", {})
            if window != awaiting.window:
                raise _refused(record, seat, "STALE_WINDOW", {"window": window})
            deadline = clock.deadline(seat)
            if deadline is not None and at > deadline:
                raise _refused(record, seat, "OUT_OF_TIME", {"window": window})
            try:
                by = By.PLAYER if chair.player == caller.player else By.STAND_IN
                change.act(seat, _action(record, seat, what), by)
            except IllegalAction as illegal:
                if change.unsure:
                    raise Unsure from illegal
                now = await self._illegal(record, seat, caller.player)
                raise _refused(now, seat, illegal.reason, illegal.details) from illegal
            except Refused as refused:
                if change.unsure:
                    raise Unsure from refused
                now = await self._illegal(record, seat, caller.player)
                raise _refused(now, seat, refused.reason, refused.metadata) from refused
            return True

        return await self._changing.apply(
            caller, match, key, act, at=at, after=after, admit=_check_not_former, at_once=True, told=told
        )

    async def resign(self, caller: Caller, match: str, key: RequestKey, after: int | None) -> Applied:
        """Give up."""

        async def resign(change: Change) -> bool:
            if caller.player not in change.before.players:
                raise Refused("NOT_SEATED")  # also of a bot that stands in
            seat = _for_seated(change.before, caller)
            try:
                change.resign(seat)
            except IllegalAction as illegal:
                raise _refused(change.before, seat, illegal.reason, illegal.details) from illegal
            return True

        return await self._changing.apply(caller, match, key, resign, after=after)

    async def fire(self, match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
        """Do what the clock has to do; when it has to look again, grace not counted, None if never.

        LeadLost if the match's shard is led by another by now.
        """
        async with self._changing.turn(match):
            for attempt in range(ATTEMPTS):
                now = self._time.now()
                loaded = await self._store.load(match, None, now)
                if loaded is None:
                    return None
                if loaded.record.needs_bot(now):
                    await self._absence.settle(loaded)
                    loaded = await self._store.load(match, None, now) or loaded
                due = loaded.record.next_deadline
                if loaded.record.phase.done:
                    if due is None or now < due:
                        return due
                    await self._store.pack(loaded.record)
                    continue
                change = self._changing.begin(loaded.record)
                if not change.fire(turn_grace, timer_grace):
                    return due
                if await self._changing.commit(change, lead=lead, prompt=attempt < PROMPT_ATTEMPTS):
                    if due is not None:
                        metrics.fired(loaded.record.meta.game, change.at - due)
                        _log.info("clock.fired", match=match, late_ms=change.at - due)
                    return change.record.next_deadline
        return self._time.now()

    async def _illegal(self, record: Record, seat: Seat, player: str) -> Record:
        """Count an illegal action. Past the bound the clock plays for the seat, so that it does not stall the table.

        A seat that nobody waits for is not heard for a while instead. Answers the record as it is then.
        """
        awaiting = record.awaiting
        if awaiting is None:
            return record
        count = await self._store.count_illegal(record.id, seat, awaiting.window)
        if count < self._illegal_limit:
            return record
        if seat not in awaiting.must:
            self._restraint.begin(player, record.id, awaiting.window, self._time.now())
        else:
            change = self._changing.begin(record)
            change.bar(seat)
            if await self._changing.commit(change):  # if somebody was faster, the next illegal action tries again
                return change.record
        return record


def _check_not_former(record: Record, caller: Caller) -> None:
    """A bot that stood in for a seat is told why it may not act any more, even where it sees nothing any more."""
    if record.seat_of(caller.player) is None and any(caller.player in chair.former for chair in record.meta.seats):
        if record.visible_to(caller.player):
            raise _refused(record, None, "SEAT_EPOCH_STALE", {})
        raise Refused("SEAT_EPOCH_STALE")
    check_visible(record, caller)


def _for_seated(record: Record, caller: Caller) -> Seat:
    seat = record.seat_of(caller.player)
    if seat is None:
        raise Refused("NOT_SEATED")
    if record.phase is Phase.OPEN:
        raise Refused("MATCH_NOT_STARTED")
    if record.phase.done:
        raise Refused("GAME_OVER")
    return seat


def _action(record: Record, seat: Seat, what: MakeAction | Choice) -> Any:
    if not isinstance(what, Choice):
        return what(record.meta.game)
    window = window_view(record, seat)
    choices = () if window is None else window.choices
    if not choices:
        # Texts cannot be listed: whoever may say something is asked all the same.
        raise Refused("NOT_ASKED" if window is None or not window.actions else "ACTION_WANTED", _expected(window))
    if not 0 <= what.index < len(choices):
        raise Refused("CHOICE_OUT_OF_RANGE", {"choice": str(what.index), "choices": str(len(choices))})
    return choices[what.index]


def _refused(record: Record, seat: Seat | None, reason: str, metadata: dict[str, str]) -> Refused:
    """With the present question, so that whoever was refused knows what to do."""
    retry = float(metadata["retry_after"]) if "retry_after" in metadata else None
    window = window_view(record, seat)
    if reason == "WRONG_ACTION":
        metadata = _expected(window)
        reason = reason if metadata else "NOT_ASKED"
    return Refused(reason, metadata, retry_after=retry, game=record.meta.game, window=window)


def _expected(window: WindowView | None) -> dict[str, str]:
    """What this seat may do, for the text of a refusal; empty if it is nothing."""
    return {} if window is None or not window.actions else {"expected": ", ".join(window.actions)}
