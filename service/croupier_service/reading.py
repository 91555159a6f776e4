"""What can be read beside a single match: lists of matches, and the replay of one that is over."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from croupier_engine.game import Command, Outcome
from croupier_service.errors import Refused, Unreadable
from croupier_service.log import LogEntry
from croupier_service.players import Caller
from croupier_service.projection import MatchView, match_view
from croupier_service.record import Phase, Record, StandInTerms
from croupier_service.store.matches import Loaded, MatchStore
from croupier_service.store.players import PlayerStore
from croupier_service.store.servertime import ServerTime

_PAGE = 20
_BATCH = 100  # matches read at a time, however few fit a filter
_OPEN_LISTED = 1000  # open matches considered, of each shard
_SITTING_DOWN = 60_000  # ms: a match that was listed so recently may be about to be joined


@dataclass(frozen=True, slots=True)
class Filter:
    """Which matches: of the caller (`mine`) or open to all; in a phase; of a game; that wait for him.

    None and empty: any.
    """

    mine: bool
    phase: Phase | None = None
    game: str = ""
    your_turn: bool = False

    def admits(self, loaded: Loaded, caller: Caller) -> bool:
        """Whether a match belongs to the list, whatever the index said."""
        record = loaded.record
        if self.game and record.meta.game != self.game:
            return False
        if self.phase is not None and record.phase is not self.phase:
            return False
        if self.mine:
            seat = record.seat_of(caller.player)
            asked = record.awaiting is not None and seat in record.awaiting.must
            return record.concerns(caller.player) and (asked or not self.your_turn)
        return record.phase is Phase.OPEN and record.meta.public


@dataclass(frozen=True, slots=True)
class ReplayView:
    """A match that is over, open to all who could see it. `log`: each command, with the number of the last event."""

    match: str
    game: str
    rules_version: int
    options: Any
    seats: tuple[str, ...]
    commitment: str
    seed: bytes
    deal_scheme: int
    started_at: int
    stand_in: StandInTerms | None
    outcome: Outcome
    log: list[tuple[int, Command[Any]]]


class Reading:
    """Lists and replays."""

    def __init__(self, store: MatchStore, players: PlayerStore, time: ServerTime) -> None:
        self._store = store
        self._players = players
        self._time = time

    async def list(self, caller: Caller, wanted: Filter, size: int, token: str) -> tuple[list[MatchView], str]:
        """A page of matches, the newest first, and the token of the next page, empty on the last."""
        size = size or _PAGE
        start = _parse_token(token, wanted, caller)
        live: dict[str, int] = {}
        if wanted.mine:
            live = {match: score for score, match in await self._players.live(caller.player)}
            past = {match: score for score, match in await self._players.past(caller.player)}
            candidates = sorted(((score, match) for match, score in {**past, **live}.items()), reverse=True)
        else:
            candidates = await self._store.open_matches(_OPEN_LISTED)
        if start is not None:
            candidates = [candidate for candidate in candidates if candidate < start]
        found: list[MatchView] = []
        last = (0, "")
        unread: dict[str, Unreadable] = {}  # these are left out
        for begin in range(0, len(candidates), _BATCH):
            part = candidates[begin : begin + _BATCH]
            matches = [match for _, match in part]
            loaded = await self._store.readable(matches, caller.player, self._time.now(), unread)
            self._store.log_unread(unread)
            for place, kept in zip(part, loaded, strict=True):
                if wanted.mine and place[1] not in unread:  # of those nobody knows where they belong
                    await self._heal(caller, place, kept, listed_live=place[1] in live)
                if kept is not None and wanted.admits(kept, caller):
                    if len(found) == size:
                        return found, _token(last, wanted, caller)
                    found.append(match_view(kept.record, caller.player, kept.present))
                    last = place
        return found, ""

    async def _heal(self, caller: Caller, place: tuple[int, str], kept: Loaded | None, *, listed_live: bool) -> None:
        """Put the caller's lists right where the record says otherwise: what Seating.settle did not get to do."""
        score, match = place
        if kept is not None and kept.record.concerns(caller.player):
            if kept.record.phase.done and listed_live:
                await self._players.move_past(caller.player, match, kept.record.meta.created_at)
        elif listed_live:
            if self._time.now() - score > _SITTING_DOWN:
                await self._players.drop_live(caller.player, match, score)
        else:
            await self._players.drop_past(caller.player, match)

    async def replay(self, caller: Caller, match: str) -> ReplayView:
        """All cards, once they hide nothing any more."""
        loaded = await self._store.load(match, caller.player, self._time.now())
        if loaded is None or not loaded.record.visible_to(caller.player):
            raise Refused("MATCH_NOT_FOUND", {"match": match})
        record = loaded.record
        if record.phase is not Phase.OVER:
            raise Refused("MATCH_NOT_OVER", {"state": record.phase.value})
        return replay_view(record, await self._store.entries(record, 0))


def replay_view(record: Record, entries: Sequence[LogEntry]) -> ReplayView:
    """All cards of a match that is over, from its whole log."""
    meta = record.meta
    assert meta.outcome is not None, "a match that is over has an outcome"
    log: list[tuple[int, Command[Any]]] = []
    for entry in entries:
        sequence = entry.first
        for step in entry.steps:
            sequence += len(step.events)
            if step.command is not None:
                log.append((sequence, step.command))
    return ReplayView(
        match=record.id,
        game=meta.game,
        rules_version=meta.rules_version,
        options=record.options,
        seats=record.players,
        commitment=record.commitment,
        seed=record.seed,
        deal_scheme=meta.deal_scheme,
        started_at=meta.started_at,
        stand_in=meta.stand_in,
        outcome=meta.outcome,
        log=log,
    )


# A page token names the last match of a page and belongs to one list of one caller.


def _token(place: tuple[int, str], wanted: Filter, caller: Caller) -> str:
    text = f"{place[0]} {place[1]}"
    return base64.urlsafe_b64encode(f"{text} {_mark(text, wanted, caller)}".encode()).decode()


def _parse_token(token: str, wanted: Filter, caller: Caller) -> tuple[int, str] | None:
    if not token:
        return None
    try:
        created, match, mark = base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode().split(" ")
        place = (int(created), match)
    except (ValueError, binascii.Error):
        raise Refused("PAGE_TOKEN_INVALID") from None
    if mark != _mark(f"{created} {match}", wanted, caller):
        raise Refused("PAGE_TOKEN_INVALID")
    return place


def _mark(place: str, wanted: Filter, caller: Caller) -> str:
    phase = "" if wanted.phase is None else wanted.phase.value
    text = "\0".join((place, caller.player if wanted.mine else "", phase, wanted.game, str(wanted.your_turn)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
