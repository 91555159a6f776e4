"""A store that does not answer: after the first call that has waited in vain, nobody waits any more until it does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from chaos.proxy import Line
from support.play_stream import playing
from support.redis_cluster import SERVICE, running_sentinel
from support.redis_rig import RedisRig
from support.service import QUICK, channel, guest, running_service, told
from support.tables import seated

from croupier.v1 import bots_pb2
from croupier_service.errors import StoreUnavailable
from croupier_service.store.opening import open_store
from croupier_service.store.pipe import Pipe

PATIENT = replace(QUICK, store_timeout=2_000)
CALLS = 40  # would take more than a minute if each waited for its time


@asynccontextmanager
async def silent_pipe(folder: Path) -> AsyncIterator[tuple[RedisRig, Pipe]]:
    """A server that stands still, and a pipe to it that knows."""
    with RedisRig(folder / "redis", appendfsync=None) as rig:
        store = await open_store(rig.url, 1, within=0.5)
        try:
            rig.pause()
            with pytest.raises(StoreUnavailable, match="within"):
                await store.pipe.call("GET", "x")
            yield rig, store.pipe
        finally:
            await store.close()


async def test_what_is_refused_in_a_silence_is_never_sent(tmp_path: Path) -> None:
    async with silent_pipe(tmp_path) as (rig, pipe):
        for _ in range(5):
            with pytest.raises(StoreUnavailable, match="does not answer"):
                await pipe.call("INCR", "x")
        rig.resume()
        async with asyncio.timeout(10):
            await pipe.silence.over.wait()
        assert await pipe.call("INCR", "x") == 1


async def test_a_pipe_is_closed_in_a_silence(tmp_path: Path) -> None:
    async with silent_pipe(tmp_path) as (_, pipe):
        async with asyncio.timeout(10):
            await pipe.drain()


async def test_a_store_that_is_slow_for_one_call_is_not_silent(tmp_path: Path) -> None:
    """Others are answered meanwhile."""
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        store = await open_store(rig.url, 1, within=0.5)
        try:
            waiting = asyncio.ensure_future(store.pipe.call("BLPOP", "nothing", 20))
            await asyncio.sleep(0.05)  # it leaves alone
            while not waiting.done():
                await store.pipe.call("GET", "x")
                await asyncio.sleep(0.01)
            with pytest.raises(StoreUnavailable):
                await waiting
            assert await store.pipe.call("GET", "x") is None
        finally:
            await store.close()


async def test_a_store_is_silent_also_when_nobody_waits_for_it_to_the_end(tmp_path: Path) -> None:
    """Who waited behind others gives up before the server has had its time."""
    with (
        RedisRig(tmp_path / "redis", appendfsync=None) as rig,
        running_sentinel(tmp_path / "sentinel", rig) as sentinel,
    ):
        url = f"redis+sentinel://127.0.0.1:{sentinel.port}/{SERVICE}"
        store = await open_store(url, 1, within=2.0)
        try:
            first = asyncio.create_task(store.pipe.call("BLPOP", "held", 20))
            await asyncio.sleep(0.05)
            behind = asyncio.create_task(store.pipe.call("SET", "x", "1"))
            await asyncio.sleep(0.8)
            rig.ask("LPUSH", "held", "x")
            rig.kill9()  # before the next batch leaves
            assert await first
            with pytest.raises(StoreUnavailable, match="within"):
                await behind
            await asyncio.sleep(1.5)
            with pytest.raises(StoreUnavailable, match="does not answer"):
                await store.pipe.call("SET", "x", "2")
        finally:
            await store.close()


@pytest.mark.parametrize("how", ["paused", "cut off"])
async def test_calls_and_acts_do_not_wait_for_a_store_that_is_known_to_be_silent(tmp_path: Path, how: str) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        line = Line(rig.port)
        async with await asyncio.start_server(line.serve, "127.0.0.1", 0) as proxy:
            by_way = f"redis://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
            async with running_service(by_way, settings=PATIENT) as service, channel(service) as over:
                (ann, bob), match = await seated([over], 2)
                async with playing(bob) as table:
                    question = await table.next("question")
                    act = bots_pb2.PlayAct(request_id="r", match=match, window=question.window.id, choice=0)
                    rig.pause() if how == "paused" else line.command("hole", 0)
                    while not (await table.next("pong")).stale:
                        pass
                    async with asyncio.timeout(CALLS):
                        for _ in range(CALLS):
                            with pytest.raises(grpc.aio.AioRpcError) as refused:
                                await ann.get(match)
                            answer = told(refused.value)
                            assert (answer.reason, answer.retry_after) == ("UNAVAILABLE", 1.0)
                            await table.send(act=act)
                            assert (await table.next("refused")).reason == "UNAVAILABLE"
                    rig.resume() if how == "paused" else line.command("heal", 0)
                    while (await table.next("pong")).stale:
                        pass
                    await table.send(act=act)
                    await table.next("acted")
                    assert (await ann.get(match)).id == match
                    await guest(over)
