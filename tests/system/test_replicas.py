"""Replicas as processes: one that sleeps past its lease, one that goes down in mid-match."""

import asyncio
import signal
from pathlib import Path

import grpc
from google.protobuf.duration_pb2 import Duration
from support.redis_rig import RedisRig
from support.replays import check_replay
from support.replicas import Replica, running_replicas
from support.service import Client, guest
from support.tables import all_choose, seated

from croupier.v1 import matches_pb2
from croupier_cli.replay_text import notation
from croupier_cli.verification import verify
from croupier_service.store.opening import open_store


def channel_to(replica: Replica) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(replica.target, options=[("grpc.use_local_subchannel_pool", 1)])


def at(player: Client, over: grpc.aio.Channel) -> Client:
    """The same player by another way."""
    return Client(over, player.player, player.token)


def clock(seconds: int) -> matches_pb2.ClockOptions:
    return matches_pb2.ClockOptions(window_duration=Duration(seconds=seconds))


async def events(player: Client, match: str) -> list[matches_pb2.Event]:
    request = matches_pb2.ListEventsRequest(match=match, page_size=1000)
    return list((await player.matches.ListEvents(request, metadata=player.auth)).events)


async def leaders(redis_url: str) -> list[bytes | None]:
    """Who leads each shard."""
    store = await open_store(redis_url, 64)
    try:
        return await store.pipe.calls(*(("GET", f"croupier:{{s{shard}}}:leader") for shard in range(store.shards)))
    finally:
        await store.close()


async def test_c10_a_replica_that_sleeps_past_its_lease_fires_nothing_when_it_wakes(
    redis_url: str, tmp_path: Path
) -> None:
    with running_replicas(redis_url, tmp_path, 2) as (sleeper, other):
        async with channel_to(sleeper) as over, channel_to(other) as also:
            # Of so many matches both lead some.
            tables = [await seated([over], 2, clock=clock(3)) for _ in range(12)]
            async with asyncio.timeout(10):
                while len({lead and lead.split()[0] for lead in await leaders(redis_url)}) < 2:
                    await asyncio.sleep(0.05)
            sleeper.send(signal.SIGSTOP)
            players = [at(player, also) for (player, _), _ in tables]
            async with asyncio.timeout(20):
                for player, (_, match) in zip(players, tables, strict=True):
                    while "match.timed_out" not in [event.type for event in await events(player, match)]:
                        await asyncio.sleep(0.05)
            sleeper.send(signal.SIGCONT)
            await at(players[0], over).get(tables[0][1])  # it is awake
            await asyncio.sleep(0.5)
            for player, (_, match) in zip(players, tables, strict=True):
                seen = await events(player, match)
                assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))
                kinds = [event.type for event in seen]
                windows = kinds.count("six_nimmt.revealed")
                assert kinds.count("six_nimmt.committed") == 2 * windows, "each window closed once"
                assert kinds.count("match.timed_out") <= windows + kinds.count("six_nimmt.row_taken")


async def watch(player: Client, match: str, after: int = -1) -> list[matches_pb2.WatchMatchResponse]:
    """All that a stream tells until it ends."""
    request = matches_pb2.WatchMatchRequest(match=match)
    if after >= 0:
        request.after = after
    return [item async for item in player.matches.WatchMatch(request, metadata=player.auth)]


async def test_c20_a_replica_that_goes_down_costs_nobody_time(redis_url: str, tmp_path: Path) -> None:
    with running_replicas(redis_url, tmp_path, 2, DRAIN_CREDIT="7000") as (leaving, other):
        async with channel_to(leaving) as over, channel_to(other) as also:
            (ann, bob), match = await seated([over], 2, clock=clock(60), preset="single_deal")
            (cid, _), unwatched = await seated([over], 2, clock=clock(60))
            (dan, eve), busy = await seated([over], 2, clock=clock(60))
            before = await ann.get(match)
            await ann.choose(before)
            stream = asyncio.create_task(watch(bob, match))
            others = asyncio.create_task(watch(ann, match))  # she is not asked any more
            seen = await cid.get(unwatched)
            poll = matches_pb2.ListEventsRequest(match=unwatched, after=seen.sequence, wait=Duration(seconds=20))
            waiting = asyncio.ensure_future(cid.matches.ListEvents(poll, metadata=cid.auth))
            await asyncio.sleep(0.5)
            acting = [asyncio.ensure_future(player.choose(await player.get(busy))) for player in (dan, eve)]
            leaving.send(signal.SIGTERM)
            told = await stream
            assert told[-1].end.reason == (await others)[-1].end.reason == "GO_AWAY"
            assert [item.event.type for item in told if item.HasField("event")] == ["match.credited"]
            assert not (await waiting).events
            assert all([(await act).applied_sequence for act in acting]), "calls under way are finished"
            assert await asyncio.to_thread(leaving.wait) == 0

            ann, bob, cid = at(ann, also), at(bob, also), at(cid, also)
            after = await bob.get(match)
            moved = [
                now.clock.deadline_time.ToMilliseconds() - then.clock.deadline_time.ToMilliseconds()
                for now, then in zip(after.seats, before.seats, strict=True)
                if now.clock.HasField("deadline_time")
            ]
            assert moved == [7000], "once, though two watched"
            credited = [event for event in await events(bob, match) if event.type == "match.credited"]
            assert [event.match.credited.credit_duration.seconds for event in credited] == [7]
            assert "match.credited" not in [event.type for event in await events(cid, unwatched)]

            while (now := await ann.get(match)).state == matches_pb2.MatchState.RUNNING:
                await all_choose([ann, bob], match)
            wanted = matches_pb2.GetReplayRequest(match=match)
            replay = await ann.matches.GetReplay(wanted, metadata=ann.auth)
            check_replay(replay, now.commitment)
            assert [entry.credit.ms for entry in replay.log if entry.HasField("credit")] == [7000]
            verify(replay, now.commitment)
            assert any(line.endswith("the clocks are set back by 7 s") for line in notation(replay))
            await guest(also)


async def test_a_store_that_does_not_answer_does_not_hold_up_the_end(redis_url: str, tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        with running_replicas(rig.url, tmp_path, 1, DRAIN="3000", STORE_TIMEOUT="60000") as (leaving,):
            async with channel_to(leaving) as over:
                (ann, _), match = await seated([over], 2, clock=clock(60))
                stream = asyncio.create_task(watch(ann, match))
                await asyncio.sleep(0.3)
                rig.pause()
                try:
                    leaving.send(signal.SIGTERM)
                    assert await asyncio.to_thread(leaving.wait, 10) == 0
                finally:
                    rig.resume()
                stream.cancel()
                await asyncio.gather(stream, return_exceptions=True)
