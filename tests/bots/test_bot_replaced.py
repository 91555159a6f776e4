"""Two streams of one player: the newest wins, and the bot that was replaced comes back only once that one is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from support.bot_table import FAST, BotTable, bot_table, go_away, seated, welcome
from support.play_stream import Table, playing
from support.service import QUICK, channel, guest, running_service

from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_bots import Bot, Choice, Replaced, Server
from croupier_bots.client import Offers, run_offers

LOOKS = 3
TIMING = replace(FAST, look=0.1, looks=LOOKS)
# Longer than the tests may take: whoever looks goes on to do so.
PATIENT = replace(TIMING, looks=1_000)


class First(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0


class Process:
    """A program that plays as a player."""

    def __init__(self, server: Server, token: str) -> None:
        self.welcomes = 0
        self.task = asyncio.create_task(
            run_offers(Offers.of(First, 3, None, offering=False), server, token, self._welcomed)
        )

    def _welcomed(self) -> None:
        self.welcomes += 1

    async def welcomed(self, times: int = 1) -> None:
        async with asyncio.timeout(20):
            while self.welcomes < times:
                assert not self.task.done()
                await asyncio.sleep(0.01)

    async def end(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@asynccontextmanager
async def process(server: Server, token: str) -> AsyncIterator[Process]:
    running = Process(server, token)
    try:
        yield running
    finally:
        await running.end()


async def test_c19_of_two_processes_the_newer_plays_on_undisturbed(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        token, server = (await guest(over)).token, Server(f"127.0.0.1:{service.port}", timing=TIMING)
        async with process(server, token) as older:
            await older.welcomed()
            async with process(server, token) as newer:
                async with asyncio.timeout(20):
                    with pytest.raises(Replaced):
                        await older.task
                assert (older.welcomes, newer.welcomes) == (1, 1)
                assert not newer.task.done()


async def test_c19_the_older_comes_back_when_the_newer_is_gone(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        token, server = (await guest(over)).token, Server(f"127.0.0.1:{service.port}", timing=PATIENT)
        async with process(server, token) as older:
            await older.welcomed()
            async with process(server, token) as newer:
                await newer.welcomed()
                await asyncio.sleep(3 * PATIENT.look)
                assert older.welcomes == 1, "it stands by"
            await older.welcomed(2)


async def test_c19_the_older_comes_back_when_the_replica_of_the_newer_is_dead(redis_url: str) -> None:
    """Nobody has withdrawn its offer, which lapses."""
    async with running_service(redis_url) as one, channel(one) as over:
        bot = await guest(over)
        async with process(Server(f"127.0.0.1:{one.port}", timing=PATIENT), bot.token) as older:
            await older.welcomed()
            offers = one.playing.offers
            now = one.playing.time.now()
            name = "9" * 17 + "-of-a-dead-replica"
            await offers.renew(bot.player, {}, 0, name, now, now + 3 * QUICK.heartbeat)
            await older.welcomed(2)


async def test_a_stream_that_stands_by_sends_nobody_away(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            bot = await guest(first)
            async with playing(bot) as stream:
                standing_by = Table(replace(bot, channel=second))
                await standing_by.send(hello=bots_pb2.Hello(stand_by=True))
                assert (await standing_by.next()).go_away.reason == "REPLACED"
                await stream.send(ping=bots_pb2.Ping(payload="still here"))
                assert (await stream.next()).pong.payload == "still here"


@pytest.fixture
async def table() -> AsyncIterator[BotTable]:
    async with bot_table() as table:
        yield table


async def test_it_says_that_it_stands_by_until_it_is_welcomed(table: BotTable) -> None:
    async with process(Server(table.target, timing=PATIENT), "token-0") as bot:
        connection = await table.connected()
        assert not (await connection.hello()).stand_by
        connection.send(welcome(), seated("m"))
        connection.send(go_away("REPLACED"))
        for _ in range(2):
            connection = await table.connected()
            assert (await connection.hello()).stand_by
            connection.send(go_away("REPLACED"))
        connection = await table.connected()
        hello = await connection.hello()
        assert hello.stand_by
        assert [cursor.match for cursor in hello.resume] == ["m"], "it goes on where it was"
        connection.send(welcome())
        await bot.welcomed(2)
        connection.send(go_away("GOING_DOWN", after=0))
        assert not (await (await table.connected()).hello()).stand_by


async def test_it_stops_when_it_has_looked_often_enough(table: BotTable) -> None:
    async with process(Server(table.target, timing=TIMING), "token-0") as bot:
        for _ in range(1 + LOOKS):
            connection = await table.connected()
            await connection.hello()
            connection.send(go_away("REPLACED"))
        async with asyncio.timeout(10):
            with pytest.raises(Replaced):
                await bot.task
