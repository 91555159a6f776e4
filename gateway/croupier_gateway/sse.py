"""Server-sent events: the messages of a watching rpc as lines of text."""

import random

from google.protobuf.message import Message

from croupier.v1.matches_pb2 import StreamEnd
from croupier_gateway.printing import to_json

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    # Proxies must neither keep an answer back nor compress it.
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


def retry() -> str:
    """Milliseconds after which a client connects again: by chance, for many may have lost their streams at once."""
    return f"retry: {random.randint(500, 3000)}\n"  # noqa: S311 - jitter


class Told:
    """How far a stream's client has been told, and how the next message is written.

    The id of a message is what the client resumes behind. Where the service says it, in `next`, that is the id. Else it
    is the number and the mark of the last event that this stream has brought, and never more. An event names itself, a
    snapshot shows everything up to its sequence. The view in a window may already be ahead of the stream: it is taken
    from the newest state, while events of the same commit are still to be sent. With that sequence as id, a client that
    lost its connection in between would never get them. So a window and an end get the cursor, which is their own
    sequence as soon as all events before them are out.
    """

    def __init__(self, after: str) -> None:
        """`after` is the cursor that the stream was opened with; empty: none, so that it begins with a snapshot."""
        self.cursor = after

    @property
    def number(self) -> int:
        """Of the last event that was told; 0: of none."""
        number = self.cursor.partition(":")[0]
        return int(number) if number.isdecimal() else 0

    def frame(self, message: Message) -> str:
        """One message of the stream."""
        name = message.WhichOneof(message.DESCRIPTOR.oneofs[0].name)
        if name is None:
            return ": \n\n"
        inner: Message = getattr(message, name)
        named = getattr(message, "next", "")
        if name == "heartbeat" and not getattr(inner, "stale", False):
            return ": heartbeat\n\n" if named else f": heartbeat {_sequence(inner)}\n\n"
        if named:
            self.cursor = named
        elif name in ("snapshot", "event"):
            self.cursor = cursor(_sequence(inner), _holder(inner))
        return self._written(name, inner)

    def go_away(self) -> str:
        """The last message of a gateway that stops."""
        return self._written("end", StreamEnd(reason="GO_AWAY", sequence=self.number))

    def _written(self, name: str, inner: Message) -> str:
        cursor = f"id: {self.cursor}\n" if self.cursor else ""
        return f"event: {name}\n{cursor}data: {to_json(inner).decode()}\n\n"


def cursor(number: object, marked: Message) -> str:
    """What to resume with: the number of an event, and its mark if there is one."""
    mark = getattr(marked, "mark", "")
    return f"{number}:{mark}" if mark else str(number)


def after(message: Message) -> str:
    """The cursor that a stream was asked for with; empty: none."""
    given = {field.name: value for field, value in message.ListFields()}
    return cursor(given["after"], message) if "after" in given else ""


def _holder(inner: Message) -> Message:
    return inner if "sequence" in inner.DESCRIPTOR.fields_by_name else getattr(inner, "match", inner)


def _sequence(inner: Message) -> int:
    return int(getattr(_holder(inner), "sequence", 0))
