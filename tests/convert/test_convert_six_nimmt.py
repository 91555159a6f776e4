"""Everything that 6 nimmt! says goes over the wire whole, and nothing is made up on the way."""

from enum import StrEnum
from typing import Any

import pytest
from google.protobuf.message import Message
from msgspec import structs
from support.messages import all_fields, plain, plain_field, set_fields

from croupier.v1 import games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_convert import (
    ConvertError,
    action_from_proto,
    action_name,
    action_to_proto,
    options_from_proto,
    options_to_proto,
    set_payload,
    view_to_proto,
)
from croupier_engine.errors import option_name
from croupier_engine.game import By
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt import model

NAME = "six_nimmt"
GAME = GAMES[NAME]

# No field of these is at its default, so that a forgotten one shows.
OPTIONS = model.Options(
    cards=model.Cards.LOGIC,
    placement=model.Placement.PROFESSIONAL,
    recommit=True,
    end_mode=model.EndMode.FIXED_DEALS,
    end_check=model.EndCheck.TRICK,
    start_credit=7,
    deals=3,
    pro_choice=model.ProChoice.ALWAYS,
)
ACTIONS: list[model.Action] = [
    model.Pick(104),
    model.Commit(7),
    model.ChooseRow(3),
    model.ChooseSide(model.Side.LEFT),
    model.ChooseSide(model.Side.RIGHT),
]
ROWS = ((1, 2), (3,), (4,), (5, 6, 7))
PLAYS = (model.Play(1, 8), model.Play(2, 9))
PAYLOADS: list[object] = [
    model.Dealt(deal=1, rows=ROWS, hand_sizes=(10, 10), hand=(8, 9), pool=(11, 12)),
    model.Picked(seat=1, card=8, by=By.CLOCK),
    model.RowsLaid(rows=ROWS),
    model.Committed(seat=1, card=8, by=By.STAND_IN),
    model.Revealed(trick=2, plays=PLAYS),
    model.Placed(seat=1, card=8, row=3, side=model.Side.LEFT),
    model.RowTaken(seat=1, card=8, row=3, taken=(5, 6, 7), bulls=4, by=By.PLAYER),
    model.DealScored(deal=1, bulls=(4, 5), scores=(62, 61)),
]
VIEW = model.View(
    deal=1,
    trick=2,
    rows=ROWS,
    hand=(8, 9),
    hands=((8, 9), (10, 11)),
    hand_sizes=(2, 3),
    pool=(12, 13),
    chosen=8,
    plays=PLAYS,
    waiting=PLAYS[1:],
    scores=(60, -3),
    bulls=(6, 69),
    resigned=(1,),
)


def test_options_whole() -> None:
    message = options_to_proto(NAME, OPTIONS)
    assert set_fields(message.six_nimmt) == all_fields(message.six_nimmt)
    assert plain(message.six_nimmt) == plain(OPTIONS)
    assert options_from_proto(GAME, message, model.Options()) == OPTIONS


def values_of(option: object) -> list[Any]:
    if isinstance(option, StrEnum):
        return list(type(option))
    return [False, True] if isinstance(option, bool) else [1, 100]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (field.name, value)
        for field in structs.fields(model.Options)
        for value in values_of(getattr(OPTIONS, field.name))
    ],
)
def test_every_option_value(option: str, value: Any) -> None:
    changed = structs.replace(OPTIONS, **{option: value})
    assert options_from_proto(GAME, options_to_proto(NAME, changed), model.Options()) == changed


def test_absent_options_are_as_in_the_base() -> None:
    assert options_from_proto(GAME, games_pb2.Options(), OPTIONS) == OPTIONS
    assert options_from_proto(GAME, games_pb2.Options(six_nimmt=pb.SixNimmtOptions()), OPTIONS) == OPTIONS
    given = games_pb2.Options(six_nimmt=pb.SixNimmtOptions(recommit=False))
    assert options_from_proto(GAME, given, OPTIONS) == structs.replace(OPTIONS, recommit=False)


def test_zero_is_a_value_and_not_absence() -> None:
    given = games_pb2.Options(six_nimmt=pb.SixNimmtOptions(start_credit=0))
    assert options_from_proto(GAME, given, OPTIONS).start_credit == 0


@pytest.mark.parametrize("option", ["cards", "placement", "end_mode", "end_check", "pro_choice"])
def test_enum_options(option: str) -> None:
    unspecified = games_pb2.Options()
    setattr(unspecified.six_nimmt, option, 0)
    assert options_from_proto(GAME, unspecified, OPTIONS) == OPTIONS
    unknown = games_pb2.Options()
    setattr(unknown.six_nimmt, option, 9)
    with pytest.raises(ConvertError) as error:
        options_from_proto(GAME, unknown, OPTIONS)
    assert error.value.reason == "OPTION_INVALID"
    assert error.value.details["option"] == option_name(option)
    assert "9" in error.value.details["problem"]


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_action_there_and_back(action: model.Action) -> None:
    message = action_to_proto(NAME, action)
    assert action_from_proto(NAME, message) == action
    named = message.six_nimmt.WhichOneof("action")
    assert named == action_name(GAME, action)
    assert plain_field(message.six_nimmt, str(named)) == plain(action)


@pytest.mark.parametrize("side", [0, 7])
def test_side_that_is_none(side: int) -> None:
    message = games_pb2.Action()
    message.six_nimmt.side.SetInParent()
    message.six_nimmt.side.side = side  # type: ignore[assignment]
    with pytest.raises(ConvertError) as error:
        action_from_proto(NAME, message)
    assert error.value.reason == "SIDE_INVALID"


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (games_pb2.Action(), "action"),
        (games_pb2.Action(six_nimmt=pb.SixNimmtAction()), "action.sixNimmt"),
    ],
)
def test_action_that_names_none(message: games_pb2.Action, field: str) -> None:
    with pytest.raises(ConvertError) as error:
        action_from_proto(NAME, message)
    assert error.value.reason == "INVALID_FIELD"
    assert error.value.details["field"] == field
    assert error.value.details["problem"]


def test_view_whole() -> None:
    message = view_to_proto(NAME, VIEW)
    assert set_fields(message.six_nimmt) == all_fields(message.six_nimmt)
    assert plain(message.six_nimmt) == plain(VIEW)


def test_view_without_a_chosen_card() -> None:
    message = view_to_proto(NAME, structs.replace(VIEW, chosen=None))
    assert not message.six_nimmt.HasField("chosen")


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: type(payload).__name__)
def test_payload_whole(payload: object) -> None:
    event = matches_pb2.Event()
    set_payload(event, NAME, payload)
    named = event.six_nimmt.WhichOneof("event")
    assert named is not None
    message: Message = getattr(event.six_nimmt, named)
    assert GAME.payloads[f"{NAME}.{named}"] is type(payload)
    assert set_fields(message) == all_fields(message)
    assert plain(message) == plain(payload)


def test_sealed_commit_names_no_card() -> None:
    event = matches_pb2.Event()
    set_payload(event, NAME, model.Committed(seat=0, card=None, by=By.PLAYER))
    assert event.six_nimmt.HasField("committed")
    assert not event.six_nimmt.committed.HasField("card")


def test_nothing_to_know_is_no_payload() -> None:
    event = matches_pb2.Event(sequence=4, type="six_nimmt.committed")
    set_payload(event, NAME, None)
    assert event.WhichOneof("payload") is None


def test_nothing_is_forgotten() -> None:
    assert {type(payload) for payload in PAYLOADS} == set(GAME.payloads.values())
    assert {type(action) for action in ACTIONS} == set(GAME.actions.values())
    events = pb.SixNimmtEvent.DESCRIPTOR.fields_by_name
    assert {f"{NAME}.{event}" for event in events} == set(GAME.payloads)
    assert set(pb.SixNimmtAction.DESCRIPTOR.fields_by_name) == set(GAME.actions)
