"""Durak: what is told. Each class is the payload of the event type named beside it."""

from typing import TypeAlias

from msgspec import Struct

from croupier_engine.durak.model import Cards
from croupier_engine.game import By, Seat


class DealerDrawn(Struct, frozen=True, array_like=True):
    """durak.dealer_drawn: the lot has settled who deals first."""

    dealer: Seat


class Dealt(Struct, frozen=True, array_like=True):
    """durak.dealt: a deal begins; the own hand is for each seat alone."""

    game: int
    redeals: int
    dealer: Seat
    hand_sizes: tuple[int, ...]
    talon_size: int
    hand: Cards


class JokerTurned(Struct, frozen=True, array_like=True):
    """durak.joker_turned: the card turned up for trump is a joker, and goes back."""

    card: str


class TrumpTurned(Struct, frozen=True, array_like=True):
    """durak.trump_turned: trump is settled; `card` is what shows it, if one does."""

    suit: str
    card: str | None


class FirstAttacker(Struct, frozen=True, array_like=True):
    """durak.first_attacker: who leads first, and the lowest trump if that settled it."""

    seat: Seat
    card: str | None


class Led(Struct, frozen=True, array_like=True):
    """durak.led: a bout begins."""

    seat: Seat
    cards: Cards
    defender: Seat  # who has to beat
    by: By


class Beaten(Struct, frozen=True, array_like=True):
    """durak.beaten: an attack card was beaten."""

    seat: Seat
    attack: str
    card: str
    by: By


class Transferred(Struct, frozen=True, array_like=True):
    """durak.transferred: the attack was passed on."""

    seat: Seat
    cards: Cards
    defender: Seat  # who has to beat now
    by: By


class Answered(Struct, frozen=True, array_like=True):
    """durak.answered: a seat has answered, sealed until all have; what is for that seat alone, empty for a pass."""

    seat: Seat
    cards: Cards | None
    by: By


class Thrown(Struct, frozen=True, array_like=True):
    """durak.thrown: cards were thrown in."""

    seat: Seat
    cards: Cards
    by: By


class Passed(Struct, frozen=True, array_like=True):
    """durak.passed: a seat throws nothing in."""

    seat: Seat
    by: By


class TakeDeclared(Struct, frozen=True, array_like=True):
    """durak.take_declared: the defender gives up, and takes what lies there at the end of the bout."""

    seat: Seat
    by: By


class Taken(Struct, frozen=True, array_like=True):
    """durak.taken: the defender has the whole table."""

    seat: Seat
    cards: Cards


class Bito(Struct, frozen=True, array_like=True):
    """durak.bito: all was beaten, and is discarded."""

    cards: Cards


class Drew(Struct, frozen=True, array_like=True):
    """durak.drew: a seat drew from the talon; which cards is for that seat alone."""

    seat: Seat
    count: int
    cards: Cards


class WentOut(Struct, frozen=True, array_like=True):
    """durak.went_out: a seat is done with this game."""

    seat: Seat
    place: int


class Claimed(Struct, frozen=True, array_like=True):
    """durak.claimed: a seat shows five or more cards of a suit, and it is dealt anew."""

    seat: Seat
    hand: Cards  # as dealt
    by: By


class Epaulettes(Struct, frozen=True, array_like=True):
    """durak.epaulettes: the fool's last two cards to take were of the lowest rank."""

    fool: Seat
    seat: Seat  # who laid them
    cards: Cards


class GameOver(Struct, frozen=True, array_like=True):
    """durak.game_over: a game is done; without losers it is a draw."""

    game: int
    losers: tuple[Seat, ...]  # the fool, or the losing team
    places: tuple[int, ...]  # by seat, from 1; 0 for one who was not dealt in
    losses: tuple[int, ...]  # running, by seat


Payload: TypeAlias = (
    DealerDrawn
    | Dealt
    | JokerTurned
    | TrumpTurned
    | FirstAttacker
    | Led
    | Beaten
    | Transferred
    | Answered
    | Thrown
    | Passed
    | TakeDeclared
    | Taken
    | Bito
    | Drew
    | WentOut
    | Claimed
    | Epaulettes
    | GameOver
)
