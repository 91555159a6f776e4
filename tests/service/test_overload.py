"""More at a time than one process takes on: the rest is refused at once, what was taken finishes, streams stay."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from support.play_stream import playing
from support.redis_rig import RedisRig
from support.service import QUICK, Client, Told, channel, running_service, told
from support.tables import seated

from croupier.v1 import bots_pb2, matches_pb2

LIMIT = 10
SETTINGS = replace(QUICK, calls=LIMIT, store_timeout=30_000, heartbeat=10_000)


async def test_what_is_too_much_is_refused_with_a_time_to_retry_and_the_rest_finishes(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis") as rig:
        async with running_service(rig.url, settings=SETTINGS) as service, channel(service) as over:
            (ann, bob), match = await seated([over], 2)
            async with playing(bob) as table:
                question = await table.next("question")
                request = matches_pb2.WatchMatchRequest(match=match)
                stream = ann.matches.WatchMatch(request, metadata=ann.auth)
                await anext(aiter(stream))
                rig.pause()
                refused: list[Told] = []

                async def get() -> str:
                    try:
                        return (await ann.get(match)).id
                    except grpc.aio.AioRpcError as error:
                        refused.append(told(error))
                        return ""

                calls = [asyncio.create_task(get()) for _ in range(4 * LIMIT)]
                async with asyncio.timeout(20):
                    while len(refused) < 3 * LIMIT:
                        await asyncio.sleep(0.01)
                act = bots_pb2.PlayAct(request_id="r", match=match, window=question.window.id, choice=0)
                await table.send(act=act)
                too_much = await table.next("refused")
                assert (too_much.reason, too_much.metadata["retry_after"]) == ("OVERLOADED", "1")
                rig.resume()
                answers = await asyncio.gather(*calls)
                assert sorted(answers) == [""] * 3 * LIMIT + [match] * LIMIT
                for each in refused:
                    assert (each.code, each.reason, each.retry_after) == (
                        grpc.StatusCode.UNAVAILABLE,
                        "OVERLOADED",
                        1.0,
                    )
                await table.send(act=act)
                await table.next("acted")
                async with asyncio.timeout(20):
                    async for message in stream:
                        if message.WhichOneof("message") == "event":
                            break
                assert stream.done() is False
                stream.cancel()


def polled(player: Client, match: str, after: int, wait: Duration) -> "asyncio.Task[matches_pb2.ListEventsResponse]":
    request = matches_pb2.ListEventsRequest(match=match, after=after, wait=wait)

    async def poll() -> matches_pb2.ListEventsResponse:
        return await player.matches.ListEvents(request, metadata=player.auth)

    return asyncio.create_task(poll())


async def refusal(call: Awaitable[object]) -> Told:
    async with asyncio.timeout(20):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call
    return told(refused.value)


async def test_a_poll_that_does_not_wait_is_a_call_like_others(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis") as rig:
        async with running_service(rig.url, settings=SETTINGS) as service, channel(service) as over:
            (ann, _), match = await seated([over], 2)
            rig.pause()
            calls = [polled(ann, match, 0, Duration()) for _ in range(2 * LIMIT)]
            async with asyncio.timeout(20):
                while sum(call.done() for call in calls) < LIMIT:
                    await asyncio.sleep(0.01)
            refused = [await refusal(call) for call in calls if call.done()]
            assert {(each.reason, each.retry_after) for each in refused} == {("OVERLOADED", 1.0)}
            rig.resume()
            answers = await asyncio.gather(*calls, return_exceptions=True)
            assert sum(isinstance(answer, matches_pb2.ListEventsResponse) for answer in answers) == LIMIT


async def test_those_who_wait_are_bounded_too_and_take_no_call_s_place(redis_url: str) -> None:
    settings = replace(SETTINGS, waiting=LIMIT)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        (ann, bob), match = await seated([over], 2)
        now = (await ann.get(match)).sequence
        stream = bob.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=bob.auth)
        await anext(aiter(stream))
        polls = [polled(ann, match, now, Duration(seconds=20)) for _ in range(LIMIT - 1)]
        async with asyncio.timeout(20):
            while service._waiting.under_way < LIMIT:
                await asyncio.sleep(0.01)
        too_much = await refusal(polled(ann, match, now, Duration(seconds=20)))
        assert (too_much.code, too_much.reason) == (grpc.StatusCode.UNAVAILABLE, "OVERLOADED")
        assert (too_much.metadata["limit"], too_much.retry_after) == (str(LIMIT), 1.0)
        another = ann.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=ann.auth)
        assert (await refusal(another.read())).reason == "OVERLOADED"
        await ann.choose(await ann.get(match))
        answers = await asyncio.gather(*polls)
        assert all(answer.events for answer in answers), "who was let in hears"
        assert (await polled(ann, match, 0, Duration(seconds=20))).events, "and there is room again"
        stream.cancel()
