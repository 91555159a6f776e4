"""`croupier play` on a pseudo terminal of 80 x 24, by key presses alone, against a real house."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.house import CROUPIER, House, running_house
from support.processes import eventually
from support.terminal import Terminal

ASKED = r"Choose a card\.|fits nowhere|as near to one end|Take a card from the pool"
SGR = re.compile(rb"\x1b\[[\d;]*m")
MATCH = r"m-[a-z0-9]{16}"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("play") / "data") as house:
        yield house


def croupier(house: House, folder: Path, command: str, *arguments: str, **environment: str) -> Terminal:
    """A command on a terminal; tokens are kept in the folder."""
    guest = ("--target", house.grpc, "--token-file", str(folder / "tokens.json"))
    return Terminal([*CROUPIER, command, *arguments, *guest], folder, environment)


def play_on(terminal: Terminal, until: str = "The match is over", keys: tuple[str, ...] = ("right", "enter")) -> str:
    """Answer every question by keys until the screen matches; what stands there then."""
    answered = ""
    while not re.search(until, terminal.look()):
        seen = terminal.wait_for(f"{until}|{ASKED}").string
        if re.search(until, seen):
            break
        question = "\n".join(seen.splitlines()[:-3])  # without the clock
        if question != answered:
            answered = question
            terminal.press(*keys)
        terminal.look(0.1)
    return terminal.look()


def test_a_deal_is_played_to_the_end_by_key_presses(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "six_nimmt", "--name", "Ann", "--preset", "single_deal") as terminal:
        first = terminal.wait_for(r"Choose a card\.").string.splitlines()
        assert first[0].startswith(" 6 nimmt!  deal 1, trick 1 of 10")
        assert all(first[2 + row].startswith(f" Row {row + 1}") for row in range(4))
        assert re.match(r" Ann \(you\) +66 ", first[7])
        assert re.match(r" \[ *\d+.\]( +\d+[²³⁵⁷ ]){9}", first[20] + " ")
        assert re.search(r" \d+ s$", first[21])
        assert first[23] == " arrows or digits choose   Enter plays   ? help   r give up   q leave"
        hand = [int(card) for card in re.findall(r"\d+", first[20])]
        # A card is also reached by its number.
        terminal.press(*str(hand[4]))
        terminal.wait_for(rf"\[ *{hand[4]}.\]")
        terminal.press("enter")
        told = terminal.wait_for(rf"Trick 1: (?:.|\n)*Ann {hand[4]} (?:to|TAKES) row|To be laid: ").string
        assert len(told.splitlines()) == 24
        last = play_on(terminal)
        assert re.search(r"^ +\d\.  Ann +-?\d+  you$", last, re.MULTILINE)
        assert len(re.findall(r"^ +\d\.  ", last, re.MULTILINE)) == 4
        last = terminal.wait_for("Trick 10: ").string  # that it is over may be told before its last events
        match = re.search(rf"croupier replay ({MATCH}) --save match\.json", last)
        assert match
        assert "croupier verify match.json" in last
        terminal.press("v")
        terminal.wait_for("and verified: deals, acts and result are true")
        assert json.loads((tmp_path / f"{match[1]}.json").read_text())["match"] == match[1]
        terminal.press("q")
        assert terminal.ended() == 0
        assert f"{match[1]} is over: 1. " in terminal.sent.decode()
        # The terminal is as it was before: the first screen, with a cursor.
        assert terminal.sent.rindex(b"\x1b[?1049l") > terminal.sent.rindex(b"\x1b[?1049h")
        assert terminal.sent.rindex(b"\x1b[?25h") > terminal.sent.rindex(b"\x1b[?25l")
        assert SGR.search(terminal.sent)


def test_a_logic_draft_with_professional_laying(house: House, tmp_path: Path) -> None:
    options = [f"--option={option}" for option in ("cards=LOGIC", "placement=PROFESSIONAL", "pro_choice=ALWAYS")]
    with croupier(house, tmp_path, "play", "--bots", "random", "--preset", "single_deal", *options) as terminal:
        seen = terminal.wait_for("Take a card from the pool").string
        assert "logic, professional, deal 1, draft" in seen
        terminal.press("2", "4")
        terminal.wait_for(r"\[ 24.\]|There is no 24|There is no 2 ")
        asked = play_on(terminal, until=r"\[left of row \d|The match is over")
        if "[left of row" in asked:
            terminal.press("right")
            terminal.wait_for(r"\[right of row \d, after \d+\]")
            terminal.press("1")
            terminal.wait_for("Use the arrow keys here")
            terminal.press("enter")
        assert re.search(r"^ +1\.  ", play_on(terminal), re.MULTILINE)


def test_a_restart_comes_back_to_the_same_seat(house: House, tmp_path: Path) -> None:
    flags = ("--name", "Bea", "--bots", "careful", "--seconds", "3600")
    with croupier(house, tmp_path, "play", *flags) as terminal:
        terminal.wait_for(r"Choose a card\.")
        terminal.press("end", "enter")
        before = terminal.wait_for(rf"trick 2 of 10 +({MATCH})|fits nowhere(?:.|\n)*").string
        match = re.search(MATCH, before)
        assert match
        terminal.process.send_signal(signal.SIGKILL)
        terminal.process.wait()
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600
    with croupier(house, tmp_path, "play", *flags) as terminal:
        seen = terminal.wait_for(rf"{match[0]}").string
        seen = terminal.wait_for(r"Trick 1: ").string
        assert [line[:20] for line in seen.splitlines()[2:6]] == [line[:20] for line in before.splitlines()[2:6]]
        assert re.search(r"Bea +\(you\)", seen)
        terminal.press("q")
        terminal.wait_for(r"Leave\? Your seat is kept")
        terminal.press("n")
        terminal.wait_for("arrows or digits choose")
        terminal.press("q", "y")
        assert terminal.ended() == 0
        assert f"Your seat in {match[0]} is kept" in terminal.sent.decode()
    with croupier(house, tmp_path, "play", *flags, "--new") as terminal:
        seen = terminal.wait_for(r"Choose a card\.").string
        assert match[0] not in seen
        terminal.press("r", "y")
        terminal.wait_for("The match is over")


def test_wrong_keys_help_and_giving_up(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--name", "Cid", "--bots", "careful,careful") as terminal:
        terminal.wait_for(r"Choose a card\.")
        terminal.press("z")
        terminal.wait_for("The key z does nothing here")
        terminal.press("0")
        terminal.wait_for(r"There is no 0 to choose\. There is \d+, ")
        terminal.press("?")
        help_text = terminal.wait_for("Any key goes back").string
        assert "give up for good" in help_text
        terminal.press("escape")
        terminal.wait_for(r"Choose a card\.")
        terminal.press("r")
        terminal.wait_for(r"Give up for good\?(?:.|\n)*y yes   any other key no")
        terminal.press("x")
        terminal.wait_for("arrows or digits choose")
        terminal.press("r", "y")
        terminal.wait_for(r"Cid \(you\) .*out$| Cid gave up|3\.  Cid", seconds=60)


def test_whoever_gave_up_looks_on(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--name", "Ivo", "--seats", "3", "--bots", "careful") as ivo:
        match = ivo.wait_for(rf"croupier play six_nimmt --join ({MATCH}) --target {house.grpc}")[1]
        with croupier(house, tmp_path, "play", "six_nimmt", "--name", "Jan", "--join", match) as jan:
            jan.wait_for(r"Choose a card\.")
            ivo.wait_for(r"Choose a card\.")
            ivo.press("r", "y")
            ivo.wait_for(r"^ \? help   q leave")
            ivo.press("enter")
            ivo.wait_for("You gave up: the clock plays for your seat")
            ivo.press("q")
            assert ivo.ended() == 0
            assert f"You gave up in {match}: `croupier watch {match} --target" in ivo.sent.decode()
            with croupier(house, tmp_path, "play", "--name", "Ivo", "--bots", "careful") as again:
                seen = again.wait_for(r"Choose a card\.").string
                assert match not in seen
                again.press("r", "y")
            jan.press("r", "y")
            jan.wait_for("The match is over")


def test_a_lost_connection_shows_and_comes_back(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--name", "Dan", "--bots", "careful", "--seconds", "600") as terminal:
        terminal.wait_for(r"Choose a card\.")
        service = house.child("serve")
        assert service is not None
        os.kill(service, signal.SIGKILL)
        terminal.wait_for("no connection$")
        assert eventually(lambda: house.child("serve") not in (None, service), 30)
        terminal.wait_for(rf"trick \d+ of 10 +{MATCH}$")
        terminal.press("enter")
        terminal.wait_for(r"trick 2 of 10|fits nowhere")
        terminal.press("r", "y")
        terminal.wait_for("The match is over")


def test_two_people_at_a_private_table(house: House, tmp_path: Path) -> None:
    for_two = ("--seats", "2", "--private", "--preset", "single_deal")
    with croupier(house, tmp_path, "play", "--name", "Eve", *for_two) as eve:
        shown = eve.wait_for(rf"croupier play six_nimmt --join ({MATCH}) --code (\S+)")
        assert "(free)" in shown.string
        join = ("play", "six_nimmt", "--name", "Fred", "--join", shown[1])
        with croupier(house, tmp_path, *join) as uninvited:
            assert uninvited.ended() == 2
            assert "This match is private." in uninvited.look()
        with croupier(house, tmp_path, *join, "--code", shown[2]) as fred:
            fred.wait_for(r"Choose a card\.")
            eve.wait_for(r"Choose a card\.")
            eve.press("enter")
            eve.wait_for(r"You have chosen \d+\. Waiting for Fred\.")
            fred.wait_for(r"Eve +66 +chosen")
            fred.press("enter")
            for _ in range(60):
                for terminal in (eve, fred):
                    if re.search(ASKED, terminal.look()):
                        terminal.press("enter")
                        terminal.look(0.2)
                if "The match is over" in fred.look():
                    break
            eve.wait_for("The match is over")


def test_a_host_fills_the_table_with_bots_and_starts(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--name", "Gus", "--seats", "5") as terminal:
        terminal.wait_for("s start now   b seat a bot")
        terminal.press("s")
        terminal.wait_for("is played by 2 to 10 players, not by 1")
        terminal.press("b")
        terminal.wait_for(r"careful \d+ +a bot")
        terminal.press("s")
        terminal.wait_for(r"Choose a card\.")
        terminal.press("r", "y")
        terminal.wait_for("The match is over")
    with croupier(house, tmp_path, "play", "--name", "Gus", "--seats", "5") as terminal:
        terminal.wait_for("q leave the table|s start now")
        terminal.press("q")
        assert terminal.ended() == 0


def test_no_colour_when_none_is_wanted(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--bots", "careful", NO_COLOR="1") as terminal:
        terminal.wait_for(r"Choose a card\.")
        terminal.press("right")
        terminal.wait_for(r"^ +\d+. +\[ *\d+.\]")
        assert not SGR.search(terminal.sent)


def test_a_small_terminal_says_so_until_it_is_larger(house: House, tmp_path: Path) -> None:
    with croupier(house, tmp_path, "play", "--bots", "careful") as terminal:
        terminal.wait_for(r"Choose a card\.")
        terminal.resize(60, 20)
        terminal.wait_for("80 x 24 needed; this terminal is 60 x 20")
        terminal.resize(100, 30)
        seen = terminal.wait_for(r"Choose a card\.").string
        assert len(seen.splitlines()) == 30


def test_ctrl_c_and_a_closed_window_leave_the_table(house: House, tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with croupier(house, tmp_path, "play", "--name", "Hal", "--bots", "careful") as terminal:
            terminal.wait_for(r"Choose a card\.|fits nowhere|trick \d+ of 10")
            terminal.process.send_signal(number)
            assert terminal.ended() == 0
            assert terminal.sent.rindex(b"\x1b[?1049l") > terminal.sent.rindex(b"\x1b[?1049h")
