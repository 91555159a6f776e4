"""House bots play Freedom of Speech with each other on a real service, in all three kinds of turns."""

import asyncio
import logging
from random import Random

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import ParseDict
from support.bot_table import FAST
from support.service import channel, guest, running_service
from support.spoken_words import made_up, options
from support.stacked import StackedDealer

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier_bots import Server
from croupier_bots.house import run_house


@pytest.mark.parametrize("mode", ["HOT_POTATO", "TEAM_RELAY", "SOLO"])
@pytest.mark.parametrize("language", ["EN", "UK"])
async def test_two_careful_bots_beat_two_random_ones(
    redis_url: str, mode: str, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    options = pb.FreedomOfSpeechOptions(
        turn_mode=pb.FreedomOfSpeechTurnMode.Value.Value(mode),
        language=pb.FreedomOfSpeechLanguage.Value.Value(language),
        timer_duration=Duration(seconds=3),
        win_at=3,
        equal_turns=True,  # so that the random ones have a turn, and say more about a card than one thing
    )
    async with running_service(redis_url) as service:
        ready = asyncio.get_running_loop().create_future()
        house = asyncio.create_task(
            run_house(Server(f"127.0.0.1:{service.port}", timing=FAST), each=2, seed=1, ready=ready.set_result)
        )
        try:
            async with channel(service) as over_it:
                host = await guest(over_it)
                await asyncio.wait_for(ready, 10)
                match = await host.create(
                    game="freedom_of_speech",
                    seats=4,
                    spectate=True,
                    options=games_pb2.Options(freedom_of_speech=options),
                    bots=[matches_pb2.BotRequest(level=level) for level in ("careful", "random") * 2],
                )
                async with asyncio.timeout(120):
                    while (seen := await host.get(match.id)).state != matches_pb2.MatchState.OVER:
                        await asyncio.sleep(0.1)
                happened = await host.matches.ListEvents(
                    matches_pb2.ListEventsRequest(match=match.id, page_size=1000), metadata=host.auth
                )
        finally:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)
    assert list(seen.outcome.places) == [1, 3, 1, 3]
    assert seen.outcome.scores[0] >= 3
    told = [event.freedom_of_speech for event in happened.events if event.HasField("freedom_of_speech")]
    assert {each.started.by for each in told if each.HasField("started")} == {act_by_pb2.ActBy.PLAYER}
    assert not [each for each in told if each.HasField("fouled")]
    cards, won, clues, guesses = (
        len([each for each in told if each.HasField(kind)]) for kind in ("drawn", "scored", "clue_given", "guessed")
    )
    assert clues > cards
    assert guesses >= won
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_two_careful_opponents_flag_what_begins_as_the_word_does(redis_url: str) -> None:
    words = ["luck", *made_up(19, Random(3))]
    dealer = StackedDealer()
    dealer.orders = [(0, 1), tuple(range(20))]  # team 0 begins, with the first word
    how = ParseDict(options(words, timerDuration="60s", startDuration="60s"), games_pb2.Options())
    async with running_service(redis_url, dealer=dealer) as service:
        ready = asyncio.get_running_loop().create_future()
        server = Server(f"127.0.0.1:{service.port}", timing=FAST)
        house = asyncio.create_task(run_house(server, each=2, seed=1, ready=ready.set_result))
        try:
            async with channel(service) as over:
                ann, bob = await guest(over), await guest(over)
                await asyncio.wait_for(ready, 10)
                match = await ann.create(4, game="freedom_of_speech", options=how)
                await bob.join(match.id, seat=2)
                for _ in range(2):
                    bot = matches_pb2.BotRequest(level="careful")
                    adding = matches_pb2.AddBotRequest(match=match.id, bot=bot)
                    await ann.matches.AddBot(adding, metadata=ann.auth)
                await ann.choose(await ann.get(match.id))
                for text in ("a lot of it", "Lucky you"):
                    clue = games_pb2.Action(
                        freedom_of_speech=pb.FreedomOfSpeechAction(clue=pb.FreedomOfSpeechClue(text=text))
                    )
                    await ann.choose(await ann.get(match.id), action=clue)
                request = matches_pb2.ListEventsRequest(match=match.id, page_size=1000)
                async with asyncio.timeout(20):
                    while True:
                        listed = await ann.matches.ListEvents(request, metadata=ann.auth)
                        told = [event.freedom_of_speech for event in listed.events]
                        if any(each.HasField("fouled") for each in told):
                            break
                        await asyncio.sleep(0.05)
        finally:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)
    assert sorted((each.flagged.seat, each.flagged.clue) for each in told if each.HasField("flagged")) == [
        (1, 2),
        (3, 2),
    ]
    (fouled,) = [each.fouled for each in told if each.HasField("fouled")]
    assert (fouled.kind, fouled.clue, fouled.word.word) == (pb.FreedomOfSpeechFoul.FLAGGED, 2, "luck")
