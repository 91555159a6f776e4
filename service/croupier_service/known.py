"""Matches as this process knows them from what it last read or wrote, so that a change need not read them again."""

from collections import OrderedDict
from dataclasses import dataclass, field

from croupier_service.record import Record, Request

_KEPT = 1_000  # matches; the one that was least lately of use goes first


@dataclass(slots=True)
class _Entry:
    record: Record
    requests: dict[str, tuple[Request, ...]] = field(default_factory=dict)  # by player, as of the record's version


class Known:
    """Good for a first attempt only: the commit compares what it began from, and a refusal is looked up first.

    Every change of a match changes its version and its name, also one of the requests that are kept with it, so what is
    known is all right or the commit fails.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

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
            entry = self._entries[record.id] = _Entry(record)
        entry.requests[player] = requests
        self._entries.move_to_end(record.id)
        if len(self._entries) > _KEPT:
            self._entries.popitem(last=False)

    def advance(self, before: Record, after: Record, request: tuple[str, tuple[Request, ...]] | None) -> None:
        """This process has written a change, with the requests of a player."""
        entry = self._entries.get(after.id)
        if entry is None or not entry.record.same(before) or after.phase.done:
            self._entries.pop(after.id, None)
            return
        entry.record = after
        if request is not None:
            entry.requests[request[0]] = request[1]

    def heard(self, match: str, version: int) -> None:
        """A match has a version that another process may have written."""
        entry = self._entries.get(match)
        if entry is not None and entry.record.version != version:
            del self._entries[match]

    def forget(self, match: str) -> None:
        """It is not as it was known."""
        self._entries.pop(match, None)

    def clear(self) -> None:
        """The store may have lost what was written."""
        self._entries.clear()
