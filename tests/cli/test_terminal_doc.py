"""docs/terminal.md names what there is."""

import re
from pathlib import Path

from click.testing import CliRunner

from croupier.v1 import matches_pb2
from croupier_cli.app import croupier
from croupier_cli.speaking import shown
from croupier_cli.tables import TABLES, Scene

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/terminal.md").read_text(encoding="utf-8")
COMMANDS = ("play", "watch", "replay", "verify", "rules")


def flags(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def help_of(command: str) -> str:
    return CliRunner().invoke(croupier, [command, "--help"]).output


def test_every_flag_that_is_told_of_is_there() -> None:
    known = {flag for command in COMMANDS for flag in flags(help_of(command))}
    assert flags(PAGE) <= known


def test_every_flag_of_play_is_told_of() -> None:
    assert flags(help_of("play")) - {"--help"} <= flags(PAGE)


def test_the_screens_are_of_80_x_24() -> None:
    blocks = re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S)
    screens = [block for block in blocks if block.startswith(tuple(f" {table.title}" for table in TABLES.values()))]
    assert len(screens) == 5
    for screen in screens:
        assert screen.count("\n") == 24
        assert max(map(len, screen.splitlines())) == 80


def test_the_keys_of_a_game_of_texts_are_told_of() -> None:
    match = matches_pb2.Match(you=matches_pb2.You(seat=1))
    match.you.window.actions.extend(["start", "clue", "skip", "accept", "flag"])
    match.you.view.freedom_of_speech.open_clues.add(clue=15, seat=0, may_flag=True)
    speech = TABLES["freedom_of_speech"].speech
    assert speech is not None
    picked = speech.choices(Scene(match))[-1]
    for key in speech.keys(Scene(match), picked):
        assert re.search(rf"^\| `?{re.escape(shown(key.key))}`? \| ", PAGE, re.M), key.key
