"""What the proto files say of each rpc, message, field and value, read from the descriptor set that ships with them."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from croupier.errors import CATALOGUE

_RULES_REFUSE = "and what the rules refuse"
_ONLY_THE_SERVER = frozenset({"DEAL_NOT_ASKED", "DEAL_INVALID", "TICK_EARLY"})
"""What the rules refuse to the server alone: no client can ask for it."""
_ERRORS = re.compile(rf"\s*Errors: ([A-Z_]+(?:, [A-Z_]+)*)( {_RULES_REFUSE})?\.")

# Where an element's comment is: the numbers of the fields that lead to it in FileDescriptorProto and below.
_FILE = {4: "message_type", 5: "enum_type", 6: "service"}
_MESSAGE = {2: "field", 3: "nested_type", 4: "enum_type", 8: "oneof_decl"}
_ENUM = {2: "value"}
_SERVICE = {2: "method"}
_BELOW: Mapping[str, Mapping[int, str]] = {
    "message_type": _MESSAGE,
    "nested_type": _MESSAGE,
    "enum_type": _ENUM,
    "service": _SERVICE,
}


class Told(NamedTuple):
    """What an rpc's comment says."""

    text: str
    """Without the list of errors."""
    reasons: tuple[str, ...]
    """Why it may be refused, beside what any call may be refused for."""


@cache
def comments() -> Mapping[str, str]:
    """The comment of every element, by its full name (an enum's value: below its enum), paragraphs on lines."""
    shipped = FileDescriptorSet.FromString((files("croupier.v1") / "descriptors.binpb").read_bytes())
    return {name: text for file in shipped.file if file.package == "croupier.v1" for name, text in _of(file)}


def told(method: str) -> Told:
    """The comment of an rpc, by its full name."""
    text = comments()[method]
    found = _ERRORS.search(text)
    if found is None:
        return Told(text, ())
    reasons = list(found[1].split(", "))
    if found[2]:
        ruled_out = {*reasons, *_ONLY_THE_SERVER}
        reasons += [name for name, entry in CATALOGUE.items() if entry.http == 422 and name not in ruled_out]
    return Told((text[: found.start()] + text[found.end() :]).strip(), tuple(reasons))


def _of(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        name = _named(file, list(location.path))
        if name is not None and location.leading_comments:
            yield f"{file.package}.{name}", _joined(location.leading_comments)


def _named(file: FileDescriptorProto, path: list[int]) -> str | None:
    """The name of an element within its file; None for what has none, such as a type's options."""
    names: list[str] = []
    at: Any = file
    kinds: Mapping[int, str] = _FILE
    while path:
        if len(path) == 1 or path[0] not in kinds:
            return None
        kind = kinds[path[0]]
        at = getattr(at, kind)[path[1]]
        names.append(at.name)
        kinds, path = _BELOW.get(kind, {}), path[2:]
    return ".".join(names) or None


def _joined(comment: str) -> str:
    paragraphs = re.split(r"\n\s*\n", comment.strip())
    return "\n".join(" ".join(line.strip() for line in paragraph.splitlines()) for paragraph in paragraphs)
