"""Every block of the README does what it says."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.house import CROUPIER, House, running_house
from support.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
RUN, ADDRESSES, PLAY, SPEAK, LISTEN, FIRST_CARD, BOT, RUN_BOT, CHECK = (text for _, text in BLOCKS)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("readme") / "data") as house:
        yield house


def here(block: str, house: House) -> str:
    """A block with the addresses of this house in place of the usual ones."""
    return block.replace("http://127.0.0.1:8080", house.web).replace("127.0.0.1:50051", house.grpc)


def call(house: House, method: str, path: str, token: str = "", body: object = None) -> Any:
    request = urllib.request.Request(f"{house.web}/v1/{path}", method=method)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("content-type", "application/json")
    if token:
        request.add_header("authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_the_blocks_are_those_that_are_run_here() -> None:
    assert [kind for kind, _ in BLOCKS] == ["sh", "text", "sh", "sh", "sh", "sh", "python", "sh", "sh"]


def test_make_up_prints_the_addresses(house: House) -> None:
    # The target itself, without running it: the house of these tests has other ports.
    recipe = subprocess.check_output([*RUN.split(), "--dry-run", "--no-print-directory"], cwd=ROOT, text=True)
    assert recipe.splitlines()[-1] == ".venv/bin/croupier up"
    assert here(ADDRESSES, house) == "".join(f"{name}: {address}\n" for name, address in house.lines.items())


def test_a_table_in_the_terminal(house: House, tmp_path: Path) -> None:
    command = PLAY.split()
    assert command[0] == ".venv/bin/croupier"
    where = {"CROUPIER_GRPC_TARGET": house.grpc, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    matches = set()
    for _ in range(2):  # and again, to the same seat
        with Terminal([*CROUPIER, *command[1:]], tmp_path, where) as terminal:
            matches.add(terminal.wait_for(r"trick 1 of 10 +(m-\w+)(?:.|\n)*Choose a card\.")[1])
            terminal.press("q", "y")
            assert terminal.ended() == 0
    assert len(matches) == 1


def test_people_at_several_terminals(house: House, tmp_path: Path) -> None:
    """Ann and Bea as they are told to, on one team, and two more people in place of the bots."""
    where = {"CROUPIER_GRPC_TARGET": house.grpc, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with ExitStack() as stack:

        def sit(command: str) -> Terminal:
            program, *arguments = command.split()
            assert program == ".venv/bin/croupier"
            return stack.enter_context(Terminal([*CROUPIER, *arguments], tmp_path, where))

        ann = sit(SPEAK)
        match = ann.wait_for(r"croupier play freedom_of_speech --join (m-\w+)")[1]
        join = LISTEN.replace("MATCH", match)
        assert join.endswith(" --seat 2\n")
        bea = sit(join)
        bea.wait_for(r" 2  team 1  Bea +you")
        terminals = [ann, bea, *[sit(join.replace("Bea", name).replace(" --seat 2", "")) for name in ("Cid", "Dan")]]
        for terminal in terminals:
            terminal.wait_for(r"to start|gives")
        for terminal in terminals:
            terminal.press("enter")
        asked = r"(Explain the word\.)|(Guess what)|explains the word to team"
        told = [terminal.wait_for(asked) for terminal in terminals]
        assert [sum(bool(each[part]) for each in told) for part in (1, 2)] == [1, 1]


def test_the_first_card(house: House, tmp_path: Path) -> None:
    script = "set -eu -o pipefail\n" + here(FIRST_CARD, house)
    ended = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    sequence, events = ended.stdout.split("\n", 1)
    told = json.loads(events)["events"]
    assert len(told) >= int(sequence)
    assert "six_nimmt.committed" in [event["type"] for event in told]


def test_the_bot_plays(house: House, tmp_path: Path) -> None:
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "lowest.py").write_text(BOT, encoding="utf-8")
    command = here(RUN_BOT, house).split()
    assert command[0] == ".venv/bin/python"
    bot = subprocess.Popen(
        [sys.executable, *command[1:]], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert bot.stderr is not None
        assert f" at {house.grpc} offers six_nimmt: lowest" in bot.stderr.readline()
        token = call(house, "POST", "players", body={"displayName": "Ann"})["token"]
        match = open_table(house, token)
        # Ann gives up, so that the others play on without her.
        call(house, "POST", f"matches/{match['id']}:resign", token, body={})
        seat = next(n for n, seat in enumerate(match["seats"]) if seat["displayName"] == "Lowest")
        assert committed_by(house, token, match["id"], seat)
    finally:
        bot.terminate()
        bot.communicate()


@pytest.mark.parametrize("page", ["README.md", "docs/bots.md"])
def test_a_bot_of_ones_own_is_not_checked(page: str, tmp_path: Path) -> None:
    """Where the pages have it saved, neither git nor ruff looks. Tried in a copy, so that this checkout is let be."""
    (saved,) = set(re.findall(r"[Ss]ave this as `([\w/]+\.py)`", (ROOT / page).read_text(encoding="utf-8")))
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in (".gitignore", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    for name in (saved, "other.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BOT.replace("import Action", "import   Action"), encoding="utf-8")
    seen = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--check", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "other.py" in seen.stdout
    assert saved not in seen.stdout
    untracked = subprocess.check_output(["git", "status", "--short"], cwd=tmp_path, text=True)
    assert "other.py" in untracked
    assert saved.partition("/")[0] + "/" not in untracked


def test_no_two_pages_define_one_bot_in_two_ways() -> None:
    saved = [
        name
        for page in ("README.md", "docs/bots.md")
        for name in set(re.findall(r"[Ss]ave this as `([\w/]+\.py)`", (ROOT / page).read_text(encoding="utf-8")))
    ]
    assert len(saved) == len(set(saved)) == 2


def open_table(house: House, token: str) -> Any:
    """A match with the bot, as soon as it is there."""
    give_up = time.monotonic() + 20
    while True:
        body = {"game": "six_nimmt", "seats": 3, "bots": [{"level": "lowest"}, {"level": "random"}]}
        try:
            return call(house, "POST", "matches", token, body)
        except urllib.error.HTTPError as refused:
            reason = json.load(refused)["reason"]
            if reason != "NO_BOT_FREE" or time.monotonic() > give_up:
                raise AssertionError(reason) from refused
            time.sleep(0.1)


def committed_by(house: House, token: str, match: str, seat: int) -> bool:
    after = 0
    while True:
        page = call(house, "GET", f"matches/{match}/events?after={after}&wait=20s", token)
        if not page["events"]:
            return False
        commits = [e["sixNimmt"]["committed"] for e in page["events"] if e["type"] == "six_nimmt.committed"]
        if any(commit["seat"] == seat and commit["by"] == "PLAYER" for commit in commits):
            return True
        after = page["next"]


def test_make_check_is_there() -> None:
    assert (
        subprocess.run(
            [*CHECK.split(), "--dry-run", "--no-print-directory"], cwd=ROOT, capture_output=True, check=False
        ).returncode
        == 0
    )


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "docs/architecture.md"):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert os.path.exists(page.parent / target), f"{name}: {target}"
