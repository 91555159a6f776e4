"""Opening tables: ids, retries, limits, options."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from support.service import QUICK, channel, guest, reason, running_service, told

from croupier.v1 import games_pb2, matches_pb2, players_pb2, players_pb2_grpc, six_nimmt_pb2


def request(**fields: object) -> matches_pb2.CreateMatchRequest:
    return matches_pb2.CreateMatchRequest(**{"game": "six_nimmt", "seats": 2, **fields})  # type: ignore[arg-type]


def options(**fields: object) -> games_pb2.Options:
    return games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(**fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "expected", "named"),
    [
        ({"game": "ludo"}, "GAME_NOT_FOUND", "ludo"),
        ({"game": ""}, "INVALID_FIELD", "game"),
        ({"seats": 0}, "INVALID_FIELD", "seats"),
        ({"seats": 1}, "SEATS_INVALID", "1"),
        ({"seats": 11}, "SEATS_INVALID", "11"),
        ({"seats": -3}, "INVALID_FIELD", "seats"),
        ({"preset": "nonesuch"}, "PRESET_NOT_FOUND", "nonesuch"),
        ({"options": options(start_credit=0)}, "INVALID_FIELD", "options.sixNimmt.startCredit"),
        ({"options": options(start_credit=1001)}, "INVALID_FIELD", "options.sixNimmt.startCredit"),
        ({"options": options(deals=0)}, "INVALID_FIELD", "options.sixNimmt.deals"),
        ({"options": options(cards=99)}, "OPTION_INVALID", "cards"),
        ({"match_id": "UPPER"}, "INVALID_FIELD", "matchId"),
        ({"match_id": "-abc"}, "INVALID_FIELD", "matchId"),
        ({"match_id": "abc"}, "INVALID_FIELD", "matchId"),
        ({"visibility": 7}, "INVALID_FIELD", "visibility"),
        ({"bots": [matches_pb2.BotRequest()]}, "INVALID_FIELD", "bots[0]"),
        ({"bots": [matches_pb2.BotRequest(level="random")] * 2}, "INVALID_FIELD", "bots"),
        ({"bots": [matches_pb2.BotRequest(level="random")]}, "NO_BOT_FREE", "random"),
        (
            {"clock": matches_pb2.ClockOptions(window_duration=Duration(nanos=1))},
            "INVALID_FIELD",
            "clock.windowDuration",
        ),
        (
            {"clock": matches_pb2.ClockOptions(bank_duration=Duration(seconds=-1))},
            "INVALID_FIELD",
            "clock.bankDuration",
        ),
    ],
)
async def test_bad_tables_are_refused_by_name(
    redis_url: str, fields: dict[str, object], expected: str, named: str
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ann.matches.CreateMatch(request(**fields), metadata=ann.auth)
        said = told(refused.value)
        assert said.reason == expected
        assert named in said.metadata.values()
        listed = await ann.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=ann.auth)
        assert not listed.matches, "nothing was created"


async def test_c8_create_is_create_if_absent(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        first = await ann.matches.CreateMatch(request(match_id="ann-s-table", request_id="r1"), metadata=ann.auth)
        again = await ann.matches.CreateMatch(request(match_id="ann-s-table", request_id="r1"), metadata=ann.auth)
        assert first.id == again.id == "ann-s-table"
        assert again.commitment == first.commitment
        other = request(match_id="ann-s-table", seats=3)
        assert await reason(ann.matches.CreateMatch(other, metadata=ann.auth)) == "MATCH_EXISTS"
        same = request(match_id="ann-s-table")
        assert await reason(bob.matches.CreateMatch(same, metadata=bob.auth)) == "MATCH_EXISTS"
        reused = request(request_id="r1", seats=5)
        assert await reason(ann.matches.CreateMatch(reused, metadata=ann.auth)) == "REQUEST_ID_REUSED"
        unnamed = [await bob.matches.CreateMatch(request(request_id="r1"), metadata=bob.auth) for _ in range(2)]
        assert unnamed[0].id == unnamed[1].id, "the id that the server made is the same for a repeat"


async def test_c8_many_creates_of_one_request_at_once_make_one_match(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            ann = await guest(first)
            twin = replace(ann, channel=second)
            made = await asyncio.gather(
                *(
                    player.matches.CreateMatch(request(request_id="once"), metadata=ann.auth)
                    for player in [ann, twin] * 5
                )
            )
            assert len({match.id for match in made}) == 1
            listed = await ann.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=ann.auth)
            assert len(listed.matches) == 1


async def test_c22_a_limit_says_its_name_and_when_to_come_back(redis_url: str) -> None:
    settings = replace(QUICK, matches_per_minute=2)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        ann = await guest(over)
        await ann.create(2)
        await ann.create(2)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ann.create(2)
        said = told(refused.value)
        assert (said.code, said.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert said.metadata["limit"] == "matches_per_minute=2"
        assert said.retry_after is not None
        assert 0 < said.retry_after <= 30


async def test_c21_the_last_seat_is_taken_once(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            host = await guest(first)
            crowd = [await guest(over) for over in [first, second] * 4]
            match = await host.create(3)
            results = await asyncio.gather(*(p.join(match.id) for p in crowd), return_exceptions=True)
            joined = [r for r in results if isinstance(r, matches_pb2.Match)]
            refused = [told(r).reason for r in results if isinstance(r, grpc.aio.AioRpcError)]
            assert len(joined) == 2
            assert set(refused) <= {"MATCH_NOT_OPEN", "MATCH_FULL"}
            assert len(refused) == 6


async def test_presets_and_options_are_answered_resolved(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        match = await ann.create(3, preset="strategy", options=options(start_credit=10))
        resolved = match.options.six_nimmt
        assert resolved.cards == six_nimmt_pb2.SixNimmtCards.TACTIC
        assert resolved.start_credit == 10
        assert resolved.placement == six_nimmt_pb2.SixNimmtPlacement.NORMAL
        assert resolved.HasField("recommit")


async def test_errors_come_in_the_language_asked_for(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over, locale="uk-UA")
        missing = matches_pb2.GetMatchRequest(match="nowhere")
        texts = {}
        for language in ("", "ru-RU,ru;q=0.9", "en"):
            metadata = ann.auth + ((("accept-language", language),) if language else ())
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await ann.matches.GetMatch(missing, metadata=metadata)
            texts[language] = told(refused.value).text
        assert "Матчу nowhere" in texts[""]
        assert "Матча nowhere" in texts["ru-RU,ru;q=0.9"]
        assert "There is no match nowhere" in texts["en"]


async def test_guests_are_limited_by_the_address_that_a_trusted_gateway_names(redis_url: str) -> None:
    settings = replace(QUICK, players_per_minute=1)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        stub = players_pb2_grpc.PlayersStub(over)

        async def make(address: str) -> None:
            await stub.CreatePlayer(players_pb2.CreatePlayerRequest(), metadata=(("x-forwarded-for", address),))

        await make("192.0.2.1")
        await make("192.0.2.2")
        assert await reason(make("192.0.2.2")) == "RATE_LIMITED"
        assert await reason(make("192.0.2.9, 192.0.2.2")) == "RATE_LIMITED", "the last one is the gateway's own word"


async def test_a_table_that_is_only_watched_is_listed_given_back_and_counted(redis_url: str) -> None:
    settings = replace(QUICK, open_tables=2)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        made = [await ann.create(3, spectate=True, visibility=matches_pb2.Visibility.PRIVATE) for _ in range(2)]
        listed = await ann.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=ann.auth)
        assert {match.id for match in listed.matches} == {match.id for match in made}
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ann.create(3)
        assert told(refused.value).metadata["limit"] == "open_tables=2"
        leave = matches_pb2.LeaveMatchRequest(match=made[0].id)
        left = await ann.matches.LeaveMatch(leave, metadata=ann.auth)
        assert left.state == matches_pb2.MatchState.ABANDONED, "nobody else is there"
        await ann.create(3)
        await bob.join(made[1].id, join_code=made[1].join_code)
        other = matches_pb2.LeaveMatchRequest(match=made[1].id)
        left = await ann.matches.LeaveMatch(other, metadata=ann.auth)
        assert (left.state, left.host) == (matches_pb2.MatchState.OPEN, bob.player)
        assert not left.HasField("join_code")
        await ann.create(3)


async def test_who_has_left_a_private_match_sees_no_more_of_it_by_any_repeat(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(3, visibility=matches_pb2.Visibility.PRIVATE)
        await bob.join(match.id, join_code=match.join_code, request_id="j")
        leave = matches_pb2.LeaveMatchRequest(match=match.id, request_id="l")
        await bob.matches.LeaveMatch(leave, metadata=bob.auth)
        assert await reason(bob.matches.LeaveMatch(leave, metadata=bob.auth)) == "MATCH_NOT_FOUND"
        assert await reason(bob.join(match.id, join_code=match.join_code, request_id="j")) == "MATCH_NOT_FOUND"
        hosted = request(match_id="bob-s-own", seats=3, visibility=matches_pb2.Visibility.PRIVATE, request_id="c")
        own = await bob.matches.CreateMatch(hosted, metadata=bob.auth)
        await ann.join(own.id, join_code=own.join_code)
        away = matches_pb2.LeaveMatchRequest(match=own.id)
        await bob.matches.LeaveMatch(away, metadata=bob.auth)
        assert await reason(bob.get(own.id)) == "MATCH_NOT_FOUND", "though he made it"
        assert await reason(bob.matches.CreateMatch(hosted, metadata=bob.auth)) == "MATCH_NOT_FOUND"


async def test_a_refused_create_leaves_nothing_behind(redis_url: str) -> None:
    settings = replace(QUICK, matches_per_minute=1)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        ann = await guest(over)
        bot = [matches_pb2.BotRequest(level="random")]
        assert (
            await reason(ann.matches.CreateMatch(request(request_id="r", bots=bot), metadata=ann.auth)) == "NO_BOT_FREE"
        )
        for name in ("s", "t"):
            made = ann.matches.CreateMatch(request(request_id=name), metadata=ann.auth)
            assert await reason(made) == "RATE_LIMITED"
        assert await service._store.pipe.call("KEYS", "*creation*") == []


async def test_bytes_that_are_no_message_are_told_so(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        raw: Any = over.unary_unary("/croupier.v1.Matches/GetMatch")
        assert await reason(raw(b"\xff\xff\xff", metadata=ann.auth)) == "INVALID_FIELD"
        play: Any = over.stream_stream("/croupier.v1.Bots/Play")(metadata=ann.auth)
        await play.write(b"\xff\xff\xff")
        assert await reason(play.read()) == "INVALID_FIELD"


async def test_copies_of_one_create_with_a_bot_sent_at_once_make_one_match(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            ann, bot = await guest(first), await guest(second)
            await one._store.offers.renew(bot.player, {"six_nimmt": ["random"]}, 5, "s", 0, 10**15)
            wanted = request(request_id="once", bots=[matches_pb2.BotRequest(level="random")])
            copies = [ann, replace(ann, channel=second)] * 5
            made = await asyncio.gather(*(player.matches.CreateMatch(wanted, metadata=ann.auth) for player in copies))
            assert len({match.id for match in made}) == 1
            assert await one._store.offers.booked(bot.player) == [made[0].id]


async def test_the_limit_of_open_tables_holds_against_many_at_once(redis_url: str) -> None:
    settings = replace(QUICK, open_tables=5)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        ann = await guest(over)
        made = await asyncio.gather(*(ann.create(3) for _ in range(20)), return_exceptions=True)
        assert sum(isinstance(each, matches_pb2.Match) for each in made) == 5
