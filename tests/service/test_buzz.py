"""The timer of the rules over gRPC and REST: what comes in before it counts, what comes in after it does not."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from support.gateway_process import running_gateway
from support.match_stream import watching
from support.play_stream import playing
from support.service import QUICK, Client, channel, guest, running_service
from support.spoken_table import (
    GIVER,
    GUESSER,
    OPPONENT,
    WORDS,
    SpokenTable,
    clue,
    counted,
    guess,
    refused,
    rest_act,
    spoken_table,
)

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2, players_pb2
from croupier_service.store.opening import open_store
from croupier_service.store.servertime import ServerTime

SLOW_BUZZ = replace(QUICK, timer_grace=5_000)  # long enough for a slow machine to commit within it
LONG = {"timerDuration": "600s", "startDuration": "600s"}


class Shifted(ServerTime):
    """Redis' time, and a while beyond."""

    beyond = 0

    def now(self) -> int:
        return super().now() + self.beyond


async def buzz_time(table: SpokenTable) -> int:
    """When the timer that runs is due, in server ms."""
    view = await table.players[GIVER].get(table.match)
    assert view.you.window.kind == matches_pb2.WindowKind.CLUE
    return view.you.window.deadline_time.ToMilliseconds()


async def pass_by(table: SpokenTable, at: int) -> None:
    """Wait until a moment of the server is over."""
    while table.service._front._now() <= at:
        await asyncio.sleep(0.01)


async def until(table: SpokenTable, kind: str, count: int = 1) -> list[matches_pb2.Event]:
    """The events of a kind, once there are so many."""
    async with asyncio.timeout(20):
        while len(found := await table.events(kind)) < count:
            await asyncio.sleep(0.02)
    return found


ACT = {"method": "/croupier.v1.Matches/Act"}


async def test_a_guess_that_came_in_in_time_and_commits_within_the_grace_counts(redis_url: str) -> None:
    async with spoken_table(redis_url, settings=SLOW_BUZZ, timerDuration="3s") as table:
        await table.act(GIVER, {"start": {}})
        due = await buzz_time(table)
        seen = await table.players[GUESSER].get(table.match)
        action = ParseDict({"freedomOfSpeech": guess(WORDS[0])}, games_pb2.Action())
        # Something else is being done with the match, and takes until the time is up.
        async with table.service.playing.acting._changing.turn(table.match):
            waiting = asyncio.ensure_future(table.players[GUESSER].choose(seen, action=action))
            await asyncio.sleep(0.2)
            assert table.service._front._now() < due, "it came in before"
            assert not waiting.done()
            await pass_by(table, due)
        answer = await waiting
        (scored,) = [e for e in answer.events if e.type == "freedom_of_speech.scored"]
        assert scored.time.ToMilliseconds() > due
        assert list(scored.freedom_of_speech.scored.scores) == [1, 0]
        assert not await table.events("buzzed")
        (buzzed,) = await until(table, "buzzed")
        assert buzzed.time.ToMilliseconds() >= due + SLOW_BUZZ.timer_grace, "the same timer, and never early"
        assert buzzed.freedom_of_speech.buzzed.word.word == WORDS[1]


async def test_a_guess_after_the_deadline_is_refused_before_the_buzz_and_after_it(redis_url: str) -> None:
    async with spoken_table(redis_url, settings=SLOW_BUZZ, timerDuration="1s") as table:
        with running_gateway(f"127.0.0.1:{table.service.port}") as gateway:
            await table.act(GIVER, {"start": {}})
            due = await buzz_time(table)
            window = (await table.players[GUESSER].get(table.match)).you.window.id
            await pass_by(table, due)
            before = counted("TIMER_RUN_OUT", **ACT)
            late = await refused(table.act(GUESSER, guess(WORDS[0])))
            assert (late.code, late.reason) == (grpc.StatusCode.ABORTED, "TIMER_RUN_OUT")
            assert late.window is not None
            assert late.window.id == window
            status, problem = await rest_act(gateway, table, GUESSER, window, guess(WORDS[0]))
            assert (status, problem["reason"], problem["window"]["id"]) == (409, "TIMER_RUN_OUT", window)
            assert counted("TIMER_RUN_OUT", **ACT) == before + 2
            assert not await table.events("buzzed"), "all that was before the buzz"

            (buzzed,) = await until(table, "buzzed")
            assert buzzed.time.ToMilliseconds() >= due + SLOW_BUZZ.timer_grace
            before = counted("STALE_WINDOW", **ACT)
            later = await refused(table.act(GUESSER, guess(WORDS[0]), window=window))
            assert (later.reason, later.metadata["window"]) == ("STALE_WINDOW", window)
            status, problem = await rest_act(gateway, table, GUESSER, window, guess(WORDS[0]))
            assert (status, problem["reason"]) == (409, "STALE_WINDOW")
            assert counted("STALE_WINDOW", **ACT) == before + 2
        assert not await table.events("scored")
        assert not await table.events("guessed")


async def test_a_flag_between_the_deadline_and_the_buzz_does_not_take_its_place(redis_url: str) -> None:
    how = {"timerDuration": "1s", "flagDuration": "600s", "forfeitMode": "TEAM", "referee": OPPONENT}
    async with spoken_table(redis_url, settings=SLOW_BUZZ, **how) as table:
        await table.act(GIVER, {"start": {}})
        due = await buzz_time(table)
        await table.act(GIVER, clue("a hint"))
        (seen,) = (await table.players[OPPONENT].get(table.match)).you.view.freedom_of_speech.open_clues
        assert seen.may_flag
        assert seen.expire_time.ToMilliseconds() > due + 500_000
        await pass_by(table, due)
        await table.act(OPPONENT, {"flag": {"clue": 1}})
        assert not await table.events("fouled")
        (buzzed,) = await until(table, "buzzed")
        assert buzzed.time.ToMilliseconds() >= due + SLOW_BUZZ.timer_grace
        (forfeited,) = await table.events("forfeited")
        assert list(forfeited.freedom_of_speech.forfeited.targets) == [GIVER, GUESSER]
        closed = (await table.players[GUESSER].get(table.match)).you.view.freedom_of_speech.closed
        assert [(each.word, each.HasField("team")) for each in closed] == [(WORDS[0], False)]


async def test_a_giver_who_does_not_start_is_started_after_ten_seconds(redis_url: str) -> None:
    store = await open_store(redis_url, 64)
    clock = Shifted(store.pipe)
    await clock.measure()
    ten = {"startDuration": "10s", "timerDuration": "600s"}
    try:
        async with spoken_table(redis_url, more={"time": clock}, **ten) as table:
            (ready,) = await table.events("ready")
            due = (await table.players[GUESSER].get(table.match)).you.window.deadline_time.ToMilliseconds()
            assert due == ready.time.ToMilliseconds() + 10_000
            clock.beyond = 10_000
            (started,) = await until(table, "started")
            assert started.freedom_of_speech.started.by == act_by_pb2.ActBy.CLOCK
            assert started.time.ToMilliseconds() >= due + QUICK.timer_grace
            assert await buzz_time(table) == started.time.ToMilliseconds() + 600_000
    finally:
        await store.close()


@pytest.mark.parametrize("seat", [GIVER, GUESSER, OPPONENT])
async def test_the_credit_of_a_replica_that_goes_down_moves_the_buzz(redis_url: str, seat: int) -> None:
    """Whoever watches there and may act, though nobody is waited for."""
    settings = replace(QUICK, timer_grace=50)
    async with running_service(redis_url, settings=settings) as stays, channel(stays) as over:
        async with spoken_table(redis_url, timerDuration="6s", startDuration="600s") as table:
            await table.act(GIVER, {"start": {}})
            due = await buzz_time(table)
            async with watching(table.players[seat], table.match) as stream:
                assert (await stream.next()).HasField("snapshot")
                await table.service.stop()
            table.service, table.over = stays, over
            table.players = [Client(over, player.player, player.token) for player in table.players]
            (credited,) = await table.events("match.credited")
            assert credited.match.credited.credit_duration.ToMilliseconds() == QUICK.drain_credit
            assert await buzz_time(table) == due + QUICK.drain_credit
            (buzzed,) = await until(table, "buzzed")
            assert buzzed.time.ToMilliseconds() >= due + QUICK.drain_credit + 50


async def test_a_random_timer_s_end_shows_in_no_answer(redis_url: str) -> None:
    bomb = {"timerMinDuration": "500s", "timerMaxDuration": "600s", "startDuration": "600s"}
    async with spoken_table(redis_url, **bomb) as table:
        with running_gateway(f"127.0.0.1:{table.service.port}") as gateway:
            ready = await table.players[GUESSER].get(table.match)
            assert ready.you.window.HasField("deadline_time"), "how long the giver has is no secret"
            stranger = await guest(table.over)
            answer = await table.act(GIVER, {"start": {}})
            shown: list[Any] = [answer.match]
            for viewer in (*table.players, stranger):
                shown += await everything(table, viewer)
            refusal = await refused(table.act(OPPONENT, guess("no idea")))
            shown.append(refusal.window)
            windows = 0
            for message in shown:
                text = json.dumps(MessageToDict(message))
                windows += '"c1.clue"' in text
                assert "deadlineTime" not in text, type(message)
                assert "remaining" not in text
            assert windows >= 10
            for viewer in (*table.players, stranger):
                for body in await asyncio.to_thread(rest_shown, gateway, table.match, viewer.token):
                    assert "deadlineTime" not in body
                    assert "remaining" not in body


async def everything(table: SpokenTable, viewer: Client) -> list[Any]:
    """What the calls and streams of gRPC tell a viewer now."""
    matches, auth = viewer.matches, viewer.auth
    answers: list[Any] = [await viewer.get(table.match)]
    answers.append(await matches.ListEvents(matches_pb2.ListEventsRequest(match=table.match), metadata=auth))
    for request in ({"player": "me"}, {"player": "me", "your_turn": True}, {}):
        answers.append(await matches.ListMatches(matches_pb2.ListMatchesRequest(**request), metadata=auth))
    async with watching(viewer, table.match) as stream:
        answers.append(await stream.next())
    call = viewer.players.WatchPlayer(players_pb2.WatchPlayerRequest(player="me"), metadata=auth)
    async for message in call:
        answers.append(message)
        if message.WhichOneof("message") == "heartbeat":
            break
    call.cancel()
    if viewer in table.players:
        async with playing(viewer) as play:
            answers.append(await play.next("seated"))
    return answers


def rest_shown(gateway: Any, match: str, token: str) -> list[str]:
    """What REST tells a viewer now."""
    found = []
    for path in (f"/v1/matches/{match}", f"/v1/matches/{match}/events", "/v1/matches?player=me", "/v1/matches"):
        connection = gateway.connect()
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        found.append(response.read().decode())
        assert response.status == 200
        connection.close()
    watch = gateway.watch(f"/v1/matches/{match}/events", Authorization=f"Bearer {token}")
    found.append("\n".join([*watch.block(), *watch.block()]))
    assert "snapshot" in found[-1]
    watch.close()
    return found
