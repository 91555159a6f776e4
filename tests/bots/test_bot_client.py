"""A bot's stream on a real server: reconnects, heartbeats, slow and failing bots."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import grpc
import pytest
from support.bot_table import (
    FAST,
    BotTable,
    Connection,
    acted,
    bot_table,
    events,
    go_away,
    over,
    question,
    refused,
    seated,
    welcome,
    window,
)

from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot, BotStopped, Choice, Timing, Unauthenticated, run


class Lowest(Bot):
    games = {"six_nimmt": ("lowest",)}  # noqa: RUF012 - as authors write it

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0


@pytest.fixture
async def table() -> AsyncIterator[BotTable]:
    async with bot_table() as table:
        yield table


@contextlib.asynccontextmanager
async def playing(
    table: BotTable, bot: Callable[[], Bot] = Lowest, timing: Timing = FAST
) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(run(bot, table.target, "token-0", capacity=3, seed=1, timing=timing))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def seated_at(table: BotTable, *matches: str) -> Connection:
    connection = await table.connected()
    await connection.hello()
    connection.send(welcome(), *(seated(match) for match in matches))
    return connection


async def test_it_says_who_it_is_and_what_it_offers(table: BotTable) -> None:
    async with playing(table):
        connection = await table.connected()
        hello = await connection.hello()
    assert connection.token == "token-0"
    assert hello.capacity == 3
    assert hello.offers[0].game == "six_nimmt"


async def test_it_plays_several_matches_over_one_stream(table: BotTable) -> None:
    async with playing(table):
        connection = await seated_at(table, "m", "n")
        connection.send(question("m", window("w1", 8)), question("n", window("w1", 8)))
        acts = [await connection.act(), await connection.act()]
        connection.send(*map(acted, acts), events("m", 1), over("n", 1, 2))
        assert (await connection.ack()).match == "m"
    assert sorted(act.match for act in acts) == ["m", "n"]


async def test_c6_after_a_lost_connection_it_resumes_and_repeats_its_answer(table: BotTable) -> None:
    async with playing(table):
        first = await seated_at(table, "m")
        first.send(events("m", 1, 2), question("m", window("w1", 8, 9), sequence=2))
        act = await first.act()
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await table.connected()
        hello = await second.hello()
        assert [(cursor.match, cursor.sequence) for cursor in hello.resume] == [("m", 2)]
        second.send(welcome(), question("m", window("w1", 8, 9), sequence=2))
        assert await second.act() == act
        second.send(acted(act), events("m", 3), question("m", window("w2", 9), sequence=3))
        assert (await second.act()).request_id != act.request_id


async def test_an_answer_found_while_the_connection_was_down_is_sent(table: BotTable) -> None:
    found = asyncio.Event()

    class Slow(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            await found.wait()
            return 1

    async with playing(table, Slow, replace(FAST, first_delay=0.4, longest_delay=0.4, steady=60)):
        first = await seated_at(table, "m")
        first.send(question("m", window("w1", 8, 9)))
        assert "act" not in await first.quiet()
        first.end()
        await asyncio.sleep(0.1)
        found.set()
        second = await table.connected()
        await second.hello()
        second.send(welcome(), question("m", window("w1", 8, 9)))
        assert (await second.act()).choice == 1


async def test_a_gap_makes_it_ask_for_the_whole_match(table: BotTable) -> None:
    async with playing(table):
        first = await seated_at(table, "m", "n")
        first.send(events("m", 1), events("m", 3))
        second = await table.connected()
        assert [cursor.match for cursor in (await second.hello()).resume] == ["n"]


async def test_a_silent_server_counts_as_dead(table: BotTable) -> None:
    async with playing(table, timing=replace(FAST, silence=0.2)):
        await (await table.connected()).hello()
        await (await table.connected()).hello()


async def test_it_pings(table: BotTable) -> None:
    async with playing(table, timing=replace(FAST, ping=0.05)):
        connection = await seated_at(table)
        for _ in range(3):
            await connection.ping()


async def test_it_waits_for_a_server_that_is_not_up() -> None:
    async with bot_table() as table:
        target = table.target
    task = asyncio.create_task(run(Lowest, target, "token-0", timing=FAST))
    await asyncio.sleep(0.3)
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_it_comes_back_after_the_time_that_the_server_names(table: BotTable) -> None:
    async with playing(table):
        first = await seated_at(table)
        began = asyncio.get_running_loop().time()
        first.send(go_away("GOING_DOWN", after=0.3))
        await table.connected()
        assert asyncio.get_running_loop().time() - began >= 0.3


async def test_it_stops_when_its_token_is_unknown(table: BotTable) -> None:
    table.known = set()
    async with playing(table) as task:
        with pytest.raises(Unauthenticated):
            await task


async def test_it_stops_where_no_attempt_can_do_better(table: BotTable) -> None:
    async with playing(table) as task:
        (await seated_at(table)).end(grpc.StatusCode.INVALID_ARGUMENT)
        with pytest.raises(BotStopped) as stopped:
            await task
    assert stopped.value.reason == "INVALID_ARGUMENT"


async def test_c17_an_illegal_choice_is_made_good(table: BotTable) -> None:
    class Wrong(Lowest):
        def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            return 99

    async with playing(table, Wrong):
        connection = await seated_at(table, "m")
        connection.send(question("m", window("w1", 8, 9)))
        act = await connection.act()
        assert act.choice == 99
        connection.send(refused(act, "CHOICE_OUT_OF_RANGE", window("w1", 8, 9)))
        assert (await connection.act()).choice in (0, 1)


@pytest.mark.parametrize("problem", [RuntimeError("oh"), None])
async def test_a_failing_bot_does_not_end_its_other_matches(table: BotTable, problem: Exception | None) -> None:
    class Failing(Lowest):
        def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            if problem is not None:
                raise problem
            return "8"  # type: ignore[return-value]

    async with playing(table, Failing):
        connection = await seated_at(table, "m", "n")
        connection.send(question("m", window("w1", 8, 9)), question("n", window("w1", 8, 9)))
        acts = [await connection.act(), await connection.act()]
        assert {act.match for act in acts} == {"m", "n"}
        assert all(act.choice in (0, 1) for act in acts)


async def test_a_failing_slow_bot_plays_anything(table: BotTable) -> None:
    class Failing(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            await asyncio.sleep(0)
            raise RuntimeError("oh")

    async with playing(table, Failing):
        connection = await seated_at(table, "m")
        connection.send(question("m", window("w1", 8, 9)))
        assert (await connection.act()).choice in (0, 1)


async def test_a_slow_bot_does_not_hold_up_its_other_matches(table: BotTable) -> None:
    found = asyncio.Event()

    class Slow(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            if window.id == "slow":
                await found.wait()
            return 0

    async with playing(table, Slow):
        connection = await seated_at(table, "m", "n")
        connection.send(question("m", window("slow", 8)), question("n", window("fast", 8)), events("m", 1))
        assert (await connection.act()).match == "n"
        assert (await connection.ack()).match == "m"
        found.set()
        assert (await connection.act()).match == "m"


async def test_an_answer_to_a_closed_window_is_dropped(table: BotTable) -> None:
    cancelled = asyncio.Event()

    class Slow(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
            if window.id == "w1":
                try:
                    await asyncio.sleep(60)
                finally:
                    cancelled.set()
            return 0

    async with playing(table, Slow):
        connection = await seated_at(table, "m")
        connection.send(question("m", window("w1", 8)), question("m", window("w2", 9)))
        assert (await connection.act()).window == "w2"
        await asyncio.wait_for(cancelled.wait(), 5)


async def test_a_busy_server_is_asked_again(table: BotTable) -> None:
    async with playing(table):
        connection = await seated_at(table, "m")
        connection.send(question("m", window("w1", 8)))
        act = await connection.act()
        connection.send(refused(act, "UNAVAILABLE", retry_after="0"))
        assert await connection.act() == act


async def test_the_log_says_when_it_works_and_when_it_works_again(
    table: BotTable, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        async with playing(table):
            (await seated_at(table)).end(grpc.StatusCode.UNAVAILABLE)
            await (await seated_at(table, "m")).ack()
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == f"Lowest (bot-1) at {table.target} offers six_nimmt: lowest"
    assert said[1].startswith(f"Lowest at {table.target}: UNAVAILABLE the test says so; connecting again in ")
    assert said[2] == "Lowest (bot-1) is connected again"


async def test_it_may_offer_nothing_and_play_where_it_joins(table: BotTable, caplog: pytest.LogCaptureFixture) -> None:
    class Joining(Lowest):
        games = {}  # noqa: RUF012

    with caplog.at_level(logging.INFO):
        async with playing(table, Joining):
            connection = await seated_at(table, "m")
            connection.send(question("m", window("w1", 8)))
            assert (await connection.act()).match == "m"
    assert f"Joining (bot-1) at {table.target} offers nothing, and plays where it joins" in caplog.messages


@contextlib.contextmanager
def refusing_server(code: grpc.StatusCode) -> Iterator[str]:
    """A server on threads of its own that ends every call as soon as it begins; its address."""

    def end(request: object, context: grpc.ServicerContext) -> None:
        context.abort(code, "the test says so")

    server = grpc.server(ThreadPoolExecutor(4))
    play: grpc.RpcMethodHandler[object, object] = grpc.stream_stream_rpc_method_handler(end)
    get: grpc.RpcMethodHandler[object, object] = grpc.unary_unary_rpc_method_handler(end)
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("croupier.v1.Bots", {"Play": play}),
            grpc.method_handlers_generic_handler("croupier.v1.Players", {"GetPlayer": get}),
        )
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


async def test_how_a_stream_ended_is_found_out_also_if_that_overtakes_the_first_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """gRPC then says INTERNAL for any end. A busy loop, in which the message is late, makes it so."""

    async def busy() -> None:
        while True:
            time.sleep(0.003)  # noqa: ASYNC251 - that is what it is for
            await asyncio.sleep(0)

    with refusing_server(grpc.StatusCode.UNAUTHENTICATED) as target, caplog.at_level(logging.INFO):
        keeping_busy = asyncio.create_task(busy())
        ends = await asyncio.gather(
            *(run(Lowest, target, f"stranger-{number}", timing=FAST) for number in range(50)), return_exceptions=True
        )
        keeping_busy.cancel()
    assert {type(end) for end in ends} == {Unauthenticated}
    assert not caplog.messages


async def test_a_web_server_is_no_table(caplog: pytest.LogCaptureFixture) -> None:
    async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(web, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with caplog.at_level(logging.INFO):
            task = asyncio.create_task(run(Lowest, f"127.0.0.1:{port}", "token-0", timing=FAST))
            async with asyncio.timeout(10):
                while not any("is that the web address? use the `grpc:` one" in line for line in caplog.messages):
                    await asyncio.sleep(0.02)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
