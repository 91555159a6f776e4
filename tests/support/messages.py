"""Engine values and messages side by side: both as plain dicts and lists."""

from enum import StrEnum
from typing import Any

from google.protobuf.message import Message
from msgspec import Struct

from croupier.v1 import six_nimmt_pb2


def plain(value: Any) -> Any:
    """An engine value or a message as nested dicts and lists, enums by name."""
    if isinstance(value, StrEnum):
        return value.name
    if isinstance(value, Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, six_nimmt_pb2.SixNimmtCardList):
        return list(value.cards)
    if isinstance(value, Message):
        return {field.name: plain_field(value, field.name) for field in value.DESCRIPTOR.fields if has(value, field)}
    return value


def plain_field(message: Message, name: str) -> Any:
    field, value = message.DESCRIPTOR.fields_by_name[name], getattr(message, name)
    if field.enum_type is not None:
        return field.enum_type.values_by_number[value].name
    return [plain(item) for item in value] if field.is_repeated else plain(value)


def has(message: Message, field: Any) -> bool:
    return not field.has_presence or message.HasField(field.name)


def set_fields(message: Message) -> set[str]:
    return {field.name for field, _ in message.ListFields()}


def all_fields(message: Message) -> set[str]:
    return set(message.DESCRIPTOR.fields_by_name)
