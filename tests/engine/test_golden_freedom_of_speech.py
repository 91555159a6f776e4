"""Golden playthroughs of Freedom of Speech: every flow, forfeits, a random timer. See test_golden_six_nimmt."""

from pathlib import Path

import pytest
from support.freedom_of_speech import GAME
from support.golden import Words, compare, playthrough

from croupier_engine.freedom_of_speech import text
from croupier_engine.freedom_of_speech.model import State
from croupier_engine.freedom_of_speech.options import ForfeitMode, Judge, Language, Level, Options, TurnMode

FOLDER = Path(__file__).parent / "golden"

TABLES = {
    "freedom_of_speech-hot-potato": (4, Options(win_at=3, forfeit_mode=ForfeitMode.GIVER, timer_duration=15_000)),
    "freedom_of_speech-team-relay": (
        6,
        Options(
            turn_mode=TurnMode.TEAM_RELAY,
            language=Language.RU,
            win_at=5,
            referee=2,
            forfeit_mode=ForfeitMode.RULE,
            timer_duration=5_000,
        ),
    ),
    "freedom_of_speech-solo": (
        5,
        Options(
            turn_mode=TurnMode.SOLO,
            language=Language.UK,
            level=Level.HARD,
            win_at=3,
            judge=Judge.GIVER,
            opponents_see_card=False,
            timer_duration=20_000,
        ),
    ),
    "freedom_of_speech-sudden-death": (
        6,
        Options(win_at=2, equal_turns=True, turn_mode=TurnMode.TEAM_RELAY, timer_duration=5_000),
    ),
    "freedom_of_speech-bomb": (
        4,
        Options(
            win_at=3,
            forfeit_mode=ForfeitMode.TEAM,
            timer_min_duration=15_000,
            timer_max_duration=45_000,
            start_duration=3_000,
        ),
    ),
}


def table(state: State) -> str:
    first, second = (len(pile) for pile in state.piles)
    rules = "".join(f" rule for {rule.team}" for rule in state.rules)
    return f"score {first}:{second} deck {len(state.deck)} dead {len(state.dead)}{rules}"


@pytest.mark.parametrize("name", TABLES)
def test_golden_playthrough(name: str, request: pytest.FixtureRequest) -> None:
    seats, options = TABLES[name]
    title = f"{options.turn_mode} {options.language}"
    lines = playthrough(GAME, options, seats, name, Words(text.event, text.action, table), title)
    compare(lines, FOLDER / f"{name}.txt", request)


def test_the_golden_playthroughs_have_every_flow() -> None:
    told = {name: (FOLDER / f"{name}.txt").read_text("utf-8") for name in TABLES}
    assert "* sudden death 2" in told["freedom_of_speech-sudden-death"]
    together = "".join(told.values())
    for line in (
        "skips <<",
        "flags clue",
        "foul of",
        "is taken back",
        "buzz 1",
        "forfeit (",
        "writes a rule",
        "(clock)",
        " is due",
        "sees: FLAG_TOO_LATE",
    ):
        assert line in together
