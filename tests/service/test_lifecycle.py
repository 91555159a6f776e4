"""A match over gRPC from the open table to the replay."""

import asyncio
from dataclasses import replace

import grpc
import pytest
from support.service import QUICK, Client, channel, guest, reason, running_service, told

from croupier.v1 import catalog_pb2, matches_pb2
from croupier_engine import dealing


async def play_out(players: list[Client], match: str) -> matches_pb2.Match:
    """Everybody answers with his first choice until it is over."""
    for _ in range(2000):
        for player in players:
            seen = await player.get(match)
            if seen.state == matches_pb2.MatchState.OVER:
                return seen
            if seen.you.window.choices:
                await player.choose(seen)
    raise AssertionError("it does not end")


async def test_a_match_from_the_open_table_to_the_replay(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over, "Ann"), await guest(over, "Bob")
        match = await ann.create(2, preset="single_deal")
        assert match.state == matches_pb2.MatchState.OPEN
        assert [seat.player for seat in match.seats] == [ann.player, ""]
        joined = await bob.join(match.id)
        assert joined.state == matches_pb2.MatchState.RUNNING
        assert len(joined.you.view.six_nimmt.hand) == 10
        refused = await reason(ann.matches.GetReplay(matches_pb2.GetReplayRequest(match=match.id), metadata=ann.auth))
        assert refused == "MATCH_NOT_OVER"
        over_now = await play_out([ann, bob], match.id)
        assert sorted(over_now.outcome.places) in ([1, 1], [1, 2])
        assert await reason(ann.choose(joined)) == "GAME_OVER"
        replay = await bob.matches.GetReplay(matches_pb2.GetReplayRequest(match=match.id), metadata=bob.auth)
        seed = bytes.fromhex(replay.seed)
        assert dealing.commitment(seed) == match.commitment == replay.commitment
        deals = [entry.deal.order for entry in replay.log if entry.HasField("deal")]
        assert [tuple(order) for order in deals] == [dealing.permutation(seed, match.id, 0, 104)]


async def test_events_are_gapless_and_equal_in_number_for_all(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(2, preset="single_deal")
        await bob.join(match.id)
        await play_out([ann, bob], match.id)
        pages = [
            await player.matches.ListEvents(matches_pb2.ListEventsRequest(match=match.id), metadata=player.auth)
            for player in (ann, bob)
        ]
        numbers = [[event.sequence for event in page.events] for page in pages]
        assert numbers[0] == numbers[1] == list(range(1, len(numbers[0]) + 1))
        assert pages[0].events[-1].type == "match.over"
        assert [e.type for e in pages[0].events] == [e.type for e in pages[1].events]


async def test_the_host_starts_with_those_who_are_there(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob, cid = await guest(over), await guest(over), await guest(over)
        match = await ann.create(4)
        start = matches_pb2.StartMatchRequest(match=match.id)
        assert await reason(ann.matches.StartMatch(start, metadata=ann.auth)) == "SEATS_INVALID"
        await bob.join(match.id, seat=3)
        assert await reason(bob.matches.StartMatch(start, metadata=bob.auth)) == "NOT_HOST"
        running = await ann.matches.StartMatch(start, metadata=ann.auth)
        assert [seat.player for seat in running.seats] == [ann.player, bob.player]
        again = await ann.matches.StartMatch(start, metadata=ann.auth)
        assert again.sequence == running.sequence
        assert await reason(cid.join(match.id)) == "MATCH_NOT_OPEN"


async def test_leaving_hands_the_table_on_and_the_last_one_out_closes_it(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(3)
        await bob.join(match.id)
        leave = matches_pb2.LeaveMatchRequest(match=match.id)
        left = await ann.matches.LeaveMatch(leave, metadata=ann.auth)
        assert left.host == bob.player
        assert await reason(ann.matches.LeaveMatch(leave, metadata=ann.auth)) == "NOT_SEATED"
        closed = await bob.matches.LeaveMatch(leave, metadata=bob.auth)
        assert closed.state == matches_pb2.MatchState.ABANDONED
        assert await reason(ann.join(match.id)) == "MATCH_NOT_OPEN"


async def test_resigning_with_two_ends_the_match(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(2)
        resign = matches_pb2.ResignRequest(match=match.id)
        assert await reason(ann.matches.Resign(resign, metadata=ann.auth)) == "MATCH_NOT_STARTED"
        await bob.join(match.id)
        answer = await ann.matches.Resign(resign, metadata=ann.auth)
        assert answer.match.state == matches_pb2.MatchState.OVER
        assert list(answer.match.outcome.places) == [2, 1]
        assert [event.type for event in answer.events][:1] == ["match.resigned"]


async def test_a_private_match_is_not_there_for_strangers(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(2, visibility=matches_pb2.Visibility.PRIVATE)
        assert match.join_code
        assert await reason(bob.get(match.id)) == "MATCH_NOT_FOUND"
        listed = await bob.matches.ListMatches(matches_pb2.ListMatchesRequest(), metadata=bob.auth)
        assert not listed.matches
        assert await reason(bob.join(match.id, join_code="WRONG")) == "JOIN_CODE_WRONG"
        joined = await bob.join(match.id, join_code=match.join_code)
        assert joined.state == matches_pb2.MatchState.RUNNING


async def test_lists_page_through_and_refuse_made_up_tokens(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        made = [(await ann.create(3)).id for _ in range(5)]
        await bob.join(made[2])
        found: list[str] = []
        token = ""
        for _ in range(3):
            page = await bob.matches.ListMatches(
                matches_pb2.ListMatchesRequest(page_size=2, page_token=token), metadata=bob.auth
            )
            found += [match.id for match in page.matches]
            token = page.next_page_token
        assert sorted(found) == sorted(made)
        assert token == ""
        mine = await bob.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=bob.auth)
        assert [match.id for match in mine.matches] == [made[2]]
        for bad in ("nonsense", "bm9uc2Vuc2U=", "MSBtLXggYWFhYQ=="):
            call = bob.matches.ListMatches(matches_pb2.ListMatchesRequest(page_token=bad), metadata=bob.auth)
            assert await reason(call) == "PAGE_TOKEN_INVALID"


async def test_a_burst_of_three_thousand_calls_is_served(redis_url: str) -> None:
    """Where the defaults of the server would cancel a part of it."""
    async with running_service(redis_url, settings=replace(QUICK, queue=60_000)) as service, channel(service) as over:
        ann = await guest(over)
        calls = (ann.catalog.GetTime(catalog_pb2.GetTimeRequest()) for _ in range(3000))
        answers = await asyncio.gather(*calls)
        assert all(answer.server_time.seconds for answer in answers)


async def test_without_a_token_nothing_but_the_catalogue_answers(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        nobody, foreign = Client(over, "", ""), Client(over, "", "crp_made-up")
        for stranger in (nobody, foreign):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stranger.create(2)
            assert told(refused.value).reason == "UNAUTHENTICATED"
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
        match = await ann.create(2)
        assert await reason(nobody.get(match.id)) == "UNAUTHENTICATED"
