"""Bots that answer one window again and again, on a real server."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

import grpc
import pytest
from support.bot_table import (
    FAST,
    BotTable,
    Connection,
    acted,
    bot_table,
    choices,
    over,
    question,
    refused,
    seated,
    welcome,
    window,
)

from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot, Choice, Choices, run


class Counting(Bot):
    """Says 5, 6, 7, ... for as long as it is listened to, and keeps what it is told."""

    closed: asyncio.Queue[str]
    told: list[str | None]

    async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choices:
        try:
            for card in range(5, 50):
                (action,) = choices(card)
                self.told.append((yield action))
                await asyncio.sleep(0)
        finally:
            self.closed.put_nowait(window.id)


@pytest.fixture
def counting() -> type[Counting]:
    return type("Counting", (Counting,), {"closed": asyncio.Queue(), "told": []})


@pytest.fixture
async def table() -> AsyncIterator[BotTable]:
    async with bot_table() as table:
        yield table


@contextlib.asynccontextmanager
async def playing(table: BotTable, bot: type[Bot]) -> AsyncIterator[Connection]:
    task = asyncio.create_task(run(bot, table.target, "token-0", capacity=3, seed=1, timing=FAST))
    try:
        connection = await table.connected()
        await connection.hello()
        connection.send(welcome(), seated("m"))
        yield connection
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def card(act: object) -> int:
    return act.action.six_nimmt.commit.card  # type: ignore[attr-defined, no-any-return]


def talking(name: str) -> matches_pb2.Window:
    """A window whose acts cannot be listed."""
    return matches_pb2.Window(id=name, kind=matches_pb2.WindowKind.CLUE, actions=["guess"], may=[0])


async def closed(bot: type[Counting]) -> str:
    return await asyncio.wait_for(bot.closed.get(), 10)


async def test_each_answer_is_sent_when_the_last_one_is_settled(table: BotTable, counting: type[Counting]) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        first = await connection.act()
        assert "act" not in await connection.quiet()
        connection.send(acted(first))
        second = await connection.act()
        assert (card(first), card(second)) == (5, 6)
        assert first.request_id != second.request_id
        assert {first.window, second.window} == {"w1"}
        assert counting.told == [None]


async def test_it_goes_on_after_a_refusal_and_is_told(
    table: BotTable, counting: type[Counting], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        async with playing(table, counting) as connection:
            connection.send(question("m", talking("w1")))
            for expected in range(5, 10):
                act = await connection.act()
                assert card(act) == expected
                connection.send(refused(act, "TEXT_INVALID"))
            assert card(await connection.act()) == 10
    assert counting.told == ["TEXT_INVALID"] * 5
    assert len([line for line in caplog.messages if "was refused" in line]) == 1


async def test_a_busy_server_is_asked_again_before_it_goes_on(table: BotTable, counting: type[Counting]) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        act = await connection.act()
        connection.send(refused(act, "UNAVAILABLE", retry_after="0"))
        assert await connection.act() == act
        connection.send(acted(act))
        assert card(await connection.act()) == 6


@pytest.mark.parametrize("reason", ["STALE_WINDOW", "GAME_OVER", "NOT_ASKED"])
async def test_it_is_closed_when_its_window_is(table: BotTable, counting: type[Counting], reason: str) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        connection.send(refused(await connection.act(), reason))
        assert await closed(counting) == "w1"
        assert "act" not in await connection.quiet()
        connection.send(question("m", talking("w2")))
        assert (await connection.act()).window == "w2"


async def test_it_is_closed_when_another_question_comes(table: BotTable, counting: type[Counting]) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        late = await connection.act()
        connection.send(question("m", talking("w2")))
        assert await closed(counting) == "w1"
        again = await connection.act()
        assert (again.window, card(again)) == ("w2", 5)
        connection.send(refused(late, "STALE_WINDOW"))
        assert "act" not in await connection.quiet()
        connection.send(acted(again))
        assert card(await connection.act()) == 6


async def test_it_is_closed_when_the_match_is_done(table: BotTable, counting: type[Counting]) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        await connection.act()
        connection.send(over("m", 1, 2))
        assert await closed(counting) == "w1"


@pytest.mark.parametrize("answered", [True, False])
async def test_after_a_lost_connection_it_is_asked_anew(
    table: BotTable, counting: type[Counting], answered: bool
) -> None:
    async with playing(table, counting) as connection:
        connection.send(question("m", talking("w1")))
        act = await connection.act()
        if answered:
            connection.send(acted(act))
            act = await connection.act()
        connection.end(grpc.StatusCode.UNAVAILABLE)
        assert await closed(counting) == "w1"
        second = await table.connected()
        await second.hello()
        second.send(welcome())
        assert "act" not in await second.quiet()
        second.send(question("m", talking("w1")))
        again = await second.act()
        assert card(again) == 5
        assert again.request_id != act.request_id


async def test_one_that_waits_to_say_its_first_word_is_asked_anew_too(table: BotTable) -> None:
    class Patient(Bot):
        asked = 0

        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choices:
            Patient.asked += 1
            if Patient.asked == 1:
                await asyncio.sleep(60)
            yield 0

    async with playing(table, Patient) as connection:
        connection.send(question("m", talking("w1")))
        assert "act" not in await connection.quiet()
        connection.end(grpc.StatusCode.UNAVAILABLE)
        second = await table.connected()
        await second.hello()
        second.send(welcome(), question("m", talking("w1")))
        assert (await second.act()).window == "w1"


@pytest.mark.parametrize("answer", ["raises", "nonsense", "none"])
async def test_one_that_fails_plays_anything_and_is_done(table: BotTable, answer: str) -> None:
    class Failing(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choices:
            yield 1
            if answer == "raises":
                raise RuntimeError("oh")
            yield "8" if answer == "nonsense" else None  # type: ignore[misc]

    async with playing(table, Failing) as connection:
        connection.send(question("m", window("w1", 8, 9)))
        act = await connection.act()
        assert act.choice == 1
        connection.send(acted(act))
        act = await connection.act()
        assert act.choice in (0, 1)
        connection.send(acted(act))
        assert "act" not in await connection.quiet()


async def test_a_seat_that_must_act_cannot_end_without_a_word(table: BotTable) -> None:
    class Silent(Bot):
        async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choices:
            if window.choices[5:]:
                yield 0

    async with playing(table, Silent) as connection:
        connection.send(question("m", window("w1", 8, 9)))
        assert (await connection.act()).choice in (0, 1)
        connection.send(question("m", talking("w2")))
        assert "act" not in await connection.quiet()


async def test_it_does_not_hold_up_other_matches(table: BotTable, counting: type[Counting]) -> None:
    class Both(counting):  # type: ignore[valid-type, misc]
        def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice | Choices:
            return 0 if window.choices else super().choose(view, window)

    async with playing(table, Both) as connection:
        connection.send(seated("n"), question("m", talking("w1")), question("n", window("w1", 8)))
        acts = {act.match: act for act in (await connection.act(), await connection.act())}
        assert set(acts) == {"m", "n"}
        connection.send(acted(acts["n"]), acted(acts["m"]))
        assert (await connection.act()).match == "m"
