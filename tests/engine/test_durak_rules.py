"""Durak: the bout, rule by rule; the numbers in the names are those of docs/rules/durak.md."""

import pytest
from support.durak import GAME, act, asked, position, refusal, refused, script, told

from croupier_engine.durak import events
from croupier_engine.durak.model import Action, Beat, Lead, Pass, State, Take, Throw, Transfer
from croupier_engine.durak.options import (
    Kind,
    LeadSize,
    Limit,
    LimitFirstScope,
    Options,
    ThrowBatch,
    Throwers,
    ThrowMatch,
    ThrowOrder,
    ThrowTiming,
)
from croupier_engine.errors import Reason
from croupier_engine.game import Act, By

PEREVODNOY = Kind.PEREVODNOY
FOUR = ["6S 6C 7S", "9S TS 8D", "6D 9C 8C", "6H 7D 9D"]


def awaited(state: State) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Kind, must, may."""
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    return awaiting.kind, awaiting.must, awaiting.may


def window(state: State) -> str:
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    return awaiting.window


def choices(state: State, seat: int, kind: type[Action]) -> list[Action]:
    return [choice for choice in GAME.choices(state, seat) if isinstance(choice, kind)]


# 5. The bout.


def test_b5_one_window_for_a_whole_defence() -> None:
    state = script(position(FOUR), "0 lead 6S 6C").state
    half = script(state, "1 beat 6S 9S").state
    assert window(half) == window(state)
    assert awaited(half) == ("DEFEND", (1,), ())


def test_b5_whoever_cannot_beat_is_asked_all_the_same() -> None:
    state = script(position(["AH 6S", "7C 8C"]), "0 lead AH").state
    assert asked(state) == ("DEFEND", (1,))
    assert GAME.choices(state, 1) == [Take()]
    assert GAME.action_names(state, 1) == ("take",)


def test_b5_taking_is_always_allowed() -> None:
    state = script(position(FOUR), "0 lead 6S").state
    assert GAME.choices(state, 1) == [Beat("6S", "9S"), Beat("6S", "TS"), Take()]


def test_b5_nobody_with_cards_is_not_asked() -> None:
    step = script(position(["9S", "TS 7C", "8C 9C"], Options(throwers=Throwers.LEADER_ONLY)), "0 lead 9S", "1 take")
    assert told(step.events, events.Taken) == [events.Taken(1, ("9S",))]


def test_b5_choices_of_a_lead_are_all_sets_of_one_rank() -> None:
    state = position(["6S 6C 6D 7S", "8S 9S"])
    assert choices(state, 0, Lead) == [
        Lead(("6S",)),
        Lead(("6C",)),
        Lead(("6D",)),
        Lead(("6S", "6C")),
        Lead(("6S", "6D")),
        Lead(("6C", "6D")),
        Lead(("7S",)),
    ]


# 6. Caps.

EIGHT = ["6S 6C 6D 7S 7C 7D 8S 8C", "6H 7H 8H 9H TH JH QH KH"]
SIX_BEATEN = (
    "0 lead 6S 6C 6D",
    *("1 beat 6S 7H", "1 beat 6C 8H", "1 beat 6D 9H", "0 throw 7S 7C 7D"),
    *("1 beat 7S TH", "1 beat 7C JH", "1 beat 7D QH"),
)


def test_b6_table_limit_six_ends_the_bout() -> None:
    step = script(position(EIGHT, discard="AS", talon="9S"), *SIX_BEATEN)
    assert told(step.events, events.Bito)


def test_b6_table_limit_hand() -> None:
    state = script(position(EIGHT, Options(table_limit=Limit.HAND), discard="AS", talon="9S"), *SIX_BEATEN).state
    assert asked(state) == ("THROW", (0,))
    assert GAME.view(state, None).room == 2


@pytest.mark.parametrize("table_limit", Limit)
def test_b6_limit_first_is_five_and_six_once_he_takes(table_limit: Limit) -> None:
    state = position(EIGHT, Options(limit_first=5, table_limit=table_limit), talon="9S")
    assert GAME.view(state, None).room == 5
    assert GAME.view(script(state, "0 lead 6S", "1 take").state, None).room == 5


@pytest.mark.parametrize(
    ("scope", "bout", "discard", "room"),
    [
        (LimitFirstScope.UNTIL_FIRST_DISCARD, 1, "", 5),
        (LimitFirstScope.UNTIL_FIRST_DISCARD, 2, "", 5),
        (LimitFirstScope.UNTIL_FIRST_DISCARD, 2, "AS KS", 6),
        (LimitFirstScope.FIRST_BOUT, 1, "", 5),
        (LimitFirstScope.FIRST_BOUT, 2, "", 6),
    ],
)
def test_b6_limit_first_scope(scope: LimitFirstScope, bout: int, discard: str, room: int) -> None:
    state = position(EIGHT, Options(limit_first=5, limit_first_scope=scope), talon="9S", bout=bout, discard=discard)
    assert GAME.view(state, None).room == room


@pytest.mark.parametrize(("talon", "room"), [("9S", 6), ("", 8)])
def test_b6_limit_after_talon_empty_hand(talon: str, room: int) -> None:
    state = position(EIGHT, Options(limit_after_talon_empty=Limit.HAND), talon=talon, discard="AS")
    assert GAME.view(state, None).room == room


@pytest.mark.parametrize(("talon", "room"), [("9S", 8), ("", 6)])
def test_b6_limit_after_talon_empty_six(talon: str, room: int) -> None:
    state = position(EIGHT, Options(table_limit=Limit.HAND), talon=talon, discard="AS")
    assert GAME.view(state, None).room == room


@pytest.mark.parametrize(("after", "room", "taking"), [(Limit.SIX, 5, 5), (Limit.HAND, 8, 7)])
def test_b6_limit_first_when_the_talon_is_empty(after: Limit, room: int, taking: int) -> None:
    state = position(EIGHT, Options(limit_first=5, limit_after_talon_empty=after))
    assert GAME.view(state, None).room == room
    assert GAME.view(script(state, "0 lead 6S", "1 take").state, None).room == taking


def test_b6_a_transfer_counts_with_what_lies_there() -> None:
    hands = ["6S 6C 6D 7S 7C 8S", "6H 8H 9H TH JH QH", "9S TS JS"]
    state = script(position(hands, Options(kind=PEREVODNOY), talon="9C"), "0 lead 6S 6C 6D").state
    assert refused(state, "1 transfer 6H") is Reason.TRANSFER_HAND_TOO_SMALL


def test_b6_a_transfer_beyond_the_table_limit() -> None:
    hands = ["6S 6C 7S 7C 8S KS", "7H 8H 9H TH 8D", "9S TS JS QS KC AS"]
    options = Options(kind=PEREVODNOY, limit_first=5, transfer_after_beat=True)
    state = script(position(hands, options, talon="9C"), "0 lead 6S 6C", "1 beat 6S 7H", "1 beat 6C 8H").state
    state = script(state, "0 throw 7S 7C", "1 beat 7S 9H", "1 beat 7C TH", "0 throw 8S").state
    assert refusal(state, Act(1, Transfer(("8D",)), 0)) == (Reason.CAP_REACHED, {"cap": "table", "limit": "5"})


# 7. Kinds.


def test_b7_lead_size_single() -> None:
    state = position(["6S 6C", "8S 9S"], Options(lead_size=LeadSize.SINGLE))
    assert choices(state, 0, Lead) == [Lead(("6S",)), Lead(("6C",))]


def test_b7_throwers_all() -> None:
    state = script(position(FOUR), "0 lead 6S", "1 beat 6S 9S").state
    assert awaited(state) == ("THROW", (0,), (2, 3))


def test_b7_throwers_neighbours_of_two() -> None:
    state = script(position(FOUR[:2], Options(throwers=Throwers.NEIGHBOURS)), "0 lead 6S", "1 beat 6S 9S").state
    assert awaited(state) == ("THROW", (0,), ())


def test_b7_throwers_neighbours_in_teams() -> None:
    hands = [*FOUR, "TC JC", "QC KC"]
    options = Options(teams=2, throwers=Throwers.NEIGHBOURS)
    state = script(position(hands, options), "0 lead 6S", "1 beat 6S 9S").state
    assert awaited(state) == ("THROW", (0,), (2,))


def test_b7_throwers_leader_only() -> None:
    options = Options(throwers=Throwers.LEADER_ONLY, kind=PEREVODNOY)
    state = script(position(FOUR, options), "0 lead 7S", "1 take").state
    assert awaited(state) == ("THROW", (0,), ())
    passed = script(position(["9C 6S", "9S TS", "KC AC AD"], options), "0 lead 9C", "1 transfer 9S", "2 take").state
    assert awaited(passed) == ("THROW", (1,), ())


def test_b7_throw_match_rank() -> None:
    state = script(position(FOUR), "0 lead 6S", "1 beat 6S 9S").state
    assert choices(state, 0, Throw) == [Throw(("6C",))]


def test_b7_throw_match_rank_or_suit() -> None:
    state = script(position(FOUR, Options(throw_match=ThrowMatch.RANK_OR_SUIT)), "0 lead 6S", "1 beat 6S 9S").state
    assert choices(state, 0, Throw) == [Throw(("6C",)), Throw(("7S",))]


def test_b7_throw_match_a_joker_has_no_suit() -> None:
    options = Options(deck=54, throw_match=ThrowMatch.RANK_OR_SUIT)
    state = script(position(["6S JB", "JR TS 8D"], options), "0 lead 6S", "1 beat 6S JR").state
    assert choices(state, 0, Throw) == [Throw(("JB",))]


def test_b7_token_stays_with_the_thrower_and_comes_round() -> None:
    hands = ["6S 9D 7S", "9S TS TC JC QC", "TD TH 8C", "JS KD AD"]
    state = script(position(hands, talon="AH"), "0 lead 6S", "1 beat 6S 9S", "0 pass").state
    assert awaited(state) == ("THROW", (2,), (0, 3))
    assert refused(state, "2 throw TD") is Reason.THROW_MISMATCH
    hands[2] = "9C TD 8C"
    state = script(position(hands, talon="AH"), "0 lead 6S", "1 beat 6S 9S", "0 pass", "2 throw 9C").state
    state = script(state, "1 beat 9C TC").state
    assert awaited(state) == ("THROW", (2,), (0, 3))
    state = script(state, "2 throw TD", "1 take").state
    assert awaited(state) == ("THROW", (2,), (0, 3))
    step = script(state, "2 pass", "3 pass")
    assert awaited(step.state) == ("THROW", (0,), (2, 3))
    assert told(script(step.state, "0 throw 9D", "0 pass", "2 pass", "3 pass").events, events.Taken)


def test_b7_throw_batch_many() -> None:
    state = script(position(["6S 7S", "9S TS 8D", "9C 9D 8C"]), "0 lead 6S", "1 beat 6S 9S", "0 pass").state
    assert choices(state, 2, Throw) == [Throw(("9C",)), Throw(("9D",)), Throw(("9C", "9D"))]


def test_b7_throw_batch_one_moves_the_turn_on() -> None:
    hands = ["6S 6C 6D 7S", "9S TC TS 8D JD", "9C 9D 8C", "9H 7D"]
    options = Options(throw_batch=ThrowBatch.ONE)
    state = script(position(hands, options), "0 lead 6S", "1 beat 6S 9S").state
    assert Throw(("6C", "6D")) in choices(state, 0, Throw)
    state = script(state, "0 pass").state
    assert choices(state, 2, Throw) == [Throw(("9C",)), Throw(("9D",))]
    state = script(state, "2 throw 9C", "1 beat 9C TC").state
    assert awaited(state) == ("THROW", (3,), (0, 2))
    assert awaited(script(state, "3 pass").state) == ("THROW", (0,), (2, 3))


def test_b7_throw_timing_when_all_beaten() -> None:
    assert awaited(script(position(FOUR), "0 lead 6S").state) == ("DEFEND", (1,), ())


def test_b7_throw_timing_anytime() -> None:
    options = Options(throw_timing=ThrowTiming.ANYTIME)
    state = script(position(FOUR, options), "0 lead 6S").state
    assert awaited(state) == ("DEFEND", (1,), (0, 2, 3))
    assert choices(state, 2, Throw) == [Throw(("6D",))]
    more = script(state, "2 throw 6D").state
    assert window(more) != window(state)
    assert awaited(more) == ("DEFEND", (1,), (0, 2, 3))
    assert GAME.choices(script(more, "0 throw 6C").state, 3) == []


def test_b7_throw_timing_anytime_has_no_turns() -> None:
    hands = ["6S 6C 7S", "9S TC TS 8D JD", "6D 6H 8C", "8H 7D"]
    options = Options(throw_timing=ThrowTiming.ANYTIME, throw_batch=ThrowBatch.ONE)
    state = script(position(hands, options), "0 lead 6S").state
    assert choices(state, 2, Throw) == [Throw(("6D",)), Throw(("6H",))]
    assert refused(state, "2 throw 6D 6H") is Reason.ONE_CARD_ONLY
    twice = script(state, "2 throw 6D", "2 throw 6H").state
    assert awaited(twice) == ("DEFEND", (1,), (0, 2, 3))
    beaten = script(twice, "1 take").state
    assert awaited(beaten) == ("THROW", (0,), (2, 3))


@pytest.mark.parametrize("batch", ThrowBatch)
def test_b7_throw_timing_anytime_is_open_and_first_come_where_answers_are_sealed(batch: ThrowBatch) -> None:
    hands = ["6S 6C 7S", "9S TC", "6D 6H 8C", "8H 7D"]
    options = Options(throw_timing=ThrowTiming.ANYTIME, throw_order=ThrowOrder.FREE, throw_batch=batch)
    state = script(position(hands, options), "0 lead 6S").state
    step = script(state, "2 throw 6D")
    assert told(step.events, events.Thrown) == [events.Thrown(2, ("6D",), By.PLAYER)]
    assert not told(step.events, events.Answered)
    assert refused(step.state, "0 throw 6C") is Reason.CAP_REACHED
    late = script(state, "1 beat 6S 9S").state
    assert awaited(late) == ("THROW", (0, 2, 3), ())


def test_b7_throw_timing_anytime_in_a_simple_game() -> None:
    options = Options(kind=Kind.PROSTOY, throw_timing=ThrowTiming.ANYTIME)
    assert awaited(script(position(FOUR, options), "0 lead 6S").state) == ("DEFEND", (1,), ())


def test_b7_throw_after_take_true() -> None:
    state = script(position(FOUR), "0 lead 6S", "1 take").state
    assert awaited(state) == ("THROW", (0,), (2, 3))
    thrown = script(state, "0 throw 6C")
    assert awaited(thrown.state) == ("THROW", (0,), (2, 3))
    assert not told(thrown.events, events.Taken)


def test_b7_throw_after_take_false() -> None:
    step = script(position(FOUR, Options(throw_after_take=False)), "0 lead 6S", "1 take")
    assert told(step.events, events.Taken) == [events.Taken(1, ("6S",))]


def test_b7_passing_ahead_is_hidden_and_asks_the_same() -> None:
    state = script(position(FOUR), "0 lead 6S", "1 beat 6S 9S").state
    step = act(state, 2, Pass())
    assert step.events == ()
    assert GAME.awaiting(step.state) == GAME.awaiting(state)
    assert [GAME.view(step.state, seat).passed_ahead for seat in (0, 1, 2, None)] == [False, False, True, False]
    assert GAME.choices(step.state, 2) == []
    assert GAME.action_names(step.state, 2) == ()


def test_b7_a_pass_ahead_shows_each_time_its_turn_comes() -> None:
    hands = ["6S 6C 7S", "9S 9H 8D 7H", "6D 8C TC", "6H 7D KD"]
    state = script(position(hands), "0 lead 6S", "1 beat 6S 9S", "2 pass").state
    step = script(state, "0 pass")
    assert told(step.events, events.Passed) == [events.Passed(0, By.PLAYER), events.Passed(2, By.PLAYER)]
    assert asked(step.state) == ("THROW", (3,))
    again = script(state, "0 throw 6C", "1 beat 6C 9H", "0 pass")
    assert told(again.events, events.Passed) == [events.Passed(0, By.PLAYER), events.Passed(2, By.PLAYER)]


def test_b7_a_pass_ahead_is_void_once_a_new_rank_lies() -> None:
    hands = ["6S 6C 7S", "9S TC 8D", "6D 8C TD", "6H 7D KD"]
    state = script(position(hands), "0 lead 6S", "1 beat 6S 9S", "2 pass", "0 throw 6C", "1 beat 6C TC").state
    assert asked(script(state, "0 pass").state) == ("THROW", (2,))


@pytest.mark.parametrize("by", By)
def test_b7_a_pass_ahead_shows_who_chose_it(by: By) -> None:
    state = act(script(position(FOUR), "0 lead 6S", "1 beat 6S 9S").state, 2, Pass(), by).state
    step = script(state, "0 pass")
    assert told(step.events, events.Passed) == [events.Passed(0, By.PLAYER), events.Passed(2, by)]


def test_b7_one_who_has_passed_may_pass_ahead_too() -> None:
    state = script(position(FOUR), "0 lead 6S", "1 beat 6S 9S", "0 pass", "0 pass").state
    assert asked(script(state, "2 throw 9C", "1 take", "2 pass").state) == ("THROW", (3,))
    assert told(script(state, "2 throw 9C", "1 take", "2 pass", "3 pass").events, events.Taken)


def test_b7_free_all_answer_sealed() -> None:
    options = Options(throw_order=ThrowOrder.FREE)
    hands = ["6S 9H 7S", "9S TS 8D JD QD", "9C 8C KC", "9D 7D KD"]
    state = script(position(hands, options), "0 lead 6S", "1 beat 6S 9S").state
    assert awaited(state) == ("THROW", (0, 2, 3), ())
    step = script(state, "3 throw 9D")
    (answered,) = step.events
    assert answered.seen_by(0) == events.Answered(3, None, By.PLAYER)
    assert answered.seen_by(3) == events.Answered(3, ("9D",), By.PLAYER)
    assert awaited(step.state) == ("THROW", (0, 2), ())
    assert window(step.state) == window(state)
    assert [GAME.view(step.state, seat).answer for seat in (3, 2, None)] == [("9D",), None, None]
    assert GAME.choices(step.state, 3) == []
    assert GAME.choices(step.state, 2) == [Throw(("9C",)), Pass()]
    opened = script(step.state, "0 pass", "2 throw 9C")
    assert [type(event.public).__name__ for event in opened.events] == ["Answered", "Passed", "Thrown", "Thrown"]
    assert [thrown.seat for thrown in told(opened.events, events.Thrown)] == [2, 3]
    assert asked(opened.state) == ("DEFEND", (1,))


def test_b7_free_the_attacker_first_and_the_rest_goes_back() -> None:
    hands = ["6S 6C 6D", "9S TS 8D", "9C 9H", "9D 7D"]
    options = Options(throw_order=ThrowOrder.FREE)
    step = script(position(hands, options), *("0 lead 6S", "1 beat 6S 9S", "3 throw 9D", "2 throw 9C 9H", "0 throw 6C"))
    assert told(step.events, events.Thrown) == [
        events.Thrown(0, ("6C",), By.PLAYER),
        events.Thrown(2, ("9C",), By.PLAYER),
    ]
    assert told(step.events, events.Passed) == [events.Passed(3, By.PLAYER)]
    assert step.state.hands[2:] == (("9H",), ("7D", "9D"))


def test_b7_free_until_all_pass() -> None:
    options = Options(throw_order=ThrowOrder.FREE)
    state = script(position(FOUR, options), "0 lead 6S", "1 take").state
    more = script(state, "0 throw 6C", "2 pass", "3 pass").state
    assert awaited(more) == ("THROW", (0, 2, 3), ())
    assert told(script(more, "0 pass", "2 pass", "3 pass").events, events.Taken) == [events.Taken(1, ("6S", "6C"))]
