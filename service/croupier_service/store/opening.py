"""Opening the store: is it there, is it fit, and how many shards has it."""

import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from redis.exceptions import RedisError, ResponseError

from croupier_service.errors import StoreUnavailable
from croupier_service.store import keys
from croupier_service.store.address import Address, parse_address, without_password
from croupier_service.store.indexes import IndexStore
from croupier_service.store.matches import MatchStore
from croupier_service.store.notices import Listener, Notices
from croupier_service.store.offers import OfferStore
from croupier_service.store.pipe import Pipe
from croupier_service.store.players import PlayerStore
from croupier_service.store.shards import ShardStore
from croupier_service.store.topology import Topology, connect

_log = structlog.get_logger()
_OLDEST = 7  # the first Redis with sharded channels

# What the settings of Redis may be for what an acknowledged change is to survive. With `everysec` Redis puts a write
# off for up to 2 s while the disk is busy, and has answered it by then: it would not survive the end of the process.
_MEMORY: Mapping[str, tuple[str, ...]] = {"maxmemory-policy": ("noeviction",)}
_PROCESS = {**_MEMORY, "appendonly": ("yes",), "appendfsync": ("always", "no")}
_FSYNC = {**_PROCESS, "appendfsync": ("always",), "no-appendfsync-on-rewrite": ("no",)}
_NEEDED = {"memory": _MEMORY, "process": _PROCESS, "fsync": _FSYNC, "replica": _FSYNC}


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
    indexes: IndexStore
    _topology: Topology
    _within: float

    def notices(self, listeners: list[Listener], broken: Callable[[], None] = lambda: None) -> Notices:
        """A listener to what is committed, by this process and by others."""
        return Notices(self._topology, self.shards, listeners, self._within, broken)

    async def close(self) -> None:
        """Close all connections."""
        await self.pipe.drain()
        await self._topology.aclose()


async def open_store(
    url: str, shards: int | None, *, durability: str = "memory", replicas: int = 1, within: float = 3.0
) -> Store:
    """Connect, check, and fix the number of shards if this is the first start; StoreUnfit if it will not do.

    `shards`: None if there must have been a start before.
    `durability`: what a change that was answered has to survive, "memory", "process", "fsync" or "replica"; with the
    last, `replicas` have it beside the primary. `within`: seconds that a call may take.
    """
    place = without_password(url)
    try:
        address = parse_address(url)
        _check_certificates(address)
    except ValueError as wrong:
        raise StoreUnfit(f"the address {place} {wrong}; set CROUPIER_REDIS_URL") from None
    try:
        topology = await connect(address, within)
    except Exception as gone:
        raise _unreachable(place, gone) from gone
    pipe = Pipe(topology, within)
    try:
        try:
            await _check(pipe, place, durability, single=address.kind == "server")
            count = await _count(pipe, place, shards)
        except (StoreUnavailable, RedisError) as gone:
            raise _unreachable(place, gone) from gone
    except BaseException:
        await pipe.drain()
        await topology.aclose()
        raise
    if durability == "replica":
        pipe = Pipe(topology, within, replicas)
    return Store(
        pipe,
        count,
        MatchStore(pipe, count),
        PlayerStore(pipe),
        OfferStore(pipe),
        ShardStore(pipe, count),
        IndexStore(pipe, count),
        topology,
        within,
    )


async def _count(pipe: Pipe, place: str, shards: int | None) -> int:
    """How many shards there are; StoreUnfit if what is kept is nothing that a first start leaves."""
    if shards is not None:
        await pipe.call("SET", keys.SHARDS, shards, "NX")
    try:
        kept: bytes | None = await pipe.call("GET", keys.SHARDS)
    except ResponseError:  # of another type
        kept = b""
    if kept is None:
        raise StoreUnfit(f"Redis at {place} holds nothing of Croupier's; see that the address is that of the service")
    if not re.fullmatch(rb"[1-9][0-9]{0,3}", kept) or int(kept) > keys.MOST_SHARDS:
        raise StoreUnfit(
            f"Redis at {place} has something at {keys.SHARDS} that is no number of shards from 1 to {keys.MOST_SHARDS}"
            "; see that the address is that of the service, or put back the number of its first start"
        )
    return int(kept)


def _check_certificates(address: Address) -> None:
    """ValueError if a file for TLS is of no use; the client itself would only say that Redis cannot be reached."""
    known, own, key = (address.options.get(f"ssl_{name}") for name in ("ca_certs", "certfile", "keyfile"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for name, load in (
        ("ssl_ca_certs", known and partial(context.load_verify_locations, known)),
        ("ssl_certfile or ssl_keyfile", own and partial(context.load_cert_chain, own, key, lambda: "")),
    ):
        try:
            if load:
                load()
        except OSError as unusable:
            raise ValueError(f"has {name} that cannot be used ({unusable.strerror or unusable})") from None


def _unreachable(place: str, gone: Exception) -> StoreUnfit:
    return StoreUnfit(f"Redis at {place} cannot be reached ({gone}); start it, or put CROUPIER_REDIS_URL right")


async def _check(pipe: Pipe, place: str, durability: str, *, single: bool) -> None:
    """Look at the version and the settings of every server; StoreUnfit if one will not do."""
    for info in await pipe.everywhere("INFO", "server"):
        version = int(str(info["redis_version"]).split(".")[0])
        if version < _OLDEST:
            raise StoreUnfit(f"Redis at {place} is version {version}; Croupier needs {_OLDEST} or newer")
    (cluster,) = await pipe.calls(("INFO", "cluster"))
    if single and cluster.get("cluster_enabled") == 1:
        raise StoreUnfit(f"Redis at {place} is a node of a cluster; write its address with redis+cluster://")
    try:
        found = await pipe.everywhere("CONFIG", "GET", "maxmemory-policy", "append*", "no-appendfsync*")
    except RedisError:  # a managed Redis may hide its configuration
        _log.warning("store.unchecked", redis=place, durability=durability, why="Redis does not show its configuration")
        return
    for settings in found:
        _check_settings(settings, place, durability)


def _check_settings(settings: Mapping[Any, Any], place: str, durability: str) -> None:
    values = {_text(name): _text(value) for name, value in settings.items()}
    if not _fit(values, _MEMORY):
        raise StoreUnfit(
            f"Redis at {place} may throw matches away (maxmemory-policy {values.get('maxmemory-policy')}); "
            "set its maxmemory-policy to noeviction"
        )
    needed = _NEEDED[durability]
    lacking = [f"{name} to {' or '.join(fit)}" for name, fit in needed.items() if values.get(name) not in fit]
    if lacking:
        kept = [name for name in ("fsync", "process", "memory") if _fit(values, _NEEDED[name])]
        raise StoreUnfit(
            f"Redis at {place} does not keep changes as CROUPIER_DURABILITY={durability} promises; set its "
            f"{' and its '.join(lacking)}, or set CROUPIER_DURABILITY={kept[0]}"
        )


def _fit(values: Mapping[str, str], needed: Mapping[str, tuple[str, ...]]) -> bool:
    return all(values.get(name) in fit for name, fit in needed.items())


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
