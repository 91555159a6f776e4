"""Durak: the bout, rule by rule; the numbers in the names are those of docs/rules/durak.md."""

import pytest
from support.durak import GAME, act, asked, position, refusal, refused, script, told

from croupier_engine.durak import events
from croupier_engine.durak.model import HAND, Action, Beat, Claim, Lead, Pass, State, Take, Throw, Transfer
from croupier_engine.durak.options import (
    Kind,
    LeadSize,
    Limit,
    LimitFirstScope,
    Options,
    Permission,
    Pogony,
    ThrowBatch,
    Throwers,
    ThrowMatch,
    ThrowOrder,
    ThrowTiming,
    TransferFirstBout,
)
from croupier_engine.errors import Reason
from croupier_engine.game import Act, By, Resign

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
    assert refused(state, "2 throw TD") is Reason.RANK_MISMATCH
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
    assert refused(state, "2 throw 6D 6H") is Reason.CARDS_INVALID
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


def test_b7_transfer_only_while_nothing_is_beaten() -> None:
    hands = ["6S 6C", "9S 6D 7D", "8C 9C TC"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 6S 6C").state
    assert Transfer(("6D",)) in GAME.choices(state, 1)
    assert not choices(script(state, "1 beat 6S 9S").state, 1, Transfer)


def test_b7_transfer_after_beat() -> None:
    hands = ["6S 6C", "9S 6D 7D", "8C 9C TC"]
    options = Options(kind=PEREVODNOY, transfer_after_beat=True)
    state = script(position(hands, options), "0 lead 6S 6C", "1 beat 6S 9S", "1 transfer 6D").state
    assert asked(state) == ("DEFEND", (2,))
    assert [pair.cover for pair in state.bout.table] == ["9S", None, None]
    step = script(state, "2 take", "1 pass")
    assert told(step.events, events.Taken) == [events.Taken(2, ("6S", "9S", "6C", "6D"))]


def test_b7_transfer_only_of_one_rank() -> None:
    options = Options(kind=PEREVODNOY, throw_timing=ThrowTiming.ANYTIME, throw_match=ThrowMatch.RANK_OR_SUIT)
    state = script(position(["6S 7S", "6D 7D 8D", "8C 9C TC"], options), "0 lead 6S", "0 throw 7S").state
    assert refused(state, "1 transfer 6D") is Reason.RANK_MISMATCH


def test_b7_transfer_target_with_a_talon_is_any_player() -> None:
    hands = ["6S 6C 6H 7S 7C 7D", "6D 8D 9D TD JD QD", ""]
    state = script(position(hands, Options(kind=PEREVODNOY), talon="AH"), "0 lead 6S").state
    assert refused(state, "1 transfer 6D") is Reason.TRANSFER_HAND_TOO_SMALL


def test_b7_transfer_passes_over_who_has_no_cards() -> None:
    hands = ["9S", "9C 6C 7C 8C TC", "9H QS KS AS", "9D TD JD QD"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 9S", "1 transfer 9C", "2 transfer 9H").state
    assert asked(script(state, "3 transfer 9D").state) == ("DEFEND", (1,))


def test_b7_transfer_may_run_round_the_table() -> None:
    hands = ["6S 7S 8S 9S TS", "6C 7C 8C", "6D 7D 8D"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 6S", "1 transfer 6C", "2 transfer 6D").state
    assert asked(state) == ("DEFEND", (0,))
    taken = script(state, "0 take")
    assert awaited(taken.state) == ("THROW", (2,), (1,))
    assert asked(script(taken.state, "2 pass", "1 pass").state) == ("LEAD", (1,))


@pytest.mark.parametrize(
    ("rule", "game", "bout", "legal"),
    [
        (TransferFirstBout.ALLOWED, 1, 1, True),
        (TransferFirstBout.FORBIDDEN_FIRST_GAME, 1, 1, False),
        (TransferFirstBout.FORBIDDEN_FIRST_GAME, 2, 1, True),
        (TransferFirstBout.FORBIDDEN, 2, 1, False),
        (TransferFirstBout.FORBIDDEN, 1, 2, True),
    ],
)
def test_b7_transfer_first_bout(rule: TransferFirstBout, game: int, bout: int, legal: bool) -> None:
    options = Options(kind=PEREVODNOY, transfer_first_bout=rule, games=2)
    state = script(position(["6S 7S", "6C 7C", "8C 9C"], options, game=game, bout=bout), "0 lead 6S").state
    assert bool(choices(state, 1, Transfer)) == legal


@pytest.mark.parametrize("rule", Permission)
def test_b7_transfer_with_trump_on_table(rule: Permission) -> None:
    options = Options(kind=PEREVODNOY, transfer_with_trump_on_table=rule)
    state = script(position(["6H 7S", "6C 7C", "8C 9C"], options), "0 lead 6H").state
    assert bool(choices(state, 1, Transfer)) == (rule is Permission.ALLOWED)


@pytest.mark.parametrize(("multi", "count"), [(True, 3), (False, 2)])
def test_b7_transfer_multi(multi: bool, count: int) -> None:
    options = Options(kind=PEREVODNOY, transfer_multi=multi)
    state = script(position(["6S 7S", "6C 6D 7C", "8C 9C TC"], options), "0 lead 6S").state
    assert len(choices(state, 1, Transfer)) == count


# 8. The end of a bout.


def test_b8_3_the_draw_goes_round_from_the_leader_and_the_defender_is_last() -> None:
    hands = ["6S 7S 8S 9S TS", "7C 8C 9C", "6D 7D", "JS QS KS AS"]
    options = Options(kind=PEREVODNOY)
    step = script(position(hands, options, talon="6H 7H 8H 9H TH JH QH KH AH"), "0 lead 6S", "1 take", "0 pass")
    step = script(step.state, "2 pass", "3 pass")
    assert [(drew.seat, drew.count) for drew in told(step.events, events.Drew)] == [(0, 2), (2, 4), (3, 2), (1, 1)]


def test_b8_3_the_leader_who_became_the_defender_draws_last() -> None:
    hands = ["6S 7C 8S 9S TS JS", "6C 7S 8C", "6D 7D 8D"]
    state = position(hands, Options(kind=PEREVODNOY), talon="QS KS AS QC KC AC TC JC 9C 9H")
    step = script(state, "0 lead 6S", "1 transfer 6C", "2 transfer 6D", "0 take", "2 pass", "1 pass")
    assert [drew.seat for drew in told(step.events, events.Drew)] == [1, 2]


def test_b8_3_what_is_drawn_is_for_its_player_alone() -> None:
    state = position(["6S 7S 8S 9S TS", "7C 8C 9C TC JC QC"], talon="KS 7H")
    step = script(state, "0 lead 6S", "1 take", "0 pass")
    (drew,) = [event for event in step.events if event.type == "durak.drew"]
    assert drew.seen_by(0) == events.Drew(0, 2, ("KS", "7H"))
    assert drew.seen_by(1) == drew.seen_by(None) == events.Drew(0, 2, ("7H",))


def test_b8_1_the_next_leader_when_the_defender_is_out() -> None:
    step = script(position(["6S 7S", "9S", "8C 9C"]), "0 lead 6S", "1 beat 6S 9S")
    assert told(step.events, events.WentOut) == [events.WentOut(1, 1)]
    assert asked(step.state) == ("LEAD", (2,))


def test_b8_6_places_inside_a_bout_go_by_the_last_card() -> None:
    state = position(["6S", "6C 9S", "9C", "7C 8C"], leader=0)
    step = script(state, "0 lead 6S", "1 beat 6S 9S", "2 throw 9C", "1 take")
    assert told(step.events, events.WentOut) == [events.WentOut(0, 1), events.WentOut(2, 2)]


def test_b8_6_in_a_draw_the_last_ones_share_the_place() -> None:
    step = script(position(["9S", "TS", ""], out=[2]), "0 lead 9S", "1 beat 9S TS")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (), (2, 2, 1), (0, 0, 0))]


def test_b8_7_max_bouts() -> None:
    step = script(position(["6S 7S", "8C 9C"], Options(max_bouts=3), bout=3), "0 lead 6S", "1 take", "0 pass")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (), (1, 1), (0, 0))]


# 10. Out of time, epaulettes, what is seen.


def test_b10_nothing_lies_there_once_somebody_gave_up() -> None:
    taking = script(position(["6S 6C 7S", "9S TS 8D"]), "0 lead 6S", "1 take").state
    assert GAME.view(taking, None).taking
    view = GAME.view(GAME.apply(taking, Resign(0, 0)).state, 0)
    assert (view.taking, view.table, view.room) == (False, (), 0)


@pytest.mark.parametrize(
    ("hand", "card"),
    [("6H 7S 8C", "7S"), ("8H 7H", "7H"), ("JR 7H", "7H"), ("JB JR", "JB")],
)
def test_b10_out_of_time_leads_the_lowest_card_that_is_no_trump(hand: str, card: str) -> None:
    state = position([hand, "9S TS"], Options(deck=54))
    assert GAME.default(state, 0) == Lead((card,))


def test_b10_out_of_time_takes_and_passes() -> None:
    state = script(position(FOUR), "0 lead 6S").state
    assert GAME.default(state, 1) == Take()
    assert GAME.default(script(state, "1 beat 6S 9S").state, 0) == Pass()


@pytest.mark.parametrize(
    ("hands", "lines", "worn"),
    [
        (["6S 6D", "8C 9C"], ["0 lead 6S 6D", "1 take"], True),
        (["6S 6D 6C", "8C 9C TC JC"], ["0 lead 6S 6D 6C", "1 take"], False),
        (["7S 7D", "8C 9C"], ["0 lead 7S 7D", "1 take"], False),
        (["9S 6S 6D", "6H 8C 9C"], ["0 lead 9S", "1 beat 9S 6H", "0 throw 6S 6D", "1 take"], True),
        (["6S 6D", "8S 9C TC"], ["0 lead 6S", "1 beat 6S 8S", "0 throw 6D", "1 take"], False),
        (["6S 6D", "8S 9C TC"], ["0 lead 6S", "1 take", "0 throw 6D"], False),
        (["6S 6D", "8S 9C TC"], ["0 lead 6S 6D", "1 beat 6S 8S", "1 take"], True),
        (["6S 6D", "8S 8D 9C"], ["0 lead 6S 6D", "1 beat 6S 8S", "1 beat 6D 8D"], False),
    ],
)
@pytest.mark.parametrize("pogony", Pogony)
def test_b10_pogony(hands: list[str], lines: list[str], worn: bool, pogony: Pogony) -> None:
    step = script(position(hands, Options(pogony=pogony)), *lines)
    assert told(step.events, events.GameOver)
    assert bool(told(step.events, events.Epaulettes)) == (worn and pogony is Pogony.RECORD)


def test_b10_pogony_are_not_for_one_who_did_not_take() -> None:
    state = position(["6S 6D", "8C 9C", "TC"], Options(pogony=Pogony.RECORD), leader=2)
    step = script(state, "2 lead TC", "0 take")
    assert not told(step.events, events.Epaulettes)


def test_b2_1_all_hands_are_of_six() -> None:
    assert HAND == 6


def test_b2_4_who_has_laid_from_it_may_still_claim() -> None:
    hands = ["6S 7S 8S 9S JS 6H", "9C TC JC QC 6D 7D"]
    state = script(position(hands, bout=1, talon="7H"), "0 lead 6S").state
    assert awaited(state) == ("DEFEND", (1,), (0,))
    assert GAME.choices(state, 0) == [Claim()]
    assert GAME.choices(state, 1)[-1] == Take()
