"""Everything that Durak says goes over the wire whole, and nothing is made up on the way."""

from enum import StrEnum
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from msgspec import structs
from support.messages import all_fields, plain, set_fields

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
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
from croupier_engine.durak import events, model
from croupier_engine.durak import options as o
from croupier_engine.errors import option_name
from croupier_engine.game import By
from croupier_engine.registry import GAMES

NAME = "durak"
GAME = GAMES[NAME]

# No field of these is at its default, so that a forgotten one shows.
OPTIONS = o.Options(
    kind=o.Kind.PEREVODNOY,
    deck=54,
    teams=2,
    games=7,
    until_losses=3,
    lead_size=o.LeadSize.SINGLE,
    first_attacker_next=o.FirstAttackerNext.WINNER,
    trump_if_no_talon=o.TrumpIfNoTalon.RANDOM_SUIT,
    redeal=o.Redeal.OFF,
    redeal_until=o.RedealUntil.FIRST_LEAD,
    throwers=o.Throwers.NEIGHBOURS,
    throw_match=o.ThrowMatch.RANK_OR_SUIT,
    throw_order=o.ThrowOrder.FREE,
    throw_batch=o.ThrowBatch.ONE,
    throw_timing=o.ThrowTiming.ANYTIME,
    throw_after_take=False,
    table_limit=o.Limit.HAND,
    limit_first=5,
    limit_first_scope=o.LimitFirstScope.FIRST_BOUT,
    limit_after_talon_empty=o.Limit.HAND,
    transfer_after_beat=True,
    transfer_first_bout=o.TransferFirstBout.FORBIDDEN,
    transfer_with_trump_on_table=o.Permission.FORBIDDEN,
    transfer_multi=False,
    pogony=o.Pogony.RECORD,
    discard_view=o.DiscardView.OPEN,
    max_bouts=9,
)
ACTIONS: list[model.Action] = [
    model.Lead(("6S", "6H")),
    model.Beat("6S", "JR"),
    model.Transfer(("6C",)),
    model.Take(),
    model.Throw(("JB", "JR")),
    model.Pass(),
    model.Claim(),
]
CARDS = ("6S", "TH")
PAYLOADS: list[object] = [
    events.DealerDrawn(dealer=1),
    events.Dealt(game=2, redeals=1, dealer=3, hand_sizes=(6, 6), talon_size=24, hand=CARDS),
    events.JokerTurned(card="JB"),
    events.TrumpTurned(suit="H", card="AH"),
    events.FirstAttacker(seat=1, card="6H"),
    events.Led(seat=1, cards=CARDS, defender=2, by=By.CLOCK),
    events.Beaten(seat=1, attack="6S", card="7S", by=By.STAND_IN),
    events.Transferred(seat=1, cards=CARDS, defender=2, by=By.PLAYER),
    events.Answered(seat=1, cards=CARDS, by=By.PLAYER),
    events.Thrown(seat=1, cards=CARDS, by=By.PLAYER),
    events.Passed(seat=1, by=By.CLOCK),
    events.TakeDeclared(seat=1, by=By.CLOCK),
    events.Taken(seat=1, cards=CARDS),
    events.Bito(cards=CARDS),
    events.Drew(seat=1, count=2, cards=CARDS),
    events.WentOut(seat=1, place=2),
    events.Claimed(seat=1, hand=CARDS, by=By.PLAYER),
    events.Epaulettes(fool=1, seat=2, cards=CARDS),
    events.GameOver(game=1, losers=(1, 3), places=(1, 2), losses=(0, 1)),
]
VIEW = model.View(
    game=2,
    redeals=1,
    bout=3,
    dealer=4,
    trump_suit="H",
    trump_card="7H",
    talon_size=10,
    discard_size=11,
    discard=("9C",),
    hand=CARDS,
    hand_sizes=(6, 7),
    table=(model.Pair("6S", 1, "9S"), model.Pair("6D", 1)),
    leader=1,
    principal=2,
    defender=3,
    defending=5,
    attacking=6,
    taking=True,
    room=4,
    passed=(1, 2),
    passed_ahead=True,
    answer=("TH",),
    out=(6,),
    fool=2,
    losses=(1, 0),
    resigned=(7,),
)


def test_options_whole() -> None:
    message = options_to_proto(NAME, OPTIONS)
    assert set_fields(message.durak) == all_fields(message.durak)
    assert plain(message.durak) == plain(OPTIONS)
    assert options_from_proto(GAME, message, o.Options()) == OPTIONS


def values_of(option: object) -> list[Any]:
    if isinstance(option, StrEnum):
        return list(type(option))
    return [False, True] if isinstance(option, bool) else [0, 36]


@pytest.mark.parametrize(
    ("option", "value"),
    [(field.name, value) for field in structs.fields(o.Options) for value in values_of(getattr(OPTIONS, field.name))],
)
def test_every_option_value(option: str, value: Any) -> None:
    changed = structs.replace(OPTIONS, **{option: value})
    assert options_from_proto(GAME, options_to_proto(NAME, changed), o.Options()) == changed


@pytest.mark.parametrize("preset", GAME.presets)
def test_every_preset(preset: str) -> None:
    options = GAME.presets[preset].options
    assert options_from_proto(GAME, options_to_proto(NAME, options), OPTIONS) == options


def test_absent_options_are_as_in_the_base() -> None:
    assert options_from_proto(GAME, games_pb2.Options(), OPTIONS) == OPTIONS
    assert options_from_proto(GAME, games_pb2.Options(durak=pb.DurakOptions()), OPTIONS) == OPTIONS
    given = games_pb2.Options(durak=pb.DurakOptions(transfer_multi=True))
    assert options_from_proto(GAME, given, OPTIONS) == structs.replace(OPTIONS, transfer_multi=True)


@pytest.mark.parametrize("option", [f.name for f in structs.fields(o.Options) if isinstance(f.default, StrEnum)])
def test_enum_options(option: str) -> None:
    unspecified = games_pb2.Options()
    setattr(unspecified.durak, option, 0)
    assert options_from_proto(GAME, unspecified, OPTIONS) == OPTIONS
    unknown = games_pb2.Options()
    setattr(unknown.durak, option, 9)
    with pytest.raises(ConvertError) as error:
        options_from_proto(GAME, unknown, OPTIONS)
    assert error.value.reason == "OPTION_INVALID"
    assert error.value.details["option"] == option_name(option)


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_action_there_and_back(action: model.Action) -> None:
    message = action_to_proto(NAME, action)
    assert action_from_proto(NAME, message) == action
    named = message.durak.WhichOneof("action")
    assert named == action_name(GAME, action)
    assert plain(getattr(message.durak, str(named))) == plain(action)


def test_a_pass_in_json() -> None:
    message = action_to_proto(NAME, model.Pass())
    assert json_format.MessageToDict(message) == {"durak": {"pass": {}}}
    assert json_format.ParseDict({"durak": {"pass": {}}}, games_pb2.Action()) == message


def test_action_that_names_none() -> None:
    with pytest.raises(ConvertError) as error:
        action_from_proto(NAME, games_pb2.Action(durak=pb.DurakAction()))
    assert error.value.reason == "INVALID_FIELD"
    assert error.value.details["field"] == "action.durak"


def test_view_whole() -> None:
    message = view_to_proto(NAME, VIEW)
    assert set_fields(message.durak) == all_fields(message.durak)
    expected = plain(VIEW)
    del expected["table"][1]["cover"]
    assert plain(message.durak) == expected | {"answer": {"cards": ["TH"]}}


def test_view_of_little() -> None:
    nothing = structs.replace(VIEW, trump_suit="", trump_card=None, answer=None, fool=None)
    message = view_to_proto(NAME, nothing).durak
    assert all_fields(message) - set_fields(message) == {"trump_suit", "trump_card", "answer", "fool"}


def test_a_sealed_pass_is_an_answer_without_cards() -> None:
    message = view_to_proto(NAME, structs.replace(VIEW, answer=())).durak
    assert message.HasField("answer")
    assert not message.answer.cards


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: type(payload).__name__)
def test_payload_whole(payload: object) -> None:
    event = matches_pb2.Event()
    set_payload(event, NAME, payload)
    named = event.durak.WhichOneof("event")
    assert named is not None
    message: Message = getattr(event.durak, named)
    assert GAME.payloads[f"{NAME}.{named}"] is type(payload)
    assert set_fields(message) == all_fields(message)
    expected = plain(payload)
    if isinstance(payload, events.Answered):
        expected["answer"] = {"cards": expected.pop("cards")}
    assert plain(message) == expected


@pytest.mark.parametrize(
    ("payload", "named", "absent"),
    [
        (events.Answered(0, None, By.PLAYER), "answered", "answer"),
        (events.TrumpTurned("S", None), "trump_turned", "card"),
        (events.FirstAttacker(1, None), "first_attacker", "card"),
    ],
)
def test_what_is_not_told_is_absent(payload: object, named: str, absent: str) -> None:
    event = matches_pb2.Event()
    set_payload(event, NAME, payload)
    assert event.durak.WhichOneof("event") == named
    assert not getattr(event.durak, named).HasField(absent)


def test_nothing_is_forgotten() -> None:
    assert {type(payload) for payload in PAYLOADS} == set(GAME.payloads.values())
    assert {type(action) for action in ACTIONS} == set(GAME.actions.values())
    told = pb.DurakEvent.DESCRIPTOR.fields_by_name
    assert {f"{NAME}.{event}" for event in told} == set(GAME.payloads)
    assert set(pb.DurakAction.DESCRIPTOR.fields_by_name) == set(GAME.actions)
    assert {field.name for field in structs.fields(o.Options)} == set(pb.DurakOptions.DESCRIPTOR.fields_by_name)
