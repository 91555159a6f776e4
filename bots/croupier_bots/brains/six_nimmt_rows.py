"""Rows of 6 nimmt! as far as it takes to guess what a choice will cost. Numbers: docs/rules/six_nimmt.md.

Written for speed: a decision lays some thousand cards.
"""

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

FULL = 5  # the next card is the sixth


def bulls_of(card: int) -> int:
    """Bullheads on a card of 1..104."""
    if card == 55:
        return 7
    if card % 11 == 0:
        return 5
    if card % 10 == 0:
        return 3
    return 2 if card % 5 == 0 else 1


_BULLS = (0, *(bulls_of(card) for card in range(1, 105)))

Tricks: TypeAlias = list[list[int]]
"""Guessed cards of the others, trick by trick."""


class Rows:
    """Four rows; of each only both ends, the number of cards and their bullheads.

    Whoever has a choice is supposed to take what costs least now.
    """

    __slots__ = ("bulls", "count", "first", "last")

    def __init__(self, first: list[int], last: list[int], count: list[int], bulls: list[int]) -> None:
        self.first, self.last, self.count, self.bulls = first, last, count, bulls

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Rows":
        """From the cards, left to right. Ascending by the last card."""
        ordered = sorted(rows, key=lambda row: row[-1])
        return cls(
            [row[0] for row in ordered],
            [row[-1] for row in ordered],
            [len(row) for row in ordered],
            [sum([_BULLS[card] for card in row]) for row in ordered],
        )

    def copy(self) -> "Rows":
        """Its own rows, to be laid upon."""
        return type(self)(self.first[:], self.last[:], self.count[:], self.bulls[:])

    def lay(self, cards: Sequence[int], own: int) -> int:
        """Lay a trick, ascending; the bullheads that the card `own` takes."""
        last, count, bulls = self.last, self.count, self.bulls
        cost = 0
        for card in cards:
            # The last cards stay ascending: a card lands between its row's last card and the next row's.
            row = bisect(last, card) - 1
            if row < 0:
                row = bulls.index(min(bulls))
                if card == own:
                    cost = bulls[row]
                del last[row], count[row], bulls[row]
                last.insert(0, card)
                count.insert(0, 1)
                bulls.insert(0, _BULLS[card])
            elif count[row] < FULL:
                last[row] = card
                count[row] += 1
                bulls[row] += _BULLS[card]
            else:
                if card == own:
                    cost = bulls[row]
                last[row] = card
                count[row] = 1
                bulls[row] = _BULLS[card]
        return cost


class ProfessionalRows(Rows):
    """Rows that grow at both ends [6]; where two ends are near by turns, the nearer counts."""

    __slots__ = ()

    def lay(self, cards: Sequence[int], own: int) -> int:
        """Lay a trick, ascending; the bullheads that the card `own` takes."""
        first, last, count, bulls = self.first, self.last, self.count, self.bulls
        cost = 0
        for card in cards:
            right = left = -1
            low, high = 0, 1000
            for row in (0, 1, 2, 3):
                if low < last[row] < card:
                    low, right = last[row], row
                if card < first[row] < high:
                    high, left = first[row], row
            if right < 0 and left < 0:
                row, full = bulls.index(min(bulls)), True
            else:
                row = self._end(right, left, card - low, high - card)
                full = count[row] == FULL
            if full:
                if card == own:
                    cost = bulls[row]
                first[row] = last[row] = card
                count[row], bulls[row] = 1, _BULLS[card]
            else:
                (last if row == right else first)[row] = card
                count[row] += 1
                bulls[row] += _BULLS[card]
        return cost

    def _end(self, right: int, left: int, below: int, above: int) -> int:
        if left < 0 or (right >= 0 and below < above):
            return right
        if right < 0 or above < below:
            return left
        return self._cheaper(right, left)

    def _cheaper(self, right: int, left: int) -> int:
        right_cost = self.bulls[right] if self.count[right] == FULL else 0
        left_cost = self.bulls[left] if self.count[left] == FULL else 0
        return left if left_cost < right_cost else right


class FreeRows(ProfessionalRows):
    """As ProfessionalRows, where each player picks the end himself [6 `pro_choice`]."""

    __slots__ = ()

    def _end(self, right: int, left: int, below: int, above: int) -> int:
        if left < 0 or right < 0:
            return max(right, left)
        return self._cheaper(right, left)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice: the rows after it, what it costs at once, and the card it plays, if it is one."""

    rows: Rows
    cost: int
    card: int | None


def costs(
    options: Sequence[Option],
    hand: Sequence[int],
    guess: Callable[[], Tricks],
    worlds: int,
    chance: random.Random,
) -> list[float]:
    """Bullheads that each option is expected to cost in the tricks ahead.

    Each of `worlds` guesses of what the others will play is played out for all options alike, own cards at random.
    """
    totals = [float(option.cost) * worlds for option in options]
    order = list(hand)
    for _ in range(worlds):
        tricks = guess()
        chance.shuffle(order)
        for index, option in enumerate(options):
            own = order
            if option.card is not None:
                own = order[:]
                at = own.index(option.card)
                own[at], own[0] = own[0], own[at]
            rows = option.rows.copy()
            total = 0
            for trick, card in zip(tricks, own, strict=False):
                total += rows.lay(sorted([*trick, card]), card)
            totals[index] += total
    return [total / worlds for total in totals]
