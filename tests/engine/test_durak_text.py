"""Durak: how acts and events are written in logs and golden playthroughs."""

import pytest
from support.durak import said

from croupier_engine.durak import events, text
from croupier_engine.durak.events import Payload
from croupier_engine.durak.model import Pair
from croupier_engine.game import By

PLAYER, CLOCK = By.PLAYER, By.CLOCK

TOLD: list[tuple[Payload, str]] = [
    (events.DealerDrawn(2), "2 deals first"),
    (events.Dealt(1, 0, 2, (6, 6), 24, ()), "game 1: 2 deals, talon 24"),
    (events.Dealt(2, 1, 0, (6, 6), 24, ("6S", "7S")), "game 2, redeal 1: 0 deals, talon 24 hand 6S 7S"),
    (events.JokerTurned("JB"), "JB turned up, goes back"),
    (events.TrumpTurned("H", "7H"), "trump 7H"),
    (events.TrumpTurned("H", None), "trump H"),
    (events.FirstAttacker(1, None), "1 attacks first"),
    (events.FirstAttacker(1, "6H"), "1 attacks first, 6H"),
    (events.Led(0, ("6S", "6C"), 1, PLAYER), "0 leads 6S 6C to 1"),
    (events.Led(0, ("6S",), 1, CLOCK), "0 leads 6S to 1 (clock)"),
    (events.Beaten(1, "6S", "9S", PLAYER), "1 beats 6S with 9S"),
    (events.Transferred(1, ("6D",), 2, PLAYER), "1 transfers 6D to 2"),
    (events.Answered(1, None, PLAYER), "1 answers ?"),
    (events.Answered(1, (), PLAYER), "1 answers pass"),
    (events.Answered(1, ("6D",), PLAYER), "1 answers 6D"),
    (events.Thrown(1, ("6D",), By.STAND_IN), "1 throws 6D (stand_in)"),
    (events.Passed(1, PLAYER), "1 passes"),
    (events.TakeDeclared(1, CLOCK), "1 will take (clock)"),
    (events.Taken(1, ("6S", "9S")), "1 takes 6S 9S"),
    (events.Bito(("6S", "9S")), "bito 6S 9S"),
    (events.Drew(1, 2, ()), "1 draws 2"),
    (events.Drew(1, 2, ("7H",)), "1 draws 2: 7H"),
    (events.WentOut(1, 2), "1 is out, place 2"),
    (events.Claimed(1, ("6S", "7S"), PLAYER), "1 claims a redeal with 6S 7S"),
    (events.Epaulettes(1, 0, ("6S", "6D")), "epaulettes for 1 from 0: 6S 6D"),
    (events.GameOver(1, (), (1, 1), (0, 0)), "game 1: draw; places 1 1; losses 0 0"),
    (events.GameOver(2, (1,), (1, 2), (0, 1)), "game 2: lost by 1; places 1 2; losses 0 1"),
]


@pytest.mark.parametrize(("payload", "line"), TOLD)
def test_what_happened(payload: Payload, line: str) -> None:
    assert text.event(payload) == line


@pytest.mark.parametrize("line", ["lead 6S 6C", "beat 6S 9S", "transfer 6D", "throw 9C", "take", "pass", "claim"])
def test_what_is_done(line: str) -> None:
    assert text.action(said(f"0 {line}")[1]) == line


def test_the_table() -> None:
    assert text.table([Pair("6S", 0, "9S"), Pair("6C", 2)]) == "6S/9S 6C"
