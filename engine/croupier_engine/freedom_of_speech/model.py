"""Freedom of Speech: what is played with. Cards are places in the match's list of words, see words.py."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from croupier_engine.freedom_of_speech.options import Options, Word
from croupier_engine.game import Seat

TEAMS = 2
STEPS = 121  # different lengths of a random timer
FORFEITS = 5  # for one player in a match [4.6]
TALK = 60  # messages about a card that are kept
OPEN = 60  # clues that can be flagged at a time; in ten seconds a giver gives no more than fifty

CLOSED = 20  # cards of each pile that a view has

Card: TypeAlias = int
Team: TypeAlias = int


class Start(Struct, frozen=True, array_like=True):
    """Start the timer, and see the card."""


class Clue(Struct, frozen=True, array_like=True):
    """Say something about the word."""

    text: str


class Guess(Struct, frozen=True, array_like=True):
    """Say what the word may be."""

    text: str


class Accept(Struct, frozen=True, array_like=True):
    """As the giver: somebody has said the word."""


class Skip(Struct, frozen=True, array_like=True):
    """Give up the card, and one that is won already."""


class Flag(Struct, frozen=True, array_like=True):
    """Call a clue a foul; `clue` is its number."""

    clue: int


class WriteRule(Struct, frozen=True, array_like=True):
    """Write a rule for the team that was caught."""

    text: str


Action: TypeAlias = Start | Clue | Guess | Accept | Skip | Flag | WriteRule


class Phase(StrEnum):
    """What the table waits for."""

    LOT = "LOT"  # chance: which team begins
    SHUFFLE = "SHUFFLE"  # chance: the deck
    READY = "READY"  # for the giver to start
    TIMER = "TIMER"  # chance: how long
    RESHUFFLE = "RESHUFFLE"  # chance: the dead pile, as the new deck
    CLUE = "CLUE"
    OVER = "OVER"


class Kind(StrEnum):
    """What was said."""

    CLUE = "CLUE"
    GUESS = "GUESS"


class Foul(StrEnum):
    """Why a turn is lost [3.4]."""

    WORD = "WORD"  # the clue has the word, or a form or a part of it
    SOUND = "SOUND"  # it says what the word sounds like
    FLAGGED = "FLAGGED"  # the opponents, or the referee, say so


class Said(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A message about the current card. `at`: server ms; `clue`: its number, 0 for a guess."""

    kind: Kind
    seat: Seat
    text: str
    at: int
    clue: int = 0


class Given(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A clue that may still be flagged: whose it is, on which card, in which turn."""

    number: int
    seat: Seat
    card: Card | None  # None once that is dead: it may be drawn again, and is won with other clues then
    turn: int
    at: int
    flags: tuple[Seat, ...] = ()


class Rule(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a caught team has to keep to until the end; the players see to that."""

    team: Team
    text: str


class State(Struct, frozen=True, array_like=True):
    """The whole truth of a match. Pairs are by team, longer tuples by seat."""

    options: Options
    seats: int
    phase: Phase
    deck: tuple[Card, ...] = ()  # the next to be drawn first
    current: Card | None = None
    piles: tuple[tuple[Card, ...], tuple[Card, ...]] = ((), ())  # won, the latest last
    dead: tuple[Card, ...] = ()
    team: Team = 0  # to move
    places: tuple[int, int] = (0, 0)  # in each team's rotation of givers
    turns: tuple[int, int] = (0, 0)  # that have ended
    round: int = 0  # timers that were started
    drawn: int = 0  # cards
    questions: int = 0  # READY so far
    deadline: int | None = None  # READY: when it starts by itself; CLUE: when it buzzes
    talk: tuple[Said, ...] = ()
    clues: int = 0  # given so far
    open_clues: tuple[Given, ...] = ()
    stamps: tuple[tuple[int, ...], ...] = ()  # when a seat said its latest messages
    forfeits: tuple[int, ...] = ()
    caught: Team | None = None  # for whom a rule may be written now
    rules: tuple[Rule, ...] = ()
    sudden: int = 0  # rounds of sudden death so far
    sudden_turns: int = 0  # left in the present one
    resigned: tuple[Seat, ...] = ()
    winner: Team | None = None


class OpenClue(Struct, frozen=True, array_like=True):
    """A clue that may still be flagged, as a viewer sees it.

    `until`: server ms; it may have passed, as nothing happens by itself then. `may_flag`: the viewer may do so.
    """

    number: int
    seat: Seat
    flags: tuple[Seat, ...]
    until: int
    may_flag: bool


class Closed(Struct, frozen=True, array_like=True):
    """A word that is secret no more. `team`: who won it; None: it is dead."""

    word: str
    team: Team | None


class View(Struct, frozen=True, array_like=True):
    """What one viewer may know."""

    round: int
    running: bool  # the timer runs
    team: Team
    giver: Seat
    scores: tuple[int, int]  # cards won, by team
    deck_size: int
    dead_size: int
    drawn: int  # number of the current card
    word: Word | None  # for those who may see the current card
    talk: tuple[Said, ...]
    open_clues: tuple[OpenClue, ...]
    closed: tuple[Closed, ...]  # by pile: of team 0, of team 1, dead; the latest last
    forfeits: tuple[int, ...]
    rules: tuple[Rule, ...]
    caught: Team | None
    sudden: int
    resigned: tuple[Seat, ...]
