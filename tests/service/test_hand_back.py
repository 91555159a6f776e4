"""A seat is handed back to its player: whoever played before is fenced off by the seat's epoch."""

import asyncio

import grpc
import pytest
from support.away import act_of, events, happened, kinds, reason_or_none, staying, stood_in, terms
from support.play_stream import playing
from support.service import channel, guest, reason, running_service, told
from support.tables import seated

from croupier.v1 import matches_pb2


async def test_c13_the_bot_is_first_when_both_act(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, viewer, table, match):
        question = await table.next("question")
        await table.send(act=act_of(question, "a"))
        await table.next("acted")
        # What its player saw before he went.
        late = matches_pb2.ActRequest(match=match, window=question.window.id, choice=1, epoch=0)
        assert await reason(ann.matches.Act(late, metadata=ann.auth)) == "SEAT_EPOCH_STALE"
        blind = matches_pb2.ActRequest(match=match, window=question.window.id, choice=1)
        assert await reason(ann.matches.Act(blind, metadata=ann.auth)) in ("ALREADY_COMMITTED", "NOT_ASKED")
        assert kinds(await events(viewer, match)) == ["match.absent", "match.stood_in", "match.returned"]


async def test_c13_the_player_is_first_when_both_act(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, viewer, table, match):
        bot = table.client
        question = await table.next("question")
        act = matches_pb2.ActRequest(match=match, window=question.window.id, choice=1)
        applied = await ann.matches.Act(act, metadata=ann.auth)
        assert applied.match.you.view.six_nimmt.HasField("chosen")
        await table.send(act=act_of(question, "a"))
        refused = await table.next("refused")
        assert refused.reason == "SEAT_EPOCH_STALE"
        assert refused.window.id == question.window.id
        assert not refused.window.choices
        blind = matches_pb2.ActRequest(match=match, window=question.window.id, choice=0)
        assert await reason(bot.matches.Act(blind, metadata=bot.auth)) == "SEAT_EPOCH_STALE"
        committed = [e for e in await events(viewer, match) if e.type == "six_nimmt.committed"]
        assert len(committed) == 1


async def test_c13_both_at_once_and_one_card_is_played(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, viewer, table, match):
        question = await table.next("question")
        act = matches_pb2.ActRequest(match=match, window=question.window.id, choice=1, epoch=2)
        calls = [table.send(act=act_of(question, "a")), reason_or_none(ann.matches.Act(act, metadata=ann.auth))]
        _, refused = await asyncio.gather(*calls)
        message = await table.next()
        while message.WhichOneof("message") not in ("acted", "refused"):
            message = await table.next()
        if message.HasField("acted"):
            assert refused in ("ALREADY_COMMITTED", "NOT_ASKED")
        else:
            assert message.refused.reason == "SEAT_EPOCH_STALE"
            assert refused is None
        told = [e for e in await events(viewer, match) if e.type == "six_nimmt.committed"]
        assert len(told) == 1
        assert (await ann.get(match)).seats[0].epoch == 2


async def test_an_old_epoch_is_refused_with_the_window_of_now(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, _, table, match):
        question = await table.next("question")
        await table.send(act=act_of(question, "a", epoch=0))
        refused = await table.next("refused")
        assert refused.reason == "SEAT_EPOCH_STALE"
        assert refused.window.epoch == 1
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await ann.choose(matches_pb2.Match(id=match), window=question.window.id, epoch=1, request_id="late")
        said = told(late.value)
        assert said.reason == "SEAT_EPOCH_STALE"
        assert said.code is grpc.StatusCode.ABORTED
        assert said.window is not None
        assert said.window.epoch == 2
        assert len(said.window.choices) == 10
        # A refusal is not kept: with the epoch of now the act is taken, and sent again it has the same outcome.
        taken = await ann.choose(matches_pb2.Match(id=match), window=said.window.id, epoch=2, request_id="now")
        again = await ann.choose(matches_pb2.Match(id=match), window=said.window.id, epoch=2, request_id="now")
        assert again.applied_sequence == taken.applied_sequence


async def test_what_a_stand_in_did_has_the_same_outcome_when_it_is_sent_again(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, _, table, match):
        question = await table.next("question")
        await table.send(act=act_of(question, "a"))
        first = (await table.next("acted")).applied_sequence
        await ann.get(match)
        await table.next("over")
        await table.send(act=act_of(question, "a"))
        assert (await table.next("acted")).applied_sequence == first


async def test_in_a_private_match_a_stand_in_sees_nothing_afterwards(redis_url: str) -> None:
    async with stood_in(redis_url, visibility=matches_pb2.Visibility.PRIVATE) as (ann, _, _, table, match):
        bot = table.client
        question = await table.next("question")
        assert (await bot.get(match)).you.seat == 0
        back = await ann.get(match)
        assert not (await table.next("over")).HasField("outcome")
        assert await reason(bot.get(match)) == "MATCH_NOT_FOUND"
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await bot.choose(matches_pb2.Match(id=match), window=question.window.id)
        said = told(late.value)
        assert said.reason == "SEAT_EPOCH_STALE"
        assert said.window is None
        await ann.choose(back)


async def test_who_has_seen_one_hand_never_plays_another_of_the_match(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        viewer, first, second = [await guest(over, name) for name in ("Eve", "First", "Second")]
        (ann, ben), match = await seated([over], 2, stand_in=terms())
        async with playing(first, capacity=1) as table:
            async with staying(ben, match=match):
                seen = await happened(viewer, match, "match.stood_in")
                assert (seen.match.stood_in.seat, seen.match.stood_in.player) == (0, first.player)
            async with staying(ann, match=match):
                await table.next("over")
                seen = await happened(viewer, match, "match.absent", seen.sequence)
                assert seen.match.absent.seat == 1
                # The first would be booked by now, if it were let.
                await asyncio.sleep(seen.match.absent.stand_in_time.ToSeconds() - seen.time.ToSeconds() + 1)
                async with playing(second, capacity=1):
                    seen = await happened(viewer, match, "match.stood_in", seen.sequence)
                    assert (seen.match.stood_in.seat, seen.match.stood_in.player) == (1, second.player)
