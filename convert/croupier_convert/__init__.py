"""Engine types <-> API types, one module a game; the only code that knows both.

A new game is one module and one line of the table below.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf.message import Message

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier_convert import durak, freedom_of_speech, six_nimmt
from croupier_convert.converter import BY, BY_NUMBERS, Converter, ConvertError
from croupier_engine.game import AnyGame, By

__all__ = [
    "ConvertError",
    "action_from_proto",
    "action_name",
    "action_to_proto",
    "by_from_proto",
    "by_to_proto",
    "options_from_proto",
    "options_to_proto",
    "set_payload",
    "view_to_proto",
]

O = TypeVar("O")  # noqa: E741 - O for options, as in the engine

CONVERTERS: Mapping[str, Converter] = {
    "six_nimmt": six_nimmt,
    "durak": durak,
    "freedom_of_speech": freedom_of_speech,
}


def options_from_proto(game: AnyGame, options: games_pb2.Options, base: O) -> O:
    """The options asked for; what is absent, or explicitly unspecified, is as in `base`.

    Raises ConvertError: WRONG_GAME, OPTION_INVALID for an unknown enum number. Ranges are the game's to check.
    """
    given = options.WhichOneof("game")
    if given is None:
        return base
    _check_game(game.name, options, "options", given)
    converted: O = CONVERTERS[game.name].options_from(options, base)
    return converted


def options_to_proto(name: str, options: object) -> games_pb2.Options:
    """Every option of the game `name` with its value."""
    return CONVERTERS[name].options_to(options)


def action_from_proto(name: str, action: games_pb2.Action) -> Any:
    """An action of the game `name`.

    Raises ConvertError: WRONG_GAME, INVALID_FIELD if the message names no action, SIDE_INVALID for a side that is none.
    """
    given = action.WhichOneof("game")
    if given is None:
        raise ConvertError("INVALID_FIELD", {"field": "action", "problem": f"it must hold {_json_name(action, name)}"})
    _check_game(name, action, "action", given)
    return CONVERTERS[name].action_from(action)


def action_to_proto(name: str, action: object) -> games_pb2.Action:
    """An action of the game `name` as it stands among a window's choices."""
    return CONVERTERS[name].action_to(action)


def action_name(game: AnyGame, action: object) -> str:
    """The action's name in the API, such as `commit`."""
    return next(name for name, kind in game.actions.items() if type(action) is kind)


def view_to_proto(name: str, view: object) -> games_pb2.View:
    """What the viewer may know of the game `name`."""
    return CONVERTERS[name].view_to(view)


def set_payload(event: matches_pb2.Event, name: str, payload: object | None) -> None:
    """Fill in what the viewer learns of an event of the game `name`; nothing for None."""
    if payload is not None:
        CONVERTERS[name].set_payload(event, payload)


def by_to_proto(by: By) -> act_by_pb2.ActBy.Value.ValueType:
    """Who made an act."""
    return BY[by]


def by_from_proto(by: int) -> By:
    """Who made an act; ConvertError INVALID_FIELD for a number that is nobody."""
    if by not in BY_NUMBERS:
        raise ConvertError("INVALID_FIELD", {"field": "by", "problem": f"{by} is not a value of ActBy"})
    return BY_NUMBERS[by]


def _check_game(name: str, message: Message, field: str, given: str) -> None:
    if given != name:
        raise ConvertError("WRONG_GAME", {"field": f"{field}.{_json_name(message, given)}", "game": name})


def _json_name(message: Message, game: str) -> str:
    """A game's field as the API's JSON names it."""
    field = message.DESCRIPTOR.fields_by_name.get(game)
    return game if field is None else field.json_name
