"""Freedom of Speech fits a terminal of 80 x 24, whatever is said, and hides the word from those who guess."""

import re
from random import Random
from typing import Any

import pytest
from support.playing import Habits, Match, a_command

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import matches_pb2
from croupier_cli.speaking import Speaking
from croupier_cli.tables import TABLES, Scene
from croupier_cli.tables.board import Status, board
from croupier_cli.terminal.ink import Line, length
from croupier_convert import options_to_proto, set_payload, view_to_proto
from croupier_engine.freedom_of_speech.options import ForfeitMode, Judge, Options, TurnMode
from croupier_engine.game import Event
from croupier_engine.registry import GAMES

SIZE = (80, 24)
GAME, TABLE = GAMES["freedom_of_speech"], TABLES["freedom_of_speech"]
assert TABLE.speech is not None
SPEECH = TABLE.speech
NAMES = ["Ann", "Дмитрий Александрович", "李小龍李小龍李小龍李小龍", "x" * 40]
ALWAYS = "  ^R give up  ^X leave  ? help"


def shown(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def check(lines: list[Line]) -> str:
    assert len(lines) == SIZE[1], shown(lines)
    assert max(map(length, lines)) <= SIZE[0], shown(lines)
    return shown(lines)


def scene_of(match: Match, seat: int | None, told: list[matches_pb2.Event]) -> Scene:
    """The match as a seat would be shown it."""
    message = matches_pb2.Match(
        id="m-0123456789abcdef",
        game=GAME.name,
        state=matches_pb2.MatchState.RUNNING,
        seats=[matches_pb2.Seat(player="p", display_name=NAMES[n % len(NAMES)]) for n in range(match.seats)],
    )
    message.options.CopyFrom(options_to_proto(GAME.name, match.options))
    message.you.view.CopyFrom(view_to_proto(GAME.name, GAME.view(match.state, seat)))
    awaiting = GAME.awaiting(match.state)
    if seat is not None:
        message.you.seat = seat
    if awaiting is not None and not awaiting.chance:
        message.you.window.id = awaiting.window
        message.you.window.kind = matches_pb2.WindowKind.Value.Value(awaiting.kind)
        message.you.window.must.extend(awaiting.must)
        message.you.window.may.extend(awaiting.may)
        if seat is not None:
            message.you.window.actions.extend(GAME.action_names(match.state, seat))
    return Scene(message, told)


def as_told(event: Event, seat: int | None) -> matches_pb2.Event:
    message = matches_pb2.Event(type=event.type)
    set_payload(message, GAME.name, event.seen_by(seat))
    return message


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        (Options(win_at=3), 4),
        (Options(TurnMode.TEAM_RELAY, win_at=3, equal_turns=True, referee=1), 10),
        (Options(TurnMode.SOLO, win_at=4, judge=Judge.GIVER, opponents_see_card=False), 6),
        (Options(win_at=3, timer_min_duration=20_000, timer_max_duration=30_000, forfeit_mode=ForfeitMode.RULE), 10),
    ],
)
def test_all_of_it_fits(options: Options, seats: int) -> None:
    match, dice = Match(GAME, options, seats), Random(7)
    told: dict[int | None, list[matches_pb2.Event]] = {viewer: [] for viewer in (None, 0, 1, 2)}
    bars, seen_words = set(), 0
    while GAME.awaiting(match.state) is not None and len(match.commands) < 80:
        match.do(a_command(match, dice, Habits(resign=0.001, late=0.1)))
        for viewer, events in told.items():
            events += [as_told(event, viewer) for event in match.steps[-1].events]
            scene = scene_of(match, viewer, events[-120:])
            speaking = Speaking(SPEECH)
            speaking.offer(scene, asked=viewer is not None)
            bars.add(speaking.bar() + ALWAYS)
            speaking.press("x")
            bars.add(f"{speaking.bar()}  ^X leave")
            status = Status("no connection", 7.9, "n" * 79, speaking.bar(), "Ґ" * 200)
            seen = check(board(TABLE, scene, speaking.picked, status, SIZE))
            view = scene.view.freedom_of_speech
            seen_words += view.HasField("word")
            assert view.HasField("word") == ("┌" in seen)
            assert f" > …{'Ґ' * 74}_" in seen
            clues = [said for said in view.talk if said.kind == pb.FreedomOfSpeechKind.CLUE]
            assert not clues or f"{clues[-1].clue:>4}  {clues[-1].text}" in seen
            assert not speaking.picked or "Flag clue " in seen
    assert seen_words > 20
    assert max(map(len, bars)) <= 79, bars


def test_the_bar_has_room_for_every_key() -> None:
    everything = ["clue", "accept", "skip", "flag", "start"]
    message = matches_pb2.Match(you=matches_pb2.You(seat=1))
    message.you.window.actions.extend(everything)
    message.you.view.freedom_of_speech.open_clues.add(clue=999, seat=0, may_flag=True)
    speaking = Speaking(SPEECH)
    speaking.offer(Scene(message), asked=True)
    bar = speaking.bar() + ALWAYS
    assert bar == "type a clue  Enter starts  ^K skip  ^A accept  ^F flag 999" + ALWAYS
    assert len(bar.replace("Enter starts  ", "")) <= 79, "nobody starts and gives a clue at once"
    speaking.press("x")
    assert len(speaking.bar() + "  ^X leave") <= 79


def test_only_clues_that_the_viewer_may_flag_are_offered() -> None:
    message = matches_pb2.Match(you=matches_pb2.You(seat=1))
    message.you.window.actions.extend(["guess", "flag"])
    for number, may in ((1, True), (2, False), (3, True)):
        message.you.view.freedom_of_speech.open_clues.add(clue=number, seat=0, may_flag=may)
    assert [choice.freedom_of_speech.flag.clue for choice in SPEECH.choices(Scene(message))] == [1, 3]
    del message.you.window.actions[:]
    assert SPEECH.choices(Scene(message)) == ()


def test_who_gave_up_with_his_card_is_told() -> None:
    dropped = pb.FreedomOfSpeechDropped(seat=1, word=pb.FreedomOfSpeechWord(word="elephant"))
    event = matches_pb2.Event(
        type="freedom_of_speech.dropped", freedom_of_speech=pb.FreedomOfSpeechEvent(dropped=dropped)
    )
    assert "has given up; «elephant» is dead" in TABLES["freedom_of_speech"].told(spoken(), event)


def spoken(**view: Any) -> Scene:
    message = matches_pb2.Match(seats=[matches_pb2.Seat(display_name=name, bot=True) for name in ("Ann", "Bea") * 2])
    message.you.seat = 0
    message.you.view.freedom_of_speech.CopyFrom(pb.FreedomOfSpeechView(running=True, scores=[0, 1], **view))
    return Scene(message)


def test_a_long_clue_is_shown_whole_and_the_latest_ones_have_the_room() -> None:
    clue = pb.FreedomOfSpeechKind.CLUE
    long = " ".join(f"word{number:03}" for number in range(25))
    talk = [pb.FreedomOfSpeechSaid(kind=clue, text=f"short {number}", clue=number) for number in range(1, 9)]
    talk.append(pb.FreedomOfSpeechSaid(kind=clue, text=long, clue=9))
    seen = check(board(TABLE, spoken(talk=talk), None, Status(), SIZE))
    assert all(word in seen for word in long.split())
    assert re.search(r"^   8  short 8$\n^   9  word000 ", seen, re.MULTILINE)
    assert "short 7" not in seen


@pytest.mark.parametrize(
    ("word", "aliases", "frame"),
    [
        ("pig", ["hog"], "│  P I G  │  or: hog"),
        ("ice cream", [], "│  I C E   C R E A M  │"),
        ("їжак", [], "│  Ї Ж А К  │"),
        ("w" * 40, ["a" * 40] * 8, f"│  {'W' * 40}  │  or: aaaaa"),
    ],
)
def test_the_word_is_large_for_those_who_may_see_it(word: str, aliases: list[str], frame: str) -> None:
    seen = check(board(TABLE, spoken(word=pb.FreedomOfSpeechWord(word=word, aliases=aliases)), None, Status(), SIZE))
    assert frame in seen
    assert "hidden" not in seen


@pytest.mark.parametrize(
    ("kind", "actions", "words"),
    [
        ("READY", ["start"], "Enter starts the timer, and you see the word."),
        ("READY", ["start", "write_rule"], "you see the word. Or write a rule for team 1."),
        ("READY", ["write_rule"], "Write a rule for team 1, or wait for Ann."),
        ("READY", [], "Waiting for you to start the timer."),
        ("CLUE", ["clue"], "Explain the word."),
        ("CLUE", ["clue", "accept"], "Explain the word. Accept when somebody has said it."),
        ("CLUE", ["guess", "flag"], "Guess what Ann means."),
        ("CLUE", ["flag"], "Ann explains the word to team 1."),
    ],
)
def test_what_is_asked(kind: str, actions: list[str], words: str) -> None:
    scene = spoken(caught=0)
    scene.match.you.window.kind = matches_pb2.WindowKind.Value.Value(kind)
    scene.match.you.window.actions.extend(actions)
    assert TABLE.question(scene).endswith(words)


def test_a_secret_timer_is_said_to_be_one() -> None:
    scene = spoken(round=2)
    assert TABLE.heading(scene) == "hot potato, timer 2"
    scene.match.options.freedom_of_speech.timer_max_duration.FromSeconds(75)
    assert TABLE.heading(scene) == "hot potato, secret timer 2"


def test_how_many_flags_a_clue_has_and_takes() -> None:
    scene = spoken()
    while len(scene.match.seats) < 6:
        scene.match.seats.add(display_name="Eve")
    view = scene.view.freedom_of_speech
    view.talk.add(kind=pb.FreedomOfSpeechKind.CLUE, seat=0, text="grey", clue=1)
    view.open_clues.add(clue=1, seat=0, flags=[1])
    assert "grey (1 of 2 flags, by " in shown(TABLE.table(scene, None, 80))
    view.resigned.extend([3, 5])
    assert "grey (1 of 1 flags, by " in shown(TABLE.table(scene, None, 80))
