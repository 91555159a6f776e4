"""Durak fits a terminal of 80 x 24, whatever is played, and its choices are reached by their numbers."""

from random import Random

import pytest
from support.durak import position
from support.played import played_match
from support.playing import Habits

from croupier.v1 import durak_pb2, games_pb2, matches_pb2
from croupier_cli.picking import Picking
from croupier_cli.stepping import Stepping
from croupier_cli.tables import TABLES, Scene
from croupier_cli.tables.board import Status, board
from croupier_cli.terminal.ink import Line, length
from croupier_convert import action_to_proto, view_to_proto
from croupier_engine.durak.model import Beat, Claim, Lead, Pass, Take, Throw, Transfer
from croupier_engine.durak.options import DiscardView, Kind, Limit, Options, Pogony, ThrowOrder
from croupier_engine.registry import GAMES

SIZE = (80, 24)
STATUS = Status(link="no connection, trying again", left=7.9, notice="n" * 79, keys="k" * 79)
GAME, TABLE = GAMES["durak"], TABLES["durak"]


def shown(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def check(lines: list[Line]) -> str:
    assert len(lines) == SIZE[1], shown(lines)
    assert max(map(length, lines)) <= SIZE[0], shown(lines)
    return shown(lines)


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        (Options(Kind.PROSTOY, table_limit=Limit.HAND), 2),
        (Options(games=2, pogony=Pogony.RECORD), 6),
        (Options(teams=2, throw_order=ThrowOrder.FREE), 4),
        (Options(Kind.PEREVODNOY, 54, discard_view=DiscardView.OPEN), 8),
        (Options(deck=54, table_limit=Limit.HAND), 3),
    ],
)
def test_all_of_it_fits(options: Options, seats: int) -> None:
    steps = Stepping(played_match(GAME, options, seats, Random(3), Habits(resign=0.002, late=0.05)))
    names = ["Ann", "Дмитрий Александрович", "李小龍李小龍李小龍李小龍", "x" * 40]
    choices_seen = 0
    while True:
        scene = steps.scene()
        for seat, seated in enumerate(scene.match.seats):
            seated.display_name = names[seat % len(names)]
        state = steps.state
        awaiting = GAME.awaiting(state)
        if awaiting is not None and scene.seat in (*awaiting.must, *awaiting.may):
            listed = [action_to_proto("durak", choice) for choice in GAME.choices(state, scene.seat) or ()]
            del scene.match.you.window.choices[:]
            scene.match.you.window.choices.extend(listed)
        picked = scene.choices[-1] if scene.choices else None
        seen = check(board(TABLE, scene, picked, STATUS, SIZE))
        view = scene.view.durak
        for card in (*view.hand, *(pair.attack for pair in view.table)):
            assert card in seen
        if picked is not None:
            choices_seen += 1
            assert f"[{len(scene.choices)} " in seen
        before = steps.position
        steps.press("right")
        if steps.position == before:
            break
    assert choices_seen > 5


def test_a_team_mate_who_plays_for_an_empty_place_is_marked() -> None:
    hands = ["", "", "6C 7C", "8D KD"]
    state = position(hands, Options(teams=2), leader=0, out=[0, 1])
    scene = Scene(matches_pb2.Match(you=matches_pb2.You(view=view_to_proto("durak", GAME.view(state, None)))))
    seats = shown(TABLE.table(scene, None, SIZE[0])).splitlines()[-4:]
    assert [seat.split()[-1] for seat in seats] == ["out", "out", "attacks", "defends"]


def test_a_choice_is_typed_by_its_number() -> None:
    picking = Picking(TABLE.typed)
    hand = [action_to_proto("durak", Lead((card,))) for card in ("6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS")]
    hand.append(action_to_proto("durak", Lead(("6S", "6H"))))
    picking.offer("w", hand)
    assert picking.press("1") == ""
    assert picking.picked == hand[0]
    assert picking.press("0") == ""
    assert picking.picked == hand[9]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Lead(("6S", "6H")), "1 6S 6H"),
        (Beat("6S", "9S"), "1 6S/9S"),
        (Transfer(("6C",)), "1 pass on 6C"),
        (Take(), "1 take"),
        (Pass(), "1 pass"),
        (Claim(), "1 new deal"),
    ],
)
def test_what_a_choice_is_called(action: object, words: str) -> None:
    choice = action_to_proto("durak", action)
    scene = Scene(matches_pb2.Match(you=matches_pb2.You(seat=0, view=games_pb2.View())))
    scene.match.you.window.choices.append(choice)
    assert f"[{words}]" in shown(list(TABLE.hand(scene, choice, 80)))


@pytest.mark.parametrize(
    ("kind", "actions", "words"),
    [
        ("DEFEND", [Beat("6S", "9S"), Take()], "Beat, or take."),
        ("DEFEND", [Transfer(("6C",)), Take()], "Pass on, or take."),
        ("DEFEND", [Beat("6S", "9S"), Transfer(("6C",)), Take()], "Beat, pass on, or take."),
        ("DEFEND", [Take()], "You have nothing that beats: take."),
        ("DEFEND", [Take(), Claim()], "You have nothing that beats: take."),
        ("THROW", [Throw(("6C",)), Pass()], "Throw in, at most 2, or pass."),
        ("THROW", [Pass()], "You have nothing to throw in: pass."),
    ],
)
def test_the_question_names_what_can_be_done(kind: str, actions: list[object], words: str) -> None:
    view = games_pb2.View(durak=durak_pb2.DurakView(room=2))
    scene = Scene(matches_pb2.Match(you=matches_pb2.You(seat=0, view=view)))
    window = scene.match.you.window
    window.kind, window.must[:] = matches_pb2.WindowKind.Value.Value(kind), [0]
    window.choices.extend(action_to_proto("durak", action) for action in actions)
    assert TABLE.question(scene) == words


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (durak_pb2.DurakFirstAttacker(seat=1, card="2S"), "Bea holds the lowest trump, 2S, and attacks first"),
        (durak_pb2.DurakFirstAttacker(seat=1), "Bea attacks first"),
    ],
)
def test_why_somebody_attacks_first(first: durak_pb2.DurakFirstAttacker, words: str) -> None:
    match = matches_pb2.Match(seats=[matches_pb2.Seat(display_name=name) for name in ("Ann", "Bea")])
    event = matches_pb2.Event(type="durak.first_attacker", durak=durak_pb2.DurakEvent(first_attacker=first))
    assert TABLE.told(Scene(match), event) == words


def test_every_event_is_told_in_a_line() -> None:
    match = matches_pb2.Match(seats=[matches_pb2.Seat(display_name=name) for name in ("Ann", "Bea")])
    for field in durak_pb2.DurakEvent.DESCRIPTOR.fields:
        event = matches_pb2.Event(type=f"durak.{field.name}")
        getattr(event.durak, field.name).SetInParent()
        told = TABLE.told(Scene(match), event)
        assert told
        assert told != event.type
