"""Which game a message belongs to, and who made an act."""

from types import SimpleNamespace
from typing import cast

import pytest

from croupier.errors import CATALOGUE
from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_convert import (
    CONVERTERS,
    ConvertError,
    action_from_proto,
    by_from_proto,
    by_to_proto,
    options_from_proto,
)
from croupier_engine.errors import option_name
from croupier_engine.game import AnyGame, By
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt import model

ANOTHER_GAME = cast(AnyGame, SimpleNamespace(name="another_game"))


def test_every_game_has_a_converter_and_its_fields() -> None:
    assert set(CONVERTERS) == set(GAMES)
    for message in (games_pb2.Options, games_pb2.Action, games_pb2.View):
        assert set(message.DESCRIPTOR.fields_by_name) == set(GAMES)
    payloads = matches_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    assert {field.name for field in payloads} == set(GAMES) | {"match"}


def test_options_of_another_game() -> None:
    with pytest.raises(ConvertError) as error:
        options_from_proto(ANOTHER_GAME, games_pb2.Options(six_nimmt=pb.SixNimmtOptions()), model.Options())
    assert error.value.reason == "WRONG_GAME"
    assert error.value.details == {"field": "options.sixNimmt", "game": "another_game"}
    assert "?" not in CATALOGUE[error.value.reason].text("en", error.value.details)


def test_action_of_another_game() -> None:
    action = games_pb2.Action(six_nimmt=pb.SixNimmtAction(commit=pb.SixNimmtCommit(card=4)))
    with pytest.raises(ConvertError) as error:
        action_from_proto("another_game", action)
    assert error.value.reason == "WRONG_GAME"
    assert error.value.details == {"field": "action.sixNimmt", "game": "another_game"}


def test_no_action_at_all() -> None:
    with pytest.raises(ConvertError) as error:
        action_from_proto("six_nimmt", games_pb2.Action())
    assert error.value.details == {"field": "action", "problem": "it must hold sixNimmt"}


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_name_options_as_the_json_does(name: str) -> None:
    options = games_pb2.Options.DESCRIPTOR.fields_by_name[name].message_type
    assert options is not None
    fields = options.fields
    assert {option_name(field.name): field.name for field in fields} == {
        field.json_name: field.name for field in fields
    }


@pytest.mark.parametrize("by", By)
def test_who_acted(by: By) -> None:
    number = by_to_proto(by)
    assert act_by_pb2.ActBy.Value.Name(number) == by.name
    assert by_from_proto(number) is by


@pytest.mark.parametrize("number", [0, 9])
def test_nobody_acted(number: int) -> None:
    with pytest.raises(ConvertError) as error:
        by_from_proto(number)
    assert error.value.reason == "INVALID_FIELD"
