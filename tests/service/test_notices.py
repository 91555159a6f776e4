"""Notices from every server, whichever connections break and when."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog
from redis.crc import key_slot
from support.redis_cluster import RunningCluster
from support.redis_rig import RedisRig

from croupier_service.store import notices as module
from croupier_service.store.keys import ShardKeys
from croupier_service.store.notices import Notices
from croupier_service.store.opening import Store, open_store

SHARDS = 8


class Listening:
    """Writes down which shards it heard of."""

    def __init__(self) -> None:
        self.heard: set[str] = set()

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        self.heard.add(match)

    def noted(self, kind: str, player: str, value: str) -> None:
        pass

    async def lost_touch(self) -> None:
        pass


@asynccontextmanager
async def listening(store: Store, listener: Listening) -> AsyncIterator[Notices]:
    notices = store.notices([listener])
    task = asyncio.create_task(notices.run())
    try:
        async with asyncio.timeout(20):
            await notices.ready.wait()
        yield notices
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def hears_all(cluster: RunningCluster, listener: Listening) -> None:
    """Wait until something was heard from every shard."""
    listener.heard.clear()
    channels = [ShardKeys(shard).channel for shard in range(SHARDS)]
    owners = [cluster.nodes[cluster.owner(key_slot(channel.encode()))] for channel in channels]
    assert len({owner.port for owner in owners}) == 3, "they are spread over all nodes"
    async with asyncio.timeout(10):
        while len(listener.heard) < SHARDS:
            for shard, (channel, owner) in enumerate(zip(channels, owners, strict=True)):
                owner.ask("SPUBLISH", channel, f'["m-{shard}", 1, null]')
            await asyncio.sleep(0.1)


async def test_two_nodes_that_break_close_together_are_both_listened_to_again(
    cluster_url: str, redis_cluster: RunningCluster
) -> None:
    store = await open_store(cluster_url, SHARDS)
    listener = Listening()
    async with listening(store, listener):
        await hears_all(redis_cluster, listener)
        for late in range(3, 20):  # the second breaks while the first is being seen to
            for node in redis_cluster.nodes[1:]:
                node.ask("CLIENT", "KILL", "TYPE", "PUBSUB")
                await asyncio.sleep(late / 100)
            await hears_all(redis_cluster, listener)
    await store.close()


async def test_while_redis_is_away_that_is_said_once_and_without_a_traceback(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis") as rig:
        store = await open_store(rig.url, SHARDS)
        async with listening(store, Listening()) as notices:
            for _ in range(2):
                notices.ready.clear()
                with structlog.testing.capture_logs() as lines:
                    await asyncio.to_thread(rig.kill9)
                    await asyncio.sleep(1.5)
                    await asyncio.to_thread(rig.start)
                    async with asyncio.timeout(20):
                        await notices.ready.wait()
                assert [(line["event"], line["log_level"]) for line in lines] == [("notices.interrupted", "warning")]
                assert lines[0]["error"]
                assert "exc_info" not in lines[0]
        await store.close()


async def test_a_quiet_server_is_asked_and_one_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_QUIET", 1.5)
    with RedisRig(tmp_path / "redis") as rig:
        store = await open_store(rig.url, SHARDS)
        broken, listener = asyncio.Event(), Listening()
        notices = store.notices([listener], broken.set)
        task = asyncio.create_task(notices.run())
        async with asyncio.timeout(30):
            await notices.ready.wait()
            await asyncio.sleep(4)
            assert not broken.is_set(), "it was quiet, and answered"
            rig.pause()
            await broken.wait()
            notices.ready.clear()
            rig.resume()
            await notices.ready.wait()
            rig.ask("SPUBLISH", ShardKeys(0).channel, '["m-0", 1, null]')
            while not listener.heard:
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await store.close()
