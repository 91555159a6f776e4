"""Writing to a reader who takes his time: told in time, given up, or never bothered."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from croupier_service.flow import Behind, relay

STALL = 0.1  # seconds


class Reader:
    """Takes messages; the one called `slow` only once it is let."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.took: list[str] = []

    async def write(self, message: str) -> None:
        if message == "slow":
            await self.let.wait()
        self.took.append(message)


async def stream(*messages: str) -> AsyncGenerator[str, None]:
    try:
        for message in messages:
            yield message
    except Behind:
        yield "resume here"


async def test_a_quick_reader_gets_all() -> None:
    reader = Reader()
    assert await relay(stream("a", "b"), reader.write, STALL)
    assert reader.took == ["a", "b"]


async def test_one_who_is_back_in_time_finds_where_to_resume() -> None:
    reader = Reader()
    writing = asyncio.create_task(relay(stream("a", "slow", "b"), reader.write, STALL))
    await asyncio.sleep(1.5 * STALL)
    reader.let.set()
    assert not await writing
    assert reader.took == ["a", "slow", "resume here"]


async def test_one_who_never_comes_back_is_given_up() -> None:
    reader = Reader()
    with pytest.raises(Behind):
        await relay(stream("slow", "b"), reader.write, STALL)
    assert reader.took == []


async def test_a_stream_with_nothing_to_say_is_not_slow() -> None:
    reader = Reader()
    said = asyncio.Event()

    async def quiet() -> AsyncGenerator[str, None]:
        yield "a"
        await said.wait()
        yield "b"

    writing = asyncio.create_task(relay(quiet(), reader.write, STALL))
    await asyncio.sleep(3 * STALL)
    said.set()
    assert await writing
    assert reader.took == ["a", "b"]


async def test_a_call_that_is_cancelled_is_no_slow_reader() -> None:
    reader = Reader()
    writing = asyncio.create_task(relay(stream("slow"), reader.write, 10 * STALL))
    await asyncio.sleep(STALL)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
