"""Options as an author writes them: by name, over a preset, with values as in the API's JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from croupier.errors import CATALOGUE
from croupier.v1 import games_pb2, validation_pb2
from croupier_arena.errors import ArenaError
from croupier_convert import ConvertError, options_from_proto
from croupier_engine.errors import InvalidOptions
from croupier_engine.game import AnyGame

_WHOLE = frozenset({FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32})


def options_of(game: AnyGame, preset: str, given: Mapping[str, Any], seats: int) -> Any:
    """The options of a match: those of the preset, with what is `given` put over them.

    `given`: `{"cards": "TACTIC"}`, in camelCase or not, or as REST has it, `{"sixNimmt": {"cards": "TACTIC"}}`.
    Raises ArenaError, with what can be had instead.
    """
    if preset not in game.presets:
        raise ArenaError(f"{game.name} has no preset {preset}; it has {_listed(game.presets)}")
    whole = games_pb2.Options()
    own = whole.DESCRIPTOR.fields_by_name[game.name]
    assert own.message_type is not None, "the options of a game are a message"
    if len(given) == 1 and (wrapped := next(iter(given))) in (own.name, own.json_name):
        if not isinstance(given[wrapped], Mapping):
            raise ArenaError(f"{wrapped} is an object of options, not {_shown(given[wrapped])}")
        given = given[wrapped]
    fields = _fields(own.message_type)
    try:
        for name, value in given.items():
            if name not in fields:
                names = _listed(field.json_name for field in own.message_type.fields)
                raise ArenaError(f"{game.name} has no option {name}; it has {names}")
            _set(getattr(whole, own.name), fields[name], name, value)
        resolved = options_from_proto(game, whole, game.presets[preset].options)
        game.validate(resolved, seats)
    except (ConvertError, InvalidOptions) as refused:
        raise ArenaError(CATALOGUE[refused.reason].text("en", refused.details)) from None
    return resolved


def _fields(options: Descriptor) -> dict[str, FieldDescriptor]:
    return {name: field for field in options.fields for name in (field.name, field.json_name)}


def _set(options: Any, field: FieldDescriptor, name: str, value: Any) -> None:
    try:
        if field.enum_type is not None and value is not None and value not in _values(field.enum_type):
            raise ArenaError(f"{name} is {_wanted(field)}, not {_shown(value)}")
        json_format.ParseDict({name: value}, options)
    except (json_format.ParseError, TypeError):
        raise ArenaError(f"{name} is {_wanted(field)}, not {_shown(value)}") from None


def _values(kind: EnumDescriptor) -> Sequence[str]:
    """The names of an enum, without the unspecified one."""
    return [value.name for value in kind.values if value.number != 0]


def _wanted(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        return f"one of {_listed(_values(field.enum_type))}"
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return "true or false"
    if field.cpp_type in _WHOLE:
        rules = field.GetOptions().Extensions[validation_pb2.rules]
        span = f" from {rules.min} to {rules.max}" if rules.HasField("max") else ""
        return f"a whole number{span}"
    return "of another kind"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _shown(value: Any) -> str:
    """A value as JSON has it."""
    return json.dumps(value, default=str)
