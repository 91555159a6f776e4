"""Freedom of Speech: time, judging, flags, what is seen, giving up; see test_freedom_of_speech_rules."""

import pytest
from support.freedom_of_speech import (
    ELEPHANT,
    GAME,
    NOW,
    act,
    asked,
    position,
    refusal,
    refused,
    script,
    some_words,
    told,
    turn,
)

from croupier_engine.errors import Reason
from croupier_engine.freedom_of_speech import events, text
from croupier_engine.freedom_of_speech.model import CLOSED, Closed, Foul, Guess, OpenClue, Phase, State
from croupier_engine.freedom_of_speech.options import Judge, Options, TurnMode
from croupier_engine.game import Act, Credit, Outcome, Resign, Step, Tick

RELAY = TurnMode.TEAM_RELAY

# 5. The machine.


def test_c5_a_pause_sets_the_timer_and_flags_back() -> None:
    state = act(position(), "0 clue grey").state
    credited = GAME.apply(state, Credit(30_000, NOW + 2000)).state
    assert credited.deadline == NOW + 90_000
    assert refusal(credited, Tick(NOW + 60_000)) == (Reason.TICK_EARLY, {})
    assert told(act(credited, "1 flag 1", NOW + 40_999).events, events.Flagged) == [events.Flagged(1, 1)]
    assert refused(state, "1 flag 1", NOW + 40_999) is Reason.FLAG_TOO_LATE


def test_c5_windows_and_who_may_act() -> None:
    ready = asked(position(phase=Phase.READY))
    assert (ready.window, ready.kind, ready.must, ready.may) == ("q1.ready", "READY", (0,), (1, 2, 3))
    state = act(position(phase=Phase.READY), "0 start").state
    clue = asked(state)
    assert (clue.window, clue.kind, clue.must, clue.may) == ("c2.clue", "CLUE", (), (0, 1, 2, 3))
    assert asked(script(state, "0 clue grey", "2 guess mouse").state).window == clue.window


# 6. Judging by the giver; what letters say is in test_freedom_of_speech_lexicon.


@pytest.mark.parametrize("mode", TurnMode)
def test_c6_1_the_giver_accepts_what_he_hears(mode: TurnMode) -> None:
    state = position(Options(judge=Judge.GIVER, turn_mode=mode))
    assert "accept" in GAME.action_names(state, 0)
    typed = act(state, "2 guess elephant")
    assert told(typed.events, events.Guessed) == [events.Guessed(2, "elephant", right=False)]
    assert told(typed.events, events.Scored) == []
    step = act(state, "0 accept")
    assert told(step.events, events.Scored) == [events.Scored(0, 0, None, ELEPHANT, (1, 0))]
    assert refused(state, "0 accept", NOW + 60_000) is Reason.TIMER_RUN_OUT
    assert refused(state, "2 accept") is Reason.NOT_YOUR_PART
    assert refused(position(), "0 accept") is Reason.WRONG_ACTION


@pytest.mark.parametrize(
    ("options", "guess", "right"),
    [
        (Options(), "elephnt", False),
        (Options(fuzzy=1), "elephnt", True),
        (Options(fuzzy=1), "elephxnt", True),
        (Options(fuzzy=1), "ellephant", True),
        (Options(fuzzy=1), "elepxxnt", False),
        (Options(), "an Elephant!", True),
        (Options(), "is it an elephant", False),
        (Options(contain=True), "is it an elephant", True),
        (Options(contain=True), "elephants", False),
    ],
)
def test_c6_1_how_a_guess_is_judged(options: Options, guess: str, right: bool) -> None:
    step = GAME.apply(position(options), Act(2, Guess(guess), NOW + 1000))
    assert bool(told(step.events, events.Scored)) is right


# 6.3 Flags.


def flagged(state: State, *lines: str, at: int = NOW + 2000) -> Step[State]:
    """A clue, and then what is said."""
    return script(act(state, "0 clue grey").state, *lines, at=at)


def test_c6_3_more_than_half_of_the_opponents_uphold_a_flag() -> None:
    one = flagged(position(), "1 flag 1")
    assert told(one.events, events.Fouled) == []
    for viewer, may in ((2, False), (1, False), (3, True), (None, False)):
        assert GAME.view(one.state, viewer).open_clues == (OpenClue(1, 0, (1,), NOW + 11_000, may),)
    both = flagged(position(), "1 flag 1", "3 flag 1")
    assert told(both.events, events.Fouled) == [events.Fouled(0, Foul.FLAGGED, 1, ELEPHANT)]
    assert (turn(both.state), both.state.dead) == ((Phase.READY, 1), (0,))
    assert GAME.view(both.state, None).open_clues == ()


def test_c6_3_two_of_three_are_enough_and_those_who_left_do_not_count() -> None:
    assert told(flagged(position(seats=6), "1 flag 1", "5 flag 1").events, events.Fouled)
    eight = position(seats=8)
    assert told(flagged(eight, "1 flag 1", "3 flag 1").events, events.Fouled) == []
    assert told(flagged(eight, "1 flag 1", "3 flag 1", "7 flag 1").events, events.Fouled)
    left = position(seats=8, resigned=[7])
    assert told(flagged(left, "1 flag 1", "3 flag 1").events, events.Fouled)


@pytest.mark.parametrize("referee", [1, 2])
def test_c6_3_a_flag_of_the_referee_is_upheld_at_once(referee: int) -> None:
    step = flagged(position(Options(referee=referee)), f"{referee} flag 1")
    assert told(step.events, events.Fouled) == [events.Fouled(0, Foul.FLAGGED, 1, ELEPHANT)]


def test_c6_3_nobody_flags_himself_or_his_team() -> None:
    state = act(position(Options(referee=0)), "0 clue grey").state
    assert refused(state, "0 flag 1") is Reason.NOT_YOUR_PART
    assert refused(state, "2 flag 1") is Reason.NOT_YOUR_PART


@pytest.mark.parametrize("duration", [100, 10_000, 600_000])
def test_c6_3_how_long_a_clue_can_be_flagged(duration: int) -> None:
    state = act(position(Options(flag_duration=duration, timer_duration=600_000)), "0 clue grey", NOW).state
    assert told(act(state, "1 flag 1", NOW + duration - 1).events, events.Flagged)
    assert refused(state, "1 flag 1", NOW + duration) is Reason.FLAG_TOO_LATE
    assert GAME.view(GAME.apply(state, Tick(NOW + 600_000)).state, 1).open_clues == ()


@pytest.mark.parametrize(("mode", "lost"), [(TurnMode.HOT_POTATO, False), (RELAY, True), (TurnMode.SOLO, True)])
def test_c6_3_a_point_is_taken_back_and_a_turn_lost_that_runs_still(mode: TurnMode, lost: bool) -> None:
    state = script(position(Options(turn_mode=mode)), "0 clue grey", "2 guess elephant").state
    step = script(state, "1 flag 1", "3 flag 1", at=NOW + 3000)
    assert told(step.events, events.TakenBack) == [events.TakenBack(0, 1, ELEPHANT, (0, 0))]
    assert step.state.piles == ((), ())
    open_card = some_words(1)[0]
    fouls = [events.Fouled(0, Foul.FLAGGED, 1, open_card)] if lost else []
    assert told(step.events, events.Fouled) == fouls
    assert set(step.state.dead) == ({0, 1} if lost else {0})
    assert turn(step.state) == (Phase.READY if lost else Phase.CLUE, 1)


def test_c6_3_a_flag_after_the_buzz_changes_no_more_than_the_point() -> None:
    state = script(position(Options(turn_mode=RELAY)), "0 clue grey", "2 guess elephant", at=NOW + 59_000).state
    state = script(state, "tick").state
    step = script(state, "1 flag 1", "3 flag 1", at=NOW + 61_000)
    assert told(step.events, events.TakenBack) == [events.TakenBack(0, 1, ELEPHANT, (0, 0))]
    assert told(step.events, events.Fouled) == []
    assert turn(step.state) == (Phase.READY, 1)


def test_c6_3_a_card_that_died_is_not_taken_back() -> None:
    state = script(position(won=(1, 0)), "0 clue grey", "0 skip").state
    step = script(state, "1 flag 1", "3 flag 1", at=NOW + 3000)
    assert told(step.events, events.TakenBack) == []
    assert told(step.events, events.Fouled) == [events.Fouled(0, Foul.FLAGGED, 1, some_words(1)[0])]


def test_c6_3_a_team_with_enough_cards_is_below_again() -> None:
    state = position(Options(turn_mode=RELAY, equal_turns=True), won=(20, 20), turns=(5, 5))
    state = script(state, "0 clue grey", "2 guess elephant", "1 start", "3 flag 1", "1 flag 1").state
    assert GAME.scores(state) == (20, 20, 20, 20)
    assert told(script(state, "tick").events, events.Ended) == []


# 6.4 Rates.


def test_c6_4_five_messages_in_a_second() -> None:
    state = position()
    for number in range(5):
        state = act(state, f"2 guess mouse {number}", NOW + 1000 + number).state
    late = refusal(state, Act(2, Guess("elephant"), NOW + 1999))
    assert late == (Reason.TOO_FAST, {"limit": "5", "retry_after": "1"})
    assert told(act(state, "2 guess elephant", NOW + 2000).events, events.Scored)
    assert told(act(state, "0 clue grey", NOW + 1999).events, events.ClueGiven)  # each counts for himself


# 7. Visibility.


@pytest.mark.parametrize(("shown", "seeing"), [(True, [0, 1, 3]), (False, [0])])
def test_c7_who_sees_the_card(shown: bool, seeing: list[int]) -> None:
    options = Options(opponents_see_card=shown)
    state = position(options)
    assert [seat for seat in range(4) if GAME.view(state, seat).word] == seeing
    drawn = act(position(options, phase=Phase.READY), "0 start").events[-1]
    assert [seat for seat in range(4) if "elephant" in repr(drawn.seen_by(seat))] == seeing
    for nobody in (None, -1, 4, 99):
        assert GAME.view(state, nobody).word is None
    assert "elephant" not in repr(drawn.seen_by(None))


def test_c7_closed_cards_are_seen_by_all() -> None:
    state = position(won=(2, 1), dead=2)
    names = [ELEPHANT.word, *(each.word for each in some_words(17))]
    closed = [Closed(names[card], 0) for card in state.piles[0]] + [Closed(names[card], 1) for card in state.piles[1]]
    closed += [Closed(names[card], None) for card in state.dead]
    for viewer in (None, 0, 1, 2, 3):
        assert GAME.view(state, viewer).closed == tuple(closed)
    dead = script(state, "tick").state
    assert GAME.view(dead, 2).closed == (*closed, Closed("elephant", None))
    many = GAME.view(position(won=(23, 1), dead=22, deck=0), None).closed
    assert [each.team for each in many] == [0] * CLOSED + [1] + [None] * CLOSED
    assert many[-1] == Closed(some_words(46)[-1].word, None), "the latest are kept"


# 8. Giving up.


@pytest.mark.parametrize(("seats", "seat"), [(6, 0), (4, 0), (4, 1), (4, 2)])
def test_c8_1_the_card_of_a_turn_that_ends_by_giving_up_is_told(seats: int, seat: int) -> None:
    step = GAME.apply(position(seats=seats), Resign(seat, NOW + 1000))
    assert step.events[0].seen_by(None) == events.Dropped(seat, ELEPHANT)
    assert text.event(events.Dropped(seat, ELEPHANT)) == f"{seat} has given up; <<elephant>> is dead"
    assert len(told(step.events, events.Dropped)) == 1
    assert step.state.dead == (0,)
    assert Closed("elephant", None) in GAME.view(step.state, 3).closed
    stays = GAME.apply(position(seats=6), Resign(2, NOW + 1000))
    assert told(stays.events, events.Dropped) == []


def test_c8_1_the_others_of_the_team_play_on() -> None:
    state = GAME.apply(position(seats=6), Resign(0, NOW + 1000)).state
    assert turn(state) == (Phase.READY, 1)
    assert state.dead == (0,)
    gave = []
    for _ in range(6):
        gave.append(turn(state)[1])
        state = script(state, "tick", "tick", at=NOW).state
    assert gave == [1, 2, 3, 4, 5, 2]


@pytest.mark.parametrize("seat", [2, 4])
def test_c8_1_a_guesser_who_gives_up_does_not_end_the_turn(seat: int) -> None:
    state = GAME.apply(position(Options(turn_mode=RELAY), seats=6), Resign(seat, NOW + 1000)).state
    assert turn(state) == (Phase.CLUE, 0)
    assert seat not in asked(state).may
    gave = []
    for _ in range(3):
        state = act(state, f"{6 - seat - turn(state)[1]} guess {GAME.view(state, 1).word.word}").state  # type: ignore[union-attr]
        gave.append(turn(state)[1])
    assert gave == [6 - seat, 0, 6 - seat]


def test_c8_1_the_next_gives_once_where_a_giver_left_before_the_start() -> None:
    state = position(seats=6, phase=Phase.READY)
    step = GAME.apply(state, Resign(0, NOW + 1000))
    assert told(step.events, events.Ready) == [events.Ready(0, 2, 0)]
    assert asked(step.state).window != asked(state).window
    assert turn(script(step.state, *["tick"] * 4).state) == (Phase.READY, 4)


@pytest.mark.parametrize("phase", [Phase.READY, Phase.CLUE])
@pytest.mark.parametrize("seat", range(4))
def test_c8_1_a_team_of_one_has_lost(seat: int, phase: Phase) -> None:
    over = GAME.apply(position(won=(5, 5), phase=phase), Resign(seat, NOW + 1000))
    assert told(over.events, events.Ended) == [events.Ended(1 - seat % 2, (5, 5))]
    lost = ((3, 1, 3, 1), (1, 3, 1, 3))[seat % 2]
    assert GAME.outcome(over.state) == Outcome(lost, (5, 5, 5, 5))
    cards = [*over.state.deck, *over.state.piles[0], *over.state.piles[1], *over.state.dead]
    assert sorted(cards) == list(range(23))


def test_c8_4_scores_are_those_of_the_team() -> None:
    assert GAME.scores(position(won=(3, 4), seats=5)) == (3, 4, 3, 4, 3)
    assert GAME.outcome(position()) is None
    assert [GAME.team(Options(), seat) for seat in range(4)] == [0, 1, 0, 1]
