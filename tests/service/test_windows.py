"""Answers to windows: at once, twice, late, wrong, by strangers."""

import asyncio
from dataclasses import replace

import grpc
import pytest
from support.service import QUICK, channel, guest, reason, running_service, told
from support.tables import all_choose, seated, views

from croupier.v1 import games_pb2, matches_pb2, six_nimmt_pb2


def commit(card: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=card)))


def row(index: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(row=six_nimmt_pb2.SixNimmtChooseRow(row=index)))


async def test_c1_five_seats_commit_at_once_over_two_replicas(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            for _ in range(10):
                players, match = await seated([first, second], 5)
                before = await views(players, match)
                window = before[0].you.window
                assert list(window.must) == [0, 1, 2, 3, 4]
                answers = await asyncio.gather(
                    *(player.choose(view) for player, view in zip(players, before, strict=True))
                )
                applied = [answer.applied_sequence for answer in answers]
                assert len(set(applied)) == 5, "each has an acknowledgement of its own"
                page = await players[0].matches.ListEvents(
                    matches_pb2.ListEventsRequest(match=match), metadata=players[0].auth
                )
                kinds = [event.type for event in page.events]
                assert kinds.count("six_nimmt.committed") == 5
                assert kinds.count("six_nimmt.revealed") == 1, "the window closes once"
                after = await views(players, match)
                assert {view.you.window.id for view in after} == {after[0].you.window.id} != {window.id}


async def test_c2_who_has_chosen_does_not_hold_the_others_up(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 3)
        await players[1].choose(await players[1].get(match))
        seen = await views(players, match)
        assert [len(view.you.window.choices) for view in seen] == [10, 0, 10]
        assert [list(view.you.window.actions) for view in seen] == [["commit"], [], ["commit"]]
        assert [seat.committed for seat in seen[0].seats] == [False, True, False]


async def test_c6_a_repeat_has_the_same_outcome_also_elsewhere_and_after_a_restart(redis_url: str) -> None:
    async with running_service(redis_url) as one, channel(one) as over:
        players, match = await seated([over], 2)
        view = await players[0].get(match)
        first = await players[0].choose(view, request_id="act-1")
        again = await players[0].choose(view, request_id="act-1")
        assert again.applied_sequence == first.applied_sequence
        assert [e.sequence for e in again.events] == [e.sequence for e in first.events]
    async with running_service(redis_url) as two, channel(two) as over:
        for player in players:
            player.channel = over
            player.__post_init__()
        await players[1].choose(await players[1].get(match))
        late = await players[0].choose(view, request_id="act-1")
        assert late.applied_sequence == first.applied_sequence
        assert late.match.sequence > first.applied_sequence, "with the view of now"


async def test_a_request_id_with_other_contents_is_refused_and_c33_is_per_caller(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        seen = await views(players, match)
        await players[0].choose(seen[0], 0, request_id="same")
        assert await reason(players[0].choose(seen[0], 1, request_id="same")) == "REQUEST_ID_REUSED"
        await players[1].choose(seen[1], 0, request_id="same")


async def test_c28_c23_a_stale_window_is_aborted_with_the_present_one(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        old = await players[0].get(match)
        await all_choose(players, match)
        now = await players[0].get(match)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await players[0].choose(old)
        said = told(refused.value)
        assert (said.code, said.reason) == (grpc.StatusCode.ABORTED, "STALE_WINDOW")
        assert said.window is not None
        assert said.window.id == now.you.window.id
        assert len(said.window.choices) == len(now.you.window.choices)
        assert (await players[0].get(match)).sequence == now.sequence


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"action": commit(0)}, "CARD_NOT_HELD"),
        ({"action": commit(-5)}, "CARD_NOT_HELD"),
        ({"action": commit(2**31 - 1)}, "CARD_NOT_HELD"),
        ({"action": row(1)}, "WRONG_ACTION"),
        ({"action": games_pb2.Action()}, "INVALID_FIELD"),
        ({"action": games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction())}, "INVALID_FIELD"),
        ({"choice": 10}, "CHOICE_OUT_OF_RANGE"),
        ({"choice": -1}, "CHOICE_OUT_OF_RANGE"),
        ({}, "INVALID_FIELD"),
        ({"window": "", "choice": 0}, "INVALID_FIELD"),
        ({"window": "x" * 65, "choice": 0}, "INVALID_FIELD"),
        ({"window": "d9.t9.choose", "choice": 0}, "STALE_WINDOW"),
        ({"request_id": "x" * 65, "choice": 0}, "INVALID_FIELD"),
        ({"after": -1, "choice": 0}, "INVALID_FIELD"),
        ({"after": 9999, "choice": 0}, "CURSOR_INVALID"),
    ],
)
async def test_c16_bad_acts_are_told_why_and_change_nothing(
    redis_url: str, fields: dict[str, object], expected: str
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        before = await players[0].get(match)
        request = matches_pb2.ActRequest(**{"match": match, "window": before.you.window.id, **fields})  # type: ignore[arg-type]
        assert await reason(players[0].matches.Act(request, metadata=players[0].auth)) == expected
        after = await players[0].get(match)
        assert after.sequence == before.sequence
        assert after.you.view == before.you.view


async def test_strangers_and_second_commits(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        stranger = await guest(over)
        watched = await stranger.get(match)
        assert not watched.you.HasField("seat")
        assert not watched.you.view.six_nimmt.hand
        assert await reason(stranger.choose(watched)) == "NOT_SEATED"
        assert await reason(stranger.choose(watched, action=commit(5))) == "NOT_SEATED"
        view = await players[0].get(match)
        hand = view.you.view.six_nimmt.hand
        await players[0].choose(view, action=commit(hand[0]))
        assert await reason(players[0].choose(view, action=commit(hand[1]))) == "ALREADY_COMMITTED"
        unknown = matches_pb2.GetMatchRequest(match="nowhere")
        assert await reason(stranger.matches.GetMatch(unknown, metadata=stranger.auth)) == "MATCH_NOT_FOUND"


async def test_c17_too_many_illegal_actions_and_the_clock_plays(redis_url: str) -> None:
    settings = replace(QUICK, illegal_limit=3)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        players, match = await seated([over], 2)
        view = await players[0].get(match)
        assert await reason(players[0].choose(view, action=commit(0))) == "CARD_NOT_HELD"
        assert await reason(players[0].choose(view, choice=99)) == "CHOICE_OUT_OF_RANGE"
        assert await reason(players[0].choose(view, action=games_pb2.Action())) == "INVALID_FIELD"
        page = await players[1].matches.ListEvents(matches_pb2.ListEventsRequest(match=match), metadata=players[1].auth)
        last_two = page.events[-2:]
        assert [event.type for event in last_two] == ["match.barred", "six_nimmt.committed"]
        assert last_two[0].match.barred.seat == 0
        lowest = min(view.you.view.six_nimmt.hand)
        assert (await players[0].get(match)).you.view.six_nimmt.chosen == lowest


async def test_a_changed_commit_moves_nothing_that_others_see(redis_url: str) -> None:
    options = games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(recommit=True))
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, options=options)
        view = await players[0].get(match)
        hand = view.you.view.six_nimmt.hand
        await players[0].choose(view, action=commit(hand[0]))
        before = await players[1].get(match)
        changed = await players[0].choose(view, action=commit(hand[1]))
        assert changed.match.you.view.six_nimmt.chosen == hand[1]
        assert not changed.events
        after = await players[1].get(match)
        assert after.sequence == before.sequence
        assert after.you.view == before.you.view
        assert list(after.you.window.must) == [1]


async def test_answers_after_a_cursor_hold_all_events_behind_it(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        view = await players[0].get(match)
        await players[1].choose(await players[1].get(match))
        answer = await players[0].choose(view, after=view.sequence)
        assert [event.sequence for event in answer.events] == list(range(view.sequence + 1, answer.match.sequence + 1))
        assert answer.events[0].six_nimmt.committed.seat == 1
