"""The guides are true: every block of them runs, against a real house."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from support.fake_api import running_api
from support.gateway_process import running_gateway
from support.house import House, running_house

from croupier.v1 import matches_pb2

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"first-match": 1, "windows-and-events": 1, "streams-and-resume": 1, "retries": 1, "speaking": 1}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("guides") / "data") as house:
        yield house


def blocks(guide: str, kind: str) -> list[str]:
    text = (DOCS / f"{guide}.md").read_text(encoding="utf-8")
    return [block for its, block in BLOCK.findall(text) if its == kind]


def run(house: House, command: list[str], text: str, tmp_path: Path, name: str) -> list[str]:
    """The lines that a program prints, with the house's address in place of the usual one."""
    (tmp_path / name).write_text(text.replace("http://127.0.0.1:8080", house.web), encoding="utf-8")
    ended = subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout.splitlines()


def node(house: House, guide: str, tmp_path: Path) -> list[str]:
    return run(house, ["node"], "".join(blocks(guide, "js")), tmp_path, f"{guide}.mjs")


def test_every_block_is_of_a_kind_that_is_run_here() -> None:
    kinds = {guide: [kind for kind, _ in BLOCK.findall((DOCS / f"{guide}.md").read_text())] for guide in PROGRAMS}
    assert kinds["first-match"] == ["sh", "python", "js"]
    assert set(kinds["windows-and-events"]) == {"js", "json"}
    assert set(kinds["streams-and-resume"]) == {"js", "text"}
    assert set(kinds["retries"]) == {"js"}


def test_a_first_match_by_curl(house: House, tmp_path: Path) -> None:
    (block,) = blocks("first-match", "sh")
    (scores,) = run(house, ["bash", "-eu", "-o", "pipefail"], block, tmp_path, "first.sh")
    assert len(json.loads(scores)) == 3


def test_a_first_match_in_python(house: House, tmp_path: Path) -> None:
    (block,) = blocks("first-match", "python")
    (scores,) = run(house, [sys.executable, "-I"], block, tmp_path, "first.py")
    assert len(json.loads(scores)) == 3


def test_a_first_match_in_javascript(house: House, tmp_path: Path) -> None:
    (scores,) = node(house, "first-match", tmp_path)
    assert len(json.loads(scores)) == 3


# Durak where others may throw in at any time: they close windows that the program would answer.
DURAK = '"game": "durak", "options": {"durak": {"throwTiming": "ANYTIME", "games": GAMES}}'
COMMANDS = {"sh": ["bash", "-eu", "-o", "pipefail"], "python": [sys.executable, "-I"], "js": ["node"]}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_first_match_is_also_one_of_durak(house: House, tmp_path: Path, kind: str) -> None:
    (block,) = blocks("first-match", kind)
    games = "1" if kind == "sh" else "5"  # a shell starts a process for every look
    text, replaced = re.subn(r'"?game"?: "six_nimmt"', DURAK.replace("GAMES", games), block)
    assert replaced == 1
    text, replaced = re.subn(r' "?preset"?: "single_deal",', "", text)
    assert replaced == 1
    (losses,) = run(house, COMMANDS[kind], text, tmp_path, "first.mjs")
    assert len(json.loads(losses)) == 3


def test_the_first_matches_are_short() -> None:
    for kind in ("sh", "python", "js"):
        (block,) = blocks("first-match", kind)
        assert len([line for line in block.splitlines() if line.strip()]) <= 28


def test_windows_and_events(house: House, tmp_path: Path) -> None:
    said = " ".join(node(house, "windows-and-events", tmp_path))
    assert "CHOOSE" in said
    assert said.endswith("409 STALE_WINDOW true")
    assert " true " in said


@pytest.mark.parametrize(("index", "message"), [(0, matches_pb2.Window), (1, matches_pb2.Event)])
def test_what_is_shown_is_of_the_api(index: int, message: type[Message]) -> None:
    shown = json.loads(blocks("windows-and-events", "json")[index])
    ParseDict(shown, message())


def test_the_shown_stream_is_of_the_api() -> None:
    (shown,) = blocks("streams-and-resume", "text")
    told = re.findall(r"^event: (\w+)\nid: (\d+):(\S+)\ndata: (.*)$", shown, re.MULTILINE)
    assert [event for event, *_ in told] == ["snapshot", "event", "window", "end"]
    for event, number, mark, data in told:
        message = ParseDict({event: json.loads(data)}, matches_pb2.WatchMatchResponse())
        cursor = message.snapshot.match if event == "snapshot" else message.event
        assert event in ("window", "end") or (cursor.sequence, cursor.mark) == (int(number), mark)


def test_streams_and_resume(house: House, tmp_path: Path) -> None:
    said = node(house, "streams-and-resume", tmp_path)
    assert said[:2] == ["true", "match.created true true"]
    assert said[2:] == ["YOUR_TURN d1.t1.choose", "true 10", "snapshot"]


@pytest.mark.parametrize("reason", ["GO_AWAY", "BEHIND"])
def test_whoever_follows_resumes_where_the_stream_says_so(tmp_path: Path, reason: str) -> None:
    def watch(request: Any, context: Any) -> Iterator[matches_pb2.WatchMatchResponse]:
        number = request.after + 1
        yield matches_pb2.WatchMatchResponse(event=matches_pb2.Event(sequence=number))
        end = matches_pb2.StreamEnd(reason=reason if number < 2 else "OVER", sequence=number)
        yield matches_pb2.WatchMatchResponse(end=end)

    with running_api() as api, running_gateway(api.target) as gateway:
        api.answers["WatchMatch"] = watch
        setting, following = blocks("streams-and-resume", "js")[:2]
        use = 'for await (const { id } of follow("/matches/abcd/events")) console.log(id);'
        program = f"{setting}{following}{use}".replace("127.0.0.1:8080", f"{gateway.host}:{gateway.port}")
        (tmp_path / "follow.mjs").write_text(program, encoding="utf-8")
        ended = subprocess.run(["node", "follow.mjs"], cwd=tmp_path, capture_output=True, timeout=60, check=True)
        assert ended.stdout.split() == [b"1", b"2"]


def test_retries(house: House, tmp_path: Path) -> None:
    assert node(house, "retries", tmp_path) == ["true", "true", "409 REQUEST_ID_REUSED"]


def test_a_turn_of_freedom_of_speech(house: House, tmp_path: Path) -> None:
    lines = node(house, "speaking", tmp_path)
    assert [line for line in lines if re.fullmatch(r"(start|clue|guess) done", line)], lines
    refused = {line.split()[1] for line in lines if re.fullmatch(r"(start|clue|guess) [A-Z_]+", line)}
    assert refused <= {"STALE_WINDOW", "TIMER_RUN_OUT"}


def test_the_example_shows_each_trick_of_a_whole_match(house: House, tmp_path: Path) -> None:
    example = (DOCS / "examples" / "match.mjs").read_text(encoding="utf-8")
    assert len([line for line in example.splitlines() if line.strip()]) <= 40
    said = run(house, ["node"], example, tmp_path, "match.mjs")
    tricks = [line.split(":")[0] for line in said if line.startswith("Trick ")]
    assert tricks == [f"Trick {number}" for number in range(1, 11)]
    laid = [line for line in said if re.match(r"  (\d+ goes to|.+ takes) row [1-4]", line)]
    assert len(laid) == 40
    assert said[-1].startswith("Bulls: Ann ")


def test_links_lead_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
