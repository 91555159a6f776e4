"""What is done with a match before it starts: seating.py is how it comes to be, acting.py how it is played."""

from croupier_engine.game import Seat
from croupier_service.change import Change
from croupier_service.changing import Changing, RequestKey, check_visible
from croupier_service.errors import Refused
from croupier_service.players import Caller
from croupier_service.projection import MatchView, match_view
from croupier_service.record import Phase, Record
from croupier_service.seating import Seating


class Matches:
    """Look at a match, join it, leave it, start it."""

    def __init__(self, changing: Changing, seating: Seating) -> None:
        self._changing = changing
        self._seating = seating

    async def get(self, caller: Caller, match: str) -> MatchView:
        """A match as the caller sees it."""
        loaded = await self._changing.load(match, caller)
        check_visible(loaded.record, caller)
        if await self._changing.arrived(loaded.record, caller.player):
            loaded = await self._changing.load(match, caller)
        return match_view(loaded.record, caller.player, loaded.present)

    async def join(
        self, caller: Caller, match: str, key: RequestKey, *, seat: Seat | None = None, join_code: str = ""
    ) -> MatchView:
        """Take a seat; the last one taken starts the match."""

        async def sit(change: Change) -> bool:
            record = change.before
            if not record.visible_to(caller.player) and join_code != record.meta.join_code:
                raise Refused("JOIN_CODE_WRONG")
            change.sit(caller.player, caller.name, seat=seat)
            await self._seating.expect(caller.player, record)
            change.start_if_full()
            return True

        return (await self._changing.apply(caller, match, key, sit, admit=_anybody)).match

    async def leave(self, caller: Caller, match: str, key: RequestKey) -> MatchView:
        """Give a seat back before the start."""

        async def leave(change: Change) -> bool:
            change.leave(caller.player)
            return True

        return (await self._changing.apply(caller, match, key, leave)).match

    async def start(self, caller: Caller, match: str, key: RequestKey) -> MatchView:
        """Start with those who are there; nothing happens to a match that runs already."""

        async def start(change: Change) -> bool:
            if change.before.phase is Phase.RUNNING:
                return False
            _for_host(change.before, caller)
            change.start()
            return True

        return (await self._changing.apply(caller, match, key, start)).match

    async def add_bot(
        self, caller: Caller, match: str, key: RequestKey, wanted: dict[str, str], seat: Seat | None = None
    ) -> MatchView:
        """Seat a bot that offers to play."""

        async def seat_bot(change: Change) -> bool:
            record = change.before
            _for_host(record, caller)
            booked = (await self._seating.book(record, [wanted]))[0]
            try:
                change.sit(booked.id, booked.name, bot=True, seat=seat)
            except Refused:
                await self._seating.release(record.id, [booked.id])
                raise
            await self._seating.expect(booked.id, record)
            change.start_if_full()
            return True

        return (await self._changing.apply(caller, match, key, seat_bot)).match


def _anybody(record: Record, caller: Caller) -> None:
    """Whoever has the code of a private match may join it; that is seen to with all else."""


def _for_host(record: Record, caller: Caller) -> None:
    if record.phase is not Phase.OPEN:
        raise Refused("MATCH_NOT_OPEN", {"state": record.phase.value})
    if record.meta.host != caller.player:
        raise Refused("NOT_HOST")
