"""More at a time than one process takes on: the rest is refused at once, what was taken finishes, streams stay."""

import asyncio
from dataclasses import replace
from pathlib import Path

import grpc
from support.play_stream import playing
from support.redis_rig import RedisRig
from support.service import QUICK, Told, channel, running_service, told
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
