"""`croupier replay` and `croupier watch`: a match as text, on the screen, in a pipe."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from google.protobuf import json_format
from support.fake_api import running_api
from support.house import CROUPIER, House, running_house
from support.played import played_match
from support.playing import Habits
from support.terminal import Terminal

from croupier.v1 import matches_pb2, players_pb2
from croupier_cli.app import croupier
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Cards, EndMode, Options
from croupier_service import rules_texts


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("replay") / "data") as house:
        yield house


@pytest.fixture
def file(tmp_path: Path) -> Path:
    options = Options(end_mode=EndMode.FIXED_DEALS, deals=2)
    message = played_match(GAMES["six_nimmt"], options, 3, Random(11), Habits(late=0.05))
    path = tmp_path / "replay.json"
    path.write_text(json_format.MessageToJson(message))
    return path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    ended = subprocess.run([*CROUPIER, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def test_the_whole_notation(file: Path) -> None:
    result = CliRunner().invoke(croupier, ["replay", str(file), "--text"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert re.fullmatch(r"m-\d+: six_nimmt, 3 seats, rules version \d+", lines[0])
    assert lines[1:4] == [f"seat {seat}: p-{seat}" for seat in range(3)]
    assert lines[4] == "> log[0] 0.0 s: the dealer shuffles 104 cards"
    assert lines[5].startswith("* deal 1: [")
    assert sum(line.startswith("* trick ") for line in lines) == 20
    assert any(re.fullmatch(r"> log\[\d+\] \d+\.\d s: [012] commit \d+ \(clock\)", line) for line in lines)
    assert re.fullmatch(r"= places [\d ]+, scores [\d -]+", lines[-1])


def test_who_stood_in_is_said(tmp_path: Path) -> None:
    options = Options(end_mode=EndMode.FIXED_DEALS)
    message = played_match(GAMES["six_nimmt"], options, 3, Random(1), Habits(), away=0.3)
    (tmp_path / "replay.json").write_text(json_format.MessageToJson(message))
    result = CliRunner().invoke(croupier, ["replay", str(tmp_path / "replay.json"), "--text"])
    assert result.exit_code == 0, result.output
    assert re.search(r"^> log\[\d+\] \d+\.\d s: [012] commit \d+ \(stand-in\)$", result.output, re.MULTILINE)


def test_what_a_file_or_a_server_says_gives_the_terminal_no_orders(file: Path, tmp_path: Path) -> None:
    message = json_format.Parse(file.read_text(), matches_pb2.Replay())
    message.seats[1] = "p-1\x1b[2J"
    file.write_text(json_format.MessageToJson(message))
    result = CliRunner().invoke(croupier, ["replay", str(file), "--text"])
    assert result.exit_code == 0, result.output
    assert "seat 1: p-1\ufffd[2J\n" in result.output

    table = matches_pb2.Match(id="abcd", game="six_nimmt", state=matches_pb2.MatchState.RUNNING)
    joined = matches_pb2.MatchJoined(seat=0, display_name="Eve\x9b2J\u202e")
    event = matches_pb2.Event(sequence=1, type="match.joined", match=matches_pb2.MatchEvent(joined=joined))
    with running_api() as api:
        api.answers["CreatePlayer"] = lambda _request, _context: players_pb2.CreatePlayerResponse(token="t")
        api.answers["GetMatch"] = lambda _request, _context: table
        api.answers["WatchMatch"] = lambda _request, _context: iter(
            [
                matches_pb2.WatchMatchResponse(event=event),
                matches_pb2.WatchMatchResponse(end=matches_pb2.StreamEnd(reason="OVER")),
            ]
        )
        code, said, errors = run(
            tmp_path, "watch", "abcd", "--target", api.target, "--token-file", str(tmp_path / "tokens")
        )
    assert code == 0, errors
    assert said.endswith("  Eve\ufffd2J took seat 0\n")


def test_a_replay_that_the_rules_refuse_is_printed_as_far_as_it_goes(file: Path) -> None:
    text = file.read_text()
    cut = re.sub(r'"card": \d+', '"card": 105', text, count=1)
    assert cut != text
    file.write_text(cut)
    result = CliRunner().invoke(croupier, ["replay", str(file), "--text"], prog_name="croupier")
    assert result.exit_code == 2
    assert result.stdout.splitlines()[-1].startswith("* deal 1: ")
    assert re.fullmatch(r"croupier: \S+ cannot be played further: log\[1\], sequence \d+: .*\n", result.stderr)


def test_stepping_through_on_the_screen(file: Path, tmp_path: Path) -> None:
    with Terminal([*CROUPIER, "replay", str(file)], tmp_path, {}) as terminal:
        terminal.wait_for(r"0 of \d+: the start")
        terminal.press("right")
        terminal.wait_for(r"1 of \d+: the dealer shuffles 104 cards")
        terminal.press("right")
        terminal.wait_for(r"2 of \d+: \d commit \d+")
        terminal.press("left")
        first = terminal.wait_for(r"^ 1 of \d+: ").string
        assert "Seat 0 (you)" in first
        terminal.press("tab")
        second = terminal.wait_for(r"Seat 1 \(you\)").string
        assert first.splitlines()[20] != second.splitlines()[20]  # the hand of another seat
        terminal.press("down")
        terminal.wait_for(r"trick 2 of 10|To be laid")
        terminal.press("up")
        terminal.wait_for(r"^ 1 of \d+: ")
        terminal.press("end")
        terminal.wait_for(r"\. 1\. Seat \d -?\d+, 2\. ")
        terminal.press("home", "x")
        terminal.wait_for("That key does nothing here")
        terminal.press("?")
        terminal.wait_for("the next question")
        terminal.press("q", "q")
        assert terminal.ended() == 0


def test_a_draft_on_the_screen(tmp_path: Path) -> None:
    options = Options(cards=Cards.LOGIC, end_mode=EndMode.FIXED_DEALS)
    message = played_match(GAMES["six_nimmt"], options, 4, Random(3), Habits())
    (tmp_path / "draft.json").write_text(json_format.MessageToJson(message))
    with Terminal([*CROUPIER, "replay", "draft.json"], tmp_path, {}) as terminal:
        terminal.wait_for(r"0 of \d+: the start")
        terminal.press("right")
        terminal.wait_for(r"1 of \d+: 0 pick \d+")


def test_a_replay_needs_a_terminal_or_text(file: Path, tmp_path: Path) -> None:
    code, said, errors = run(tmp_path, "replay", str(file))
    assert (code, said) == (2, "")
    assert errors.startswith("croupier: this needs a terminal")


def test_watch_in_a_pipe_and_fetch_the_replay(house: House, tmp_path: Path) -> None:
    guest = ("--target", house.grpc, "--token-file", str(tmp_path / "tokens.json"))
    play = [*CROUPIER, "play", "--name", "Ann", "--bots", "careful,random", "--preset", "single_deal", *guest]
    with Terminal(play, tmp_path, {}) as terminal:
        match = terminal.wait_for(r"trick 1 of 10 +(m-\w{16})")[1]
        code, _, errors = run(tmp_path, "replay", match, "--save", "early.json", *guest)
        assert code == 2
        assert "the match is over" in errors
        assert errors.count("\n") == 1
        watching = subprocess.Popen(
            [*CROUPIER, "watch", match, *guest], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with Terminal([*CROUPIER, "watch", match, "--table", *guest], tmp_path, {}) as spectator:
            seen = spectator.wait_for(r"Waiting for Ann").string
            assert "(you)" not in seen
            assert seen.splitlines()[-1] == " ? help   q leave"
            spectator.press("enter")
            spectator.wait_for("The enter key does nothing here")
            spectator.press("q")
            assert spectator.ended() == 0
        terminal.press("r", "y")
        terminal.wait_for("The match is over")
        said, errors = watching.communicate(timeout=60)
    assert (watching.returncode, errors) == (0, "")
    assert "\x1b" not in said
    lines = said.splitlines()
    assert [int(line[:5]) for line in lines] == list(range(1, len(lines) + 1))
    assert all(re.match(r" *\d+  \d\d:\d\d:\d\d  \S", line) for line in lines)
    told = [line[17:] for line in lines]
    assert told[:2] == ["the table was opened", "Ann took seat 0"]
    assert "Ann gave up" in told
    assert not any(re.match(r"Ann has chosen: ", line) for line in told)  # a spectator is not told which
    assert told[-1].startswith("the match is over: 1. ")
    code, said, errors = run(tmp_path, "replay", match, "--save", "match.json", *guest)
    assert code == 0, errors
    assert said.startswith("match.json: ")
    code, said, _ = run(tmp_path, "verify", "match.json")
    assert code == 0
    assert said.endswith("\nok\n")
    code, _, errors = run(tmp_path, "replay", match, "--save", "no/such/folder.json", *guest)
    assert code == 2
    assert "cannot be written" in errors
    # Ann sees her own cards in the log.
    code, said, errors = run(tmp_path, "watch", match, "--name", "Ann", *guest)
    assert code == 0, errors
    assert re.search(r", hand \d+( \d+){9}$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("watch", "m-none"), "There is no match m-none that you can see."),
        (("replay", "m-none", "--save", "x.json"), "There is no match m-none that you can see."),
    ],
)
def test_what_is_not_there(house: House, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    code, printed, errors = run(
        tmp_path, *arguments, "--target", house.grpc, "--token-file", str(tmp_path / "tokens.json")
    )
    assert (code, printed, errors) == (2, "", f"croupier: {said}\n")


@pytest.mark.parametrize("command", ["watch", "replay"])
def test_no_server(tmp_path: Path, command: str) -> None:
    save = ("--save", "x.json") if command == "replay" else ()
    code, printed, errors = run(
        tmp_path, command, "m-1", *save, "--target", "127.0.0.1:1", "--token-file", str(tmp_path / "tokens.json")
    )
    assert (code, printed) == (2, "")
    assert errors.startswith("croupier: there is no server at 127.0.0.1:1; start one with `croupier up`")
    assert errors.count("\n") == 1


def test_a_match_in_place_of_a_file(tmp_path: Path) -> None:
    said = "there is no file m-1; `croupier replay MATCH --save FILE` makes one of a match that is over"
    assert run(tmp_path, "replay", "m-1", "--text") == (2, "", f"croupier: {said}\n")


def test_a_token_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text("[")
    code, _, errors = run(tmp_path, "watch", "m-1", "--token-file", str(tmp_path / "tokens.json"))
    assert code == 2
    assert "cannot be read" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("play", "chess"), "there is no table for chess; there is six_nimmt"),
        (("play", "--option", "cards"), "--option takes NAME=VALUE"),
        (("play", "--option", "colour=1"), "--option: there is no colour; there is "),
        (("play", "--option", "cards=PURPLE"), "--option cards: not one of STANDARD, "),
    ],
)
def test_what_cannot_be_played(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    with Terminal([*CROUPIER, *arguments], tmp_path, {}, columns=200) as terminal:
        assert terminal.ended() == 2
        assert re.search(rf"^croupier: {re.escape(said)}", terminal.look(), re.MULTILINE)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_terminal_that_cannot_be_drawn_on(tmp_path: Path, environment: dict[str, str]) -> None:
    with Terminal([*CROUPIER, "play"], tmp_path, environment, columns=200) as terminal:
        assert terminal.ended() == 2
        assert "`croupier watch` prints lines instead" in terminal.look()


def test_rules_in_the_terminal() -> None:
    result = CliRunner().invoke(croupier, ["rules", "six_nimmt", "--locale", "uk-UA"])
    assert result.exit_code == 0
    assert result.output.startswith("# Корова 006")
    assert CliRunner().invoke(croupier, ["rules"]).output.startswith("# 6 nimmt!")
    result = CliRunner().invoke(croupier, ["rules", "six_nimmt", "--locale", "ua"], prog_name="croupier")
    assert (result.exit_code, result.stderr) == (2, "croupier: there are no rules in ua; there are en, ru, uk\n")
    result = CliRunner().invoke(croupier, ["rules", "chess"], prog_name="croupier")
    assert result.exit_code == 2
    assert result.stderr == f"croupier: there is no game chess; there is {', '.join(rules_texts.GAMES)}\n"
