"""Freedom of Speech: turns and how it ends, rule by rule; the numbers in the names are those of its page of rules."""

from typing import cast

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
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import STEPS, Phase, Rule, State
from croupier_engine.freedom_of_speech.options import ForfeitMode, Language, Level, Options, TurnMode
from croupier_engine.freedom_of_speech.words import shipped
from croupier_engine.game import Act, By, Credit, Deal, Step, Tick

RELAY, SOLO, POTATO = TurnMode.TEAM_RELAY, TurnMode.SOLO, TurnMode.HOT_POTATO
BOMB = Options(timer_min_duration=45_000, timer_max_duration=75_000)


def timed(order: int, options: Options = BOMB) -> State:
    """A turn whose random timer fell on a length."""
    started = act(position(options, phase=Phase.READY), "0 start", NOW)
    rest = (number for number in range(STEPS) if number != order)
    return GAME.apply(started.state, Deal((order, *rest), NOW)).state


# 1. Setup.


def test_c1_1_every_team_has_its_own_rotation() -> None:
    state = position(Options(), seats=5)
    gave = []
    for _ in range(8):
        gave.append(turn(state)[1])
        state = script(state, "tick", "tick", at=NOW).state
    assert gave == [0, 1, 2, 3, 4, 1, 0, 3]


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("language", Language)
def test_c1_2_the_list_of_a_language_and_a_level(language: Language, level: Level) -> None:
    state = GAME.start(Options(language=language, level=level), 4, 0).state
    lot = GAME.apply(state, Deal((1, 0), 0))
    assert asked(lot.state).chance == len(shipped(language, level))


def test_c1_2_a_deck_is_a_value_whatever_kind_of_sequence_its_order_comes_in() -> None:
    own = Options(words=some_words(20))
    lot = GAME.apply(GAME.start(own, 4, 0).state, Deal((0, 1), 0)).state
    order = list(range(20))
    state = GAME.apply(lot, Deal(cast(tuple[int, ...], order), 0)).state
    order.clear()
    assert state.deck == tuple(range(20))


def test_c1_2_a_list_of_ones_own() -> None:
    own = Options(words=some_words(20))
    state = script(GAME.start(own, 4, 0).state, "deal", "deal", "0 start", at=NOW).state
    seen = GAME.view(state, 0).word
    assert seen == own.words[0]
    assert GAME.shown_options(own) == Options()


@pytest.mark.parametrize("team", [0, 1])
def test_c1_3_the_lot_says_who_begins(team: int) -> None:
    lot = GAME.apply(GAME.start(Options(), 4, 0).state, Deal((team, 1 - team), NOW))
    assert told(lot.events, events.TeamDrawn) == [events.TeamDrawn(team)]
    shuffled = script(lot.state, "deal")
    assert turn(shuffled.state) == (Phase.READY, team)
    assert asked(shuffled.state).must == (team,)


# 3. Common rules.


def test_c3_1_the_clock_starts_for_a_giver_who_does_not() -> None:
    state = position(Options(start_duration=7_000), phase=Phase.READY)
    assert refusal(state, Tick(NOW + 6_999)) == (Reason.TICK_EARLY, {})
    step = GAME.apply(state, Tick(NOW + 7_000))
    assert told(step.events, events.Started) == [events.Started(1, 0, By.CLOCK)]
    assert step.state.deadline == NOW + 67_000
    assert act(state, "0 start").events[0].public == events.Started(1, 0, By.PLAYER)
    by_clock = GAME.apply(state, Act(0, GAME.default(state, 0), NOW + 7_000, By.CLOCK))
    assert told(by_clock.events, events.Started) == [events.Started(1, 0, By.CLOCK)]


def test_c3_3_a_buzz_is_early_until_it_is_due() -> None:
    assert refusal(position(), Tick(NOW + 59_999)) == (Reason.TICK_EARLY, {})


@pytest.mark.parametrize("mode", TurnMode)
def test_c3_5_a_foul_is_the_other_teams_turn(mode: TurnMode) -> None:
    state = position(Options(turn_mode=mode), seats=6)
    step = act(state, "0 clue elephants")
    assert turn(step.state) == (Phase.READY, 1)
    assert (step.state.dead, step.state.piles, step.state.turns) == ((0,), ((), ()), (1, 0))
    assert turn(script(step.state, "tick", "tick").state) == (Phase.READY, 2)


@pytest.mark.parametrize("mode", TurnMode)
def test_c3_6_a_skip_costs_a_card_and_the_timer_runs_on(mode: TurnMode) -> None:
    state = position(Options(turn_mode=mode), won=(2, 1))
    first, last = state.piles[0]
    step = act(state, "0 skip", NOW + 9_000)
    lost = some_words(20)[last - 1]
    assert told(step.events, events.Skipped) == [events.Skipped(0, ELEPHANT, lost, (1, 1))]
    assert (step.state.piles[0], set(step.state.dead)) == ((first,), {0, last})
    assert turn(step.state) == (Phase.CLUE, 0)
    assert step.state.deadline == NOW + 60_000
    assert step.state.current == state.deck[0]


@pytest.mark.parametrize("win_at", [1, 7, 21, 200])
@pytest.mark.parametrize("mode", TurnMode)
def test_c3_7_so_many_cards_win_at_once(mode: TurnMode, win_at: int) -> None:
    state = position(Options(turn_mode=mode, win_at=win_at), won=(win_at - 1, 0), turns=(1, 1))
    over = act(state, "2 guess elephant")
    assert told(over.events, events.Ended) == [events.Ended(0, (win_at, 0))]
    before = position(Options(turn_mode=mode, win_at=win_at + 1), won=(win_at - 1, 0))
    assert told(act(before, "2 guess elephant").events, events.Ended) == []


# 4. Modes.


@pytest.mark.parametrize(("mode", "guessed", "buzzed"), [(POTATO, 1, 1), (RELAY, 2, 1), (SOLO, 0, 1)])
def test_c4_1_who_gives_next(mode: TurnMode, guessed: int, buzzed: int) -> None:
    state = position(Options(turn_mode=mode))
    assert turn(act(state, "2 guess elephant").state) == (Phase.CLUE, guessed)
    assert turn(script(state, "tick").state) == (Phase.READY, buzzed)


def test_c4_1_the_relay_goes_on_where_it_was() -> None:
    state = script(position(Options(turn_mode=RELAY), seats=6), "2 guess elephant", "tick").state
    assert turn(state) == (Phase.READY, 1)
    assert turn(script(state, "tick", "tick").state) == (Phase.READY, 4)


@pytest.mark.parametrize("length", [1_000, 60_000, 600_000])
def test_c4_2_a_timer_of_fixed_length(length: int) -> None:
    state = act(position(Options(timer_duration=length), phase=Phase.READY), "0 start", NOW).state
    assert (state.deadline, asked(state).secret) == (NOW + length, False)
    assert asked(state).deadline == NOW + length


@pytest.mark.parametrize(("order", "length"), [(0, 45_000), (1, 45_250), (60, 60_000), (120, 75_000)])
def test_c4_2_a_random_timer_is_secret(order: int, length: int) -> None:
    state = timed(order)
    assert (state.deadline, asked(state).secret) == (NOW + length, True)
    assert [GAME.view(state, seat) for seat in range(4)] == [GAME.view(timed(7), seat) for seat in range(4)]
    assert refusal(state, Tick(NOW + length - 1)) == (Reason.TICK_EARLY, {})
    assert told(GAME.apply(state, Tick(NOW + length)).events, events.Buzzed)


def test_c4_2_a_random_timer_of_one_length() -> None:
    options = Options(timer_min_duration=5_000, timer_max_duration=5_000)
    assert timed(99, options).deadline == NOW + 5_000


@pytest.mark.parametrize("mode", TurnMode)
def test_c4_3_with_equal_turns_the_other_team_has_its_own(mode: TurnMode) -> None:
    options = Options(turn_mode=mode, equal_turns=True)
    step = act(position(options, won=(20, 3), turns=(5, 5)), "2 guess elephant")
    assert told(step.events, events.Ended) == []
    assert turn(step.state) == ((Phase.CLUE if mode is POTATO else Phase.READY), 1)
    over = script(step.state, *["tick"] * (1 if mode is POTATO else 2))
    assert told(over.events, events.Ended) == [events.Ended(0, (21, 3))]


def test_c4_3_who_had_the_last_turn_wins_at_once() -> None:
    state = position(Options(turn_mode=RELAY, equal_turns=True), team=1, won=(3, 20), turns=(6, 5))
    assert told(act(state, "3 guess elephant").events, events.Ended) == [events.Ended(1, (3, 21))]


def tie(mode: TurnMode) -> State:
    """One more card for team 1 makes it 21 to 21 after equal turns."""
    return position(Options(turn_mode=mode, equal_turns=True), team=1, won=(21, 20), turns=(6, 5))


@pytest.mark.parametrize("mode", TurnMode)
def test_c4_4_a_tie_is_broken_by_sudden_death(mode: TurnMode) -> None:
    step = act(tie(mode), "3 guess elephant")
    assert told(step.events, events.SuddenDeath) == [events.SuddenDeath(1)]
    assert told(step.events, events.Ready)[-1].sudden == 1
    assert turn(step.state)[0] is Phase.READY


@pytest.mark.parametrize("mode", [RELAY, SOLO])
def test_c4_4_sudden_death_is_a_turn_of_each_team(mode: TurnMode) -> None:
    state = act(tie(mode), "3 guess elephant").state
    one = script(state, "0 start", "2 guess balbal")
    assert told(one.events, events.Ended) == []
    assert told(script(one.state, "tick", "tick", "tick").events, events.Ended) == [events.Ended(0, (22, 21))]
    none = script(state, "tick", "tick", "tick", "tick")
    assert told(none.events, events.SuddenDeath) == [events.SuddenDeath(2)]
    assert turn(none.state)[0] is Phase.READY


def test_c4_4_sudden_death_is_one_timer_of_the_hot_potato() -> None:
    state = script(act(tie(POTATO), "3 guess elephant").state, "0 start", "2 guess balbal").state
    assert turn(state)[0] is Phase.CLUE
    assert told(script(state, "tick").events, events.Ended) == [events.Ended(0, (22, 21))]
    evened = script(state, f"{(turn(state)[1] + 2) % 4} guess bambam", "tick")
    assert told(evened.events, events.SuddenDeath) == [events.SuddenDeath(2)]


def test_c4_5_the_dead_pile_is_the_new_deck() -> None:
    state = position(won=(2, 0), deck=0, dead=3)
    waits = act(state, "0 skip").state
    assert (waits.phase, asked(waits).chance, GAME.view(waits, None).running) == (Phase.RESHUFFLE, 5, True)
    step = script(waits, "deal")
    assert told(step.events, events.Shuffled) == [events.Shuffled(5, again=True)]
    assert (len(step.state.deck), step.state.dead) == (4, ())
    assert step.state.deadline == NOW + 60_000


@pytest.mark.parametrize(("won", "winner"), [((2, 1), 0), ((0, 2), 1), ((1, 2), None)])
def test_c4_5_without_cards_it_is_over(won: tuple[int, int], winner: int | None) -> None:
    over = act(position(won=won, deck=0), "2 guess elephant")
    assert told(over.events, events.Ended) == [events.Ended(winner, (won[0] + 1, won[1]))]
    outcome = GAME.outcome(over.state)
    assert outcome is not None
    assert outcome.places == {0: (1, 3, 1, 3), 1: (3, 1, 3, 1), None: (1, 1, 1, 1)}[winner]


@pytest.mark.parametrize(
    ("mode", "targets"),
    [(ForfeitMode.OFF, None), (ForfeitMode.TEAM, (0, 2)), (ForfeitMode.GIVER, (0,)), (ForfeitMode.RULE, (0, 2))],
)
def test_c4_6_whom_a_forfeit_is_for(mode: ForfeitMode, targets: tuple[int, ...] | None) -> None:
    step = script(position(Options(forfeit_mode=mode)), "tick")
    expected = [] if targets is None else [events.Forfeited(mode, targets, 1)]
    assert told(step.events, events.Forfeited) == expected


@pytest.mark.parametrize("mode", [ForfeitMode.TEAM, ForfeitMode.RULE])
def test_c4_6_nobody_is_named_a_sixth_time(mode: ForfeitMode) -> None:
    step = script(position(Options(forfeit_mode=mode), deck=40), *["tick"] * 26)
    named = [each.targets for each in told(step.events, events.Forfeited)]
    assert named == [(0, 2), (1, 3)] * 5
    assert step.state.caught is None


def test_c4_6_opponents_write_a_rule_for_a_team_that_was_caught() -> None:
    state = script(position(Options(forfeit_mode=ForfeitMode.RULE)), "tick").state
    assert [GAME.action_names(state, seat) for seat in range(4)] == [(), ("start", "write_rule"), (), ("write_rule",)]
    assert refused(state, "0 rule no hands") is Reason.NOT_YOUR_PART
    step = act(state, "3 rule no hands", NOW + 61_000)
    assert told(step.events, events.RuleWritten) == [events.RuleWritten(3, 0, "no hands")]
    assert GAME.view(step.state, None).rules == (Rule(0, "no hands"),)
    assert refused(step.state, "1 rule another") is Reason.NOT_YOUR_PART
    started = script(state, "1 start").state
    assert refused(started, "3 rule too late") is Reason.NOT_YOUR_PART


@pytest.mark.parametrize("max_rounds", [1, 2, 200, 1000])
@pytest.mark.parametrize(("won", "winner"), [((3, 1), 0), ((1, 3), 1), ((2, 2), None)])
def test_c4_7_the_last_timer(max_rounds: int, won: tuple[int, int], winner: int | None) -> None:
    state = position(Options(max_rounds=max_rounds), won=won, round_=max_rounds)
    assert told(script(state, "tick").events, events.Ended) == [events.Ended(winner, won)]
    if max_rounds > 1:
        before = position(Options(max_rounds=max_rounds), won=won, round_=max_rounds - 1)
        assert told(script(before, "tick").events, events.Ended) == []


def test_c4_7_no_sudden_death_after_the_last_timer() -> None:
    options = Options(turn_mode=RELAY, equal_turns=True, max_rounds=9)
    state = position(options, team=1, won=(21, 20), turns=(5, 4), round_=9)
    assert told(act(state, "3 guess elephant").events, events.Ended) == [events.Ended(None, (21, 21))]


@pytest.mark.parametrize("mode", [RELAY, SOLO])
def test_c4_7_the_last_timer_does_not_cut_sudden_death_in_two(mode: TurnMode) -> None:
    options = Options(turn_mode=mode, equal_turns=True, win_at=1, max_rounds=3)
    state = script(position(options, phase=Phase.READY), "0 start", "2 guess elephant", "1 start").state
    state = script(state, f"3 guess {some_words(1)[0].word}").state
    assert (state.sudden, state.round) == (1, 2)
    one = script(state, "tick", f"{2 - turn(state)[1]} guess {some_words(2)[1].word}", "tick")
    assert told(one.events, events.Ended) == []
    assert turn(one.state)[0] is Phase.READY
    other = script(one.state, "tick", "tick")
    assert told(other.events, events.Ended) == [events.Ended(0, (2, 1))]


@pytest.mark.parametrize(("mode", "more"), [(POTATO, False), (RELAY, True), (SOLO, True)])
def test_c4_7_with_equal_turns_the_other_team_has_its_timer_too(mode: TurnMode, more: bool) -> None:
    first = script(position(Options(turn_mode=mode, equal_turns=True, max_rounds=1), won=(1, 0)), "tick")
    assert bool(told(first.events, events.Ended)) is not more
    if more:
        second = script(first.state, "tick", "tick")
        assert told(second.events, events.Ended) == [events.Ended(0, (1, 0))]


def test_c5_before_a_timer_runs_there_is_none_to_set_back() -> None:
    state = GAME.start(Options(), 4, NOW).state
    assert GAME.apply(state, Credit(500, NOW)) == Step(state)
