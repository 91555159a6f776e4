"""Who of a match's players is there: he has a stream of it open, or has asked for something of it lately."""

from croupier_service.record import Phase, Record
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime


class Presence:
    """Notes who is there."""

    def __init__(self, store: MatchStore, time: ServerTime, heartbeat: int) -> None:
        self._store = store
        self._time = time
        self._heartbeat = heartbeat
        self._noted: dict[tuple[str, str], int] = {}  # match and player -> until when his calls are noted

    async def called(self, record: Record, player: str, wait: int = 0) -> None:
        """A player asks for something, and waits up to `wait` ms for it.

        Of interest where a bot may stand in for him, and told to the store once a heartbeat at most.
        """
        if record.meta.stand_in is None or record.phase is not Phase.RUNNING or record.seat_of(player) is None:
            return
        until = self._time.now() + wait + 3 * self._heartbeat
        if self._noted.get((record.id, player), 0) + self._heartbeat > until:
            return
        await self._store.set_present(record.id, player, until)
        self._noted[record.id, player] = until

    async def streams(self, record: Record, player: str, stream: str) -> None:
        """A player has a stream open, named after him, a space, and a name of its own."""
        if record.seat_of(player) is not None and not record.phase.done:
            await self._store.set_present(record.id, stream, self._time.now() + 3 * self._heartbeat)

    def forget(self) -> None:
        """Drop what counts no more."""
        now = self._time.now()
        self._noted = {key: until for key, until in self._noted.items() if until > now}
