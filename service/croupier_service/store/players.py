"""Players, tokens, lists of matches, and limits. None of it changes together with a match."""

import json
from dataclasses import dataclass

from croupier_service.store import keys, scripts
from croupier_service.store.pipe import Pipe

PAST_KEPT = 1000  # finished matches listed per player


@dataclass(frozen=True, slots=True)
class Player:
    """A player. `created_at`: server milliseconds."""

    id: str
    name: str
    locale: str
    created_at: int


class PlayerStore:
    """Reads and writes players."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    async def add(self, player: Player, digest: str) -> None:
        """Keep a new player and the hash of its token."""
        await self._pipe.calls(
            (
                "HSET",
                keys.player(player.id),
                "name",
                player.name,
                "locale",
                player.locale,
                "created_at",
                player.created_at,
            ),
            ("SET", keys.token(digest), player.id),
        )

    async def get(self, player: str) -> Player | None:
        """A player by id."""
        name, locale, created = await self._pipe.call("HMGET", keys.player(player), "name", "locale", "created_at")
        return None if name is None else Player(player, name.decode(), locale.decode(), int(created))

    async def by_token(self, digest: str) -> str | None:
        """The id of the player whose token has this hash."""
        found: bytes | None = await self._pipe.call("GET", keys.token(digest))
        return None if found is None else found.decode()

    async def add_ticket(self, digest: str, player: str, match: str, ttl: int) -> None:
        """Keep the hash of a ticket for `ttl` ms."""
        await self._pipe.call("SET", keys.ticket(digest), f"{player} {match}", "PX", ttl)

    async def take_ticket(self, digest: str) -> tuple[str, str] | None:
        """Whose ticket it is and for which match; the second time there is none."""
        found: bytes | None = await self._pipe.script(scripts.TAKE_TICKET, [keys.ticket(digest)])
        if found is None:
            return None
        player, match = found.decode().split(" ")
        return player, match

    async def creation(self, player: str, request: str) -> str | None:
        """What a request to create stands for, if it does for anything."""
        found: bytes | None = await self._pipe.call("GET", keys.creation(player, request))
        return None if found is None else found.decode()

    async def drop_creation(self, player: str, request: str) -> None:
        """A request to create was refused, and stands for nothing."""
        await self._pipe.call("DEL", keys.creation(player, request))

    async def keep_creation(self, player: str, request: str, ttl: int) -> None:
        """Forget what a request to create stands for in `ttl` ms: its match is done."""
        if request:
            await self._pipe.call("PEXPIRE", keys.creation(player, request), ttl)

    async def host(self, player: str, match: str, now: int, expires_at: int, limit: int = 1_000_000) -> bool:
        """The player hosts a match that has not started, until it expires at the latest.

        False, and nothing noted, if he hosts as many as the limit allows.
        """
        keyed = [keys.hosting(player)]
        return bool(await self._pipe.script(scripts.HOST, keyed, match, now, expires_at, limit))

    async def unhost(self, player: str, match: str) -> None:
        """The player hosts the match no more, or it has started."""
        await self._pipe.call("ZREM", keys.hosting(player), match)

    async def reserve_creation(self, player: str, request: str, value: str, ttl: int) -> str:
        """What a request to create stands for: `value`, or what it was reserved with before. `ttl` in ms."""
        key = keys.creation(player, request)
        kept, found = await self._pipe.calls(("SET", key, value, "NX", "PX", ttl), ("GET", key))
        return value if kept or found is None else str(found.decode())

    async def add_live(self, player: str, match: str, now: int) -> None:
        """List a match as one that the player may sit in.

        Done before he sits, so that a seat is in the list whatever happens then, and after it, so that nobody who found
        him not seated yet takes it off the list again.
        """
        await self._pipe.call("ZADD", keys.live(player), now, match)

    async def drop_live(self, player: str, match: str, score: int) -> None:
        """Unlist a match that the player was found not to sit in, unless he sat down since it had this score."""
        await self._pipe.script(scripts.DROP, [keys.live(player)], match, score)

    async def move_past(self, player: str, match: str, created_at: int) -> None:
        """List a match as done."""
        past = keys.past(player)
        await self._pipe.calls(
            ("ZADD", past, created_at, match),
            ("ZREMRANGEBYRANK", past, 0, -PAST_KEPT - 1),
            ("ZREM", keys.live(player), match),
        )

    async def drop_past(self, player: str, match: str) -> None:
        """Unlist a match that is no longer kept."""
        await self._pipe.call("ZREM", keys.past(player), match)

    async def live(self, player: str) -> list[tuple[int, str]]:
        """Matches that the player may sit in, as (when he sat down, id), the newest first."""
        found = await self._pipe.call("ZREVRANGE", keys.live(player), 0, -1, "WITHSCORES")
        return [(int(score), match.decode()) for match, score in found]

    async def past(self, player: str) -> list[tuple[int, str]]:
        """Matches of the player that are done, as (creation, id), the newest first."""
        found = await self._pipe.call("ZREVRANGE", keys.past(player), 0, -1, "WITHSCORES")
        return [(int(score), match.decode()) for match, score in found]

    async def note(self, kind: str, player: str, value: str) -> None:
        """Tell the player's streams, wherever they are, what is new: see Listener.noted."""
        await self._pipe.call("PUBLISH", keys.NOTES, json.dumps([kind, player, value]))

    async def take(self, limit: str, who: str, per_minute: int, now: int) -> int:
        """Take one from a limit that allows `per_minute`; 0, or the ms until there is one again."""
        return int(
            await self._pipe.script(scripts.TAKE, [keys.bucket(limit, who)], per_minute, f"{per_minute / 60:.6f}", now)
        )
