"""Acts of Freedom of Speech that are refused, by call, by REST and on streams: typed, counted, told to nobody else."""

import asyncio
import json
import re
import time
from dataclasses import replace
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis
from support.gateway_process import running_gateway
from support.play_stream import playing
from support.rest import RestPlayer, SseReader
from support.service import QUICK, told
from support.spoken_table import (
    GIVER,
    GUESSER,
    OPPONENT,
    WORDS,
    SpokenTable,
    clue,
    counted,
    guess,
    play_act,
    refused,
    rest_act,
    spoken_table,
)

from croupier.errors import CATALOGUE
from croupier.v1 import bots_pb2
from croupier_service.store.keys import ShardKeys, shard_of

LONG = {"timerDuration": "600s", "startDuration": "600s"}


async def test_refusals_on_a_play_stream_are_counted(redis_url: str) -> None:
    async with spoken_table(redis_url, **LONG) as table:
        await table.act(GIVER, {"start": {}})
        counter = "croupier_play_answers_total"
        before = counted("NOT_YOUR_PART", counter), counted("OK", counter)
        async with playing(table.players[OPPONENT]) as stream, playing(table.players[GUESSER]) as other:
            for reading, text in ((stream, WORDS[0]), (other, WORDS[1])):
                await reading.send(act=play_act(table, "c1.clue", text))
            answer = await stream.next("refused")
            assert (answer.reason, answer.window.id) == ("NOT_YOUR_PART", "c1.clue")
            await other.next("acted")
        assert (counted("NOT_YOUR_PART", counter), counted("OK", counter)) == (before[0] + 1, before[1] + 1)


FLOOD = pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])


@FLOOD
async def test_a_flood_of_guesses_is_refused_and_the_match_goes_on(redis_url: str, count: int) -> None:
    """On a stream, as fast as it takes them."""
    async with spoken_table(redis_url, **LONG) as table:
        await table.act(GIVER, {"start": {}})
        began = time.monotonic()
        async with playing(table.players[GUESSER]) as stream:
            acts = [bots_pb2.PlayerMessage(act=play_act(table, "c1.clue", f"no {n}")) for n in range(count)]

            async def send() -> None:
                for first in range(0, count, 100):
                    await stream.call.write(bots_pb2.PlayRequest(messages=acts[first : first + 100]))

            sending = asyncio.create_task(send())
            answered: list[Any] = []
            while len(answered) < count:
                message = await stream.next()
                if message.WhichOneof("message") in ("acted", "refused"):
                    answered.append(getattr(message, message.WhichOneof("message")))
            await sending
        seconds = time.monotonic() - began
        refusals = [answer for answer in answered if isinstance(answer, bots_pb2.Refused)]
        told_of = [(answer.reason, answer.metadata["retry_after"]) for answer in refusals]
        assert set(told_of) == {("TOO_FAST", "1"), ("RATE_LIMITED", "1")}
        assert told_of.count(("TOO_FAST", "1")) <= QUICK.illegal_limit + 64 * (seconds + 2), "those under way at a time"
        guessed = [event.time.ToMilliseconds() for event in await table.events("guessed")]
        assert len(guessed) == count - len(refusals)
        assert 5 <= len(guessed) <= 5 * (seconds + 2)
        assert all(later - first >= 1_000 for first, later in zip(guessed, guessed[5:], strict=False))
        by_call = await flooded(table)
        assert (by_call.code, by_call.retry_after) == (grpc.StatusCode.RESOURCE_EXHAUSTED, 1)
        assert by_call.reason in ("TOO_FAST", "RATE_LIMITED")
        with running_gateway(f"127.0.0.1:{table.service.port}") as gateway:
            status, problem = 200, dict[str, Any]()
            while status == 200:  # on a busy machine a second is over before the call has come
                await flooded(table)
                status, problem = await rest_act(gateway, table, GUESSER, "c1.clue", guess("and again"))
            assert (status, problem["retryAfter"]) == (429, "1")
            assert problem["reason"] in ("TOO_FAST", "RATE_LIMITED")
        await asyncio.sleep(1.1)
        answer = await table.act(GUESSER, guess(WORDS[0]))
        assert list(answer.match.you.view.freedom_of_speech.scores) == [1, 0], "and it goes on"


async def test_c17_who_is_not_waited_for_is_not_heard_after_too_many_illegal_acts(redis_url: str) -> None:
    settings = replace(QUICK, timer_grace=50, illegal_limit=3)
    async with (
        spoken_table(redis_url, settings=settings, flagDuration="600s", **LONG) as table,
        Redis.from_url(redis_url) as redis,
    ):
        keys = ShardKeys(shard_of(table.match, QUICK.shards))
        await table.act(GIVER, {"start": {}})
        await table.act(GIVER, clue("a hint"))

        async def again(times: int) -> list[str]:
            return [(await refused(table.act(OPPONENT, guess("no idea")))).reason for _ in range(times)]

        assert await again(3) == ["NOT_YOUR_PART"] * 3
        paused = await refused(table.act(OPPONENT, guess("no idea")))
        assert (paused.reason, paused.retry_after) == ("RATE_LIMITED", 1)
        assert (paused.code, paused.window) == (grpc.StatusCode.RESOURCE_EXHAUSTED, None)
        assert paused.metadata == {"limit": "illegal_actions=3", "retry_after": "1"}
        assert set(await again(20)) == {"RATE_LIMITED"}
        assert await redis.hget(keys.match(table.match), f"illegal:{OPPONENT}") == b"c1.clue 3", "nobody looked"
        await table.act(GUESSER, guess("no idea"))
        await asyncio.sleep(1.1)
        await table.act(OPPONENT, {"flag": {"clue": 1}})
        assert await again(2) == ["NOT_YOUR_PART", "RATE_LIMITED"]
        await table.act(GUESSER, guess(WORDS[0]))
        assert await again(1) == ["NOT_YOUR_PART"], "the next card's window begins anew"


async def flooded(table: SpokenTable) -> Any:
    """The first refusal of guesses that come too fast."""
    while True:
        calls = [asyncio.ensure_future(table.act(GUESSER, guess("once more"))) for _ in range(8)]
        for failed in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(failed, grpc.aio.AioRpcError):
                return told(failed)


WRONG = [
    (OPPONENT, guess(WORDS[0]), "guess"),
    (GIVER, guess(WORDS[0]), "guess"),
    (GUESSER, clue("a secret hint"), "clue"),
    (OPPONENT, clue("a secret hint"), "clue"),
    (GUESSER, {"skip": {}}, "skip"),
    (OPPONENT, {"start": {}}, "start"),
]


@pytest.mark.parametrize(("seat", "action", "name"), WRONG)
async def test_whose_part_it_is_not_is_refused_and_nobody_hears_of_it(
    redis_url: str, seat: int, action: Any, name: str
) -> None:
    async with spoken_table(redis_url, **LONG) as table:
        await table.act(GIVER, {"start": {}})
        with running_gateway(f"127.0.0.1:{table.service.port}") as gateway:
            stream = await asyncio.to_thread(sse_of, gateway, table)
            before = [await player.get(table.match) for player in table.players]
            refusal = await refused(table.act(seat, action))
            assert refusal.code == grpc.StatusCode.FAILED_PRECONDITION
            assert (refusal.reason, refusal.metadata) == ("NOT_YOUR_PART", {"action": name})
            status, problem = await rest_act(gateway, table, seat, "c1.clue", action)
            assert (status, problem["reason"], problem["metadata"]) == (422, "NOT_YOUR_PART", {"action": name})
            for text in (str(refusal), json.dumps(problem)):
                assert WORDS[0] not in text
                assert "secret hint" not in text
            after = [await player.get(table.match) for player in table.players]
            assert [seen.sequence for seen in after] == [seen.sequence for seen in before]
            assert [seen.you.view for seen in after] == [seen.you.view for seen in before]
            heard = json.dumps([stream.first, *stream.events])
            assert WORDS[0] not in heard
            assert "secret hint" not in heard


def sse_of(gateway: Any, table: SpokenTable) -> SseReader:
    """The guesser's stream of events, begun."""
    reader = SseReader(RestPlayer(f"http://127.0.0.1:{gateway.port}", table.players[GUESSER].token), table.match)
    give_up = time.monotonic() + 10
    while reader.first is None:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    return reader


async def test_what_could_be_done_instead_is_told(redis_url: str) -> None:
    """Whatever the game knows of it: the names are those of the window's actions."""
    async with spoken_table(redis_url, **LONG) as table:
        early = [
            await refused(table.act(seat, action)) for seat, action in ((GIVER, clue("hm")), (GUESSER, guess("hm")))
        ]
        assert [(each.reason, each.metadata) for each in early] == [
            ("WRONG_ACTION", {"expected": "start"}),
            ("NOT_ASKED", {}),
        ]
        await table.act(GIVER, {"start": {}})
        late = [await refused(table.act(GIVER, {name: {}})) for name in ("accept", "start")]
        assert [(each.reason, each.metadata) for each in late] == [("WRONG_ACTION", {"expected": "clue"})] * 2
        player = table.players[GUESSER]
        answer = await refused(player.choose(await player.get(table.match), choice=0))
        assert (answer.reason, answer.metadata) == ("ACTION_WANTED", {"expected": "guess"})


@pytest.mark.parametrize("reason", ["TEXT_INVALID", "NOT_YOUR_PART", "WRONG_ACTION", "ACTION_WANTED"])
@pytest.mark.parametrize("locale", ["ru", "uk"])
def test_refusals_are_of_one_language(reason: str, locale: str) -> None:
    """But for the names of actions, which are those of the API."""
    filled = {"action": "", "expected": "", "problem": "it has no letters"}
    assert not re.search("[a-zA-Z]", CATALOGUE[reason].text(locale, filled))
