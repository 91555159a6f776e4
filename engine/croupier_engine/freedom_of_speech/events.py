"""Freedom of Speech: what happened. Words are told once a card is closed; before, only to those who may see it."""

from typing import TypeAlias

from msgspec import Struct

from croupier_engine.freedom_of_speech.model import Foul, Team
from croupier_engine.freedom_of_speech.options import ForfeitMode, Word
from croupier_engine.game import By, Seat


class TeamDrawn(Struct, frozen=True, array_like=True):
    """The lot has fallen on the team that begins."""

    team: Team


class Shuffled(Struct, frozen=True, array_like=True):
    """The deck was shuffled; with `again`, the dead pile became the deck."""

    deck_size: int
    again: bool


class Ready(Struct, frozen=True, array_like=True):
    """A giver may start."""

    team: Team
    giver: Seat
    sudden: int  # number of the round of sudden death; 0: it is none


class Started(Struct, frozen=True, array_like=True):
    """The timer runs. `by`: the giver, or the table that waited no longer."""

    round: int
    giver: Seat
    by: By


class Drawn(Struct, frozen=True, array_like=True):
    """The giver sees a card. `word`: for those who may see it."""

    giver: Seat
    number: int
    deck_size: int
    word: Word | None = None


class ClueGiven(Struct, frozen=True, array_like=True):
    """The giver said something; `clue` is its number."""

    seat: Seat
    clue: int
    text: str


class Guessed(Struct, frozen=True, array_like=True):
    """A team-mate said what the word may be."""

    seat: Seat
    text: str
    right: bool


class Scored(Struct, frozen=True, array_like=True):
    """A card is won. `guesser` is None where the giver heard it."""

    team: Team
    giver: Seat
    guesser: Seat | None
    word: Word
    scores: tuple[int, int]


class Skipped(Struct, frozen=True, array_like=True):
    """A card was given up, and with it one that was won, `lost`."""

    giver: Seat
    word: Word
    lost: Word
    scores: tuple[int, int]


class Flagged(Struct, frozen=True, array_like=True):
    """An opponent calls a clue a foul."""

    seat: Seat
    clue: int


class Fouled(Struct, frozen=True, array_like=True):
    """A turn is lost. `word`: the card, which is dead; `clue`: the one that was flagged, 0: it was never shown."""

    seat: Seat
    kind: Foul
    clue: int
    word: Word | None  # None: no card was open any more


class TakenBack(Struct, frozen=True, array_like=True):
    """A card that was won by a foul goes to the dead pile."""

    team: Team
    clue: int
    word: Word
    scores: tuple[int, int]


class Buzzed(Struct, frozen=True, array_like=True):
    """The time is up, and the card is dead."""

    round: int
    team: Team
    giver: Seat
    word: Word


class Dropped(Struct, frozen=True, array_like=True):
    """The turn ended because somebody gave up, and the card is dead."""

    seat: Seat
    word: Word


class Forfeited(Struct, frozen=True, array_like=True):
    """Who owes the table something now; what it is, the players settle."""

    mode: ForfeitMode
    targets: tuple[Seat, ...]
    round: int


class RuleWritten(Struct, frozen=True, array_like=True):
    """A rule for a team that was caught; the players see that it is kept."""

    seat: Seat
    team: Team
    text: str


class SuddenDeath(Struct, frozen=True, array_like=True):
    """It is a tie: one more round."""

    number: int


class Ended(Struct, frozen=True, array_like=True):
    """The match is over. `winner` is None after a draw."""

    winner: Team | None
    scores: tuple[int, int]


Payload: TypeAlias = (
    TeamDrawn
    | Shuffled
    | Ready
    | Started
    | Drawn
    | ClueGiven
    | Guessed
    | Scored
    | Skipped
    | Flagged
    | Fouled
    | TakenBack
    | Buzzed
    | Dropped
    | Forfeited
    | RuleWritten
    | SuddenDeath
    | Ended
)
