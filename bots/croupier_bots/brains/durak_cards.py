"""French cards as numbers and sets of bits, for bots that reckon: 4 x rank + suit, and a hand is the sum of 1 << card.

Numbers in brackets: docs/rules/durak.md.
"""

from collections.abc import Iterable, Iterator
from functools import cache

_RANKS, _SUITS = "23456789TJQKA", "SCDH"
JOKER = 13  # the rank of both
NAMES = (*(rank + suit for rank in _RANKS for suit in _SUITS), "JB", "JR")
NUMBERS = {name: number for number, name in enumerate(NAMES)}
PACKS = {36: ((1 << 52) - 1) ^ ((1 << 16) - 1), 52: (1 << 52) - 1, 54: (1 << 54) - 1}
LOWEST = {36: 4, 52: 0, 54: 0}  # rank of the lowest card of a pack


def rank(card: int) -> int:
    """0 for a two, 12 for an ace, 13 for a joker."""
    return card >> 2


def suit(card: int) -> str:
    """A letter; empty for a joker."""
    return "" if card >= JOKER * 4 else _SUITS[card & 3]


def hand_of(names: Iterable[str]) -> int:
    """A set of cards by name."""
    hand = 0
    for name in names:
        hand |= 1 << NUMBERS[name]
    return hand


def cards_of(hand: int) -> Iterator[int]:
    """The cards of a set, ascending."""
    while hand:
        low = hand & -hand
        yield low.bit_length() - 1
        hand ^= low


def of_rank(card: int) -> int:
    """All cards of a card's rank."""
    return 15 << (card & ~3)


def ranks_in(hand: int) -> int:
    """All cards of the ranks in a set."""
    found = 0
    for card in cards_of(hand):
        found |= of_rank(card)
    return found


def suits_in(hand: int) -> int:
    """All cards of the suits in a set; a joker has none."""
    found = 0
    for card in cards_of(hand):
        found |= trumps(suit(card))
    return found


@cache
def trumps(trump: str) -> int:
    """All cards of a suit."""
    return sum(1 << card for card in range(JOKER * 4) if suit(card) == trump)


@cache
def beaters(card: int, trump: str) -> int:
    """All cards that beat a card [1.2, 1.3]."""
    if rank(card) == JOKER:
        return 0
    higher = sum(1 << other for other in range(card + 4, JOKER * 4, 4))
    jokers = 3 << (JOKER * 4)
    return higher | jokers | (0 if suit(card) == trump else trumps(trump))


def in_order(hand: int, trump: str) -> list[int]:
    """The cards of a set, the cheapest first: by rank, trumps behind, jokers last."""
    return sorted(cards_of(hand), key=lambda card: (rank(card) == JOKER, suit(card) == trump, card))
