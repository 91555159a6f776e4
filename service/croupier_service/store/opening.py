"""Opening the store: is it there, is it fit, and how many shards has it."""

from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from croupier_service.errors import StoreUnavailable
from croupier_service.store import keys
from croupier_service.store.matches import MatchStore
from croupier_service.store.notices import Listener, Notices
from croupier_service.store.offers import OfferStore
from croupier_service.store.pipe import Pipe, connect
from croupier_service.store.players import PlayerStore
from croupier_service.store.shards import ShardStore

_OLDEST = 7  # the first Redis with sharded channels


class StoreUnfit(Exception):  # noqa: N818
    """The store is not to be had, or cannot keep what is entrusted to it; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Store:
    """All that is kept in Redis."""

    pipe: Pipe
    shards: int
    matches: MatchStore
    players: PlayerStore
    offers: OfferStore
    leases: ShardStore
    _clients: tuple["Redis", ...]

    def notices(self, listeners: list[Listener]) -> Notices:
        """A listener to what is committed, by this process and by others."""
        return Notices(self._clients[1], self.shards, listeners)

    async def close(self) -> None:
        """Close all connections."""
        await self.pipe.drain()
        for client in self._clients:
            await client.aclose()


async def open_store(url: str, shards: int) -> Store:
    """Connect, check, and fix the number of shards if this is the first start; StoreUnfit if it will not do."""
    client, listening = connect(url), connect(url, answer_timeout=None)
    pipe = Pipe(client)
    try:
        await _check(pipe, url)
        await pipe.call("SET", keys.SHARDS, shards, "NX")
        count = int(await pipe.call("GET", keys.SHARDS))
    except BaseException:
        await client.aclose()
        await listening.aclose()
        raise
    return Store(
        pipe,
        count,
        MatchStore(pipe, count),
        PlayerStore(pipe),
        OfferStore(pipe),
        ShardStore(pipe, count),
        (client, listening),
    )


async def _check(pipe: Pipe, url: str) -> None:
    try:
        await pipe.call("PING")
        info = await pipe.call("INFO", "server")
    except (StoreUnavailable, RedisError) as gone:
        raise StoreUnfit(
            f"Redis at {without_password(url)} cannot be reached ({gone}); start it, or set CROUPIER_REDIS_URL"
        ) from gone
    version = _version(info)
    if version < _OLDEST:
        raise StoreUnfit(f"Redis at {without_password(url)} is version {version}; Croupier needs {_OLDEST} or newer")
    try:
        policy = await pipe.call("CONFIG", "GET", "maxmemory-policy")
    except RedisError:
        return  # a managed Redis may hide its configuration
    value = next(iter(policy.values())) if isinstance(policy, dict) else policy[1]
    if value != b"noeviction":
        raise StoreUnfit(
            f"Redis at {without_password(url)} may throw matches away (maxmemory-policy {value.decode()}); "
            "set its maxmemory-policy to noeviction"
        )


def _version(info: object) -> int:
    if isinstance(info, dict):
        return int(str(info["redis_version"]).split(".")[0])
    text = info.decode() if isinstance(info, bytes) else str(info)
    line = next(line for line in text.splitlines() if line.startswith("redis_version:"))
    return int(line.split(":")[1].split(".")[0])


def without_password(url: str) -> str:
    """The address without its credentials, fit for a log; they may stand in the query, too."""
    scheme, _, rest = url.partition("://")
    address, _, query = rest.rpartition("@")[2].partition("?")
    kept = "&".join(part for part in query.split("&") if not part.startswith(("password=", "username=")))
    return f"{scheme}://{address}?{kept}" if kept else f"{scheme}://{address}"
