"""Durak over a service: whole matches by gRPC, teams, and what bad input gets."""

from typing import Any

import pytest
from support.durak import drawn, stacked
from support.replays import check_replay
from support.service import channel, reason, running_service
from support.stacked import StackedDealer
from support.tables import seated, views

from croupier.v1 import durak_pb2, games_pb2, matches_pb2
from croupier_convert import action_to_proto
from croupier_engine.durak.model import Action, Beat, Claim, Lead, Pass, Take, Throw, Transfer

KIND = durak_pb2.DurakKind


def options(**fields: Any) -> games_pb2.Options:
    return games_pb2.Options(durak=durak_pb2.DurakOptions(**fields))


@pytest.mark.parametrize(
    ("seats", "fields"),
    [
        (2, {"kind": KIND.PEREVODNOY}),
        (3, {"deck": 54, "kind": KIND.PROSTOY}),
        (4, {"teams": 2, "throw_order": durak_pb2.DurakThrowOrder.FREE}),
        (6, {"throw_timing": durak_pb2.DurakThrowTiming.ANYTIME}),
    ],
)
async def test_a_whole_match(redis_url: str, seats: int, fields: dict[str, Any]) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], seats, game="durak", options=options(**fields))
        while (seen := await views(players, match))[0].state == matches_pb2.MatchState.RUNNING:
            window = seen[0].you.window
            seat = window.must[0]
            assert len({tuple(view.you.window.must) for view in seen}) == 1
            # The cheapest defence, one card at the most thrown in: it ends before long.
            await players[seat].choose(seen[seat])
        assert [view.outcome for view in seen] == [seen[0].outcome] * seats
        teams = [seat.team if seat.HasField("team") else None for seat in seen[0].seats]
        assert teams == ([0, 1, 0, 1] if fields.get("teams") else [None] * seats)
        request = matches_pb2.GetReplayRequest(match=match)
        replay = await players[0].matches.GetReplay(request, metadata=players[0].auth)
        check_replay(replay, seen[0].commitment)


HANDS = ("6S 7S 9S KD KC AC", "8S TS 8D 8C JD QC", "6C 7C 9C TC JS AD")
DEALT = (drawn(2, 3).order, stacked(HANDS, 2, trump="7H").order)


async def test_the_question_stays_until_all_is_beaten_and_says_what_else_can_be_beaten(redis_url: str) -> None:
    dealer = StackedDealer()
    dealer.orders = DEALT
    async with running_service(redis_url, dealer=dealer) as service, channel(service) as over:
        players, match = await seated([over], 3, game="durak")
        await played(players, match, 0, Lead(("6S",)))
        await played(players, match, 1, Beat("6S", "8S"))
        await played(players, match, 2, Pass())  # ahead: nobody hears of it
        seen = await views(players, match)
        assert seen[2].you.view.durak.passed_ahead
        assert not seen[2].you.window.choices
        assert not seen[0].you.view.durak.passed_ahead
        assert list(seen[0].you.window.must) == [0]
        await played(players, match, 0, Pass())
        events = (
            await players[0].matches.ListEvents(matches_pb2.ListEventsRequest(match=match), metadata=players[0].auth)
        ).events
        told = [event.type for event in events if event.type.startswith("durak.")]
        assert told[-6:-1] == ["durak.beaten", "durak.passed", "durak.passed", "durak.bito", "durak.drew"]


async def played(players: list[Any], match: str, seat: int, action: Action) -> None:
    seen = await players[seat].get(match)
    await players[seat].choose(seen, action=action_to_proto("durak", action))


@pytest.mark.parametrize(
    ("seat", "action", "told"),
    [
        (0, Lead(("AH",)), "CARD_NOT_HELD"),
        (0, Lead(("ZZ",)), "CARD_NOT_HELD"),
        (0, Lead(()), "CARD_MISSING"),
        (0, Lead(("",)), "CARD_MISSING"),
        (0, Lead(("6S", "6S")), "CARD_TWICE"),
        (0, Lead(("6S", "7S")), "RANK_MISMATCH"),
        (0, Take(), "WRONG_ACTION"),
        (1, Lead(("8S",)), "NOT_ASKED"),
        (0, Throw(("6S",)), "WRONG_ACTION"),
        (0, Transfer(("6S",)), "WRONG_ACTION"),
        (1, Claim(), "CLAIM_WITHOUT_FIVE"),
        *[(0, kind(("6S", "6SS")), "INVALID_FIELD") for kind in (Lead, Throw, Transfer)],
    ],
)
async def test_bad_input_gets_a_reason_and_changes_nothing(
    redis_url: str, seat: int, action: Action, told: str
) -> None:
    dealer = StackedDealer()
    dealer.orders = DEALT
    async with running_service(redis_url, dealer=dealer) as service, channel(service) as over:
        players, match = await seated([over], 3, game="durak")
        before = await players[seat].get(match)
        assert await reason(players[seat].choose(before, action=action_to_proto("durak", action))) == told
        after = await players[seat].get(match)
        assert (after.sequence, after.you.view) == (before.sequence, before.you.view)
        assert list(after.you.window.choices) == list(before.you.window.choices)


@pytest.mark.parametrize(
    ("seats", "fields", "told"),
    [
        (7, {}, "DECK_SEATS_INVALID"),
        (3, {"teams": 2}, "OPTION_INVALID"),
        (8, {"teams": 2, "deck": 52}, "OPTION_INVALID"),
        (4, {"teams": 2, "kind": KIND.PEREVODNOY}, "OPTION_INVALID"),
        (2, {"deck": 40}, "OPTION_INVALID"),
        (2, {"deck": 55}, "INVALID_FIELD"),
        (2, {"teams": 1}, "OPTION_INVALID"),
        (2, {"games": 0}, "INVALID_FIELD"),
        (2, {"limit_first": 3}, "OPTION_INVALID"),
    ],
)
async def test_tables_that_cannot_be(redis_url: str, seats: int, fields: dict[str, Any], told: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        assert await reason(seated([over], seats, game="durak", options=options(**fields))) == told
