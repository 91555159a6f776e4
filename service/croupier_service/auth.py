"""Who is calling: bearer tokens, looked up by their hash and remembered for a short while."""

import time
from collections import OrderedDict

from croupier_service.errors import Refused
from croupier_service.players import Caller, Players, digest

_KEPT = 10_000
_SECONDS = 60.0

# What of our own needs no token: everything else does, whatever is added.
OPEN_METHODS = frozenset(
    {
        "/croupier.v1.Catalog/ListGames",
        "/croupier.v1.Catalog/GetGame",
        "/croupier.v1.Catalog/GetRules",
        "/croupier.v1.Catalog/GetTime",
        "/croupier.v1.Players/CreatePlayer",
    }
)


class Authentication:
    """Finds the caller of a request."""

    def __init__(self, players: Players) -> None:
        self._players = players
        self._known: OrderedDict[str, tuple[float, Caller]] = OrderedDict()

    async def redeem(self, ticket: str, match: str) -> Caller:
        """The player whose ticket it is, or UNAUTHENTICATED; a ticket is good once."""
        caller = await self._players.redeem(ticket, match)
        if caller is None:
            raise Refused("UNAUTHENTICATED")
        return caller

    async def caller(self, header: str | bytes | None) -> Caller:
        """The player whose token is in the header `authorization`, or UNAUTHENTICATED."""
        scheme, _, token = (header if isinstance(header, str) else "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token or len(token) > 256:
            raise Refused("UNAUTHENTICATED")
        key = digest(token)
        kept = self._known.get(key)
        if kept is not None and kept[0] > time.monotonic():
            return kept[1]
        caller = await self._players.caller(token)
        if caller is None:
            self._known.pop(key, None)
            raise Refused("UNAUTHENTICATED")
        self._known[key] = (time.monotonic() + _SECONDS, caller)
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return caller
