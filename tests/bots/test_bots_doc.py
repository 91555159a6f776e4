"""docs/bots.md is true: every block of it runs."""

import asyncio
import importlib
import re
import shlex
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.bot_table import bot_table, over, seated, welcome

from croupier.v1 import games_pb2, matches_pb2
from croupier_arena import run_arena

DOC = (Path(__file__).parents[2] / "docs" / "bots.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", DOC, re.DOTALL)
PYTHON = [text for kind, text in BLOCKS if kind == "python"]
ARENA, COMPARE, CONNECT, INSTALL = (text for kind, text in BLOCKS if kind == "sh")
SAVED = re.findall(r"[Ss]aved? (?:this )?as `([\w/]+\.py)`", DOC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Like a checkout: with an environment, and the bots of the document in `my`."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "my").mkdir()
    for block in PYTHON:
        name = re.search(r"class (\w+)\(Bot\)", block)
        (tmp_path / "my" / f"{name[1].lower() if name else 'compare'}.py").write_text(block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "my")
    return tmp_path


async def output(command: str) -> str:
    program = await asyncio.create_subprocess_exec(
        *shlex.split(command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, errors = await program.communicate()
    assert program.returncode == 0, errors.decode()
    return said.decode()


def test_files_are_where_it_says(folder: Path) -> None:
    assert SAVED == ["my/highest.py", "my/compare.py"]
    assert all((folder / name).is_file() for name in SAVED)


def test_commands_are_those_of_the_environment() -> None:
    lines = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    assert [line for line in lines if not line.startswith(".venv/bin/")] == ["python3 -m venv .venv"]
    assert not re.search(r"`(croupier|python) (?!up`)", DOC)


def test_the_first_bot_is_as_short_as_it_says() -> None:
    assert "twelve lines" in DOC
    assert PYTHON[0].rstrip().count("\n") + 1 <= 13
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) <= 12


@pytest.mark.parametrize("bot", ["highest:Highest", "watcher:Watcher", "thinker:Thinker"])
def test_its_bots_play_by_the_rules(folder: Path, bot: str) -> None:
    assert run_arena("six_nimmt", None, {}, [bot, "random"], 2, 1).faults == 0


async def test_its_bot_of_many_answers(folder: Path) -> None:
    bot = importlib.import_module("talker").Talker()
    answers = bot.choose(games_pb2.View(), matches_pb2.Window(actions=["guess"]))
    assert (await anext(answers)).freedom_of_speech.guess.text == "elephant"
    await answers.aclose()
    view = games_pb2.View()
    view.freedom_of_speech.word.word = "piano"
    clues = bot.choose(view, matches_pb2.Window(actions=["clue", "skip"]))
    assert (await anext(clues)).freedom_of_speech.clue.text == "it has 5 letters"
    await clues.aclose()
    window = matches_pb2.Window(actions=["start"])
    window.choices.add().freedom_of_speech.start.SetInParent()
    assert [answer async for answer in bot.choose(games_pb2.View(), window)] == [0]


async def test_its_arena_command(folder: Path) -> None:
    said = await output(ARENA)
    assert "my.highest:Highest" in said
    assert "40 deals" in said


async def test_its_arena_program(folder: Path) -> None:
    assert "highest:Highest" in await output(COMPARE)


async def test_its_connection(folder: Path) -> None:
    async with bot_table() as table:
        program = await asyncio.create_subprocess_exec(
            *shlex.split(CONNECT.replace("127.0.0.1:50051", table.target)), stderr=asyncio.subprocess.PIPE
        )
        try:
            connection = await table.connected()
            hello = await connection.hello()
            connection.send(welcome("p-1"), seated("m-1"), over("m-1", 2, 1))
            assert program.stderr is not None
            said = "".join([(await program.stderr.readline()).decode() for _ in range(3)])
        finally:
            program.terminate()
            await program.communicate()
    assert [(offer.game, list(offer.levels)) for offer in hello.offers] == [("six_nimmt", ["highest"])]
    assert table.guests == ["Highest"]
    assert (folder / "my" / "tokens.json").stat().st_mode & 0o777 == 0o600
    assert common(said) == common(next(text for kind, text in BLOCKS if kind == "text"))


def common(log: str) -> list[str]:
    """Its lines without time, names and numbers, which are other ones in each run."""
    plain = re.sub(r"^.*?INFO |p-\w+|m-\w+|127\.0\.0\.1:\d+|, score \d+|\d+", "", log, flags=re.MULTILINE)
    return plain.splitlines()


def test_what_is_installed_outside_the_checkout_suffices_for_the_arena(folder: Path) -> None:
    """As there: without whatever the package and its extra `arena` do not ask for."""
    extras = re.findall(r"pip install '[^\[']+\[(\w+)\]'", INSTALL)
    assert extras == ["arena"]
    asked = distributions("croupier", extras[0])
    others = {module for module, owners in packages_distributions().items() if not asked & set(map(normal, owners))}
    assert {"flask", "redis", "structlog"} <= others
    program = (
        "import sys\n"
        f"for name in {sorted(others)!r}: sys.modules[name] = None\n"
        f"sys.argv[1:] = {shlex.split(ARENA)[1:]!r}\n"
        "from croupier_cli import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "my.highest:Highest" in ended.stdout


def normal(name: str) -> str:
    return canonicalize_name(name)


def distributions(name: str, extra: str = "") -> set[str]:
    """A distribution and all that it asks for."""
    found = {normal(name)}
    for line in requires(name) or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            found |= distributions(wanted.name)
    return found
