"""The catalogues of errors and of events, from the catalogue of errors and the comments of the proto files.

Each is a list of sections with rows; `pages` shows them as HTML, `tools/generate_docs.py` writes them as Markdown.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from croupier.errors import CATALOGUE
from croupier.v1 import matches_pb2, players_pb2
from croupier_gateway.openapi.comments import comments
from croupier_gateway.openapi.schemas import DURATION, TIMESTAMP

_KINDS = {
    FieldDescriptor.CPPTYPE_STRING: "text",
    FieldDescriptor.CPPTYPE_BOOL: "true or false",
    FieldDescriptor.CPPTYPE_INT32: "whole number",
}


class Entry(NamedTuple):
    """One error or one event."""

    name: str
    text: str
    fields: tuple[tuple[str, str, str], ...] = ()
    """Name in JSON, kind, description."""
    anchor: str = ""
    """Its place on a page."""


class Section(NamedTuple):
    """Entries that belong together."""

    title: str
    text: str
    entries: tuple[Entry, ...]


def errors() -> tuple[Section, ...]:
    """Every reason of a refusal, by its HTTP status."""
    statuses = sorted({entry.http for entry in CATALOGUE.values()})
    return tuple(
        Section(
            str(status),
            "",
            tuple(
                Entry(name, entry.outline("en"), (), name) for name, entry in CATALOGUE.items() if entry.http == status
            ),
        )
        for status in statuses
    )


def events() -> tuple[Section, ...]:
    """Every event of a match, then the messages of the two streams, then what is inside."""
    shown: list[Descriptor] = []

    def section(title: str, message: Descriptor, named: str, anchored: str) -> Section:
        inner = [(field.name, _message(field)) for field in message.oneofs[0].fields]
        shown.extend(each for _, each in inner)
        entries = (
            Entry(named + name, comments()[each.full_name], _fields(each), anchored + name) for name, each in inner
        )
        return Section(title, comments()[message.full_name], tuple(entries))

    families = matches_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    sections = [
        *(section(f"{each.name}.*", _message(each), f"{each.name}.", f"{each.name}.") for each in families),
        section("Messages of a match's stream", matches_pb2.WatchMatchResponse.DESCRIPTOR, "", "stream."),
        section("Messages of a player's stream", players_pb2.WatchPlayerResponse.DESCRIPTOR, "", "feed."),
    ]
    inside = _inside(shown, but=[*shown, *map(_message, families)])
    return (*sections, Section("Values", "What the fields above hold.", tuple(map(_value, inside))))


def _inside(messages: Iterable[Descriptor], but: Iterable[Descriptor]) -> list[Descriptor]:
    """The messages in the fields of these, and in theirs, by name."""
    found: dict[str, Descriptor] = {}
    left = list(messages)
    while left:
        for field in left.pop().fields:
            inner = field.message_type
            if inner is not None and inner.full_name not in (TIMESTAMP, DURATION) and inner.name not in found:
                found[inner.name] = inner
                left.append(inner)
    known = {message.name for message in but}
    return [message for name, message in sorted(found.items()) if name not in known]


def _value(message: Descriptor) -> Entry:
    return Entry(message.name, comments()[message.full_name], _fields(message), message.name)


def _fields(message: Descriptor) -> tuple[tuple[str, str, str], ...]:
    return tuple((field.json_name, "".join(_kind(field)), comments()[field.full_name]) for field in message.fields)


def _kind(field: FieldDescriptor) -> Iterator[str]:
    if field.is_repeated:
        yield "list of "
    if field.enum_type is not None:
        yield " or ".join(value.name for value in field.enum_type.values if value.number)
    elif field.message_type is None:
        yield _KINDS[field.cpp_type]
    else:
        yield {TIMESTAMP: "time", DURATION: "duration"}.get(field.message_type.full_name, field.message_type.name)
    if field.has_presence and field.message_type is None:
        yield ", optional"


def _message(field: FieldDescriptor) -> Descriptor:
    assert field.message_type is not None, f"{field.full_name} is a message"
    return field.message_type
