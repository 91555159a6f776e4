"""A list of words of one's own is told once the match is over, and not when it never was played."""

import asyncio
from dataclasses import replace
from random import Random

from google.protobuf.json_format import ParseDict
from support.service import QUICK, channel, guest, running_service
from support.spoken_words import made_up, options

from croupier.v1 import games_pb2, matches_pb2

WORDS = made_up(20, Random(4))


def how() -> games_pb2.Options:
    return ParseDict(options(WORDS), games_pb2.Options())


def shown(match: matches_pb2.Match) -> list[str]:
    return [each.word for each in match.options.freedom_of_speech.words]


async def test_a_list_stays_secret_when_the_host_leaves(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, stranger = await guest(over), await guest(over)
        match = await ann.create(4, game="freedom_of_speech", options=how())
        leave = matches_pb2.LeaveMatchRequest(match=match.id)
        left = await ann.matches.LeaveMatch(leave, metadata=ann.auth)
        for seen in (left, await ann.get(match.id), await stranger.get(match.id)):
            assert seen.state == matches_pb2.MatchState.ABANDONED
            assert shown(seen) == []


async def test_a_list_stays_secret_when_the_match_does_not_fill(redis_url: str) -> None:
    async with running_service(redis_url, settings=replace(QUICK, open_ttl=300)) as service, channel(service) as over:
        ann, stranger = await guest(over), await guest(over)
        match = await ann.create(4, game="freedom_of_speech", options=how())
        async with asyncio.timeout(20):
            while (seen := await stranger.get(match.id)).state != matches_pb2.MatchState.ABANDONED:
                await asyncio.sleep(0.05)
        assert shown(seen) == []


async def test_a_list_is_told_when_the_match_is_over(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players = [await guest(over) for _ in range(4)]
        match = await players[0].create(4, game="freedom_of_speech", options=how())
        joined = [await player.join(match.id) for player in players[1:]]
        assert joined[-1].state == matches_pb2.MatchState.RUNNING
        assert shown(joined[-1]) == []
        resign = matches_pb2.ResignRequest(match=match.id)
        start = await players[0].get(match.id)
        giver = start.you.view.freedom_of_speech.giver
        action = ParseDict({"freedomOfSpeech": {"start": {}}}, games_pb2.Action())
        await players[giver].choose(start, action=action)
        left = await players[0].matches.Resign(resign, metadata=players[0].auth)
        (dropped,) = (event for event in left.events if event.type == "freedom_of_speech.dropped")
        assert dropped.freedom_of_speech.dropped.seat == 0
        assert dropped.freedom_of_speech.dropped.word.word in WORDS
        assert shown(await players[1].get(match.id)) == WORDS
