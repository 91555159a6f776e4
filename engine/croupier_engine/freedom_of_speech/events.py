"""Freedom of Speech: what happened. Words are told once a card is closed; before, only to those who may see it."""

from dataclasses import dataclass
from typing import TypeAlias

from croupier_engine.freedom_of_speech.model import Foul, Team
from croupier_engine.freedom_of_speech.options import ForfeitMode, Word
from croupier_engine.game import By, Seat


@dataclass(frozen=True, slots=True)
class TeamDrawn:
    """The lot has fallen on the team that begins."""

    team: Team


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The deck was shuffled; with `again`, the dead pile became the deck."""

    deck_size: int
    again: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """A giver may start."""

    team: Team
    giver: Seat
    sudden: int  # number of the round of sudden death; 0: it is none


@dataclass(frozen=True, slots=True)
class Started:
    """The timer runs. `by`: the giver, or the table that waited no longer."""

    round: int
    giver: Seat
    by: By


@dataclass(frozen=True, slots=True)
class Drawn:
    """The giver sees a card. `word`: for those who may see it."""

    giver: Seat
    number: int
    deck_size: int
    word: Word | None = None


@dataclass(frozen=True, slots=True)
class ClueGiven:
    """The giver said something; `clue` is its number."""

    seat: Seat
    clue: int
    text: str


@dataclass(frozen=True, slots=True)
class Guessed:
    """A team-mate said what the word may be."""

    seat: Seat
    text: str
    right: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """A card is won. `guesser` is None where the giver heard it."""

    team: Team
    giver: Seat
    guesser: Seat | None
    word: Word
    scores: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A card was given up, and with it one that was won, `lost`."""

    giver: Seat
    word: Word
    lost: Word
    scores: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Flagged:
    """An opponent calls a clue a foul."""

    seat: Seat
    clue: int


@dataclass(frozen=True, slots=True)
class Fouled:
    """A turn is lost. `word`: the card, which is dead; `clue`: the one that was flagged, 0: it was never shown."""

    seat: Seat
    kind: Foul
    clue: int
    word: Word | None  # None: no card was open any more


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A card that was won by a foul goes to the dead pile."""

    team: Team
    clue: int
    word: Word
    scores: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Buzzed:
    """The time is up, and the card is dead."""

    round: int
    team: Team
    giver: Seat
    word: Word


@dataclass(frozen=True, slots=True)
class Dropped:
    """The turn ended because somebody gave up, and the card is dead."""

    seat: Seat
    word: Word


@dataclass(frozen=True, slots=True)
class Forfeited:
    """Who owes the table something now; what it is, the players settle."""

    mode: ForfeitMode
    targets: tuple[Seat, ...]
    round: int


@dataclass(frozen=True, slots=True)
class RuleWritten:
    """A rule for a team that was caught; the players see that it is kept."""

    seat: Seat
    team: Team
    text: str


@dataclass(frozen=True, slots=True)
class SuddenDeath:
    """It is a tie: one more round."""

    number: int


@dataclass(frozen=True, slots=True)
class Ended:
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
