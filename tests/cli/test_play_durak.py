"""`croupier play durak` on a pseudo terminal of 80 x 24, by key presses alone; then watch, replay and verify it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.house import CROUPIER, House, running_house
from support.terminal import Terminal

ASKED = r"Lead to |, or take|: take|Throw in, at most|: pass"
OVER = "The match is over"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("play") / "data") as house:
        yield house


def table(house: House, folder: Path, *arguments: str) -> Terminal:
    guest = ("--target", house.grpc, "--token-file", str(folder / "tokens.json"), "--name", "Ann")
    return Terminal([*CROUPIER, "play", "durak", *arguments, *guest], folder, {})


def said(house: House, folder: Path, *arguments: str) -> str:
    done = subprocess.run([*CROUPIER, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def play_on(terminal: Terminal, keys: tuple[str, ...]) -> str:
    """Answer every question by keys until the match is over; what stands there then."""
    answered = ""
    while not re.search(OVER, terminal.look()):
        seen = terminal.wait_for(f"{OVER}|{ASKED}").string
        question = "\n".join(seen.splitlines()[:-3])  # without the clock
        if question != answered:
            answered = question
            terminal.press(*keys)
        terminal.look(0.1)
    return terminal.look()


@pytest.mark.parametrize(
    ("flags", "keys"),
    [
        (("--bots", "careful"), ("enter",)),
        (("--bots", "careful,random,random", "--option", "teams=2"), ("1", "enter")),
        (("--bots", "random,careful", "--option", "deck=54", "--option", "kind=PEREVODNOY"), ("end", "enter")),
    ],
)
def test_a_game_is_played_to_the_end_by_key_presses(
    house: House, tmp_path: Path, flags: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    with table(house, tmp_path, *flags) as terminal:
        first = terminal.wait_for(f"{ASKED}|Waiting for").string.splitlines()
        assert re.match(r" Durak  (throw-in|transfer)(, teams)?, bout 1", first[0])
        assert re.match(r" Trump: (spades|clubs|diamonds|hearts)   talon \d+   discard 0  under the talon: ", first[2])
        assert re.search(r"^ Ann \(you\) +6 cards", "\n".join(first), re.MULTILINE)
        terminal.press("?")
        assert "6S/9S: beaten" in terminal.wait_for("Any key goes back").string
        terminal.press("x")
        last = play_on(terminal, keys)
        assert re.search(r"^ +\d\.  Ann +[01]  you$", last, re.MULTILINE)
        match = re.search(r"croupier replay (m-[a-z0-9]{16})", last)
        assert match
        terminal.press("v")
        terminal.wait_for("and verified: deals, acts and result are true")
        terminal.press("q")
        assert terminal.ended() == 0
    file = f"{match[1]}.json"
    told = said(house, tmp_path, "replay", file, "--text")
    assert "trump " in told
    assert re.search(r"\blead [2-9TJQKA][SCDH]", told)
    assert "game 1: " in told


def test_the_rules_are_printed(house: House, tmp_path: Path) -> None:
    assert said(house, tmp_path, "rules", "durak", "--locale", "ru").startswith("# Дурак\n")
