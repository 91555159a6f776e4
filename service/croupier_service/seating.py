"""How matches come to be, and how the lists that are derived from them follow."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from msgspec.structs import replace

from croupier_engine import dealing
from croupier_engine.clock import Limits
from croupier_engine.errors import InvalidOptions
from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES
from croupier_service import derived
from croupier_service.change import Change
from croupier_service.dealer import Dealer
from croupier_service.errors import Refused, invalid, lasting
from croupier_service.hub import Hub
from croupier_service.lifecycle import Created, Joined, StoodIn
from croupier_service.players import Caller, Names, rate_limited
from croupier_service.projection import MatchView, match_view
from croupier_service.record import Chair, Meta, Phase, Record, StandInTerms
from croupier_service.store.matches import MatchStore
from croupier_service.store.offers import OfferStore
from croupier_service.store.players import Player, PlayerStore
from croupier_service.store.servertime import ServerTime

_log = structlog.get_logger()

# A request to create is remembered so long, in ms, and from the end of its match on as long as that is kept.
_CREATION_KEPT = 30 * 86_400_000
_COPY_ROUNDS, _COPY_PAUSE = 20, 0.05  # looks, and seconds between them, for what a copy of a request is creating
_WINDOW = 60_000  # ms for each question, unless the match says otherwise
_LEAST_WINDOW = 10  # ms
_LEAST_ABSENCE, _MOST_ABSENCE = 100, 86_400_000  # ms from the notice of an absence until a bot takes over


@dataclass(frozen=True, slots=True)
class Table:
    """What a new match shall be. `options` makes the game's options from the preset's."""

    game: str
    seats: int
    options: Callable[[AnyGame, Any], Any]
    preset: str
    public: bool
    bots: Sequence[Mapping[str, str]]  # {"level": ..} or {"player": ..}
    window_ms: int | None  # for each question; None: as usual
    bank_ms: int
    increment_ms: int
    spectate: bool
    stand_in: StandInTerms | None  # when a bot plays for a player who is away; None: never
    match: str  # the id wanted; empty: any


class Seating:
    """Opens matches, books bots, and keeps the lists of players' matches."""

    def __init__(
        self,
        store: MatchStore,
        players: PlayerStore,
        offers: OfferStore,
        hub: Hub,
        time: ServerTime,
        dealer: Dealer,
        names: Names,
        *,
        open_ttl: int,
        retention: int,
        compact_after: int,
        matches_per_minute: int,
        open_tables: int,
    ) -> None:
        self._store = store
        self._players = players
        self._offers = offers
        self._hub = hub
        self._time = time
        self._dealer = dealer
        self._names = names
        self._open_ttl = open_ttl
        self._retention = retention
        self._compact_after = compact_after
        self._per_minute = matches_per_minute
        self._open_tables = open_tables
        self._settling: set[asyncio.Task[None]] = set()

    def unnamed_request(self) -> str:
        """A name for a request that its caller gave none; our own retries need one."""
        return f"~{self._names.stream()}"

    async def create(self, caller: Caller, table: Table, request: str, fingerprint: str) -> MatchView:
        """Open a match, or answer the one that the same request opened before."""
        meta, options, bots = self._checked(caller, table, fingerprint)
        meta = replace(meta, request=request)
        match = table.match or self._names.match()
        kept = await self._players.creation(caller.player, request) if request else None
        if kept is not None:
            match = _kept_match(kept, fingerprint)
        found = await self._existing(caller, match, fingerprint)
        if found is not None:
            return found
        wait = await self._players.take("matches_per_minute", caller.player, self._per_minute, meta.created_at)
        if wait:
            raise rate_limited("matches_per_minute", self._per_minute, wait)
        own = True  # this call, and no copy of it that was sent at the same time, is the one that creates
        if request:
            value = f"{match} {fingerprint} {self._names.stream()}"
            kept = await self._players.reserve_creation(caller.player, request, value, _CREATION_KEPT)
            match, own = _kept_match(kept, fingerprint), kept == value
        if not own:
            found = await self._other_s(caller, match, fingerprint)
            if found is not None:
                return found
        try:
            return await self._open(caller, table, match, meta, options, bots)
        except Refused:
            found = await self._existing(caller, match, fingerprint)
            if found is not None:
                return found
            await self._players.unhost(caller.player, match)
            if request and own:
                await self._players.drop_creation(caller.player, request)
            raise

    async def _other_s(self, caller: Caller, match: str, fingerprint: str) -> MatchView | None:
        """What a copy of this request, sent at the same time, is creating; None if it does not get it done."""
        for _ in range(_COPY_ROUNDS):
            found = await self._existing(caller, match, fingerprint)
            if found is not None:
                return found
            await asyncio.sleep(_COPY_PAUSE)
        return None

    async def _open(
        self,
        caller: Caller,
        table: Table,
        match: str,
        meta: Meta,
        options: Any,
        bots: Sequence[Mapping[str, str]],
    ) -> MatchView:
        if not await self._players.host(
            caller.player, match, meta.created_at, meta.expires_at, limit=self._open_tables
        ):
            facts = {"limit": f"open_tables={self._open_tables}", "retry_after": "60"}
            raise Refused("RATE_LIMITED", facts, retry_after=60)
        seed = self._dealer.seed()
        empty = Record(id=match, version=0, sequence=0, at=meta.created_at, meta=meta, options=options, seed=seed)
        booked = await self.book(empty, bots, seated=[caller.player])
        change = Change(
            empty, self._dealer, self._time.now(), name=self._names.change()
        )  # a full table begins now, whatever booking took
        change.tell(Created(caller.player))
        if not table.spectate:
            change.sit(caller.player, caller.name)
        for bot in booked:
            change.sit(bot.id, bot.name, bot=True)
        for player in {caller.player, *change.record.players}:
            await self.expect(player, empty)
        change.start_if_full()
        record, entry = change.record, change.entry
        if not await self._store.commit(None, record, entry, self._retention):
            await self.release_unseated(match, [bot.id for bot in booked])
            found = await self._existing(caller, match, meta.fingerprint)
            assert found is not None, "what could not be created is there"
            return found
        self._hub.advance(change.before, record, entry)
        await self.settle(empty, record, [e.public for _, e in entry.numbered() if isinstance(e.public, Joined)])
        return match_view(record, caller.player, frozenset())

    def _checked(self, caller: Caller, table: Table, fingerprint: str) -> tuple[Meta, Any, Sequence[Mapping[str, str]]]:
        game = GAMES.get(table.game)
        if game is None:
            raise Refused("GAME_NOT_FOUND", {"game": table.game})
        preset = table.preset or next(iter(game.presets))
        if preset not in game.presets:
            raise Refused("PRESET_NOT_FOUND", {"game": table.game, "preset": table.preset})
        options = table.options(game, game.presets[preset].options)
        try:
            game.validate(options, table.seats)
        except InvalidOptions as refused:
            raise Refused(refused.reason, refused.details) from refused
        free = table.seats - (0 if table.spectate else 1)
        if len(table.bots) > free:
            raise invalid("bots", f"only {free} seats are left for bots")
        limits = Limits(_WINDOW if table.window_ms is None else table.window_ms, table.bank_ms, table.increment_ms)
        if limits.window < _LEAST_WINDOW:
            raise invalid("clock.windowDuration", f"it must be at least {_LEAST_WINDOW} ms")
        if table.stand_in is not None and not _LEAST_ABSENCE <= table.stand_in.after <= _MOST_ABSENCE:
            raise invalid("standIn.afterDuration", f"it must be from {_LEAST_ABSENCE} ms to one day")
        now = self._time.now()
        meta = Meta(
            game=game.name,
            rules_version=game.rules_version,
            preset=preset,
            public=table.public,
            join_code="" if table.public else self._names.join_code(),
            host=caller.player,
            creator=caller.player,
            fingerprint=fingerprint,
            phase=Phase.OPEN,
            seats=(Chair(),) * table.seats,
            limits=limits,
            deal_scheme=dealing.SCHEME,
            compact_after=self._compact_after,
            created_at=now,
            expires_at=now + self._open_ttl,
            stand_in=table.stand_in,
        )
        return meta, options, table.bots

    async def _existing(self, caller: Caller, match: str, fingerprint: str) -> MatchView | None:
        """The match if the same request made it; MATCH_EXISTS if another did; None if there is none."""
        loaded = await self._store.load(match, caller.player, self._time.now())
        if loaded is None:
            return None
        meta = loaded.record.meta
        if meta.creator != caller.player or meta.fingerprint != fingerprint:
            raise Refused("MATCH_EXISTS", {"match": match})
        if not loaded.record.visible_to(caller.player):
            raise Refused("MATCH_NOT_FOUND", {"match": match})
        await self._store.settled(match)
        return match_view(loaded.record, caller.player, loaded.present)

    # Bots.

    async def book(
        self, record: Record, wanted: Sequence[Mapping[str, str]], seated: Sequence[str] = ()
    ) -> list[Player]:
        """A free bot for each that is wanted; NO_BOT_FREE, and nothing booked, if one cannot be had."""
        if not wanted:
            return []
        names = await self._offers.book(
            record.id,
            record.meta.game,
            [*record.players, *record.stand_ins, *seated],
            wanted,
            self._time.now(),
        )
        if isinstance(names, int):
            want = wanted[names]
            offered = await self._offers.offered(record.meta.game, self._time.now())
            facts = {"wanted": " ".join(want.values()), "offered": ", ".join(offered) or "-"}
            raise Refused("NO_BOT_FREE", facts)
        found = [await self._players.get(name) for name in names]
        return [player or Player(name, name, "en", 0) for name, player in zip(names, found, strict=True)]

    async def release(self, match: str, bots: Sequence[str]) -> None:
        """These bots are not needed for the match."""
        await self._offers.release(match, bots)

    async def release_unseated(self, match: str, bots: Sequence[str]) -> None:
        """These bots were booked for seats that were not taken; one that sits there all the same stays booked."""
        if bots:
            loaded = await self._store.load(match, None, self._time.now())
            seated = () if loaded is None else (*loaded.record.players, *loaded.record.stand_ins)
            await self.release(match, [bot for bot in bots if bot not in seated])

    # Lists that are derived from matches.

    async def expect(self, player: str, record: Record) -> None:
        """The player is about to sit; listed before the commit, so that no seat is ever missing from the list."""
        # Later than when he sits down, so that the two can be told apart.
        await self._players.add_live(player, record.id, self._time.now() + 1)

    async def settle(self, before: Record, after: Record, joined: Sequence[Joined | StoodIn]) -> None:
        """Bring what is derived up to date after a commit, and tell streams of players who were seated.

        The change is made, so nothing here may fail it; what is missed is put right by whoever reads the lists.
        """
        task = asyncio.create_task(self._settle(before, after, joined))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        await asyncio.shield(task)

    async def idle(self) -> None:
        """Wait until all that is derived is up to date."""
        while self._settling:
            await asyncio.wait(self._settling)

    async def _settle(self, before: Record, after: Record, joined: Sequence[Joined | StoodIn]) -> None:
        with lasting(_log, "seating.settle"):
            if after.phase is Phase.OPEN and before.meta.host != after.meta.host:
                await self._players.host(after.meta.host, after.id, self._time.now(), after.meta.expires_at)
            # At the end once more, in case the start missed it; never for each move.
            hosted = before.phase is Phase.OPEN and (after.phase, after.meta.host) != (Phase.OPEN, before.meta.host)
            if hosted or after.phase.done:
                await self._players.unhost(before.meta.host, after.id)
            staying = derived.booked(after)
            await self.release(after.id, [bot for bot in derived.booked(before) if bot not in staying])
            live = derived.live(after)
            seated = [joiner.player for joiner in joined]
            for player in seated if before.version else live:
                if player in live:
                    await self._players.add_live(player, after.id, live[player])
            for player in seated:
                await self._players.note("SEATED", player, after.id)
            if after.phase.done:
                for player in derived.past(after):
                    await self._players.move_past(player, after.id, after.meta.created_at)
                await self._players.keep_creation(after.meta.creator, after.meta.request, self._retention)


def _kept_match(kept: str, fingerprint: str) -> str:
    """The match that a request to create stands for; REQUEST_ID_REUSED if it was another request."""
    match, kept_fingerprint = kept.split(" ")[:2]
    if kept_fingerprint != fingerprint:
        raise Refused("REQUEST_ID_REUSED")
    return match


def fingerprint(*parts: bytes) -> str:
    """What a request holds, short."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]
