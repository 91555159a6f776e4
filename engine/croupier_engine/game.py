"""The one abstraction every game is written against.

A game is a pure machine: `start` makes a state, `apply` takes a state and a command to the next state and says what
happened as events. Time is an argument in server milliseconds, chance is a permutation handed in by a `Deal`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

Seat: TypeAlias = int
"""Index in the order of play, from 0; the next to act is seat + 1, round the table."""

S = TypeVar("S")
A = TypeVar("A")
O = TypeVar("O")  # noqa: E741 - O for options
V_co = TypeVar("V_co", covariant=True)


class By(StrEnum):
    """Who made an act."""

    PLAYER = "PLAYER"
    CLOCK = "CLOCK"
    STAND_IN = "STAND_IN"


class Act(Struct, Generic[A], frozen=True, array_like=True):
    """A seat acts. `at`: server milliseconds."""

    seat: Seat
    action: A
    at: int
    by: By = By.PLAYER


class Resign(Struct, frozen=True, array_like=True):
    """A seat gives up, for good. `at`: server milliseconds."""

    seat: Seat
    at: int


class Deal(Struct, frozen=True, array_like=True):
    """The dealer's answer to a question of chance: `order` is a permutation of 0..n-1 of the size asked for."""

    order: tuple[int, ...]
    at: int


class Tick(Struct, frozen=True, array_like=True):
    """A timer of the rules themselves is due. `at`: server milliseconds."""

    at: int


class Credit(Struct, frozen=True, array_like=True):
    """All running time is set back by `ms`, for a pause that the server announced. `at`: server milliseconds."""

    ms: int
    at: int


Command: TypeAlias = Act[A] | Resign | Deal | Tick | Credit


class Awaiting(Struct, frozen=True, array_like=True):
    """What the game waits for; computed from what every seat may know.

    The token `window` changes exactly when the question changes; it does not when one of several seats answers.
    """

    window: str
    kind: str  # CHOOSE, CHOOSE_ROW, ...: the names of WindowKind in the API; DEAL for a question of chance
    must: tuple[Seat, ...] = ()  # seats without which nothing goes on, ascending
    may: tuple[Seat, ...] = ()  # seats that may act but need not, ascending
    done: tuple[Seat, ...] = ()  # seats that have answered this window, sealed until all have, ascending
    chance: int = 0  # > 0: a permutation of this size is wanted from the dealer
    deadline: int | None = None  # server ms at which a timer of the rules is due; from then on Tick is legal
    secret: bool = False  # that timer's time is never shown


OPEN: Mapping[Seat, object] = MappingProxyType({})
"""What single seats see of an event that all see alike."""


class Event(Struct, frozen=True, array_like=True):
    """Something that happened: `public` is what everybody sees of it, `private` replaces it for single seats.

    A payload of None means that the viewer learns only that something happened. Payloads are frozen structs of
    the game's `payloads`; `type` is "<game>.<name in snake case>".
    """

    type: str
    public: object | None
    private: Mapping[Seat, object] = OPEN

    def seen_by(self, viewer: Seat | None) -> object | None:
        """The payload for a seat, or for a spectator (None)."""
        return self.public if viewer is None else self.private.get(viewer, self.public)


class Step(Struct, Generic[S], frozen=True, array_like=True):
    """A state and the events that led to it."""

    state: S
    events: tuple[Event, ...] = ()


class Outcome(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How it ended: `places` from 1, shared on a tie (1, 1, 3); `scores` in the game's own unit. Both by seat."""

    places: tuple[int, ...]
    scores: tuple[int, ...]


class Preset(Struct, Generic[O], frozen=True, array_like=True):
    """A named set of options. `seats`: the recommended numbers of players."""

    options: O
    seats: tuple[int, ...]


class Game(Protocol[S, A, O, V_co]):
    """A game. Every method is pure and total; states are immutable values that compare and hash."""

    name: str  # snake case: the field of the API's oneofs
    seats: range  # the numbers of players it can be played by
    rules_version: int  # a change that makes an old log replay differently needs a new one
    options: type[O]
    state: type[S]  # a struct, with `options` among its fields
    actions: Mapping[str, type[Any]]  # name in the API -> class
    payloads: Mapping[str, type[Any]]  # event type -> class
    presets: Mapping[str, Preset[O]]  # the first is the default

    def validate(self, options: O, seats: int) -> None:
        """Raise InvalidOptions if it cannot be played so."""

    def shown_options(self, options: O) -> O:
        """The options as everybody may see them while it is played."""

    def team(self, options: O, seat: Seat) -> int | None:
        """The team that a seat belongs to, from 0; None where all play for themselves."""

    def start(self, options: O, seats: int, at: int) -> Step[S]:
        """The first state; InvalidOptions as `validate`."""

    def awaiting(self, state: S) -> Awaiting | None:
        """What is waited for; None once the game is over."""

    def choices(self, state: S, seat: Seat) -> Sequence[A] | None:
        """The seat's whole legal actions, in a stable order; empty if it cannot act; None if they cannot be listed."""

    def action_names(self, state: S, seat: Seat) -> tuple[str, ...]:
        """Names of the actions that the seat may take now, also where they cannot be listed; empty if none."""

    def default(self, state: S, seat: Seat) -> A:
        """The harmless act that the clock plays for a seat of `must` that ran out of time."""

    def apply(self, state: S, command: Command[A]) -> Step[S]:
        """The next state, or IllegalAction; the given state is never changed."""

    def view(self, state: S, viewer: Seat | None) -> V_co:
        """All that the viewer may know, and nothing else; None is a spectator."""

    def scores(self, state: S) -> tuple[int, ...]:
        """The public running score by seat, in the unit of Outcome.scores."""

    def outcome(self, state: S) -> Outcome | None:
        """The result, once it is over."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
