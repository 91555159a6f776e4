"""House bots play Freedom of Speech with each other on a real service, in all three kinds of turns."""

import asyncio
import logging

import pytest
from google.protobuf.duration_pb2 import Duration
from support.bot_table import FAST
from support.service import channel, guest, running_service

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
    cards, clues, guesses = (
        len([each for each in told if each.HasField(kind)]) for kind in ("drawn", "clue_given", "guessed")
    )
    assert clues > cards
    assert guesses > cards
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
