"""Calls that a node of a cluster sends on to another: what becomes of them, and of those that they meet there."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
import redis
from redis.asyncio import Redis
from redis.crc import key_slot
from support.redis_cluster import RunningCluster, running_cluster
from support.redis_rig import RedisRig

from croupier_service.errors import StoreUnavailable
from croupier_service.store.address import parse_address
from croupier_service.store.pipe import Pipe
from croupier_service.store.topology import Cluster

TIME = 2.0  # s that a call may take
HERE, THERE = 0, 1  # the node that sends on, and where to


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningCluster, RedisRig]]:
    """A cluster with a copy of each of the two nodes, and that of the second."""
    folder = tmp_path_factory.mktemp("copied")
    with running_cluster(folder) as cluster, cluster.copy(HERE, folder / "here"):
        with cluster.copy(THERE, folder / "there") as copy:
            yield cluster, copy


@pytest.fixture
def cluster(copied: tuple[RunningCluster, RedisRig]) -> RunningCluster:
    """It holds nothing."""
    copied[0].flush()
    return copied[0]


@asynccontextmanager
async def piped(cluster: RunningCluster, copies: int = 0, kind: type[Cluster] = Cluster) -> AsyncIterator[Pipe]:
    topology = kind(parse_address(cluster.url), TIME)
    await topology.find()
    pipe = Pipe(topology, TIME, copies)
    try:
        yield pipe
    finally:
        await pipe.drain()
        await topology.aclose()


def names(cluster: RunningCluster, node: int) -> Iterator[str]:
    """Keys of a node, each of a slot of its own."""
    return (f"{n}" for n in count() if cluster.owner(slot(f"{n}")) == node)


def slot(key: str) -> int:
    return key_slot(key.encode())


class Held:
    """A lane of a node that waits for an answer until it is let go."""

    def __init__(self, cluster: RunningCluster, pipe: Pipe, node: int, key: str) -> None:
        self._node, self._key = cluster.nodes[node], key
        self._call = asyncio.create_task(pipe.call("BLPOP", key, 20))

    async def let_go(self) -> None:
        self._node.ask("LPUSH", self._key, "x")
        assert await self._call


async def settle() -> None:
    """Let what was called arrive where it has to wait."""
    await asyncio.sleep(0.1)


async def test_a_call_that_was_sent_on_takes_no_time_from_those_it_meets(cluster: RunningCluster) -> None:
    here, there = names(cluster, HERE), names(cluster, THERE)
    moved, slow = next(here), next(there)
    async with piped(cluster) as pipe:
        with cluster.moving(slot(moved), THERE):
            first = Held(cluster, pipe, HERE, next(here))
            await settle()
            late = asyncio.create_task(pipe.call("SET", moved, "1"))
            await asyncio.sleep(TIME / 2)
            second = Held(cluster, pipe, THERE, next(there))
            await settle()
            await first.let_go()
            await settle()
            fresh = asyncio.create_task(pipe.call("BLPOP", slow, 20))
            await settle()
            await second.let_go()
            with pytest.raises(StoreUnavailable, match="within"):
                await late
            await settle()
            cluster.nodes[THERE].ask("LPUSH", slow, "x")
            assert await fresh
            assert await pipe.call("SET", slow, "1")


async def test_a_node_that_was_not_silent_for_a_whole_call_is_not_called_so(cluster: RunningCluster) -> None:
    here, there = names(cluster, HERE), names(cluster, THERE)
    moved = next(here)
    async with piped(cluster) as pipe:
        with cluster.moving(slot(moved), THERE):
            first = Held(cluster, pipe, HERE, next(here))
            await settle()
            late = asyncio.create_task(pipe.call("SET", moved, "1"))
            await asyncio.sleep(TIME / 2)
            cluster.nodes[THERE].pause()
            try:
                await first.let_go()
                with pytest.raises(StoreUnavailable, match="within"):
                    await late
                fresh = asyncio.create_task(pipe.call("SET", next(there), "1"))
                await settle()
            finally:
                cluster.nodes[THERE].resume()
            assert await fresh


async def test_a_call_that_was_sent_on_takes_no_time_from_the_copies(
    cluster: RunningCluster, copied: tuple[RunningCluster, RedisRig]
) -> None:
    here, there = names(cluster, HERE), names(cluster, THERE)
    moved, read = next(here), next(there)
    async with piped(cluster, copies=1) as pipe:
        with cluster.moving(slot(moved), THERE):
            first = Held(cluster, pipe, HERE, next(here))
            await settle()
            late = asyncio.create_task(pipe.call("SET", moved, "1"))
            await asyncio.sleep(TIME / 2)
            cluster.nodes[THERE].pause()
            # A read that leaves with a write holds its lane, and does not wait for the copy.
            second = asyncio.create_task(pipe.calls(("GET", read), ("SET", next(here), "1")))
            await settle()
            await first.let_go()
            await settle()
            fresh = asyncio.create_task(pipe.call("SET", next(there), "1"))
            await settle()
            copied[1].pause()
            try:
                cluster.nodes[THERE].resume()
                with pytest.raises(StoreUnavailable):
                    await late
                await settle()
            finally:
                copied[1].resume()
            assert await fresh
            await second


async def test_a_write_that_was_sent_on_and_those_it_meets_are_kept_by_the_copies(cluster: RunningCluster) -> None:
    here, there = names(cluster, HERE), names(cluster, THERE)
    moved = next(here)
    async with piped(cluster, copies=1) as pipe:
        with cluster.moving(slot(moved), THERE):
            held = Held(cluster, pipe, THERE, next(there))
            await settle()
            sent_on = asyncio.create_task(pipe.call("SET", moved, "1"))
            await settle()
            fresh = asyncio.create_task(pipe.call("SET", next(there), "1"))
            await settle()
            await held.let_go()
            assert all(await asyncio.gather(sent_on, fresh))


async def test_a_write_of_a_slot_on_its_way_is_kept_by_the_copies(cluster: RunningCluster) -> None:
    key = next(names(cluster, HERE))
    cluster.nodes[HERE].ask("SET", key, "1")
    async with piped(cluster, copies=1) as pipe:
        with cluster.moving(slot(key), THERE):
            assert await pipe.call("SET", key, "2")


async def test_the_first_write_of_a_node_without_slots_is_kept_by_its_copy(tmp_path: Path) -> None:
    with running_cluster(tmp_path) as cluster, cluster.copy(HERE, tmp_path / "here"):
        key = next(names(cluster, HERE))
        with cluster.joined(tmp_path / "joined") as node, cluster.copy(node, tmp_path / "copy"):
            async with piped(cluster, copies=1) as pipe:
                with cluster.moving(slot(key), node):
                    assert await pipe.call("SET", key, "1")


class Unlucky(Cluster):
    """One whose first marks come to a slot that is on its way."""

    moved = ""
    left = 2

    def pulse(self, client: "Redis") -> str | None:
        if self.left and client is self.client_for(("SET", self.moved)):
            self.left -= 1
            return f"mark:{{{self.moved}}}"
        return super().pulse(client)


async def test_a_mark_that_is_not_taken_fails_no_write(cluster: RunningCluster) -> None:
    here = names(cluster, HERE)
    Unlucky.moved = next(here)
    async with piped(cluster, 1, Unlucky) as pipe:
        with cluster.moving(slot(Unlucky.moved), THERE):
            assert await pipe.call("SET", next(here), "1")


async def test_a_script_whose_keys_are_at_two_nodes_is_tried_less_and_less_often(cluster: RunningCluster) -> None:
    key = next(names(cluster, HERE))
    keys = [f"{part}:{{{key}}}" for part in ("one", "two")]
    async with piped(cluster) as pipe:
        with cluster.moving(slot(key), THERE):
            ask_at(cluster.nodes[THERE], "SET", keys[0], "1")
            before = looks(cluster)
            call = asyncio.create_task(pipe.call("EVAL", "return redis.call('MGET', KEYS[1], KEYS[2])", 2, *keys))
            with pytest.raises(StoreUnavailable):
                await call
            # 20 ms, 40, 80, 160, 320, and 400 from then on.
            assert 2 <= looks(cluster) - before <= 10
            call = asyncio.create_task(pipe.call("EVAL", "return redis.call('MGET', KEYS[1], KEYS[2])", 2, *keys))
            await settle()
            ask_at(cluster.nodes[THERE], "SET", keys[1], "2")
            assert await call == [b"1", b"2"]
            ask_at(cluster.nodes[THERE], "DEL", *keys)


def looks(cluster: RunningCluster) -> int:
    """How often the nodes were asked who has which slot."""
    stats = [node.ask("INFO", "commandstats") for node in cluster.nodes]
    return sum(int(each.get("cmdstat_cluster|slots", {"calls": 0})["calls"]) for each in stats)


def ask_at(node: RedisRig, *command: str) -> None:
    """A command for a slot that comes to a node."""
    with redis.Redis(port=node.port, socket_timeout=5, single_connection_client=True) as client:
        client.execute_command("ASKING")
        client.execute_command(*command)
