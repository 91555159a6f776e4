"""docs/bots.md is true: every block of it runs."""

import asyncio
import re
import shlex
import sys
from pathlib import Path

import pytest
from support.bot_table import bot_table

from croupier_arena import run_arena

DOC = (Path(__file__).parents[2] / "docs" / "bots.md").read_text("utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)
SHELL = [line for block in re.findall(r"```sh\n(.*?)```", DOC, re.DOTALL) for line in block.splitlines()]
COMMAND = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the bots of the document, from which they can be imported."""
    for block in PYTHON:
        if (name := re.search(r"class (\w+)\(Bot\)", block)) is not None:
            (tmp_path / f"{name[1].lower()}.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


async def output(folder: Path, *command: str) -> str:
    program = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, errors = await program.communicate()
    assert program.returncode == 0, errors.decode()
    return said.decode()


def test_the_first_bot_is_as_short_as_it_says() -> None:
    assert "twelve lines" in DOC
    assert PYTHON[0].rstrip().count("\n") + 1 <= 13
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) <= 12


@pytest.mark.parametrize("bot", ["lowest:Lowest", "watcher:Watcher", "thinker:Thinker"])
def test_its_bots_play_by_the_rules(folder: Path, bot: str) -> None:
    assert run_arena("six_nimmt", None, {}, [bot, "random"], 2, 1).faults == 0


async def test_its_arena_command(folder: Path) -> None:
    command = shlex.split(next(line for line in SHELL if line.startswith("croupier arena")))
    said = await output(folder, str(COMMAND / command[0]), *command[1:])
    assert "lowest:Lowest" in said
    assert "40 deals" in said


async def test_its_arena_program(folder: Path) -> None:
    (block,) = (block for block in PYTHON if "run_arena(" in block)
    said = await output(folder, sys.executable, "-c", block)
    assert "lowest:Lowest" in said


async def test_its_connection(folder: Path) -> None:
    (line,) = (line for line in SHELL if line.startswith("python lowest.py"))
    async with bot_table() as table:
        arguments = [table.target if ":50051" in word else word for word in shlex.split(line)[1:]]
        program = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=folder)
        try:
            hello = await (await table.connected()).hello()
        finally:
            program.terminate()
            await program.wait()
    assert [(offer.game, list(offer.levels)) for offer in hello.offers] == [("six_nimmt", ["lowest"])]
    assert table.guests == ["Lowest"]
    assert (folder / "lowest.json").stat().st_mode & 0o777 == 0o600
