"""French cards as strings, rank then suit: 6S, TH, AC. The jokers are JB and JR, which no jack is."""

from collections.abc import Iterable
from functools import cache

SUITS = "SCDH"
RANKS = "23456789TJQKA"  # ascending
JOKERS = ("JB", "JR")
JOKER = "JOKER"  # the rank of both

_VALUES = {rank: value for value, rank in enumerate((*RANKS, JOKER))}
_ALL = (*(rank + suit for rank in RANKS for suit in SUITS), *JOKERS)
_RANKS = {card: JOKER if card in JOKERS else card[0] for card in _ALL}
_SUITS = {card: "" if card in JOKERS else card[1] for card in _ALL}
_PLACES = {card: place for place, card in enumerate(_ALL)}


@cache
def pack(size: int) -> tuple[str, ...]:
    """The cards of a pack of 36 (from the six), 52, or 54 (with both jokers), by rank, then by suit."""
    return {36: _ALL[16:52], 52: _ALL[:52], 54: _ALL}[size]


def is_card(value: object) -> bool:
    """Whether it is a card at all."""
    return type(value) is str and value in _PLACES


def rank(card: str) -> str:
    """Its rank, a letter of RANKS or JOKER."""
    return _RANKS[card]


def suit(card: str) -> str:
    """Its suit, a letter of SUITS; empty for a joker."""
    return _SUITS[card]


def value(card: str) -> int:
    """How high its rank is: 0 for a two, 12 for an ace, 13 for a joker."""
    return _VALUES[_RANKS[card]]


def sort(cards: Iterable[str]) -> tuple[str, ...]:
    """By rank, then by suit."""
    return tuple(sorted(cards, key=_PLACES.__getitem__))
