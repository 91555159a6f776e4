"""What every game's conversion is made of."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier_engine.game import By

E = TypeVar("E", bound=StrEnum)
N = TypeVar("N", bound=int)


class ConvertError(Exception):
    """A message that no engine value stands for.

    `reason` is a name of the error catalogue, `details` fill its text.
    """

    def __init__(self, reason: str, details: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(reason, dict(details))
        self.reason = reason
        self.details = dict(details)


class Converter(Protocol):
    """One game's conversions; a module of this package is one."""

    def options_from(self, options: games_pb2.Options, base: Any) -> Any:
        """The game's options, `base` where the message says nothing; OPTION_INVALID for an unknown enum number."""

    def options_to(self, options: Any) -> games_pb2.Options:
        """Every option with its value."""

    def action_from(self, action: games_pb2.Action) -> Any:
        """The action; INVALID_FIELD if the message names none."""

    def action_to(self, action: Any) -> games_pb2.Action:
        """The action as it is sent in `choices`."""

    def view_to(self, view: Any) -> games_pb2.View:
        """The view, field by field."""

    def set_payload(self, event: matches_pb2.Event, payload: Any) -> None:
        """Fill the game's payload field of an event."""


def numbers(members: type[E], number: Callable[[str], N]) -> dict[E, N]:
    """The number of each member in the API's enum, which has the same names."""
    return {member: number(member.name) for member in members}


def members(numbers: Mapping[E, N]) -> dict[int, E]:
    """The way back from `numbers`; UNSPECIFIED is not in it."""
    return {int(number): member for member, number in numbers.items()}


class OptionTable:
    """A game's options there and back: the message has a field for each option, of the same name."""

    def __init__(self, **enums: Mapping[Any, int]) -> None:
        """`enums`: for each option that is one, what `numbers` answers."""
        self._numbers = enums
        self._members = {name: members(numbers) for name, numbers in enums.items()}

    def given(self, message: Message) -> dict[str, Any]:
        """The options that a message names; OPTION_INVALID for an unknown enum number, unspecified is not named."""
        given: dict[str, Any] = {}
        for field, value in message.ListFields():
            known = self._members.get(field.name)
            if isinstance(value, Duration):
                given[field.name] = value.ToMilliseconds()
            elif known is None:
                given[field.name] = value
            elif value in known:
                given[field.name] = known[value]
            elif value != 0:
                details = {"option": field.json_name, "problem": f"{value} is none of its values"}
                raise ConvertError("OPTION_INVALID", details)
        return given

    def all_of(self, options: Any) -> dict[str, Any]:
        """Every option as its field takes it, from a struct."""
        return {name: self._to(name, getattr(options, name)) for name in options.__struct_fields__}

    def _to(self, name: str, value: Any) -> Any:
        if name.endswith("_duration"):  # milliseconds
            return Duration(seconds=value // 1000, nanos=value % 1000 * 1_000_000)
        return self._numbers[name][value] if name in self._numbers else value


BY = numbers(By, act_by_pb2.ActBy.Value.Value)
BY_NUMBERS = members(BY)
