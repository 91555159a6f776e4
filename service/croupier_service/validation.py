"""Checks every field of a request against the rules that its proto file states."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from croupier.plain import PLAIN
from croupier.v1 import validation_pb2
from croupier_service.errors import invalid

_PLAIN = re.compile(PLAIN)


def check(message: Message, path: str = "") -> None:
    """Refuse with INVALID_FIELD, naming the field in the API's JSON spelling, if a rule is broken."""
    required, known = _plan(message.DESCRIPTOR)
    given = message.ListFields()
    for field, value in given:
        rules, nested, plain = known[field.number]
        if rules is None and not nested and not plain:
            continue
        where = f"{path}{field.json_name}"
        if plain:
            _check_plain(value, field, where)
        if rules is not None:
            _check_value(value, rules, field, where)
        if nested and field.is_repeated:
            for index, item in enumerate(value):
                check(item, f"{where}[{index}].")
        elif nested:
            check(value, f"{where}.")
    if required:
        present = {field.number for field, _ in given}
        for number, name in required:
            if number not in present:
                raise invalid(f"{path}{name}", "it is required")


_Known: TypeAlias = tuple[validation_pb2.FieldRules | None, bool, bool]
_Plan: TypeAlias = tuple[tuple[tuple[int, str], ...], Mapping[int, _Known]]


@cache
def _plan(descriptor: Any) -> _Plan:
    """What is required, by number and name; by number what a field keeps to, if it is looked into, if it is plain."""
    rules = {field.number: _rules(field) for field in descriptor.fields}
    required = tuple([(f.number, f.json_name) for f in descriptor.fields if (r := rules[f.number]) and r.required])
    known = {
        field.number: (
            rules[field.number],
            field.message_type is not None
            and not _is_map(field)
            and (field.is_repeated or field.message_type.full_name != "google.protobuf.Duration"),
            _is_plain(field, rules[field.number]),
        )
        for field in descriptor.fields
    }
    return required, known


def _rules(field: Any) -> validation_pb2.FieldRules | None:
    options = field.GetOptions()
    return options.Extensions[validation_pb2.rules] if options.HasExtension(validation_pb2.rules) else None


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _is_plain(field: Any, rules: validation_pb2.FieldRules | None) -> bool:
    """It is a text, or a list of texts, that nothing else keeps control characters out of."""
    return field.type == field.TYPE_STRING and (rules is None or not (rules.cleaned or rules.HasField("pattern")))


def _check_plain(value: Any, field: Any, where: str) -> None:
    for index, text in enumerate(value if field.is_repeated else (value,)):
        if _PLAIN.fullmatch(text) is None:
            named = f"{where}[{index}]" if field.is_repeated else where
            raise invalid(named, "it must not have control characters")


def _check_value(value: object, rules: validation_pb2.FieldRules, field: Any, where: str) -> None:
    if field.is_repeated:
        if rules.HasField("max_length") and len(value) > rules.max_length:  # type: ignore[arg-type]
            raise invalid(where, f"it may have {rules.max_length} items at most")
        if rules.HasField("max_item_length"):
            for index, item in enumerate(value):  # type: ignore[arg-type, var-annotated]
                if len(item) > rules.max_item_length:
                    raise invalid(f"{where}[{index}]", f"it may have {rules.max_item_length} characters at most")
    elif isinstance(value, str):
        if rules.HasField("min_length") and len(value) < rules.min_length:
            raise invalid(where, f"it must have {rules.min_length} characters at least")
        if rules.HasField("max_length") and len(value) > rules.max_length:
            raise invalid(where, f"it may have {rules.max_length} characters at most")
        if rules.HasField("pattern") and re.fullmatch(rules.pattern, value) is None:
            raise invalid(where, f"it must match {rules.pattern}")
    elif isinstance(value, Duration):
        total = value.seconds * 1000 + value.nanos / 1e6
        if total < 0 or (rules.HasField("max_milliseconds") and total > rules.max_milliseconds):
            raise invalid(where, f"it must be from 0s to {rules.max_milliseconds / 1000:g}s")
    elif isinstance(value, int) and (
        (rules.HasField("min") and value < rules.min) or (rules.HasField("max") and value > rules.max)
    ):
        least = str(rules.min) if rules.HasField("min") else "any"
        most = str(rules.max) if rules.HasField("max") else "any"
        raise invalid(where, f"it must be from {least} to {most}")
