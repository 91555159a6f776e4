"""Messages as the API prints them: camelCase, enums by name, fields without presence always there, one line.

The same as `google.protobuf.json_format` makes, at a tenth of its cost: what there is to do for each field is looked up
once for each type of message.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, cast

import msgspec
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1.games_pb2 import Action

_encoder = msgspec.json.Encoder()

Print = Callable[[Any], Any]

_PLAIN = frozenset(
    {
        FieldDescriptor.TYPE_STRING,
        FieldDescriptor.TYPE_BOOL,
        FieldDescriptor.TYPE_INT32,
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_SINT32,
    }
)
_SPELLED = (Duration.DESCRIPTOR.full_name, Timestamp.DESCRIPTOR.full_name)  # one string in JSON


def to_json(message: Message) -> bytes:
    """A message in UTF-8. TypeError for a field of a kind that the API does not have, such as a map or a float."""
    return _encoder.encode(members(message))


def members(message: Message) -> dict[str, Any]:
    """A message as values that any JSON writer takes."""
    return _Form.of(cast(Descriptor, message.DESCRIPTOR)).members(message)


class _Form:
    """How messages of one type are printed."""

    _all: ClassVar[dict[str, "_Form"]] = {}

    def __init__(self, descriptor: Descriptor) -> None:
        self._always: dict[str, Any] = {}  # what is there also where nothing was set
        self._fields: dict[int, tuple[str, Print | None]] = {}  # by number; None: the value is printed as it is
        for field in descriptor.fields:
            self._fields[field.number] = field.json_name, _print(field)
            if field.is_repeated:
                self._always[field.json_name] = ()
            elif not field.has_presence:
                enum = field.enum_type
                self._always[field.json_name] = field.default_value if enum is None else _names(enum)[0]

    @classmethod
    def of(cls, descriptor: Descriptor) -> "_Form":
        """That of a type; made when it is first asked for."""
        form = cls._all.get(descriptor.full_name)
        if form is None:
            form = cls._all[descriptor.full_name] = cls(descriptor)  # whole, since other threads look there, too
        return form

    def members(self, message: Message) -> dict[str, Any]:
        """Each member by its name."""
        printed = self._always.copy()
        for field, value in message.ListFields():
            name, change = self._fields[field.number]
            printed[name] = value if change is None else change(value)
        return printed


def _print(field: FieldDescriptor) -> Print | None:
    """What is done to a field's value."""
    one = _print_one(field)
    if not field.is_repeated:
        return one
    return list if one is None else lambda values: [one(value) for value in values]


def _print_one(field: FieldDescriptor) -> Print | None:
    if field.type in _PLAIN:
        return None
    if field.enum_type is not None:
        names = _names(field.enum_type)
        return lambda number: names.get(number, number)  # a newer service may have more
    kind = field.message_type
    if kind is None or kind.GetOptions().map_entry:
        raise TypeError(f"{field.full_name} is of a kind that is not printed")
    if kind.full_name in _SPELLED:
        spell = _spelled(kind)
        return lambda message: spell(message.seconds, message.nanos)
    return _remembered(kind) if kind.full_name == Action.DESCRIPTOR.full_name else _nested(kind)


def _remembered(kind: Descriptor) -> Print:
    """The actions of a game are few, and each window lists many. What is printed is shared: never change it."""
    print_one, made = _nested(kind), GetMessageClass(kind)

    @lru_cache(4096)
    def printed(data: bytes) -> Any:
        return print_one(made.FromString(data))

    return lambda message: printed(message.SerializeToString(deterministic=True))


def _nested(kind: Descriptor) -> Print:
    # Its form is made when it is first printed: a message can hold one of its own kind.
    form: _Form | None = None

    def members(message: Message) -> dict[str, Any]:
        nonlocal form
        if form is None:
            form = _Form.of(kind)
        return form.members(message)

    return members


def _spelled(kind: Descriptor) -> Callable[[int, int], str]:
    """Times and lengths of time: the same ones come again and again."""
    made = Duration if kind.full_name == Duration.DESCRIPTOR.full_name else Timestamp

    @lru_cache(4096)
    def spell(seconds: int, nanos: int) -> str:
        return made(seconds=seconds, nanos=nanos).ToJsonString()

    return spell


def _names(enum: EnumDescriptor) -> Mapping[int, str]:
    return {value.number: value.name for value in enum.values}
