"""What becomes of calls to the store whose line breaks, whose pipe is closed, or that come beside others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from support.redis_rig import RedisRig

from croupier_service.errors import StoreUnavailable
from croupier_service.store.opening import open_store


class Hole:
    """A line to a server that can be broken; from then on new ones are taken and never answered."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: list[asyncio.StreamWriter] = []
        self.broken = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.append(writer)
        if self.broken:
            await reader.read()
            return
        back, forth = await asyncio.open_connection("127.0.0.1", self._port)
        self._open.append(forth)
        with suppress(OSError):
            await asyncio.gather(self._copy(reader, forth), self._copy(back, writer))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    def break_it(self) -> None:
        self.broken = True
        self.close()

    def close(self) -> None:
        for writer in self._open:
            writer.transport.abort()


@asynccontextmanager
async def hole(port: int) -> AsyncIterator[tuple[Hole, str]]:
    line = Hole(port)
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    try:
        yield line, f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        line.close()
        server.close()
        await asyncio.sleep(0.05)


async def test_a_call_whose_second_attempt_is_not_answered_is_unavailable(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        async with hole(rig.port) as (line, url):
            store = await open_store(url, 1, within=0.5)
            try:
                await store.pipe.call("SET", "x", "1")
                line.break_it()
                calls = [asyncio.create_task(store.pipe.call(*c)) for c in (("GET", "x"), ("SET", "x", "2"))]
                for found in await asyncio.gather(*calls, return_exceptions=True):
                    assert isinstance(found, StoreUnavailable), found
            finally:
                await store.close()


async def test_a_pipe_that_is_closed_under_way_leaves_nobody_asking(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        store = await open_store(rig.url, 1, within=0.5)
        rig.pause()
        call = asyncio.create_task(store.pipe.call("GET", "x"))
        await asyncio.sleep(0.05)
        await store.close()
        with pytest.raises(StoreUnavailable):
            await call
        await asyncio.sleep(0.05)
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_read_does_not_wait_for_a_write_that_leaves_in_the_same_turn(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "one") as rig, RedisRig(tmp_path / "two", replica_of=rig) as copy:
        store = await open_store(rig.url, 1, within=20.0, durability="replica", replicas=1)
        try:
            assert await store.pipe.call("SET", "kept", "1")
            copy.pause()  # WAIT waits
            write = asyncio.create_task(store.pipe.call("SET", "kept", "2"))
            read = asyncio.create_task(store.pipe.call("GET", "kept"))
            assert await read in (b"1", b"2")
            assert not write.done()
            copy.resume()
            assert await write
        finally:
            copy.resume()
            await store.close()


async def test_who_waits_behind_a_call_that_cannot_be_sent_hears_why(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        store = await open_store(rig.url, 1, within=5.0)
        try:
            await asyncio.to_thread(rig.restart)  # a new connection takes its turns
            calls = [asyncio.create_task(store.pipe.call("SET", "x", object()))]
            for _ in range(5):
                await asyncio.sleep(0)
            calls.append(asyncio.create_task(store.pipe.call("SET", "x", "1")))
            for found in await asyncio.gather(*calls, return_exceptions=True):
                assert isinstance(found, TypeError), found
            assert await store.pipe.call("SET", "x", "2")
        finally:
            await store.close()


async def test_a_connection_is_kept_until_it_breaks_or_others_to_its_server_do(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        store = await open_store(rig.url, 1, within=5.0)
        (client,) = store.pipe._topology.primaries()
        try:
            first = await store.pipe.call("CLIENT", "ID")
            assert await store.pipe.call("CLIENT", "ID") == first
            rig.ask("CLIENT", "KILL", "ID", first)
            second = await store.pipe.call("CLIENT", "ID")
            assert second != first
            await store.pipe._topology.recover(client, 0)
            third = await store.pipe.call("CLIENT", "ID")
            assert third != second, "somebody else found that the server had failed"
            assert await store.pipe.call("CLIENT", "ID") == third
            assert str(second) not in {line.split()[0].removeprefix("id=") for line in clients(rig)}
        finally:
            await store.close()
        assert len(clients(rig)) == 1, "whoever asks"


def clients(rig: RedisRig) -> list[str]:
    return str(rig.ask("CLIENT", "LIST")).splitlines()
