"""Messages as JSON: what json_format makes of them, for every type that there is in answers."""

import json
from random import Random
from typing import Any, cast

import pytest
from google.protobuf import empty_pb2, json_format, message_factory, struct_pb2, wrappers_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.v1 import matches_pb2
from croupier_gateway.printing import members, to_json
from croupier_gateway.routes import bindings

_TEXTS = ("", "a", "ж\u2028", 'quoted "\n\\', "\x01", "🂡")
_DEEPEST = 6


def _kinds() -> list[type[Message]]:
    """Every type that an answer is made of, but for the two that json_format prints itself."""
    found, left = {}, [binding.method.output_type for binding in bindings()]
    while left:
        kind = left.pop()
        if kind.full_name not in found and kind.file.package != "google.protobuf":
            found[kind.full_name] = message_factory.GetMessageClass(kind)
            left += [field.message_type for field in kind.fields if field.message_type is not None]
    return [found[name] for name in sorted(found)]


def _filled(message: Message, dice: Random, depth: int = 0) -> Message:
    """About half of the fields set; of a oneof whichever comes last."""
    fields: list[FieldDescriptor] = list(cast(Any, message.DESCRIPTOR).fields)
    dice.shuffle(fields)
    for field in fields:
        if dice.random() < 0.5 or depth == _DEEPEST:
            continue
        if not field.is_repeated and field.message_type is not None:
            child = getattr(message, field.name)
            child.SetInParent()
            _filled_child(child, dice, depth)
        elif field.message_type is not None:
            for _ in range(dice.randrange(3)):
                _filled_child(getattr(message, field.name).add(), dice, depth)
        elif field.is_repeated:
            getattr(message, field.name).extend(_value(field, dice) for _ in range(dice.randrange(3)))
        else:
            setattr(message, field.name, _value(field, dice))
    return message


def _filled_child(child: Message, dice: Random, depth: int) -> None:
    if child.DESCRIPTOR.full_name in ("google.protobuf.Duration", "google.protobuf.Timestamp"):
        child.seconds, child.nanos = dice.choice([(0, 0), (1, 0), (1_700_000_000, 123_000_000), (60, 1)])  # type: ignore[attr-defined]
    else:
        _filled(child, dice, depth + 1)


def _value(field: FieldDescriptor, dice: Random) -> Any:
    if field.enum_type is not None:
        return dice.choice([*(value.number for value in field.enum_type.values), 99])
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return dice.choice(_TEXTS)
    return dice.choice([0, 1, 2**31 - 1])


@pytest.mark.parametrize("kind", _kinds(), ids=lambda kind: kind.DESCRIPTOR.name)
def test_a_message_is_printed_as_json_format_does(kind: type[Message]) -> None:
    dice = Random(1)
    for _ in range(20):
        message = _filled(kind(), dice)
        wanted = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
        assert json.loads(to_json(message)) == wanted
        assert json.loads(json.dumps(members(message))) == wanted


def test_one_line() -> None:
    assert b"\n" not in to_json(_filled(matches_pb2.Match(), Random(2)))


@pytest.mark.parametrize("kind", [struct_pb2.Struct, wrappers_pb2.DoubleValue, wrappers_pb2.Int64Value])
def test_what_the_api_does_not_have_is_refused(kind: type[Message]) -> None:
    with pytest.raises(TypeError, match="not printed"):
        to_json(kind())


def test_a_message_without_fields() -> None:
    assert to_json(empty_pb2.Empty()) == b"{}"
