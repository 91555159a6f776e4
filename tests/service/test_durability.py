"""What was acknowledged outlives what CROUPIER_DURABILITY says; real servers are killed and paused."""

import asyncio
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from support.redis_rig import RedisRig
from support.service import QUICK, Client, channel, guest, reason, running_service, told
from support.tables import all_choose, seated

from croupier.v1 import matches_pb2
from croupier_service.store.opening import StoreUnfit, open_store

WITH_COPY = replace(QUICK, durability="replica", replicas=1, store_timeout=500)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[RedisRig, RedisRig]]:
    """A primary and its copy."""
    with RedisRig(tmp_path / "one") as primary, RedisRig(tmp_path / "two", replica_of=primary) as copy:
        primary.wait_for_replicas()
        yield primary, copy


async def acted_and_killed(rig: RedisRig, durability: str) -> tuple[Client, str, int]:
    """A player whose act was acknowledged before Redis was killed, his match, and what its sequence was then."""
    settings = replace(QUICK, durability=durability)
    async with running_service(rig.url, settings=settings) as service, channel(service) as over:
        players, match = await seated([over], 2)
        done = await players[0].choose(await players[0].get(match))
        await asyncio.to_thread(rig.kill9)
    await asyncio.to_thread(rig.start)
    return players[0], match, done.applied_sequence


@pytest.mark.parametrize(("durability", "appendfsync"), [("process", "no"), ("fsync", "always")])
async def test_an_act_outlives_the_death_of_redis(tmp_path: Path, durability: str, appendfsync: str) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=appendfsync) as rig:
        ann, match, sequence = await acted_and_killed(rig, durability)
        async with running_service(rig.url) as service, channel(service) as over:
            seen = await replace(ann, channel=over).get(match)
            assert seen.sequence == sequence


async def test_in_memory_nothing_outlives_it(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        ann, match, _ = await acted_and_killed(rig, "memory")
        async with running_service(rig.url) as service, channel(service) as over:
            with pytest.raises(grpc.aio.AioRpcError) as unknown:
                await replace(ann, channel=over).get(match)
            assert told(unknown.value).code == grpc.StatusCode.UNAUTHENTICATED
            bob = await guest(over)
            assert await reason(bob.get(match)) == "MATCH_NOT_FOUND"


async def test_what_the_copy_lacks_is_not_acknowledged_and_is_done_once(pair: tuple[RedisRig, RedisRig]) -> None:
    primary, copy = pair
    async with running_service(primary.url, settings=WITH_COPY) as service, channel(service) as over:
        (ann, _), match = await seated([over], 2)
        seen = await ann.get(match)
        name = uuid.uuid4().hex
        copy.pause()
        try:
            async with asyncio.timeout(20):
                assert await reason(ann.choose(seen, request_id=name)) == "UNAVAILABLE"
                assert await reason(ann.choose(seen, request_id=name)) == "UNAVAILABLE"
        finally:
            copy.resume()
        answer = await when_there(ann, seen, name)
        assert answer.applied_sequence == seen.sequence + 1
        assert (await when_there(ann, seen, name)).applied_sequence == answer.applied_sequence
        assert (await ann.get(match)).sequence == seen.sequence + 1


async def when_there(player: Client, seen: matches_pb2.Match, name: str) -> matches_pb2.ActResponse:
    """The answer to an act once the copies have it."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await player.choose(seen, request_id=name)
            except grpc.aio.AioRpcError as error:
                if told(error).reason != "UNAVAILABLE":
                    raise
                await asyncio.sleep(0.05)


async def one_acts(players: list[Client], match: str) -> matches_pb2.ActResponse:
    """The first player who is asked answers; who that is, is up to the cards."""
    for player in players:
        view = await player.get(match)
        if view.you.window.actions:
            return await player.choose(view)
    raise AssertionError("nobody is asked")


async def test_a_promoted_copy_has_every_acknowledged_act(pair: tuple[RedisRig, RedisRig]) -> None:
    primary, copy = pair
    async with running_service(primary.url, settings=WITH_COPY) as service, channel(service) as over:
        players, match = await seated([over], 2)
        for _ in range(3):
            await all_choose(players, match)
        done = await one_acts(players, match)
        await asyncio.to_thread(primary.kill9)
    await asyncio.to_thread(copy.promote)
    async with running_service(copy.url) as service, channel(service) as over:
        there = [replace(player, channel=over) for player in players]
        assert (await there[0].get(match)).sequence == done.applied_sequence
        await one_acts(there, match)
        assert (await there[0].get(match)).sequence > done.applied_sequence


@pytest.mark.parametrize(
    ("durability", "appendfsync", "advice"),
    [
        ("process", None, "set its appendonly to yes, or set CROUPIER_DURABILITY=memory"),
        ("fsync", None, "set its appendonly to yes and its appendfsync to always, or set CROUPIER_DURABILITY=memory"),
        ("process", "everysec", "set its appendfsync to always or no, or set CROUPIER_DURABILITY=memory"),
        ("fsync", "everysec", "set its appendfsync to always, or set CROUPIER_DURABILITY=memory"),
        ("fsync", "no", "set its appendfsync to always, or set CROUPIER_DURABILITY=process"),
        ("replica", "no", "set its appendfsync to always, or set CROUPIER_DURABILITY=process"),
    ],
)
async def test_a_store_that_does_not_keep_the_promise_is_refused(
    tmp_path: Path, durability: str, appendfsync: str | None, advice: str
) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=appendfsync) as rig:
        with pytest.raises(StoreUnfit) as unfit:
            await open_store(rig.url, 8, durability=durability)
        assert str(unfit.value).endswith(advice)


@pytest.mark.parametrize(
    ("durability", "advice"),
    [
        ("process", None),
        ("fsync", "set its no-appendfsync-on-rewrite to no, or set CROUPIER_DURABILITY=process"),
        ("replica", "set its no-appendfsync-on-rewrite to no, or set CROUPIER_DURABILITY=process"),
    ],
)
async def test_a_store_that_does_not_sync_while_it_rewrites_its_log_is_refused(
    tmp_path: Path, durability: str, advice: str | None
) -> None:
    with RedisRig(tmp_path / "redis", options={"no-appendfsync-on-rewrite": "yes"}) as rig:
        if advice is None:
            await (await open_store(rig.url, 8, durability=durability)).close()
            return
        with pytest.raises(StoreUnfit) as unfit:
            await open_store(rig.url, 8, durability=durability)
        assert str(unfit.value).endswith(advice)
