"""Durak: the bout, rule by rule; the numbers in the names are those of docs/rules/durak.md."""

import pytest
from support.durak import GAME, asked, awaited, choices, position, refusal, refused, script, told, window

from croupier_engine.durak import events
from croupier_engine.durak.model import HAND, Beat, Claim, Lead, Pass, Take, Transfer
from croupier_engine.durak.options import (
    Kind,
    Limit,
    LimitFirstScope,
    Options,
    Pogony,
    Throwers,
)
from croupier_engine.errors import Reason
from croupier_engine.game import Act, Resign

PEREVODNOY = Kind.PEREVODNOY
FOUR = ["6S 6C 7S", "9S TS 8D", "6D 9C 8C", "6H 7D 9D"]


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


# 9. Teams.


def test_b9_a_team_wins_when_all_its_players_are_out() -> None:
    state = position(["9S", "TC JC", "", "QC KC"], Options(teams=2), out=[2])
    step = script(state, "0 lead 9S", "1 take")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (1, 3), (1, 3, 1, 3), (0, 1, 0, 1))]
    outcome = GAME.outcome(step.state)
    assert outcome is not None
    assert outcome.places == (1, 3, 1, 3)


def test_b9_teams_sit_by_turns() -> None:
    assert [GAME.team(Options(teams=2), seat) for seat in range(4)] == [0, 1, 0, 1]
    assert GAME.team(Options(), 3) is None


def test_b9_the_view_tells_who_plays_for_the_two_places() -> None:
    hands = ["", "9S TS", "6C 7C", "8D KD"]
    view = GAME.view(position(hands, Options(teams=2), leader=0, out=[0]), None)
    assert (view.principal, view.attacking, view.defender, view.defending) == (0, 2, 1, 1)
    passed = GAME.view(script(position(["6S 7S", "6C 9S", "TS JS"], Options(PEREVODNOY)), "0 lead 6S").state, None)
    assert (passed.attacking, passed.defending) == (0, 1)


def test_b9_nothing_lies_there_once_it_is_over() -> None:
    state = script(position(["9S", "", "", "QC KC"], Options(teams=2), out=[1, 2]), "0 lead 9S", "3 take").state
    view = GAME.view(state, None)
    assert GAME.outcome(state) is not None
    assert (view.defender, view.defending, view.taking, view.table) == (1, 3, False, ())


def test_b10_nothing_lies_there_once_somebody_gave_up() -> None:
    taking = script(position(["6S 6C 7S", "9S TS 8D"]), "0 lead 6S", "1 take").state
    assert GAME.view(taking, None).taking
    view = GAME.view(GAME.apply(taking, Resign(0, 0)).state, 0)
    assert (view.taking, view.table, view.room) == (False, (), 0)


def test_b9_one_who_stands_in_takes_and_defends() -> None:
    hands = ["6S 7S", "", "6C 7C", "8D 9D TD", "6D 7D", "8H 9H"]
    state = script(position(hands, Options(teams=2), leader=0, out=[1]), "0 lead 6S").state
    assert asked(state) == ("DEFEND", (3,))
    assert GAME.view(state, None).defending == 3
    step = script(state, "3 take", "0 pass", "2 pass", "4 pass")
    assert told(step.events, events.Taken) == [events.Taken(3, ("6S",))]
    assert asked(step.state) == ("LEAD", (2,))


# 10. Out of time, epaulettes, what is seen.


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
