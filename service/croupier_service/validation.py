"""Checks every field of a request against the rules that its proto file states."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from croupier.plain import PLAIN
from croupier.v1 import validation_pb2
from croupier_service.errors import invalid

_PLAIN = re.compile(PLAIN)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a field keeps to, as its message of rules says it; None where that says nothing."""

    required: bool
    min: int | None
    max: int | None
    min_length: int | None
    max_length: int | None
    pattern: "re.Pattern[str] | None"
    max_milliseconds: int | None
    cleaned: bool
    max_item_length: int | None


def check(message: Message, path: str = "") -> None:
    """Refuse with INVALID_FIELD, naming the field in the API's JSON spelling, if a rule is broken."""
    required, known = _plan(message.DESCRIPTOR)
    given = message.ListFields()
    for field, value in given:
        todo = known.get(field.number)
        if todo is None:
            continue
        rules, nested, plain, name, repeated = todo
        where = f"{path}{name}"
        if plain:
            _check_plain(value, repeated, where)
        if rules is not None:
            _check_value(value, rules, repeated, where)
        if nested and repeated:
            for index, item in enumerate(value):
                check(item, f"{where}[{index}].")
        elif nested:
            check(value, f"{where}.")
    if required:
        present = {field.number for field, _ in given}
        for number, name in required:
            if number not in present:
                raise invalid(f"{path}{name}", "it is required")


_Known: TypeAlias = tuple[_Rules | None, bool, bool, str, bool]
_Plan: TypeAlias = tuple[tuple[tuple[int, str], ...], Mapping[int, _Known]]


@cache
def _plan(descriptor: Any) -> _Plan:
    """What is required, by number and name; by number what a field keeps to, if it is looked into, if it is plain, its
    name, and if it is repeated: a descriptor takes longer to tell.

    Fields with nothing to be looked at are left out.
    """
    rules = {field.number: _rules(field) for field in descriptor.fields}
    required = tuple([(f.number, f.json_name) for f in descriptor.fields if (r := rules[f.number]) and r.required])
    known: dict[int, _Known] = {}
    for field in descriptor.fields:
        found = rules[field.number]
        todo = found, _is_looked_into(field), _is_plain(field, found)
        if any(todo):
            known[field.number] = (*todo, field.json_name, field.is_repeated)
    return required, known


def _is_looked_into(field: Any) -> bool:
    """It holds messages in which there is something to check. None of the API's messages holds itself."""
    if field.message_type is None or _is_map(field) or field.message_type.full_name == "google.protobuf.Duration":
        return False
    return any(_plan(field.message_type))


def _rules(field: Any) -> _Rules | None:
    options = field.GetOptions()
    if not options.HasExtension(validation_pb2.rules):
        return None
    rules = options.Extensions[validation_pb2.rules]

    def given(name: str) -> Any:
        return getattr(rules, name) if rules.HasField(name) else None

    pattern = given("pattern")
    return _Rules(
        required=rules.required,
        min=given("min"),
        max=given("max"),
        min_length=given("min_length"),
        max_length=given("max_length"),
        pattern=None if pattern is None else re.compile(pattern),
        max_milliseconds=given("max_milliseconds"),
        cleaned=rules.cleaned,
        max_item_length=given("max_item_length"),
    )


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _is_plain(field: Any, rules: _Rules | None) -> bool:
    """It is a text, or a list of texts, that nothing else keeps control characters out of."""
    return field.type == field.TYPE_STRING and (rules is None or not (rules.cleaned or rules.pattern))


def _check_plain(value: Any, repeated: bool, where: str) -> None:
    for index, text in enumerate(value if repeated else (value,)):
        if _PLAIN.fullmatch(text) is None:
            named = f"{where}[{index}]" if repeated else where
            raise invalid(named, "it must not have control characters")


def _check_value(value: object, rules: _Rules, repeated: bool, where: str) -> None:
    if isinstance(value, str):
        if rules.min_length is not None and len(value) < rules.min_length:
            raise invalid(where, f"it must have {rules.min_length} characters at least")
        if rules.max_length is not None and len(value) > rules.max_length:
            raise invalid(where, f"it may have {rules.max_length} characters at most")
        if rules.pattern is not None and rules.pattern.fullmatch(value) is None:
            raise invalid(where, f"it must match {rules.pattern.pattern}")
    elif repeated:
        if rules.max_length is not None and len(value) > rules.max_length:  # type: ignore[arg-type]
            raise invalid(where, f"it may have {rules.max_length} items at most")
        if rules.max_item_length is not None:
            for index, item in enumerate(value):  # type: ignore[arg-type, var-annotated]
                if len(item) > rules.max_item_length:
                    raise invalid(f"{where}[{index}]", f"it may have {rules.max_item_length} characters at most")
    elif isinstance(value, Duration):
        total = value.seconds * 1000 + value.nanos / 1e6
        if total < 0 or (rules.max_milliseconds is not None and total > rules.max_milliseconds):
            raise invalid(where, f"it must be from 0s to {(rules.max_milliseconds or 0) / 1000:g}s")
    elif isinstance(value, int) and (
        (rules.min is not None and value < rules.min) or (rules.max is not None and value > rules.max)
    ):
        least = "any" if rules.min is None else str(rules.min)
        most = "any" if rules.max is None else str(rules.max)
        raise invalid(where, f"it must be from {least} to {most}")
