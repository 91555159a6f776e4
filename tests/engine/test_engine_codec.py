"""Values to bytes and back."""

from types import MappingProxyType

import msgspec
import pytest
from support.freedom_of_speech import some_words
from support.six_nimmt import GAME, act, dealt, last_trick

from croupier_engine import codec
from croupier_engine.clock import Clock, Limits
from croupier_engine.freedom_of_speech import options as speech
from croupier_engine.game import Act, AnyGame, Awaiting, By, Command, Credit, Deal, Outcome, Resign, Tick
from croupier_engine.registry import GAMES, UnknownGame, game_of
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import Action, Cards, ChooseRow, ChooseSide, Commit, Options, Pick, Side

WRITTEN: list[tuple[Command[Action], list[object]]] = [
    (Act(3, Commit(15), 70, By.STAND_IN), ["act", 3, {"commit": [15]}, 70, "STAND_IN"]),
    (Act(0, Pick(1), 1), ["act", 0, {"pick": [1]}, 1, "PLAYER"]),
    (Act(0, ChooseRow(0), 1), ["act", 0, {"row": [0]}, 1, "PLAYER"]),
    (Act(0, ChooseSide(Side.LEFT), 1), ["act", 0, {"side": ["LEFT"]}, 1, "PLAYER"]),
    (Resign(2, 5), ["resign", 2, 5]),
    (Deal((1, 0, 2), 6), ["deal", [1, 0, 2], 6]),
    (Tick(7), ["tick", 7]),
    (Credit(250, 8), ["credit", 250, 8]),
]


def packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


@pytest.mark.parametrize(("command", "written"), WRITTEN)
def test_commands(command: Command[Action], written: list[object]) -> None:
    assert codec.encode_command(GAME, command) == packed(written)
    assert codec.decode_command(GAME, packed(written)) == command


def test_states_and_events() -> None:
    asked = last_trick([[20], [30], [40], [50]], 35, 5, 104)
    committed = act(dealt(Options(), 3), 1, Commit(15))
    for step in (asked, committed, rules.start(Options(cards=Cards.LOGIC), 10)):
        state = codec.decode_state(GAME, codec.encode_state(GAME, step.state), step.state.options)
        assert (state, hash(state)) == (step.state, hash(step.state))
        events = codec.decode_events(GAME, codec.encode_events(step.events))
        assert events == step.events
        assert all(isinstance(event.private, MappingProxyType) for event in events)
    written = [["six_nimmt.committed", [1, None, "PLAYER"], {1: [1, 15, "PLAYER"]}]]
    assert codec.encode_events(committed.events) == packed(written)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_state_is_written_without_its_options(game: AnyGame) -> None:
    options = next(iter(game.presets.values())).options
    state = game.start(options, game.seats[2], 5).state
    written = codec.encode_state(game, state)
    assert codec.encode_options(options) not in written
    assert codec.decode_state(game, written, options) == state


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_what_a_later_version_has_added_is_not_cut_off_in_silence(game: AnyGame) -> None:
    options = next(iter(game.presets.values())).options
    state = game.start(options, game.seats[2], 5).state
    with pytest.raises(codec.DecodeError):
        codec.decode_state(game, added(codec.encode_state(game, state)), options)
    with pytest.raises(codec.DecodeError):
        codec.decode_options(game, added(codec.encode_options(options)))
    with pytest.raises(codec.DecodeError):
        codec.decode_clock(added(codec.encode_clock(Clock.start(Limits(30_000), 3))))


def added(written: bytes) -> bytes:
    """With a field of a later version."""
    return packed([*msgspec.msgpack.decode(written), "new"])


def test_a_long_list_of_words_is_not_written_with_every_state() -> None:
    game = GAMES["freedom_of_speech"]
    own = speech.Options(words=some_words(48))
    state = game.start(own, 4, 5).state
    written = codec.encode_state(game, state)
    assert len(written) == len(codec.encode_state(game, game.start(speech.Options(), 4, 5).state))
    assert codec.decode_state(game, written, own).options is own


def test_a_payload_may_be_nothing() -> None:
    written = packed([["six_nimmt.committed", None, {}]])
    (event,) = codec.decode_events(GAME, written)
    assert event.public is None
    assert codec.encode_events((event,)) == written


def test_options_that_are_absent_have_their_defaults() -> None:
    assert codec.decode_options(GAME, packed(["TACTIC", "NORMAL", True])) == Options(Cards.TACTIC, recommit=True)
    assert codec.decode_options(GAME, codec.encode_options(Options(recommit=True))) == Options(recommit=True)


def test_outcome_and_clock() -> None:
    outcome = Outcome((1, 2), (66, -3))
    assert codec.decode_outcome(codec.encode_outcome(outcome)) == outcome
    clock = Clock.start(Limits(30_000, 5, 1), 3).follow(Awaiting("w", "CHOOSE", must=(0, 2)), 99)
    assert codec.decode_clock(codec.encode_clock(clock)) == clock


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"\x92",
        packed([]),
        packed({"command": "tick"}),
        packed(["shuffle"]),
        packed(["tick"]),
        packed(["act", 0, {}, 1, "PLAYER"]),
        packed(["act", 0, {"pick": [1], "row": [1]}, 1, "PLAYER"]),
        packed(["act", 0, {"fold": []}, 1, "PLAYER"]),
        packed(["act", 0, {"pick": [True]}, 1, "PLAYER"]),
        packed(["act", 0, {"pick": [1]}, 1, "NOBODY"]),
    ],
)
def test_bytes_that_are_no_command(written: bytes) -> None:
    with pytest.raises(codec.DecodeError):
        codec.decode_command(GAME, written)


def test_bytes_that_are_no_events() -> None:
    with pytest.raises(codec.DecodeError, match="no event"):
        codec.decode_events(GAME, packed([["durak.beaten", None, {}]]))


def test_registry() -> None:
    assert game_of("six_nimmt") is GAMES["six_nimmt"]
    assert all(game.name == name for name, game in GAMES.items())
    assert game_of("six_nimmt", GAMES["six_nimmt"].rules_version) is GAMES["six_nimmt"]
    with pytest.raises(UnknownGame, match="mau_mau"):
        game_of("mau_mau")
    with pytest.raises(UnknownGame, match="six_nimmt, rules version 99"):
        game_of("six_nimmt", 99)
