"""Durak: out of time, epaulettes, the last view; the numbers in the names are those of docs/rules/durak.md."""

import pytest
from support.durak import GAME, asked, position, script, told

from croupier_engine.durak import events
from croupier_engine.durak.model import HAND, Claim, Lead, Pass, Take
from croupier_engine.durak.options import Options, Pogony
from croupier_engine.game import Resign

FOUR = ["6S 6C 7S", "9S TS 8D", "6D 9C 8C", "6H 7D 9D"]


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
    assert asked(state) == ("DEFEND", (1,))
    assert GAME.choices(state, 0) == [Claim()]
    assert GAME.choices(state, 1)[-1] == Take()
