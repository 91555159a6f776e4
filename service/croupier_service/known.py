"""Matches as this process knows them from what it last read or sent, so that a change need not read them again."""

from collections import OrderedDict
from dataclasses import dataclass, field

from croupier_service.record import Record, Request

_KEPT = 1_000  # matches; the one that was least lately of use goes first


@dataclass(slots=True, eq=False)
class Entry:
    """A match as it will be once what was sent is written."""

    record: Record
    requests: dict[str, tuple[Request, ...]] = field(default_factory=dict)  # by player, as of the record's version
    under_way: int = 0  # commits that were sent and are not answered


class Known:
    """Good for a first attempt only: the commit compares what it began from, and a refusal is looked up first.

    Every change of a match changes its version and its name, also one of the requests that are kept with it, so what is
    known is all right or the commit fails. A change may build on one that was sent and is not written yet, since what
    is sent first is carried out first: if the one before is not written, it cannot be either.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    def get(self, match: str, player: str) -> tuple[Record, tuple[Request, ...]] | None:
        """A match and a player's last requests, if both are known."""
        entry = self._entries.get(match)
        if entry is None or player not in entry.requests:
            return None
        self._entries.move_to_end(match)
        return entry.record, entry.requests[player]

    def learn(self, record: Record, player: str, requests: tuple[Request, ...]) -> None:
        """A match was read, with the requests of a player."""
        entry = self._entries.get(record.id)
        if entry is None or not entry.record.same(record):
            self.forget(record.id)
            entry = self._entries[record.id] = Entry(record)
        entry.requests[player] = requests
        self._entries.move_to_end(record.id)
        if len(self._entries) > _KEPT:
            self.forget(next(iter(self._entries)))

    def send(self, before: Record, after: Record, request: tuple[str, tuple[Request, ...]] | None) -> Entry | None:
        """A change is sent, with the requests of a player; what it was sent with is to be handed to `answer`."""
        entry = self._entries.get(after.id)
        if entry is None or not entry.record.same(before):
            self.forget(after.id)
            return None
        entry.record = after
        if request is not None:
            entry.requests[request[0]] = request[1]
        entry.under_way += 1
        return entry

    def answer(self, entry: Entry | None, *, written: bool) -> None:
        """What was sent is written, or it is not as it was known."""
        if entry is None:
            return
        entry.under_way -= 1
        record = entry.record
        if self._entries.get(record.id) is entry and (not written or (record.phase.done and not entry.under_way)):
            self.forget(record.id)

    def heard(self, match: str, version: int) -> None:
        """A match has a version that another process may have written."""
        entry = self._entries.get(match)
        if entry is not None and entry.record.version < version:
            self.forget(match)

    def forget(self, match: str) -> None:
        """It is not as it was known."""
        self._entries.pop(match, None)

    def clear(self) -> None:
        """The store may have lost what was written."""
        self._entries.clear()
