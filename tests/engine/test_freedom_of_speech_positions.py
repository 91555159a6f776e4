"""The positions W01..W20 of docs/rules/freedom_of_speech.md, section 10."""

import pytest
from support.freedom_of_speech import ELEPHANT, GAME, NOW, act, asked, position, refused, script, told, turn

from croupier_engine.errors import Reason
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import FORFEITS, Foul, Phase
from croupier_engine.freedom_of_speech.options import ForfeitMode, Language, Options, TurnMode, Word
from croupier_engine.game import Outcome, Tick

RELAY = Options(turn_mode=TurnMode.TEAM_RELAY)
SOLO = Options(turn_mode=TurnMode.SOLO)
RUSSIAN = Options(language=Language.RU)


def test_w01_no_card_before_the_start() -> None:
    state = position(phase=Phase.READY)
    assert refused(state, "0 clue big and grey") is Reason.WRONG_ACTION
    assert refused(state, "0 skip") is Reason.WRONG_ACTION
    for viewer in (*range(4), None):
        assert GAME.view(state, viewer).word is None
        assert "elephant" not in repr(GAME.view(state, viewer))
    started = act(state, "0 start")
    assert GAME.view(started.state, 0).word == ELEPHANT


def test_w02_hot_potato_goes_on_under_the_same_timer() -> None:
    state = position()
    step = act(state, "2 guess elephant", NOW + 20_000)
    assert told(step.events, events.Scored) == [events.Scored(0, 0, 2, ELEPHANT, (1, 0))]
    assert turn(step.state) == (Phase.CLUE, 1)
    assert step.state.current == state.deck[0]
    assert step.state.deadline == state.deadline == NOW + 60_000


def test_w03_the_buzz_of_the_hot_potato() -> None:
    step = GAME.apply(position(), Tick(NOW + 60_000))
    assert told(step.events, events.Buzzed) == [events.Buzzed(1, 0, 0, ELEPHANT)]
    assert (step.state.dead, step.state.piles) == ((0,), ((), ()))
    assert turn(step.state) == (Phase.READY, 1)
    started = act(step.state, "1 start", NOW + 65_000)
    assert started.state.deadline == NOW + 65_000 + 60_000


def test_w04_nothing_can_be_skipped_at_score_0() -> None:
    assert refused(position(won=(0, 3)), "0 skip") is Reason.SKIP_WITHOUT_CARDS


def test_w06_a_clue_with_the_answer_is_a_foul_that_nobody_sees() -> None:
    step = act(position(), "0 clue it is an ELEPHANT, of course")
    assert told(step.events, events.Fouled) == [events.Fouled(0, Foul.WORD, 0, ELEPHANT)]
    assert told(step.events, events.ClueGiven) == []
    assert "of course" not in repr([step.events, *(GAME.view(step.state, viewer) for viewer in (*range(4), None))])
    assert step.state.dead == (0,)
    assert turn(step.state) == (Phase.READY, 1)
    assert act(step.state, "1 start", NOW + 3000).state.deadline == NOW + 63_000


def test_w07_what_it_rhymes_with_is_a_foul() -> None:
    step = act(position(RUSSIAN, word=Word("слон")), "0 clue рифмуется с «клён»")
    assert told(step.events, events.Fouled) == [events.Fouled(0, Foul.SOUND, 0, Word("слон"))]


def is_right(word: str, guess: str, options: Options) -> bool:
    step = act(position(options, word=Word(word)), f"2 guess {guess}")
    return bool(told(step.events, events.Scored))


def test_w08_case_punctuation_and_yo_do_not_matter() -> None:
    assert is_right("еж", "ЁЖ!", RUSSIAN)


def test_w09_short_i_is_a_letter_of_its_own() -> None:
    assert not is_right("мои", "мой", RUSSIAN)
    assert is_right("мой", "мои\u0306", RUSSIAN)  # the same letter, written as two signs


@pytest.mark.parametrize("guess", ["м’яч", "мʼяч", "м'яч", "м`яч", "м\u2018яч", "м\u00b4яч", "М’ЯЧ"])
def test_w20_apostrophes_inside_a_word_do_not_matter(guess: str) -> None:
    assert is_right("м'яч", guess, Options(language=Language.UK))


@pytest.mark.parametrize("seat", [1, 3])
def test_w10_an_opponent_who_types_the_answer(seat: int) -> None:
    state = position()
    assert refused(state, f"{seat} guess elephant") is Reason.NOT_YOUR_PART
    assert GAME.view(state, 2).talk == ()
    assert state.current == 0


def test_w11_a_guess_after_the_deadline_does_not_count() -> None:
    state = position()
    for late in (0, 1, 49):
        assert refused(state, "2 guess elephant", NOW + 60_000 + late) is Reason.TIMER_RUN_OUT
    assert told(act(state, "2 guess elephant", NOW + 59_999).events, events.Scored)


def test_w12_in_the_relay_the_next_of_the_team_gives() -> None:
    step = script(position(RELAY, seats=6), "2 guess elephant")
    assert turn(step.state) == (Phase.CLUE, 2)
    assert step.state.deadline == NOW + 60_000
    assert turn(script(step.state, "4 guess balbal").state) == (Phase.CLUE, 4)


def test_w13_solo_is_one_giver() -> None:
    step = script(position(SOLO), "2 guess elephant", "2 guess balbal")
    assert told(step.events, events.Scored)[1].scores == (2, 0)
    assert turn(step.state) == (Phase.CLUE, 0)


def test_w14_the_twenty_first_card_wins_at_once() -> None:
    step = act(position(won=(20, 3), turns=(20, 20)), "2 guess elephant")
    assert told(step.events, events.Ended) == [events.Ended(0, (21, 3))]
    assert GAME.awaiting(step.state) is None
    assert GAME.outcome(step.state) == Outcome((1, 3, 1, 3), (21, 3, 21, 3))


def test_w16_more_cards_win_after_equal_turns() -> None:
    options = Options(turn_mode=TurnMode.TEAM_RELAY, equal_turns=True)
    state = position(options, won=(20, 20), turns=(3, 3))
    step = script(state, "2 guess elephant")
    assert turn(step.state) == (Phase.READY, 1)
    over = script(step.state, "1 start", "tick")
    assert told(over.events, events.Ended) == [events.Ended(0, (21, 20))]


def test_w18_what_a_guesser_sees_when_he_is_back() -> None:
    options = Options(timer_min_duration=45_000, timer_max_duration=75_000)
    step = script(position(options, phase=Phase.READY), "0 start", "deal", "0 clue big and grey")
    view = GAME.view(step.state, 2)
    assert view.word is None
    assert not any(text in repr(view) for text in ("elephant", "tusker", str(step.state.deadline)))
    assert view.running
    assert [message.text for message in view.talk] == ["big and grey"]
    assert asked(step.state).secret
    assert not asked(position()).secret


def test_w19_a_forfeit_is_for_the_giver_alone() -> None:
    state = position(Options(forfeit_mode=ForfeitMode.GIVER, turn_mode=TurnMode.SOLO), deck=40)
    named = []
    for _ in range(4 * (FORFEITS + 1)):
        step = script(state, "tick", "tick", at=NOW)
        named += told(step.events, events.Forfeited)
        state = step.state
    assert named[:4] == [
        events.Forfeited(ForfeitMode.GIVER, (seat,), number) for number, seat in enumerate((0, 1, 2, 3), 1)
    ]
    assert len(named) == 4 * FORFEITS
    assert state.forfeits == (FORFEITS,) * 4
