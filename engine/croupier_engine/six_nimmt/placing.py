"""6 nimmt!: where a card goes [3.3-3.5, 6 Professional]. Pure questions about rows; nothing is changed here."""

from collections.abc import Sequence
from typing import NamedTuple

from croupier_engine.six_nimmt.deck import total
from croupier_engine.six_nimmt.model import ROW_LIMIT, Options, Placement, ProChoice, Side


class End(NamedTuple):
    """An end of a row: the row's index, 0..3, and the side."""

    row: int
    side: Side


def ends(rows: Sequence[tuple[int, ...]], card: int, options: Options) -> tuple[End, ...]:
    """The ends where the card may go: none if it fits nowhere, one if it is forced, else two, LEFT before RIGHT."""
    right = _nearest_lower(rows, card)
    if options.placement is Placement.NORMAL:
        return () if right is None else (End(right, Side.RIGHT),)
    left = _nearest_higher(rows, card)
    if left is None or right is None:
        if left is not None:
            return (End(left, Side.LEFT),)
        return () if right is None else (End(right, Side.RIGHT),)
    both = (End(left, Side.LEFT), End(right, Side.RIGHT))
    # Positive: the right end is the nearer.
    lead = (rows[left][0] - card) - (card - rows[right][-1])
    if options.pro_choice is ProChoice.ALWAYS or lead == 0:
        return both
    return (both[1],) if lead > 0 else (both[0],)


def _nearest_lower(rows: Sequence[tuple[int, ...]], card: int) -> int | None:
    best, index = 0, None
    for row, cards in enumerate(rows):
        if best < cards[-1] < card:
            best, index = cards[-1], row
    return index


def _nearest_higher(rows: Sequence[tuple[int, ...]], card: int) -> int | None:
    best, index = None, None
    for row, cards in enumerate(rows):
        if cards[0] > card and (best is None or cards[0] < best):
            best, index = cards[0], row
    return index


def is_full(row: tuple[int, ...]) -> bool:
    """Whether the next card is the sixth and takes the row [3.4]."""
    return len(row) == ROW_LIMIT


def cheapest_row(rows: Sequence[tuple[int, ...]]) -> int:
    """The row with the fewest bullheads; on a tie the lowest index [4]."""
    return min(range(len(rows)), key=lambda row: total(rows[row]))


def cheaper_side(rows: Sequence[tuple[int, ...]], two: Sequence[End]) -> Side:
    """The side that costs fewer bullheads; on a tie the right one [4]."""
    left, right = (total(rows[end.row]) if is_full(rows[end.row]) else 0 for end in two)
    return Side.LEFT if left < right else Side.RIGHT
