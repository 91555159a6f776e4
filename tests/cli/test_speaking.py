"""A line that is typed, and the keys that no text needs."""

from collections.abc import Sequence

import pytest

from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.speaking import Speaking, shown
from croupier_cli.tables import TABLES, Scene

SPEECH = TABLES["freedom_of_speech"].speech


def scene(actions: Sequence[str], window: str = "c1.clue", flags: Sequence[int] = ()) -> Scene:
    """What the player on seat 1 is asked; `flags`: clues that are open, all of an opponent."""
    match = matches_pb2.Match(seats=[matches_pb2.Seat() for _ in range(4)])
    match.you.seat = 1
    match.you.window.id = window
    match.you.window.actions.extend(actions)
    for number in flags:
        match.you.view.freedom_of_speech.open_clues.add(clue=number, seat=0, may_flag=True)
    return Scene(match)


def asked(actions: Sequence[str], window: str = "c1.clue", flags: Sequence[int] = ()) -> Speaking:
    assert SPEECH is not None
    speaking = Speaking(SPEECH)
    speaking.offer(scene(actions, window, flags), asked=True)
    return speaking


def typed(speaking: Speaking, text: str) -> None:
    for key in text:
        assert speaking.press("space" if key == " " else key) == ""


def said(answer: object) -> str:
    """The text of an act, whichever it is."""
    assert isinstance(answer, games_pb2.Action), answer
    act = answer.freedom_of_speech
    kind = act.WhichOneof("action")
    assert kind in ("clue", "guess", "write_rule")
    text: str = getattr(act, kind).text
    return f"{kind} {text}"


@pytest.mark.parametrize(("action", "kind"), [("clue", "clue"), ("guess", "guess"), ("write_rule", "write_rule")])
def test_a_line_becomes_the_act_that_is_asked_for(action: str, kind: str) -> None:
    speaking = asked([action])
    typed(speaking, "  qr? 7 Ґанок ")
    assert speaking.line == "qr? 7 Ґанок "
    assert said(speaking.press("enter")) == f"{kind} qr? 7 Ґанок"
    assert speaking.line == ""
    assert speaking.press("enter") == "Type first; Enter sends it."


def test_a_line_is_edited() -> None:
    speaking = asked(["guess"])
    typed(speaking, "cafe\u0301s")
    speaking.press("backspace")
    speaking.press("backspace")  # an accent goes with its letter
    assert speaking.text == "caf"
    assert speaking.press("left") is None
    assert speaking.press("up") is None
    assert speaking.press("escape") == ""
    assert speaking.text == ""
    assert speaking.press("backspace") == ""


def test_a_line_has_an_end() -> None:
    speaking = asked(["guess"])
    assert speaking.put("a\nb\x1b[2J\tc") == ""
    assert speaking.text == "a b [2J c"
    assert speaking.put("я" * 10_000) == "A guess has at most 100 characters."
    assert len(speaking.text) == 100
    assert speaking.press("x") == "A guess has at most 100 characters."


def test_letters_do_nothing_where_nothing_can_be_said() -> None:
    speaking = asked(["flag"], flags=[4])
    assert speaking.line is None
    for key in ("q", "r", "y", "4", "enter", "space"):
        assert speaking.press(key) == "There is nothing for you to say now."
    assert speaking.bar() == "^F flag 4"


def test_a_line_that_comes_too_late_keeps_the_keyboard_until_it_is_cleared() -> None:
    speaking = asked(["guess"])
    typed(speaking, "elepha")
    speaking.offer(scene(["start"], "q2.ready"), asked=True)
    assert speaking.press("n") == "Too late: nobody takes this now. Escape clears it."
    assert speaking.bar() == "Esc clears"
    assert speaking.press("enter") == "That was too late to be sent."
    assert speaking.bar() == "Enter starts"
    started = speaking.press("enter")
    assert isinstance(started, games_pb2.Action)
    assert started.freedom_of_speech.HasField("start")


@pytest.mark.parametrize(("action", "window"), [("guess", "c2.clue"), ("clue", "c2.clue")])
def test_a_line_of_another_card_is_sent_only_when_that_is_wanted(action: str, window: str) -> None:
    speaking = asked(["guess"])
    typed(speaking, "whale")
    speaking.offer(scene([action], window), asked=True)
    assert speaking.press("enter") == f"Something else is asked now. Enter sends it as a {action}, Escape clears it."
    assert said(speaking.press("enter")) == f"{action} whale"


def test_a_refused_line_comes_back_unless_something_else_is_asked_or_typed() -> None:
    speaking = asked(["guess"])
    typed(speaking, "one")
    speaking.press("enter")
    sent = speaking.sent
    speaking.give_back(sent)
    assert said(speaking.press("enter")) == "guess one"
    typed(speaking, "two")
    speaking.give_back(sent)
    assert speaking.text == "two"
    speaking.press("escape")
    speaking.offer(scene(["guess"], "c2.clue"), asked=True)
    speaking.give_back(sent)
    assert speaking.text == ""


def test_an_act_by_a_key_is_no_line_that_could_come_back() -> None:
    speaking = asked(["clue", "skip", "accept"])
    typed(speaking, "one")
    speaking.press("enter")
    assert speaking.bar() == "type a clue  ^K skip  ^A accept"
    skipped = speaking.press("ctrl-k")
    assert isinstance(skipped, games_pb2.Action)
    assert skipped.freedom_of_speech.HasField("skip")
    speaking.give_back(speaking.sent)
    assert speaking.text == ""


def test_which_clue_is_flagged() -> None:
    speaking = asked(["flag"], flags=[3, 4, 5])

    def number() -> int:
        flagged = speaking.press("ctrl-f")
        assert isinstance(flagged, games_pb2.Action)
        return flagged.freedom_of_speech.flag.clue

    assert number() == 5
    speaking.press("up")
    assert number() == 4
    speaking.offer(scene(["flag"], flags=[3, 4, 5, 6]), asked=True)
    assert number() == 4, "where an arrow has gone, it stays"
    speaking.press("down")
    speaking.press("down")
    speaking.press("down")
    assert number() == 3
    speaking.offer(scene(["flag"], flags=[5, 6]), asked=True)
    assert number() == 6
    speaking.offer(scene([], flags=[6]), asked=True)
    assert speaking.press("ctrl-f") is None


def test_who_has_not_to_act_has_no_keys() -> None:
    speaking = asked(["guess", "flag"], flags=[1])
    speaking.offer(scene(["guess", "flag"], flags=[1]), asked=False)
    assert (speaking.bar(), speaking.line, speaking.picked) == ("", None, None)


def test_what_keys_are_called() -> None:
    assert [shown(key) for key in ("enter", "ctrl-k")] == ["Enter", "^K"]
