"""A service over a cluster, behind a Sentinel, and over a server that falls silent or dies."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from support.redis_cluster import SERVICE, running_sentinel
from support.redis_rig import RedisRig
from support.service import QUICK, Client, channel, reason, running_service
from support.tables import all_choose, seated

from croupier.v1 import matches_pb2


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[RedisRig]:
    with RedisRig(tmp_path / "redis") as server:
        yield server


async def play_out(players: list[Client], match: str) -> matches_pb2.Match:
    """Everybody answers with his first choice until it is over."""
    for _ in range(200):
        await all_choose(players, match)
        seen = await players[0].get(match)
        if seen.state == matches_pb2.MatchState.OVER:
            return seen
    raise AssertionError("it does not end")


async def test_a_match_over_a_cluster_seen_at_another_replica(cluster_url: str) -> None:
    async with running_service(cluster_url) as one, running_service(cluster_url) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first], 2, preset="single_deal")
            watcher = replace(players[1], channel=second)
            stream: Any = watcher.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=watcher.auth)
            start = await stream.read()
            assert start.snapshot.match.id == match
            over = await play_out(players, match)
            expected = start.snapshot.match.sequence
            async with asyncio.timeout(20):
                while expected < over.sequence:
                    message = await stream.read()
                    assert message is not grpc.aio.EOF
                    if message.WhichOneof(message.DESCRIPTOR.oneofs[0].name) == "event":
                        expected += 1
                        assert message.event.sequence == expected
            stream.cancel()
            assert (await watcher.get(match)).outcome == over.outcome


async def test_a_match_through_a_sentinel(rig: RedisRig, tmp_path: Path) -> None:
    with running_sentinel(tmp_path / "sentinel", rig) as sentinel:
        url = f"redis+sentinel://127.0.0.1:{sentinel.port}/{SERVICE}"
        async with running_service(url) as service, channel(service) as over:
            players, match = await seated([over], 2, preset="single_deal")
            assert (await play_out(players, match)).outcome.places
        assert rig.ask("DBSIZE") > 0


async def test_a_silent_redis_fails_the_call(rig: RedisRig) -> None:
    settings = replace(QUICK, store_timeout=500)
    async with running_service(rig.url, settings=settings) as service, channel(service) as over:
        (ann, _), match = await seated([over], 2)
        rig.pause()
        try:
            async with asyncio.timeout(20):  # a bound for the test, not for the call
                assert await reason(ann.get(match)) == "UNAVAILABLE"
        finally:
            rig.resume()


async def test_a_redis_that_was_started_again_is_used_at_once(rig: RedisRig) -> None:
    async with running_service(rig.url) as service, channel(service) as over:
        (ann, _), match = await seated([over], 2)
        seen = await ann.get(match)
        await asyncio.to_thread(rig.kill9)
        await asyncio.to_thread(rig.start)
        assert (await ann.get(match)).sequence == seen.sequence
