"""Messages as JSON Schema (2020-12), as the gateway takes and prints them.

A message that is both taken and answered has two schemas. What is taken may leave everything out that is not required,
and nothing unknown may be in it. What is answered always has its fields without presence, and may grow.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from croupier.plain import PLAIN
from croupier.v1 import validation_pb2
from croupier_gateway.openapi.comments import comments

Schema = dict[str, Any]

DURATION = "google.protobuf.Duration"
TIMESTAMP = "google.protobuf.Timestamp"

_MAY_BE_EMPTY = frozenset({"croupier.v1.Options"})
"""Messages taken in which no member of the choice need be given."""

_INTEGERS = {FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1), FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1)}
_SCALARS: Mapping[int, Schema] = {
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.CPPTYPE_UINT32: {"type": "integer", "format": "int64"},
}


class SchemaInvalid(Exception):  # noqa: N818 - it is about a schema
    """A proto file uses a type that the API's JSON has not had so far; found at start-up."""


class Schemas:
    """The schemas of an API, each made when it is first referred to."""

    def __init__(self, taken: Iterable[Descriptor], answered: Iterable[Descriptor]) -> None:
        self._both = _reachable(taken) & _reachable(answered)
        self.components: dict[str, Schema] = {}

    def taken(self, message: Descriptor, without: Iterable[str] = ()) -> Schema:
        """A reference to what a client sends; `without` the fields that stand in the address."""
        name = f"{message.name}Input" if message.full_name in self._both else message.name
        return self._referred(name, lambda: self._taken(message, frozenset(without)))

    def answered(self, message: Descriptor) -> Schema:
        """A reference to what a client gets."""
        return self._referred(message.name, lambda: self._answered(message))

    def enum(self, enum: EnumDescriptor) -> Schema:
        """A reference to the names of an enum's values."""
        holder = enum.containing_type
        return self._referred(holder.name if holder is not None else enum.name, lambda: _enum(enum))

    def parameter(self, field: FieldDescriptor) -> Schema:
        """A field that stands in the address or the query."""
        schema = self._single(field, is_taken=True)
        return {"type": "array", "items": schema} if field.is_repeated else schema

    def _referred(self, name: str, make: Any) -> Schema:
        if name not in self.components:
            self.components[name] = {}  # a message that holds itself ends here
            self.components[name].update(make())
        return {"$ref": f"#/components/schemas/{name}"}

    def _taken(self, message: Descriptor, without: frozenset[str]) -> Schema:
        fields = [field for field in message.fields if field.name not in without]
        properties = {field.json_name: self._taken_field(field) for field in fields}
        return {
            "type": "object",
            "description": comments()[message.full_name],
            "properties": properties,
            **_listed("required", [field.json_name for field in fields if _is_needed(field)]),
            "additionalProperties": False,
            **_choices(message, may_be_none=message.full_name in _MAY_BE_EMPTY),
        }

    def _taken_field(self, field: FieldDescriptor) -> Schema:
        schema = self.parameter(field)
        if field.is_repeated and rules_of(field).HasField("max_length"):
            schema["maxItems"] = rules_of(field).max_length
        # Null is as good as absent, but not where something must be given.
        if not rules_of(field).required and (field.containing_oneof is None or _is_optional(field)):
            schema = _or_null(schema)
        return {**schema, "description": comments()[field.full_name]}

    def _answered(self, message: Descriptor) -> Schema:
        properties: dict[str, Schema] = {}
        for field in message.fields:
            schema = self._single(field, is_taken=False)
            if field.is_repeated:
                schema = {"type": "array", "items": schema}
            properties[field.json_name] = {**schema, "description": comments()[field.full_name]}
        return {
            "type": "object",
            "description": comments()[message.full_name],
            "properties": properties,
            **_listed("required", [field.json_name for field in message.fields if not field.has_presence]),
            **_choices(message, may_be_none=True),
        }

    def _single(self, field: FieldDescriptor, *, is_taken: bool) -> Schema:
        """One value of a field, whether or not it is a list."""
        if field.enum_type is not None:
            return self.enum(field.enum_type)
        if field.message_type is not None:
            if field.message_type.full_name == TIMESTAMP:
                return {"type": "string", "format": "date-time", "examples": ["2030-01-31T12:00:00.250Z"]}
            if field.message_type.full_name == DURATION:
                return _duration(rules_of(field) if is_taken else None)
            if field.message_type.GetOptions().map_entry:
                raise SchemaInvalid(f"{field.full_name}: a map")
            return self.taken(field.message_type) if is_taken else self.answered(field.message_type)
        if field.cpp_type not in _SCALARS:
            raise SchemaInvalid(f"{field.full_name}: a type that is not in use")
        return {**_SCALARS[field.cpp_type], **(_bounds(field) if is_taken else {})}


def rules_of(field: FieldDescriptor) -> validation_pb2.FieldRules:
    """The rules that a field's proto file states; empty if it states none."""
    rules: validation_pb2.FieldRules = field.GetOptions().Extensions[validation_pb2.rules]
    return rules


def _bounds(field: FieldDescriptor) -> Schema:
    rules = rules_of(field)
    if field.cpp_type in _INTEGERS:
        least, most = _INTEGERS[field.cpp_type]
        return {
            "minimum": rules.min if rules.HasField("min") else least,
            "maximum": rules.max if rules.HasField("max") else most,
        }
    if field.cpp_type != FieldDescriptor.CPPTYPE_STRING:
        return {}
    bounds: Schema = {}
    # A text without presence is absent when it is empty, so its rules are for what is not empty.
    if rules.required or (rules.min_length and field.has_presence):
        bounds["minLength"] = max(rules.min_length, 1)
    if longest := rules.max_item_length if field.is_repeated else rules.max_length:
        bounds["maxLength"] = longest
    if rules.HasField("pattern"):
        must = rules.required or field.has_presence
        bounds["pattern"] = f"^({rules.pattern})$" if must else f"^({rules.pattern})?$"
    elif not rules.cleaned:
        bounds["pattern"] = f"^{PLAIN}$"
    return bounds


def _enum(enum: EnumDescriptor) -> Schema:
    values = [value for value in enum.values if value.number]  # the first means that none is given
    lines = [f"- `{value.name}`: {comments()[f'{enum.full_name}.{value.name}']}" for value in values]
    return {
        "type": "string",
        "enum": [value.name for value in values],
        "description": "\n".join([comments()[enum.full_name], "", *lines]),
    }


def _duration(rules: validation_pb2.FieldRules | None) -> Schema:
    if rules is None:
        pattern = r"-?\d+(\.\d+)?"
    elif rules.HasField("max_milliseconds"):
        pattern = _up_to(rules.max_milliseconds // 1000)
    else:
        pattern = r"(0|[1-9]\d{0,11})(\.\d{1,9})?"
    return {"type": "string", "pattern": f"^({pattern})s$", "examples": ["20s"]}


def _up_to(most: int) -> str:
    """A regular expression for seconds from 0 to `most`, with up to nine decimals."""
    digits = str(most)
    below = ["0"]
    if len(digits) > 1:
        below.append("[1-9]" + (rf"\d{{0,{len(digits) - 2}}}" if len(digits) > 2 else ""))
    for place, digit in enumerate(digits):
        least = 0 if place else 1
        if int(digit) > least:
            rest = len(digits) - place - 1
            below.append(f"{digits[:place]}[{least}-{int(digit) - 1}]" + r"\d" * min(rest, 1) + _times(rest))
    return rf"({'|'.join(below)})(\.\d{{1,9}})?|{digits}(\.0{{1,9}})?"


def _times(number: int) -> str:
    return f"{{{number}}}" if number > 1 else ""


def _choices(message: Descriptor, *, may_be_none: bool) -> Schema:
    """Of each oneof's members, one is given, or one at most."""
    found: list[Schema] = []
    for oneof in message.oneofs:
        names = [field.json_name for field in oneof.fields]
        if any(_is_optional(field) for field in oneof.fields):
            continue  # how proto3 keeps the presence of a single field
        if len(names) == 1:
            continue  # no choice so far
        ways: list[Schema] = [{"title": name, "required": [name], "properties": {name: True}} for name in names]
        if may_be_none:
            ways.append({"title": "none", "properties": dict.fromkeys(names, False)})
        found.append({"oneOf": ways})
    if len(found) > 1:
        return {"allOf": found}
    return found[0] if found else {}


def _is_needed(field: FieldDescriptor) -> bool:
    """It must be given: by its rules, or as the only member of a choice."""
    oneof = field.containing_oneof
    only = oneof is not None and len(oneof.fields) == 1 and not _is_optional(field)
    return rules_of(field).required or (only and field.full_name.rpartition(".")[0] not in _MAY_BE_EMPTY)


def _is_optional(field: FieldDescriptor) -> bool:
    """It is marked `optional`, which the descriptor shows as a oneof of its own."""
    return field.containing_oneof is not None and field.containing_oneof.name == f"_{field.name}"


def _or_null(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def _listed(name: str, values: list[str]) -> Schema:
    return {name: values} if values else {}


def _reachable(messages: Iterable[Descriptor]) -> set[str]:
    found: dict[str, Descriptor] = {}
    left = list(messages)
    while left:
        message = left.pop()
        if message.full_name not in found and not message.full_name.startswith("google."):
            found[message.full_name] = message
            left += [field.message_type for field in message.fields if field.message_type is not None]
    return set(found)
