"""`croupier play freedom_of_speech` by four people at pseudo terminals of 80 x 24, by key presses alone."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.house import CROUPIER, House, running_house
from support.terminal import Terminal

NAMES = ("Ann", "Bob", "Cid", "Dan")
OVER = "The match is over"
STARTS = "Enter starts the timer"
# Without a clock that could run out under the test.
LONG = ("timer_duration=600s", "start_duration=600s", "flag_duration=600s")
WORDS = [{"word": f"{first}{second}mo"} for first in "bdfgk" for second in "aeiou"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("play") / "data") as house:
        yield house


def croupier(house: House, folder: Path, command: str, *arguments: str) -> list[str]:
    guest = ("--target", house.grpc, "--token-file", str(folder / "tokens.json"))
    return [*CROUPIER, command, *arguments, *guest]


def sit_down(stack: ExitStack, house: House, folder: Path, *options: str) -> tuple[str, list[Terminal]]:
    """A table of four people: the match, and their terminals by seat."""
    table = ("freedom_of_speech", "--seats", "4", *[f"--option={each}" for each in (*LONG, *options)])
    terminals: list[Terminal] = []
    match = ""
    for name in NAMES:
        how = ("freedom_of_speech", "--join", match) if match else table
        terminal = Terminal(croupier(house, folder, "play", *how, "--name", name), folder, {})
        terminals.append(stack.enter_context(terminal))
        match = match or terminal.wait_for(r"croupier play freedom_of_speech --join (m-[a-z0-9]{16})")[1]
    seen = terminals[0].wait_for(r"to start(?:.|\n)* deck \d+").string
    rows = [re.findall("|".join(NAMES), row) for row in seen.splitlines()[3:5]]
    seated = [name for row in rows for name in row]  # the teams stand side by side
    return match, [terminals[NAMES.index(name)] for name in seated]


def parts(terminals: list[Terminal], asked: str) -> tuple[Terminal, Terminal, list[Terminal]]:
    """The giver, his team-mate, and their opponents."""
    for terminal in terminals:
        terminal.wait_for(r"to start|gives\b")
    seat = next(seat for seat, terminal in enumerate(terminals) if re.search(asked, terminal.look(0.2)))
    return terminals[seat], terminals[(seat + 2) % 4], [terminals[(seat + 1) % 4], terminals[(seat + 3) % 4]]


def say(terminal: Terminal, text: str) -> None:
    terminal.press(*text, "enter")


def word(terminal: Terminal) -> str:
    """What stands in the frame."""
    return terminal.wait_for(r"│  (\w(?: \w)*)  │")[1].replace(" ", "").lower()


def test_a_match_is_played_to_the_end_by_key_presses(house: House, tmp_path: Path) -> None:
    with ExitStack() as stack:
        match, terminals = sit_down(stack, house, tmp_path, "win_at=2", f"words={json.dumps(WORDS)}")
        giver, mate, others = parts(terminals, STARTS)
        assert re.search(r"^ Enter starts  \^R give up  \^X leave  \? help$", giver.look(), re.MULTILINE)
        say(mate, "early")  # letters are no commands, and nobody takes them yet
        mate.wait_for("There is nothing for you to say now")
        mate.press("q", "y", "r", "y")
        giver.press("enter")
        first = word(giver)
        assert {word(other) for other in others} == {first}
        seen = mate.wait_for(r"The word is hidden from you(?:.|\n)*Guess what \w+ means\. +\d+ s").string
        assert first not in seen.lower().replace(" ", "")

        # All keys that are commands elsewhere are letters here.
        giver.press("?")
        giver.wait_for("Any key goes back")
        giver.press("x")
        say(giver, "quarry? 12 years")
        mate.wait_for(r"^   1  quarry\? 12 years$")
        mate.press("left")
        mate.wait_for("The left key does nothing here")
        mate.press(*"wrong", "escape")
        say(mate, "a noppe\x7f")
        assert "noppe" not in giver.wait_for("“a nopp”").string
        mate.press("\x1b[200~" + first[:2] + "\r" + "q" * 150 + "\x1b[201~")
        mate.wait_for("A guess has at most 100 characters")
        assert "“" + first[:2] not in giver.look(), "a line that was pasted is not sent by itself"
        mate.press("escape")
        say(mate, first)
        for terminal in terminals:
            terminal.wait_for(rf"«{first}» WON by team [12]")

        # The word itself is a foul, and was never shown.
        giver, mate, others = parts(terminals, r"Explain the word\.")
        second = word(giver)
        say(giver, f"it is a {second}")
        told = mate.wait_for(r"FOUL, the clue had the word, or a form or a part of it(?:.|\n)*?dead").string
        assert f"it is a {second}" not in told
        assert f"«{second}» is dead" in re.sub(r"\s+", " ", told)
        giver.wait_for(f"Your clue was a foul: “it is a {second}”, for «{second}».")

        # A team that has a card can skip.
        giver, mate, others = parts(terminals, STARTS)
        giver.press("enter")
        third = word(giver)
        giver.wait_for(r"^ type a clue  \^K skip  ")
        giver.press("\x0b")
        mate.wait_for(rf"«{third}» SKIPPED, «{first}» given up")
        giver.wait_for(r"^ type a clue  \^R give up")
        giver.press("\x0b")
        giver.wait_for("The ctrl-k key does nothing here")

        # Two of two opponents call a clue a foul.
        say(giver, "is it small")
        say(giver, "is it green")
        for other in others:
            other.wait_for(r"^ Flag clue 3 of \w+: is it green$")
            other.press("up")
            other.wait_for(r"^ \^F flag 2  ")
        others[0].press("\x06")
        mate.wait_for(r"^   2  is it small \(1 of 2 flags, by \w+\)$")
        others[0].wait_for(r"^ \^F flag 3  ")
        others[1].press("\x06")
        mate.wait_for("FOUL, clue 2 was flagged")

        for _ in range(8):
            if any(OVER in terminal.look(0.3) for terminal in terminals):
                break
            giver, mate, others = parts(terminals, f"{STARTS}|Explain the word")
            if STARTS in giver.look():
                giver.press("enter")
            wanted = word(giver)
            mate.wait_for(r"Guess what \w+ means\.")
            say(mate, wanted)
            giver.wait_for(rf"«{wanted}» WON|{OVER}")
        for terminal in terminals:
            assert len(re.findall(r"^ +1\.  \w+ +2", terminal.wait_for(OVER).string, re.MULTILINE)) == 2
        terminals[0].press("v")
        terminals[0].wait_for("and verified: deals, acts and result are true")
        for terminal in terminals:
            terminal.press("q")
            assert terminal.ended() == 0
            # Pastes are told from keys, but only here.
            assert terminal.sent.rindex(b"\x1b[?2004l") > terminal.sent.rindex(b"\x1b[?2004h")

    def said(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    watched = said(*croupier(house, tmp_path, "watch", match))
    assert re.search(r", clue 1: “quarry\? 12 years”$", watched, re.MULTILINE)
    assert re.search(rf" skips «{third}» and gives up «{first}»: \d:\d$", watched, re.MULTILINE)
    told = said(*CROUPIER, "replay", f"{match}.json", "--text")
    assert re.search(r'^> log\[\d+\] \d+\.\d s: \d clue "quarry\? 12 years"$', told, re.MULTILINE)
    assert re.search(r'^\* \d clue 1: "quarry\? 12 years"$', told, re.MULTILINE)
    with Terminal([*CROUPIER, "replay", f"{match}.json"], tmp_path, {}) as terminal:
        terminal.wait_for(r"0 of \d+: the start")
        terminal.press(*["right"] * 4)
        seen = terminal.wait_for('clue "quarry').string
        assert re.search(r" gives\b(?:.|\n)* explains the word to team", seen), seen


def test_spoken_play_and_a_line_that_comes_too_late(house: House, tmp_path: Path) -> None:
    with ExitStack() as stack:
        _, terminals = sit_down(stack, house, tmp_path, "win_at=1", "judge=GIVER", "language=UK")
        giver, mate, _ = parts(terminals, STARTS)
        giver.press("enter")
        giver.wait_for(r"^ type a clue  \^A accept")
        say(giver, "щось у цьому світі")
        mate.wait_for("^   1  щось у цьому світі$")
        say(mate, "latin")
        mate.wait_for("This text cannot be sent: it takes letters")
        mate.wait_for(r"^ > latin_$")
        mate.press("escape", *"йq")
        mate.wait_for(r"^ > йq_$")
        giver.press("\x01")
        mate.wait_for(OVER)
        mate.press("q", "v")  # he still types
        mate.wait_for("Too late: nobody takes this now. Escape clears it.")
        assert "verified" not in mate.look(0.3)
        mate.press("escape", "q")
        assert mate.ended() == 0


def test_two_friends_on_one_team(house: House, tmp_path: Path) -> None:
    """Ann opens the table, Bob sits down as her partner, and she fills it with bots."""
    table = ("freedom_of_speech", "--name", "Ann", "--seats", "4", *[f"--option={each}" for each in LONG])
    with Terminal(croupier(house, tmp_path, "play", *table), tmp_path, {}) as ann:
        match = ann.wait_for(r"--join (m-[a-z0-9]{16})")[1]
        join = ("freedom_of_speech", "--name", "Bob", "--join", match, "--seat")
        with Terminal(croupier(house, tmp_path, "play", *join, "0"), tmp_path, {}) as refused:
            assert refused.ended() == 2
            assert "seat" in refused.look().lower()
        with Terminal(croupier(house, tmp_path, "play", *join, "2"), tmp_path, {}) as bob:
            for terminal, mine in ((ann, "Ann"), (bob, "Bob")):
                terminal.wait_for(rf"team 1  {mine} +you")
            ann.wait_for(r" 1  team 2  \(free\)")
            ann.press("b")
            ann.wait_for(r"team 2  careful")
            ann.press("b")
            for terminal in (ann, bob):
                seen = terminal.wait_for(r"Team 1, yours(?:.|\n)*deck \d+").string
                assert re.search(r"^  Ann", seen, re.M)
                assert re.search(r"^  Bob", seen, re.M)


def test_seat_is_for_those_who_join(house: House, tmp_path: Path) -> None:
    with Terminal(croupier(house, tmp_path, "play", "freedom_of_speech", "--seat", "2"), tmp_path, {}) as terminal:
        assert terminal.ended() == 2
        assert "--seat goes with --join" in terminal.look()


def test_giving_up_and_leaving(house: House, tmp_path: Path) -> None:
    with ExitStack() as stack:
        match, terminals = sit_down(stack, house, tmp_path)
        giver, mate, _ = parts(terminals, STARTS)
        giver.press("\x12")
        giver.wait_for(r"Give up for good\?(?:.|\n)*y yes   any other key no")
        giver.press("n", "\x18")
        giver.wait_for(r"Leave\? Your seat is kept")
        giver.press("y")
        assert giver.ended() == 0
        assert f"Your seat in {match} is kept" in giver.sent.decode()
        mate.press("\x12", "y")
        assert len(re.findall(r"^ +1\.  \w+ +0", mate.wait_for(OVER).string, re.MULTILINE)) == 2
