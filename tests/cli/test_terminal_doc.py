"""docs/terminal.md names what there is."""

import re
from pathlib import Path

from click.testing import CliRunner

from croupier_cli.app import croupier

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
    screens = [block for block in re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S) if "6 nimmt!" in block]
    assert len(screens) == 4
    for screen in screens:
        assert screen.count("\n") == 24
        assert max(map(len, screen.splitlines())) == 80
