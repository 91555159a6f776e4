"""Who sends illegal actions again and again, and is not waited for, is not heard for a while."""

from collections import OrderedDict
from typing import TypeAlias

from croupier_service.errors import Refused

PAUSE = 1_000  # ms
_KEPT = 10_000  # of the pauses that began last

_Key: TypeAlias = tuple[str, str, str]


class Restraint:
    """Pauses of players in a window of a match, as this replica knows them. Times: server ms."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._until: OrderedDict[_Key, int] = OrderedDict()

    def check(self, player: str, match: str, window: str, at: int) -> None:
        """RATE_LIMITED during a pause: nothing is loaded, and nothing counted."""
        if at < self._until.get((player, match, window), 0):
            facts = {"limit": f"illegal_actions={self._limit}", "retry_after": "1"}
            raise Refused("RATE_LIMITED", facts, retry_after=1)

    def begin(self, player: str, match: str, window: str, at: int) -> None:
        """A pause begins."""
        self._until[player, match, window] = at + PAUSE
        self._until.move_to_end((player, match, window))
        if len(self._until) > _KEPT:
            self._until.popitem(last=False)
