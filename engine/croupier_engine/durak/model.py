"""Durak: what is played with. Cards are strings, see croupier_engine.cards; [1] and the like: docs/rules/durak.md."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from croupier_engine.durak.options import Options
from croupier_engine.game import By, Seat

HAND = 6  # cards that are dealt, and drawn up to [2.1, 8.3]
SIX = 6  # attack cards in a bout, where that is the limit [6]
REDEALS = 3  # most of them in a game [2.4]

Cards: TypeAlias = tuple[str, ...]


class Lead(Struct, frozen=True, array_like=True):
    """Open a bout with one or more cards of one rank."""

    cards: Cards


class Beat(Struct, frozen=True, array_like=True):
    """Beat an attack card on the table with one from the hand."""

    attack: str
    card: str


class Take(Struct, frozen=True, array_like=True):
    """Give the defence up: all cards on the table will be taken."""


class Transfer(Struct, frozen=True, array_like=True):
    """Pass the attack on to the next player with cards of its rank."""

    cards: Cards


class Throw(Struct, frozen=True, array_like=True):
    """Throw in one or more cards of one rank."""

    cards: Cards


class Pass(Struct, frozen=True, array_like=True):
    """Throw in nothing now; ahead of one's turn: nor when it comes, until a card of a new rank lies."""


class Claim(Struct, frozen=True, array_like=True):
    """Ask for a new deal, showing five or more cards of a suit."""


Action: TypeAlias = Lead | Beat | Take | Transfer | Throw | Pass | Claim


class Phase(StrEnum):
    """What the table waits for."""

    LOT = "LOT"  # chance: who deals first
    DEAL = "DEAL"  # chance: the pack
    TURN = "TURN"  # chance: where a joker that was turned up goes back to
    SUIT = "SUIT"  # chance: a suit for trump
    LEAD = "LEAD"
    DEFEND = "DEFEND"
    THROW = "THROW"
    OVER = "OVER"


class Pair(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An attack card, who laid it, and what beat it."""

    attack: str
    seat: Seat
    cover: str | None = None


class Answer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a seat throws in where all do at once; no cards are a pass."""

    cards: Cards
    by: By


class Bout(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An attack and its defence. Leader, principal and defender are places at the table, see `questions.actor`."""

    number: int = 0  # from 1 in each game
    leader: Seat = 0
    principal: Seat = 0  # who throws in first: the leader, or whoever passed the attack on last
    defender: Seat = 0
    table: tuple[Pair, ...] = ()
    taking: bool = False  # the defender has given up
    token: Seat = 0  # whose turn it is to throw in, or will be
    passed: tuple[Seat, ...] = ()  # since the last new card, in order
    ahead: tuple[tuple[Seat, By], ...] = ()  # who has passed ahead of his turn, and who chose it: hidden
    answers: tuple[Answer | None, ...] = ()  # sealed, by seat, where all throw in at once
    laid: tuple[Seat, ...] = ()  # who laid cards in this bout, by his last one
    last: int = 0  # attack cards that the last act which laid any laid
    questions: int = 0  # asked so far in this bout


class Series(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What outlasts a game. Tuples are by seat where nothing else is said."""

    game: int  # from 1
    dealer: Seat
    losses: tuple[int, ...]
    points: tuple[int, ...]  # sums of places
    redeals: int = 0  # in this game
    out: tuple[tuple[Seat, int], ...] = ()  # who has gone out in this game, with his place, in that order
    fool: Seat | None = None  # of the game before
    winner: Seat | None = None  # of the game before
    resigned: tuple[Seat, ...] = ()  # in the order of giving up
    left: tuple[Seat, ...] = ()  # those of them who had gone out of this game, the match's last, already


class State(Struct, frozen=True, array_like=True):
    """The whole truth of a match."""

    options: Options
    phase: Phase
    hands: tuple[Cards, ...]  # sorted
    dealt: tuple[Cards, ...]  # the hands as dealt, through the first bout
    talon: Cards  # the next to be drawn first, the trump card last
    trump: str  # its suit; empty before it is known
    shown: str | None  # the card that was turned up, or shown, for it
    discard: Cards
    bout: Bout
    series: Series


class View(Struct, frozen=True, array_like=True):
    """What one viewer may know."""

    game: int  # from 1
    redeals: int  # in this game
    bout: int  # from 1; 0 before the first
    dealer: Seat
    trump_suit: str  # empty before it is known
    trump_card: str | None  # while it lies in the talon
    talon_size: int
    discard_size: int
    discard: Cards  # with `discard_view` OPEN; else empty
    hand: Cards  # own, sorted; empty for a spectator
    hand_sizes: tuple[int, ...]
    table: tuple[Pair, ...]
    leader: Seat
    principal: Seat
    defender: Seat
    defending: Seat  # who plays for the defender's place: another only in teams, for one who has gone out
    attacking: Seat  # who plays for the principal's place, likewise
    taking: bool
    room: int  # how many more attack cards may be laid
    passed: tuple[Seat, ...]  # since the last new card
    passed_ahead: bool  # own
    answer: Cards | None  # own sealed answer; empty is a pass
    out: tuple[Seat, ...]  # of this game, in the order of going out
    fool: Seat | None  # of the game before
    losses: tuple[int, ...]
    resigned: tuple[Seat, ...]
