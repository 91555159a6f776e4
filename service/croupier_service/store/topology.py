"""Which server a command goes to: the only one, the one that Sentinels call primary, or the owner of the key's slot."""

import asyncio
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any, Protocol

import structlog
from redis.asyncio import ConnectionPool, Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.cluster import PRIMARY
from redis.crc import key_slot
from redis.exceptions import SlotNotCoveredError
from redis.maint_notifications import MaintNotificationsConfig

from croupier_service.errors import StoreUnavailable
from croupier_service.store import keys
from croupier_service.store.address import Address, connection_class

_log = structlog.get_logger()

# They name no key, so they go to the owner of a key that is always there: all replicas ask the same node.
_KEYLESS = frozenset({"PING", "ECHO", "TIME", "INFO", "CONFIG", "SCRIPT"})
_SCRIPTS = frozenset({"EVAL", "EVALSHA"})

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.4  # seconds between attempts while another node takes over
_CONNECTIONS = 2_000  # to a server; one that is beyond fails its calls, though the server is well
_SLOTS = 16_384
_SEARCHED = 1_000  # keys that are tried until one is a node's: enough for its share of a hundredth of the slots
_LOOK = 4  # looking for nodes may take this part of a call's time at each node that is asked


class Topology(Protocol):
    """The servers of the store."""

    patient: bool  # another node may take over: a command is tried again for as long as its call may take

    def client_for(self, command: Sequence[Any]) -> "Redis":
        """The server for a command; StoreUnavailable if nobody has the key's slot."""

    def client_at(self, host: str, port: int) -> "Redis":
        """The server at an address that another one has named."""

    def pulse(self, client: "Redis") -> str | None:
        """A key that nothing is kept in, at a server; None if it has no slot. It may be another each time."""

    def beside(self, command: Sequence[Any]) -> str:
        """A key that nothing is kept in, at the server that the command is for."""

    def primaries(self) -> Sequence["Redis"]:
        """Every server that commands may go to."""

    async def recover(self, client: "Redis", tries: int) -> None:
        """A server failed, for so many times in a row: drop what it left, look for its successor, wait a little."""

    async def aclose(self) -> None:
        """Close all connections."""


class OneServer:
    """A single server, or the one that Sentinels name: the connections find out by themselves."""

    def __init__(self, client: "Redis", sentinel: Sentinel | None = None) -> None:
        self._client = client
        self._sentinel = sentinel
        self.patient = sentinel is not None

    def client_for(self, command: Sequence[Any]) -> "Redis":
        """The one."""
        return self._client

    def client_at(self, host: str, port: int) -> "Redis":
        """A server that names another is a node of a cluster, which `open_store` refuses."""
        raise StoreUnavailable("Redis is part of a cluster")

    def pulse(self, client: "Redis") -> str:
        """The same for all."""
        return keys.PULSE

    def beside(self, command: Sequence[Any]) -> str:
        """The same for all."""
        return keys.PULSE

    def primaries(self) -> Sequence["Redis"]:
        """The one."""
        return (self._client,)

    async def recover(self, client: "Redis", tries: int) -> None:
        """Where one connection is dead the others are, too."""
        await _drop(client)
        if self.patient:
            await asyncio.sleep(_pause(tries))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()
        if self._sentinel is not None:
            await self._sentinel.aclose()


class Cluster:
    """The nodes of a cluster. redis-py finds them and keeps the map of slots; the connections are ours.

    A pipeline of redis-py's own would not let a WAIT follow the writes on their connection.
    """

    patient = True

    def __init__(self, address: Address, timeout: float) -> None:
        self._address = address
        self._timeout = timeout
        self._clients: dict[tuple[str, int], Redis] = {}
        self._map = self._new_map()
        self._looking: asyncio.Task[None] | None = None

    def _new_map(self) -> RedisCluster:
        nodes = [ClusterNode(host, port) for host, port in self._address.hosts]
        return RedisCluster(
            startup_nodes=nodes,
            ssl=self._address.tls,
            require_full_coverage=False,  # the slots that are served are served
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            **_options(self._address, self._timeout / _LOOK, self._timeout / _LOOK),
        )

    async def find(self) -> None:
        """Ask the first of the known nodes that answers, or else one of the address, who has which slot."""
        try:
            await self._map.nodes_manager.initialize()
        except Exception:
            fresh = self._new_map()
            try:
                await fresh.nodes_manager.initialize()
            except BaseException:
                await _close_map(fresh)
                raise
            self._map, gone = fresh, self._map
            await _close_map(gone)
        known = {(str(node.host), int(node.port)) for node in self._map.get_nodes()}
        for place in [place for place in self._clients if place not in known]:
            await self._clients.pop(place).aclose()

    def client_for(self, command: Sequence[Any]) -> "Redis":
        """The owner of the slot of the command's key."""
        slot = key_slot(_key(command).encode())
        try:
            node = self._map.nodes_manager.get_node_from_slot(slot)
        except (SlotNotCoveredError, KeyError):
            raise StoreUnavailable(f"no node of the cluster has slot {slot}") from None
        return self.client_at(str(node.host), int(node.port))

    def client_at(self, host: str, port: int) -> "Redis":
        """A node."""
        client = self._clients.get((host, port))
        if client is None:
            options = _options(self._address, self._timeout) | {"host": host, "port": port}
            client = self._clients[host, port] = _client(connection_class(self._address), options)
        return client

    def pulse(self, client: "Redis") -> str | None:
        """One of any slot: that of a command may be on its way to or from the node, which it then does not take."""
        for _ in range(_SEARCHED):
            key = f"{keys.PULSE}:{{{random.randrange(_SLOTS)}}}"  # noqa: S311 no secret
            with suppress(StoreUnavailable):
                if self.client_for(("SET", key)) is client:
                    return key
        return None

    def beside(self, command: Sequence[Any]) -> str:
        """One in the same slot: it has the tag of the command's key, or the key as its tag."""
        return f"{keys.PULSE}:{{{keys.tag_of(_key(command))}}}"

    def primaries(self) -> Sequence["Redis"]:
        """Every node that may have slots."""
        nodes = self._map.nodes_manager.get_nodes_by_server_type(PRIMARY)
        return [self.client_at(str(node.host), int(node.port)) for node in nodes]

    async def recover(self, client: "Redis", tries: int) -> None:
        """Ask again who has which slot; whoever comes meanwhile waits for the same answer."""
        await _drop(client)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(_pause(tries)), context=Context())
        await asyncio.shield(self._looking)

    async def _look(self, pause: float) -> None:
        await asyncio.sleep(pause)
        try:
            await self.find()
        except Exception as unknown:  # the next attempt may find them, and if not, the call fails in its time
            _log.warning("store.nodes_unknown", why=str(unknown))

    async def aclose(self) -> None:
        """Close all connections."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        for client in self._clients.values():
            await client.aclose()
        await _close_map(self._map)


async def connect(address: Address, within: float) -> Topology:
    """The servers at an address, each call to take `within` seconds at most. Only a cluster is asked for its nodes."""
    match address.kind:
        case "server":
            return OneServer(_client(connection_class(address), _options(address, within)))
        case "sentinel":
            tls = {name: value for name, value in address.options.items() if name.startswith("ssl_")}
            quick = {"socket_timeout": within / _LOOK, "socket_connect_timeout": within / _LOOK}
            asking = quick | {"retry": _once(), "ssl": address.tls, **tls, **address.credentials}
            sentinel = Sentinel(list(address.hosts), sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
            options = _options(address, within) | {"ssl": address.tls}
            client: Redis = sentinel.master_for(address.service, **options)
            return OneServer(client, sentinel)
        case "cluster":
            cluster = Cluster(address, within)
            try:
                await cluster.find()
            except BaseException:
                await cluster.aclose()
                raise
            return cluster


def grouped(topology: Topology, channels: Iterable[str]) -> dict["Redis", frozenset[str]]:
    """The channels that are to be listened to at each server."""
    found: dict[Redis, set[str]] = {}
    for channel in channels:
        found.setdefault(topology.client_for(("SSUBSCRIBE", channel)), set()).add(channel)
    return {client: frozenset(there) for client, there in found.items()}


def _key(command: Sequence[Any]) -> str:
    """The key, or the first of several with one tag, that a command is about; a channel stands for one."""
    name = command[0]
    if name in _KEYLESS:
        return keys.SHARDS
    return str(command[3] if name in _SCRIPTS else command[1])


def _options(address: Address, connect: float, answer: float | None = None) -> dict[str, Any]:
    """Of a connection, in seconds. How long an answer may take is the pipe's to say, and so is to try again."""
    return {
        **address.options,
        "socket_connect_timeout": connect,
        "socket_timeout": answer,
        "retry": _once(),
        "decode_responses": False,
        "protocol": 3,
    }


def _client(kind: type, options: dict[str, Any]) -> "Redis":
    off = MaintNotificationsConfig(enabled=False)
    pool = ConnectionPool(
        connection_class=kind, max_connections=_CONNECTIONS, maint_notifications_config=off, **options
    )
    return Redis.from_pool(pool)


async def _drop(client: "Redis") -> None:
    """Close the connections that are idle; those in use are to be closed by who has them, after what they are at."""
    await client.connection_pool.disconnect(inuse_connections=False)
    await client.connection_pool.update_active_connections_for_reconnect()  # type: ignore[no-untyped-call]


def _once() -> Retry:
    return Retry(NoBackoff(), 0)


def _pause(tries: int) -> float:
    return min(_FIRST_PAUSE * float(2**tries), _LONGEST_PAUSE)


async def _close_map(cluster: RedisCluster) -> None:
    await cluster.nodes_manager.aclose()
    await cluster.nodes_manager.aclose("startup_nodes")
