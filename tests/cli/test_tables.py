"""The table of each game fits a terminal of 80 x 24, whatever is played, and says what a player needs."""

import re
from random import Random
from typing import Any

import click
import pytest
from click.testing import CliRunner
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from support.played import played_match
from support.playing import Habits, Match, a_command

from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.guest import Given, given_options, guest_options
from croupier_cli.picking import Picking
from croupier_cli.stepping import Stepping
from croupier_cli.tables import TABLES, Scene, lifecycle
from croupier_cli.tables.board import Status, board, ending, helping, lobby
from croupier_cli.terminal.ink import Line, length
from croupier_convert import action_to_proto
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Cards, EndMode, Options, Placement, ProChoice

SIZE = (80, 24)
GIVEN = Given(" --target 127.0.0.1:50052", " --target 127.0.0.1:50052 --name Ann --token-file tokens.json")
STATUS = Status(link="no connection, trying again", left=7.9, notice="n" * 79, keys="k" * 79, given=GIVEN)
SIX = TABLES["six_nimmt"]


def shown(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def check(lines: list[Line]) -> str:
    assert len(lines) == SIZE[1], shown(lines)
    assert max(map(length, lines)) <= SIZE[0], shown(lines)
    return shown(lines)


def stepping(options: Options, seats: int, seed: int = 1) -> Stepping:
    dice = Random(seed)
    return Stepping(played_match(GAMES["six_nimmt"], options, seats, dice, Habits(resign=0.01, late=0.05)))


def asked(scene: Scene, game: str, choices: list[games_pb2.Action]) -> None:
    """Let the scene's viewer be asked, as the service would."""
    del scene.match.you.window.choices[:]
    scene.match.you.window.choices.extend(choices)


def test_every_game_has_a_table() -> None:
    assert set(TABLES) == set(GAMES)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_help_of_every_game_fits(game: str) -> None:
    lines = helping(TABLES[game], ("k" * 76,) * 5, SIZE)
    assert len(lines) <= SIZE[1]
    assert max(map(length, lines)) <= SIZE[0]
    assert f"`croupier rules {game}` prints the rules" in shown(lines)
    assert all(len(text) <= 76 for text in TABLES[game].help())


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_event_of_every_game_is_told_in_a_line(game: str) -> None:
    match = matches_pb2.Match(seats=[matches_pb2.Seat(display_name=name) for name in ("Ann", "Bea")])
    payload = getattr(matches_pb2.Event(), game)
    for field in payload.DESCRIPTOR.fields:
        event = matches_pb2.Event(type=f"{game}.{field.name}")
        getattr(getattr(event, game), field.name).SetInParent()
        told = TABLES[game].told(Scene(match), event)
        assert told
        assert told != event.type
        assert TABLES[game].story(Scene(match, [event]), SIZE[0]) is not None


@pytest.mark.parametrize("game", sorted(GAMES))
def test_acts_are_chosen_or_typed(game: str) -> None:
    """Where all acts are listed, letters are commands; where texts are wanted, they are not."""
    state = played(game)
    texts = any(GAMES[game].choices(state, seat) is None for seat in range(4))
    assert (TABLES[game].speech is not None) is texts


def played(game: str) -> Any:
    """The state of a match of four after its deals and first acts."""
    match = Match(GAMES[game], GAMES[game].options(), 4)
    while len(match.commands) < 5:
        match.do(a_command(match, Random(2), Habits()))
    return match.state


@pytest.mark.parametrize("cards", Cards)
@pytest.mark.parametrize("placement", Placement)
@pytest.mark.parametrize("seats", [2, 5, 10])
def test_all_of_it_fits(cards: Cards, placement: Placement, seats: int) -> None:
    options = Options(cards, placement, end_mode=EndMode.FIXED_DEALS, deals=2, pro_choice=ProChoice.ALWAYS)
    steps = stepping(options, seats)
    names = ["Ann", "Дмитрий Александрович", "李小龍李小龍李小龍李小龍", "x" * 40, "é" * 20]
    game = GAMES["six_nimmt"]
    while True:
        scene = steps.scene()
        for seat, seated in enumerate(scene.match.seats):
            seated.display_name = names[seat % len(names)]
        state = steps.state
        awaiting = game.awaiting(state)
        for seat in awaiting.must if awaiting else ():
            choices = [action_to_proto("six_nimmt", choice) for choice in game.choices(state, seat) or ()]
            if seat == scene.seat and choices:
                asked(scene, "six_nimmt", choices)
        picked = scene.choices[-1] if scene.choices else None
        seen = check(board(SIX, scene, picked, STATUS, SIZE))
        for card in scene.view.six_nimmt.hand:
            assert str(card) in seen
        if picked is not None:
            assert "[" in seen or ">Row 4" in seen
        before = steps.position
        steps.press("right")
        if steps.position == before:
            break


def test_the_lobby_and_the_end_fit() -> None:
    outcome = matches_pb2.Outcome(places=[1] * 10, scores=[-100] * 10)
    match = matches_pb2.Match(
        id="m-" + "x" * 61,
        game="six_nimmt",
        state=matches_pb2.MatchState.OVER,
        outcome=outcome,
        commitment="f" * 64,
        seats=[matches_pb2.Seat(player="p", display_name="名" * 40, bot=True) for _ in range(10)],
        join_code="ABCDEFGH",
    )
    match.you.seat = 3
    seen = check(ending(SIX, Scene(match), STATUS, SIZE))
    assert "f" * 64 in seen
    assert "you" in seen
    assert f"croupier replay {match.id} --save match.json{GIVEN.player}" in copied(seen)
    match.seats[4].ClearField("player")
    seen = check(lobby(SIX, Scene(match), STATUS, SIZE))
    assert "(free)" in seen
    assert "team" not in seen
    assert f"--join {match.id} --code ABCDEFGH{GIVEN.server}" in copied(seen)


def test_the_lobby_shows_seats_as_they_are_asked_for_and_teams() -> None:
    names = ["Ann", "Bea", "", "李小龍" * 13]
    match = matches_pb2.Match(id="m-0123456789abcdef", game="freedom_of_speech", state=matches_pb2.MatchState.OPEN)
    for seat, name in enumerate(names):
        match.seats.add(display_name=name, team=seat % 2, player="p" if name else None)
    match.you.seat = 0
    seen = check(lobby(TABLES["freedom_of_speech"], Scene(match), STATUS, SIZE))
    assert [" ".join(row.split()[:4]) for row in seen.splitlines()[4:7]] == [
        "0 team 1 Ann",
        "1 team 2 Bea",
        "2 team 1 (free)",
    ]
    assert "--seat 2" in seen


def copied(screen: str) -> str:
    """What is shown, as a shell reads a command of several lines."""
    return re.sub(r" \\\n +", " ", screen)


def test_names_of_seats() -> None:
    match = matches_pb2.Match(seats=[matches_pb2.Seat(display_name=name) for name in ("Ann", "Bea", "Cid", "")])
    scene = Scene(match)
    assert scene.names([]) == "nobody"
    assert scene.names([0]) == "Ann"
    assert scene.names([0, 1]) == "Ann and Bea"
    assert scene.names([0, 1, 3, 9]) == "Ann, Bea, seat 3 and seat 9"
    match.you.seat = 1
    assert scene.names([0, 1, 2]) == "Ann, Cid and you"


def commits(*cards: int) -> list[games_pb2.Action]:
    actions = []
    for card in cards:
        action = games_pb2.Action()
        action.six_nimmt.commit.card = card
        actions.append(action)
    return actions


def test_picking_by_arrows_and_by_number() -> None:
    picking = Picking(SIX.typed)
    assert picking.press("left") is None
    assert picking.picked is None
    hand = commits(1, 4, 12, 42, 104)
    picking.offer("w1", hand)
    assert picking.picked == hand[0]
    assert picking.press("left") == ""
    assert picking.picked == hand[4]
    assert picking.press("right") == ""
    assert picking.press("end") == ""
    assert picking.picked == hand[4]
    assert picking.press("home") == ""
    assert picking.press("x") is None
    # 4 is a card itself, and the beginning of 42.
    assert picking.press("4") == ""
    assert picking.picked == hand[1]
    assert picking.press("2") == ""
    assert picking.picked == hand[3]
    # Another digit begins anew: 1 is a card, 10 the beginning of one.
    assert picking.press("1") == ""
    assert picking.press("0") == "Number: 10_"
    assert picking.press("backspace") == "Number: 1_"
    assert picking.press("escape") == ""
    assert picking.press("9") == "There is no 9 to choose. There is 1, 4, 12, 42, 104."
    # The same question with the same choices: the keyboard stays.
    picking.press("end")
    picking.offer("w1", hand)
    assert picking.picked == hand[4]
    picking.offer("w2", hand[:2])
    assert picking.picked == hand[0]
    picking.offer("w3", [])
    assert picking.picked is None


def test_what_happens_to_seats_is_told_in_words() -> None:
    match = matches_pb2.Match(seats=[matches_pb2.Seat(player="p", display_name=name) for name in ("Ann", "Ben")])
    begun = Timestamp(seconds=100)

    def said(**happened: Any) -> str:
        return lifecycle.told(Scene(match), matches_pb2.Event(time=begun, match=matches_pb2.MatchEvent(**happened)))

    absent = matches_pb2.MatchAbsent(seat=1, stand_in_time=Timestamp(seconds=130))
    assert said(absent=absent) == "Ben is away; a bot takes over in 30 s"
    stood_in = matches_pb2.MatchStoodIn(seat=1, player="b", display_name="Robo", epoch=1)
    assert said(stood_in=stood_in) == "Robo plays for Ben"
    assert said(returned=matches_pb2.MatchReturned(seat=1, epoch=2)) == "Ben is back"
    credited = matches_pb2.MatchCredited(credit_duration=Duration(seconds=3))
    assert said(credited=credited) == "the server paused; every clock was set back by 3 s"


@pytest.mark.parametrize(
    ("arguments", "environment", "server", "player"),
    [
        ([], {}, "", ""),
        ([], {"CROUPIER_GRPC_TARGET": "there:1"}, " --target there:1", ""),
        (
            ["--target", "here:2", "--tls", "--name", "Ann B"],
            {},
            " --target here:2 --tls",
            " --target here:2 --tls --name 'Ann B'",
        ),
    ],
)
def test_shown_commands_have_what_was_given(
    arguments: list[str], environment: dict[str, str], server: str, player: str
) -> None:
    """Others have another environment; the viewer keeps his own."""

    @click.command()
    @guest_options
    def command(**_: object) -> None:
        given = given_options(click.get_current_context())
        assert given == Given(server, player)

    result = CliRunner().invoke(command, arguments, env={"CROUPIER_GRPC_TARGET": None, **environment})
    assert result.exit_code == 0, result.exception
