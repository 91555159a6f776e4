"""What a bench cannot do is told in a line, before it begins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def said(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "bench", *arguments]
    ended = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=150)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("floor --matches 0", "--matches: must be a whole number from 1 to"),
        ("floor --rounds 0", "--rounds: must be a whole number from 1 to"),
        ("idle --matches 0", "--matches: must be"),
        ("idle --finished 0", "--finished: must be"),
        ("fanout --watchers -1", "--watchers: must be"),
        ("unary --seconds 0", "--seconds: must be seconds, more than 0"),
        ("unary --seconds nan", "--seconds: must be seconds, more than 0"),
        ("moves --seats 11", "--seats: must be a whole number from 2 to 10, not 11"),
        ("moves --seats two", "--seats: must be a whole number from 2 to 10, not two"),
        ("payload --moves 0", "--moves: must be"),
        ("scale --matches 1 0", "--matches: must be"),
        ("scale --entries 5", "--entries: must be a whole number from 10 to 6000"),
        ("moves --profile /no/folder/file", "--profile: must be a file in a folder that is there"),
        ("rest --matches 1000", "one gateway serves"),
        ("nothing", "invalid choice: 'nothing'"),
        ("deadlines --matches 1 --window 60 --seconds 0.1", "no deadline of 60.0 s fired within 0.1 s"),
    ],
)
def test_one_line(arguments: str, why: str) -> None:
    code, out, err = said(*arguments.split())
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert why in err


def test_help_is_for_whoever_measures() -> None:
    for arguments in (["--help"], ["peers", "--help"]):
        code, out, err = said(*arguments)
        assert (code, err) == (0, "")
        assert "_MEASURES" not in out
        assert "Raises" not in out


def test_a_profile_says_that_the_figures_are_void(tmp_path: Path) -> None:
    file = tmp_path / "profile"
    tiny = ("--matches", "1", "--seats", "2", "--seconds", "0.3", "--rounds", "1")
    code, out, err = said("unary", *tiny, "--profile", str(file))
    assert (code, "ratio_to_floor" in out) == (0, True)
    assert err == f"these figures are void, since cProfile was at work; what it found is in {file}\n"
    assert file.stat().st_size
