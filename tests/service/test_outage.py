"""The store goes away and comes back: calls fail fast, streams stay and say so, and nothing is missed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from chaos.proxy import Line
from google.protobuf.duration_pb2 import Duration
from support.play_stream import playing
from support.redis_rig import RedisRig
from support.service import QUICK, Client, channel, guest, reason, running_service, told
from support.tables import all_choose, seated

from croupier.v1 import bots_pb2, matches_pb2, players_pb2

SETTINGS = replace(QUICK, store_timeout=500)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[RedisRig]:
    with RedisRig(tmp_path / "redis") as server:
        yield server


async def heard(call: Any, kind: str, **fields: Any) -> Any:
    """The next message of a kind with such fields; the stream must not end before."""
    async with asyncio.timeout(20):
        while True:
            message = await call.read()
            assert message is not grpc.aio.EOF, await call.code()
            if message.WhichOneof(message.DESCRIPTOR.oneofs[0].name) == kind:
                inner = getattr(message, kind)
                if all(getattr(inner, name) == value for name, value in fields.items()):
                    return inner


async def pong(table: Any, *, stale: bool) -> None:
    while (await table.next("pong")).stale is not stale:
        pass


def watch(client: Client, match: str) -> Any:
    return client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=client.auth)


def feed(client: Client) -> Any:
    return client.players.WatchPlayer(players_pb2.WatchPlayerRequest(player="me"), metadata=client.auth)


@asynccontextmanager
async def gone(rig: RedisRig, how: str) -> AsyncIterator[None]:
    """The server is dead, or does not answer."""
    if how == "killed":
        await asyncio.to_thread(rig.kill9)
    else:
        rig.pause()
    yield
    if how == "killed":
        await asyncio.to_thread(rig.start)
    else:
        rig.resume()


@pytest.mark.parametrize("how", ["killed", "paused"])
async def test_streams_outlast_an_outage_and_say_so(rig: RedisRig, how: str) -> None:
    async with running_service(rig.url, settings=SETTINGS) as service, channel(service) as over:
        players, match = await seated([over], 2)
        ann, bob = players
        async with playing(bob) as table:
            stream, home = watch(ann, match), feed(ann)
            snapshot = await heard(stream, "snapshot")
            await heard(home, "snapshot")
            question = await table.next("question")
            async with gone(rig, how):
                assert (await heard(stream, "heartbeat", stale=True)).sequence == snapshot.match.sequence
                await heard(home, "heartbeat", stale=True)
                await pong(table, stale=True)
                await heard(stream, "heartbeat", stale=True)
                act = bots_pb2.PlayAct(request_id="r1", match=match, window=question.window.id, choice=0)
                await table.send(act=act)
                refused = await table.next("refused")
                assert (refused.reason, refused.metadata["retry_after"]) == ("UNAVAILABLE", "1")
            await heard(stream, "heartbeat", stale=False)
            await heard(home, "heartbeat", stale=False)
            await pong(table, stale=False)
            await table.send(act=act)
            await table.next("acted")
            assert (await heard(stream, "event")).sequence == snapshot.match.sequence + 1
            stream.cancel()
            home.cancel()
        assert not service.failed.is_set()


async def test_what_happened_elsewhere_during_an_outage_comes_without_a_gap(rig: RedisRig) -> None:
    """One replica alone loses its way to the store, and the match goes on over the other one."""
    line = Line(rig.port)
    async with await asyncio.start_server(line.serve, "127.0.0.1", 0) as proxy:
        broken = f"redis://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        async with (
            running_service(rig.url, settings=SETTINGS) as one,
            running_service(broken, settings=SETTINGS) as two,
        ):
            async with channel(one) as first, channel(two) as second:
                players, match = await seated([first], 2)
                far = replace(players[0], channel=second)
                stream = watch(far, match)
                sequence = (await heard(stream, "snapshot")).match.sequence
                line.command("hole", 0)
                await heard(stream, "heartbeat", stale=True)
                for _ in range(2):
                    await all_choose(players, match)
                now = (await players[0].get(match)).sequence
                line.command("heal", 0)
                for expected in range(sequence + 1, now + 1):
                    assert (await heard(stream, "event")).sequence == expected
                await heard(stream, "heartbeat", stale=False)
                stream.cancel()


@pytest.mark.parametrize("how", ["killed", "paused"])
async def test_calls_during_an_outage_fail_with_a_time_to_retry(rig: RedisRig, how: str) -> None:
    async with running_service(rig.url, settings=SETTINGS) as service, channel(service) as over:
        ann = await guest(over)
        match = await ann.create(2)
        stranger = Client(over, "", "crp_of_whom_nothing_is_known")
        polls = [
            ann.matches.ListEvents(
                matches_pb2.ListEventsRequest(match=match.id, after=match.sequence, wait=Duration(seconds=20)),
                metadata=ann.auth,
            ),
            ann.players.ListPlayerEvents(
                players_pb2.ListPlayerEventsRequest(
                    player="me",
                    after=(
                        await ann.players.ListPlayerEvents(
                            players_pb2.ListPlayerEventsRequest(player="me"), metadata=ann.auth
                        )
                    ).next,
                    wait=Duration(seconds=20),
                ),
                metadata=ann.auth,
            ),
        ]
        waiting = [asyncio.ensure_future(failed(poll)) for poll in polls]
        await asyncio.sleep(0.3)
        async with gone(rig, how), asyncio.timeout(15):
            for answer in await asyncio.gather(
                *waiting,
                failed(ann.get(match.id)),
                failed(stranger.get(match.id)),
                failed(watch(ann, match.id).read()),
                failed(feed(ann).read()),
                failed(ann.bots.Play(hello(), metadata=ann.auth).read()),
            ):
                assert (answer.reason, answer.retry_after) == ("UNAVAILABLE", 1.0)
        async with asyncio.timeout(15):
            while (await outcome(ann.get(match.id))) == "UNAVAILABLE":
                await asyncio.sleep(0.05)
        assert (await ann.get(match.id)).id == match.id


async def hello() -> AsyncIterator[bots_pb2.PlayRequest]:
    yield bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(hello=bots_pb2.Hello())])
    await asyncio.sleep(60)


async def outcome(call: Any) -> str:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return told(error).reason
    return "OK"


async def failed(call: Any) -> Any:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return told(refused.value)


async def test_an_older_stream_stays_when_a_newer_one_cannot_be_told_of(rig: RedisRig) -> None:
    async with running_service(rig.url, settings=SETTINGS) as service, channel(service) as over:
        bot = await guest(over)
        async with playing(bot) as table:
            await asyncio.to_thread(rig.kill9)
            assert await reason(bot.bots.Play(hello(), metadata=bot.auth).read()) == "UNAVAILABLE"
            await pong(table, stale=True)
            await asyncio.to_thread(rig.start)
            await pong(table, stale=False)


async def test_a_process_that_asks_nothing_hears_at_once_that_the_store_is_gone(rig: RedisRig) -> None:
    """Its own look would be due in 10 s; the connection on which it hears notices breaks before."""
    settings = replace(SETTINGS, heartbeat=10_000)
    async with running_service(rig.url, settings=settings) as service, channel(service) as over:
        (ann, _), match = await seated([over], 2)
        stream = watch(ann, match)
        await heard(stream, "snapshot")
        await asyncio.to_thread(rig.kill9)
        async with asyncio.timeout(6):
            await heard(stream, "heartbeat", stale=True)
        await asyncio.to_thread(rig.start)
        await heard(stream, "heartbeat", stale=False)


async def test_a_player_hears_of_an_outage_while_the_service_still_waits_for_the_store(rig: RedisRig) -> None:
    """What his stream asks of the store in between is answered after 30 s at the earliest."""
    settings = replace(SETTINGS, heartbeat=1_000, store_timeout=30_000)
    async with running_service(rig.url, settings=settings) as service, channel(service) as over:
        bob = await guest(over)
        async with playing(bob, capacity=1) as table:
            await pong(table, stale=False)
            rig.pause()
            try:
                async with asyncio.timeout(10):
                    await pong(table, stale=True)
            finally:
                rig.resume()
            await pong(table, stale=False)


@pytest.mark.parametrize("drain", [0, 2_000])
async def test_acts_that_a_frozen_store_holds_up_are_refused_when_the_service_stops(rig: RedisRig, drain: int) -> None:
    settings = replace(QUICK, store_timeout=10_000, drain=drain)
    async with running_service(rig.url, settings=settings) as service, channel(service) as over:
        players, match = await seated([over], 2)
        views = [await player.get(match) for player in players]
        async with gone(rig, "paused"):
            # The second one waits for the first.
            acts = [asyncio.create_task(who.choose(view)) for who, view in zip(players, views, strict=True)]
            await asyncio.sleep(0.2)
            await service.stop()
            for act in acts:
                with pytest.raises(grpc.aio.AioRpcError) as ended:
                    await act
                said = told(ended.value)
                assert (said.reason, said.retry_after) == ("UNAVAILABLE", 1.0)
