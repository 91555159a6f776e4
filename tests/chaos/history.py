"""What clients write down, and what the logs say. Times are milliseconds since 1970 by the machine's clock."""

from collections.abc import Mapping

import msgspec


class Seated(msgspec.Struct, frozen=True, tag="seated", tag_field="kind", array_like=True):
    """A match came whole, as of its event `sequence`."""

    match: str
    sequence: int
    at: float


class Seen(msgspec.Struct, frozen=True, tag="seen", tag_field="kind", array_like=True):
    """An event came. `told`: digest of its bytes as this viewer got them."""

    match: str
    sequence: int
    type: str
    told: bytes
    at: float


class Done(msgspec.Struct, frozen=True, tag="done", tag_field="kind", array_like=True):
    """The stream said that nothing more comes of a match."""

    match: str
    at: float


class Dismissed(msgspec.Struct, frozen=True, tag="dismissed", tag_field="kind", array_like=True):
    """The stream said that a match goes on without this player, for whose return it was that he stood in."""

    match: str
    at: float


class Stream(msgspec.Struct):
    """One connection of one player, from its opening to its end."""

    name: str
    player: str
    replica: int
    opened: float
    resume: dict[str, int]  # match -> number of the last event that the client has
    welcomed: float | None = None
    closed: float | None = None
    why: str = ""
    items: list[Seated | Seen | Done | Dismissed] = msgspec.field(default_factory=list)


class Sent(msgspec.Struct, frozen=True, array_like=True):
    """An act was sent; the same request may be sent many times. `epoch`: of the seat, as the player knew it."""

    request: str
    player: str
    match: str
    window: str
    seat: int
    action: str
    at: float
    epoch: int = 0


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """An act was answered: `applied` as of event `sequence`, or refused with a reason. No answer: unknown."""

    request: str
    match: str
    applied: bool
    sequence: int
    reason: str
    at: float


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A seat was told when its time in a window is up."""

    match: str
    window: str
    seat: int
    deadline: int


class History(msgspec.Struct):
    """All that the clients wrote down."""

    streams: list[Stream] = msgspec.field(default_factory=list)
    sent: list[Sent] = msgspec.field(default_factory=list)
    answers: list[Answer] = msgspec.field(default_factory=list)
    asked: list[Asked] = msgspec.field(default_factory=list)
    unreadable: list[str] = msgspec.field(default_factory=list)  # matches that could not be read at the end
    unfinished: list[str] = msgspec.field(default_factory=list)  # matches that did not come to their end
    replays: dict[str, int] = msgspec.field(default_factory=dict)  # match -> acts in the replay that everybody gets


class Acted(msgspec.Struct, frozen=True):
    """An act in a log. `by`: PLAYER, CLOCK or STAND_IN; `sequence`: of the last event of its entry.

    `received`: when it came in. `deadline`: of its seat, by the log's times; None where the seat need not act.
    `player`: who plays for the seat by then, as the log tells, whether that is its `own`, and in which `epoch`.
    """

    window: str
    seat: int
    action: str
    by: str
    sequence: int
    received: int = 0
    deadline: int | None = None
    player: str = ""
    own: bool = True
    epoch: int = 0


class Fired(msgspec.Struct, frozen=True):
    """The clock played for a seat in a window, at `at`; the seat's time was up at `deadline`."""

    window: str
    seat: int
    deadline: int
    at: int


class Log(msgspec.Struct):
    """What was kept of a match. `events`: types by number, from 1; `versions`: of its entries, in order.

    `times`: when each event was written, server ms.

    `asked`: every question to a seat, with the deadline that follows from the log's times; credited, once more.
    """

    match: str
    over: bool
    versions: list[int]
    firsts: list[int]  # number of the last event before each entry
    events: list[str]
    acts: list[Acted]
    fired: list[Fired]
    asked: list[Asked] = msgspec.field(default_factory=list)
    times: list[int] = msgspec.field(default_factory=list)


Logs = Mapping[str, Log]
