"""A thousand whole matches of Durak by bots over gRPC, across all presets."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.house import House, running_house
from support.rest import RestPlayer

from croupier_engine.registry import GAMES

PRESETS = GAMES["durak"].presets
AT_ONCE = 6
FAULTS = {"match.timed_out", "match.barred", "match.resigned"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("soak") / "data") as house:
        yield house


def bots_play(house: House, preset: str, matches: int) -> None:
    """Matches among bots alone, some at once, at tables of every recommended size; none was late or broke a rule."""
    host, sizes = RestPlayer(house.web), PRESETS[preset].seats
    for first in range(0, matches, AT_ONCE):
        made = [
            _opened(host, preset, sizes[number % len(sizes)]) for number in range(first, min(first + AT_ONCE, matches))
        ]
        for match in made:
            assert not _kinds_to_the_end(host, match) & FAULTS


def _opened(host: RestPlayer, preset: str, seats: int) -> str:
    bots = [{"level": "careful" if seat % 2 else "random"} for seat in range(seats)]
    match: str = host.create(game="durak", seats=seats, bots=bots, spectate=True, preset=preset)["id"]
    return match


def _kinds_to_the_end(host: RestPlayer, match: str) -> set[str]:
    """The types of all events."""
    kinds: set[str] = set()
    after, give_up = 0, time.monotonic() + 120
    while "match.over" not in kinds:
        assert time.monotonic() < give_up, f"{match} goes on and on"
        page: list[Any] = host.events(match, after, "5s")["events"]
        kinds |= {event["type"] for event in page}
        after = page[-1]["sequence"] if page else after
    return kinds


@pytest.mark.parametrize("preset", PRESETS)
def test_bots_play_two_matches(house: House, preset: str) -> None:
    bots_play(house, preset, 2)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("preset", PRESETS)
def test_bots_play_a_thousand_matches(house: House, preset: str) -> None:
    bots_play(house, preset, -(-1000 // len(PRESETS)))
    logs = "".join(log.read_text(errors="replace") for log in (house.data / "logs").glob("*.log"))
    assert "Traceback" not in logs
    assert '"level": "error"' not in logs
