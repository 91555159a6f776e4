"""Guests: who they are, and that they are who they say."""

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from croupier_service.errors import Refused
from croupier_service.store.players import Player, PlayerStore
from croupier_service.store.servertime import ServerTime

_NAME_WITHOUT_ONE = "Guest"
_LOCALE_WITHOUT_ONE = "en"
_TICKET_KEPT = 30_000  # ms


@dataclass(frozen=True, slots=True)
class Caller:
    """The player that a call comes from."""

    player: str
    name: str
    locale: str


class Names(Protocol):
    """Where new names come from."""

    def player(self) -> str:
        """An id for a player."""

    def match(self) -> str:
        """An id for a match."""

    def token(self) -> str:
        """A secret of 256 bits."""

    def join_code(self) -> str:
        """A code that people can read to each other."""

    def stream(self) -> str:
        """A name for a stream, or for a replica."""

    def change(self) -> str:
        """A name for a change of a match."""


class RandomNames:
    """Names that nobody can guess."""

    # Without the letters and digits that look alike.
    _ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"

    def __init__(self) -> None:
        self._changes = _changes()

    def _word(self, length: int) -> str:
        return "".join(secrets.choice(self._ALPHABET) for _ in range(length))

    def player(self) -> str:
        """`p-` and 16 characters."""
        return f"p-{self._word(16)}"

    def match(self) -> str:
        """`m-` and 16 characters."""
        return f"m-{self._word(16)}"

    def token(self) -> str:
        """`crp_` and 43 characters: 256 bits."""
        return f"crp_{secrets.token_urlsafe(32)}"

    def join_code(self) -> str:
        """8 characters."""
        return self._word(8).upper()

    def stream(self) -> str:
        """12 characters."""
        return self._word(12)

    def change(self) -> str:
        """8 characters: of changes that compete for one version no two get the same."""
        return next(self._changes)


def _changes() -> Iterator[str]:
    """Words of 48 bits, cut from long ones: each move takes one, and to ask the system for each costs more."""
    while True:
        block = secrets.token_urlsafe(6 * 256)  # 4 characters for 3 bytes, and none over
        yield from (block[at : at + 8] for at in range(0, len(block), 8))


def digest(token: str) -> str:
    """What is kept of a token. It has 256 bits of chance in it, so that no slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


class Players:
    """Makes and finds players."""

    def __init__(self, store: PlayerStore, time: ServerTime, names: Names, per_minute: int) -> None:
        self._store = store
        self._time = time
        self._names = names
        self._per_minute = per_minute

    async def create(self, name: str, locale: str, address: str) -> tuple[Player, str]:
        """A new guest and its token. `address` is where the request came from; RATE_LIMITED if too many do."""
        now = self._time.now()
        wait = await self._store.take("players_per_minute", address, self._per_minute, now)
        if wait:
            raise rate_limited("players_per_minute", self._per_minute, wait)
        player = Player(self._names.player(), clean_name(name) or _NAME_WITHOUT_ONE, locale or _LOCALE_WITHOUT_ONE, now)
        token = self._names.token()
        await self._store.add(player, digest(token))
        return player, token

    async def get(self, player: str, caller: Caller) -> Player:
        """A player by id, or `me`."""
        found = await self._store.get(caller.player if player == "me" else player)
        if found is None:
            raise Refused("PLAYER_NOT_FOUND", {"player": player})
        return found

    async def caller(self, token: str) -> Caller | None:
        """Whose token it is; None if nobody's."""
        player = await self._store.by_token(digest(token))
        return None if player is None else await self._caller(player)

    async def ticket(self, caller: Caller, match: str) -> tuple[str, int]:
        """A ticket for one stream of a match, and until when it is good, in server ms."""
        ticket = self._names.token()
        await self._store.add_ticket(digest(ticket), caller.player, match, _TICKET_KEPT)
        return ticket, self._time.now() + _TICKET_KEPT

    async def redeem(self, ticket: str, match: str) -> Caller | None:
        """Whose ticket it is; None if it is nobody's, for another match, or was used before."""
        found = await self._store.take_ticket(digest(ticket))
        return None if found is None or found[1] != match else await self._caller(found[0])

    async def _caller(self, player: str) -> Caller | None:
        found = await self._store.get(player)
        return None if found is None else Caller(found.id, found.name, found.locale)


def clean_name(name: str) -> str:
    """A display name without control characters, on one line, spaces collapsed."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def rate_limited(limit: str, per_minute: int, wait_ms: int) -> Refused:
    """The refusal of a call beyond a limit, with its name and the time to wait."""
    seconds = max(1, -(-wait_ms // 1000))
    return Refused(
        "RATE_LIMITED", {"limit": f"{limit}={per_minute}", "retry_after": str(seconds)}, retry_after=wait_ms / 1000
    )
