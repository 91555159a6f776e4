"""Bots.Play: one stream for all matches of a player."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest
from support.play_stream import Table, playing
from support.service import QUICK, Client, channel, guest, reason, running_service, told
from support.tables import seated

from croupier.v1 import bots_pb2, games_pb2, matches_pb2, six_nimmt_pb2

LEVEL = matches_pb2.BotRequest(level="random")


async def test_an_offer_is_consent_and_a_bot_plays_a_whole_match(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            ann, bot = await guest(first), await guest(second, "Bot")
            async with playing(bot, capacity=1) as table:
                match = await ann.create(2, bots=[LEVEL], preset="single_deal")
                assert match.state == matches_pb2.MatchState.RUNNING
                assert match.seats[1].bot
                assert match.seats[1].player == bot.player
                snapshot = (await table.next("seated")).match
                assert snapshot.id == match.id
                sequence = snapshot.sequence
                over = None
                while over is None:
                    seen = await ann.get(match.id)
                    if seen.you.window.choices:
                        await ann.choose(seen)
                    message = await table.next()
                    match message.WhichOneof("message"):
                        case "question":
                            question = message.question
                            assert question.seat == 1
                            assert question.sequence == sequence
                            await table.send(
                                act=bots_pb2.PlayAct(
                                    request_id=f"a{sequence}", match=match.id, window=question.window.id, choice=0
                                )
                            )
                        case "events":
                            numbers = [event.sequence for event in message.events.events]
                            assert numbers == list(range(sequence + 1, sequence + 1 + len(numbers)))
                            sequence = numbers[-1]
                        case "over":
                            over = message.over
                        case kind:
                            assert kind == "acted"
                assert sorted(over.outcome.places) in ([1, 2], [1, 1])


async def test_c32_all_bots_or_none(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bots = await guest(over), [await guest(over), await guest(over)]
        async with playing(bots[0], capacity=1), playing(bots[1], capacity=1):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await ann.create(4, bots=[LEVEL] * 3)
            said = told(refused.value)
            assert said.reason == "NO_BOT_FREE"
            assert said.metadata == {"wanted": "random", "offered": "random"}
            listed = await ann.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=ann.auth)
            assert not listed.matches
            match = await ann.create(3, bots=[LEVEL] * 2)
            assert {seat.player for seat in match.seats[1:]} == {bot.player for bot in bots}
            assert await reason(ann.create(2, bots=[LEVEL])) == "NO_BOT_FREE"
            for bot in bots:
                resign = matches_pb2.ResignRequest(match=match.id)
                await bot.matches.Resign(resign, metadata=bot.auth)
            # The match is over, so that both are free again.
            await ann.create(3, bots=[LEVEL] * 2)


async def test_bots_are_asked_for_by_name_and_added_one_by_one(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bot, other = await guest(over), await guest(over), await guest(over)
        async with playing(bot, capacity=5, level="careful") as table:
            match = await ann.create(4)
            add = matches_pb2.AddBotRequest(match=match.id, bot=matches_pb2.BotRequest(player=bot.player), seat=2)
            assert await reason(other.matches.AddBot(add, metadata=other.auth)) == "NOT_HOST"
            seated_bot = await ann.matches.AddBot(add, metadata=ann.auth)
            assert [seat.player for seat in seated_bot.seats] == [ann.player, "", bot.player, ""]
            assert (await table.next("seated")).match.id == match.id
            twice = matches_pb2.AddBotRequest(match=match.id, bot=matches_pb2.BotRequest(level="careful"))
            assert await reason(ann.matches.AddBot(twice, metadata=ann.auth)) == "NO_BOT_FREE"
            await table.send(leave=bots_pb2.PlayLeave(match=match.id, request_id="l1"))
            assert (await table.next("acted")).request_id == "l1"
            again = await ann.matches.AddBot(twice, metadata=ann.auth)
            assert again.seats[1].player == bot.player
        no_consent = matches_pb2.AddBotRequest(match=match.id, bot=matches_pb2.BotRequest(player=other.player))
        assert await reason(ann.matches.AddBot(no_consent, metadata=ann.auth)) == "NO_BOT_FREE"


async def test_an_offer_ends_with_its_stream(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bot = await guest(over), await guest(over)
        async with playing(bot, capacity=5):
            await ann.create(2, bots=[LEVEL])
        refused = ""
        # The service hears of the end a moment later.
        async with asyncio.timeout(5):
            while True:
                try:
                    await ann.create(2, bots=[LEVEL])
                except grpc.aio.AioRpcError as error:
                    refused = told(error).reason
                    break
                await asyncio.sleep(0.05)
        assert refused == "NO_BOT_FREE"


async def test_refusals_are_messages_with_the_window(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with playing(players[0]) as table:
            question = await table.next("question")
            bad = games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=0)))
            act = bots_pb2.PlayAct(request_id="r1", match=match, window=question.window.id, action=bad)
            await table.send(act=act)
            refused = await table.next("refused")
            assert (refused.request_id, refused.reason) == ("r1", "CARD_NOT_HELD")
            assert list(refused.window.choices) == list(question.window.choices)
            await table.send(act=bots_pb2.PlayAct(request_id="r2", match=match, window="old", choice=0))
            refused = await table.next("refused")
            assert (refused.reason, refused.window.id) == ("STALE_WINDOW", question.window.id)
            await table.send(act=bots_pb2.PlayAct(request_id="r3", match="nowhere", window="w", choice=0))
            assert (await table.next("refused")).reason == "MATCH_NOT_FOUND"
            await table.send(act=bots_pb2.PlayAct(request_id="r4", match=match, window=question.window.id))
            assert (await table.next("refused")).reason == "INVALID_FIELD"
            await table.send(hello=bots_pb2.Hello())
            assert (await table.next("refused")).reason == "HELLO_EXPECTED"
            await table.call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage()]))
            assert (await table.next("refused")).reason == "HELLO_EXPECTED"
            await table.send(ping=bots_pb2.Ping(payload="x"))
            while (await table.next("pong")).payload != "x":
                pass


async def test_c6_an_act_sent_over_play_is_known_to_act(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with playing(players[0]) as table:
            question = await table.next("question")
            await table.send(act=bots_pb2.PlayAct(request_id="both", match=match, window=question.window.id, choice=3))
            acted = await table.next("acted")
            view = await players[0].get(match)
            again = await players[0].choose(view, 3, request_id="both", window=question.window.id)
            assert again.applied_sequence == acted.applied_sequence


async def test_a_bot_that_comes_back_resumes_without_gap_or_repeat(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with playing(players[0]) as table:
            before = (await table.next("seated")).match.sequence
        await players[1].choose(await players[1].get(match))
        async with playing(players[0], resume={match: before}) as table:
            events = await table.next("events")
            assert [event.sequence for event in events.events] == [before + 1]
            question = await table.next("question")
            assert question.sequence == before + 1
        async with playing(players[0]) as table:
            assert (await table.next("seated")).match.sequence == before + 1, "without a cursor, the whole match"
        async with playing(players[0], resume={"gone": 7, match: 999}) as table:
            messages = [await table.next() for _ in range(2)]
            kinds = {message.WhichOneof("message"): message for message in messages}
            assert kinds["seated"].seated.match.id == match
            assert (kinds["refused"].refused.match, kinds["refused"].refused.reason) == ("gone", "MATCH_NOT_FOUND")


async def test_c19_the_newest_stream_takes_over_on_whichever_replica(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            bot = await guest(first)
            twin = replace(bot, channel=second)
            async with playing(bot) as older, playing(twin):
                assert (await older.next("go_away")).reason == "REPLACED"
                with pytest.raises(EOFError):
                    await older.next()


@pytest.mark.parametrize("first", [{}, {"ping": bots_pb2.Ping()}, {"ack": bots_pb2.PlayAck(match="m")}])
async def test_the_first_message_must_be_hello(redis_url: str, first: dict[str, Any]) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        table = Table(await guest(over))
        await table.send(**first)
        assert await reason(table.call.read()) == "HELLO_EXPECTED"


async def test_an_unknown_game_or_token_opens_no_stream(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        bot = await guest(over)
        table = Table(bot)
        await table.send(hello=bots_pb2.Hello(offers=[bots_pb2.Offer(game="ludo")], capacity=1))
        assert await reason(table.call.read()) == "GAME_NOT_FOUND"
        table = Table(bot)
        await table.send(hello=bots_pb2.Hello(capacity=-1))
        assert await reason(table.call.read()) == "INVALID_FIELD"
        stranger = Table(Client(over, "", "crp_nobody"))
        assert await reason(stranger.call.read()) == "UNAUTHENTICATED"


async def test_a_service_that_stops_says_when_to_come_back(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over, playing(await guest(over)) as table:
        stop = asyncio.create_task(service.stop())
        away = await table.next("go_away")
        assert away.reason == "GOING_DOWN"
        assert away.HasField("retry_after_duration"), "it may come back"
        assert away.retry_after_duration.ToMilliseconds() == 0, "at once: another replica may be there"
        await stop


async def test_acts_before_a_half_close_are_answered(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with playing(players[0]) as table:
            question = await table.next("question")
            await table.send(act=bots_pb2.PlayAct(request_id="last", match=match, window=question.window.id, choice=0))
            await table.call.done_writing()
            assert (await table.next("acted")).request_id == "last"
            assert (await table.next("go_away")).reason == "CLOSED"


async def test_a_frame_that_is_no_message_ends_the_stream_and_says_so(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        bot = await guest(over)
        call: Any = over.stream_stream(
            "/croupier.v1.Bots/Play", response_deserializer=bots_pb2.PlayResponse.FromString
        )(metadata=bot.auth)
        hello = bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(hello=bots_pb2.Hello())])
        await call.write(hello.SerializeToString())
        await call.write(b"\xff\xff\xff")
        found: list[bots_pb2.TableMessage] = []
        async with asyncio.timeout(10):
            while not found or not found[-1].HasField("go_away"):
                found += (await call.read()).messages
        assert found[-1].go_away.reason == "INVALID_FIELD"


async def test_a_stream_without_a_hello_does_not_hold_up_a_stop(redis_url: str) -> None:
    async with running_service(redis_url, settings=replace(QUICK, drain=60_000)) as service, channel(service) as over:
        bot = await guest(over)
        table = Table(bot)
        reading = asyncio.ensure_future(reason(table.call.read()))
        await asyncio.sleep(0.1)
        async with asyncio.timeout(20):
            await service.stop()
            assert await reading == "GOING_DOWN"
