"""Golden playthroughs of Durak: every kind, teams, jokers, sealed throws. See test_golden_six_nimmt."""

from pathlib import Path

import pytest
from support.durak import GAME
from support.golden import Words, compare, playthrough

from croupier_engine.durak import text
from croupier_engine.durak.model import State
from croupier_engine.durak.options import (
    FirstAttackerNext,
    Kind,
    Options,
    Pogony,
    ThrowOrder,
    ThrowTiming,
    TrumpIfNoTalon,
)

FOLDER = Path(__file__).parent / "golden"

TABLES = {
    "durak-prostoy": (3, Options(kind=Kind.PROSTOY)),
    "durak-podkidnoy": (3, Options()),
    "durak-perevodnoy": (3, Options(kind=Kind.PEREVODNOY, transfer_after_beat=True, max_bouts=30)),
    "durak-teams": (4, Options(teams=2)),
    "durak-jokers": (4, Options(deck=54, kind=Kind.PEREVODNOY, pogony=Pogony.RECORD, max_bouts=20)),
    "durak-sealed": (3, Options(throw_order=ThrowOrder.FREE, throw_timing=ThrowTiming.ANYTIME)),
    "durak-six": (
        6,
        Options(
            games=2,
            max_bouts=15,
            first_attacker_next=FirstAttackerNext.UNDER_FOOL,
            trump_if_no_talon=TrumpIfNoTalon.RANDOM_SUIT,
        ),
    ),
}


def table(state: State) -> str:
    lies = text.table(state.bout.table) or "-"
    return f"{lies} hands {' '.join(str(len(hand)) for hand in state.hands)} talon {len(state.talon)}"


@pytest.mark.parametrize("name", TABLES)
def test_golden_playthrough(name: str, request: pytest.FixtureRequest) -> None:
    seats, options = TABLES[name]
    lines = playthrough(
        GAME, options, seats, name, Words(text.event, text.action, table), f"{options.kind} {options.deck}"
    )
    compare(lines, FOLDER / f"{name}.txt", request)
