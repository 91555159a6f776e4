"""How a stream of `Bots.Play` ends: nobody is left without a word, and nothing that was asked is left unanswered."""

import asyncio
from dataclasses import replace
from pathlib import Path

import grpc
from support.redis_rig import RedisRig
from support.service import QUICK, Client, channel, guest, running_service

from croupier.v1 import bots_pb2

HELLO = bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(hello=bots_pb2.Hello())])
ACTS = 60


async def rest(
    call: "grpc.aio.StreamStreamCall[bots_pb2.PlayRequest, bots_pb2.PlayResponse]",
) -> list[bots_pb2.TableMessage]:
    found: list[bots_pb2.TableMessage] = []
    async with asyncio.timeout(20):
        while (frame := await call.read()) is not grpc.aio.EOF:
            assert isinstance(frame, bots_pb2.PlayResponse)
            found += frame.messages
    return found


async def test_who_says_hello_while_the_service_stops_is_sent_away(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis") as rig:
        settings = replace(QUICK, drain=6_000, store_timeout=3_000)
        async with running_service(rig.url, settings=settings) as service, channel(service) as over:
            bot = await guest(over, "Bot")
            call = bot.bots.Play(metadata=bot.auth)
            await call.write(bots_pb2.PlayRequest())
            await asyncio.sleep(0.2)  # who it is, is known
            rig.ask("CLIENT", "PAUSE", "800", "WRITE")
            await call.write(HELLO)
            await asyncio.sleep(0.2)
            stopping = asyncio.create_task(service.stop())
            messages = await rest(call)
            await stopping
    assert messages[-1].go_away.reason == "GOING_DOWN"


async def test_who_stops_asking_is_answered_to_the_last(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        await _ask_much_and_stop(await guest(over, "Bot"))


async def _ask_much_and_stop(client: Client) -> None:
    call = client.bots.Play(metadata=client.auth)
    await call.write(HELLO)
    await call.read()
    acts = [
        bots_pb2.PlayAct(match="m-nosuchmatch", window="d1.t1.choose", request_id=f"r-{number}", choice=0)
        for number in range(ACTS)
    ]
    await call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(act=act) for act in acts]))
    await call.done_writing()
    messages = await rest(call)
    assert {message.refused.request_id for message in messages} >= {act.request_id for act in acts}
    assert messages[-1].go_away.reason == "CLOSED"
