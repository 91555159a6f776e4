"""6 nimmt!: card notation for logs. A card is its number, a row is [12 14 15], sides are < and >, hidden is ?."""

from collections.abc import Iterable
from typing import assert_never

from croupier_engine.game import By
from croupier_engine.six_nimmt.model import (
    Action,
    ChooseRow,
    ChooseSide,
    Commit,
    Committed,
    DealScored,
    Dealt,
    Payload,
    Pick,
    Picked,
    Placed,
    Play,
    Revealed,
    RowsLaid,
    RowTaken,
    Side,
)

_MARKS = {Side.LEFT: "<", Side.RIGHT: ">"}


def cards(numbers: Iterable[int]) -> str:
    """12 14 15."""
    return " ".join(map(str, numbers))


def table(rows: Iterable[tuple[int, ...]]) -> str:
    """[12 14 15] [37] [43 44] [58 61]."""
    return " ".join(f"[{cards(row)}]" for row in rows)


def plays(played: Iterable[Play]) -> str:
    """0:14 2:15, each a seat and its card."""
    return " ".join(f"{play.seat}:{play.card}" for play in played)


def action(chosen: Action) -> str:
    """commit 14, pick 7, row 2, side <."""
    match chosen:
        case Pick(card):
            return f"pick {card}"
        case Commit(card):
            return f"commit {card}"
        case ChooseRow(row):
            return f"row {row}"
        case ChooseSide(side):
            return f"side {_MARKS[side]}"
        case _:
            assert_never(chosen)


def event(payload: Payload) -> str:
    """What happened, in one line, as the one who was told it."""
    match payload:
        case Dealt():
            lies = f"pool {cards(payload.pool)}" if payload.pool else table(payload.rows)
            hand = f" hand {cards(payload.hand)}" if payload.hand else ""
            return f"deal {payload.deal}: {lies}{hand}"
        case Picked(seat, card, by):
            return f"{seat} picks {card}{_made_by(by)}"
        case RowsLaid(rows):
            return f"rows {table(rows)}"
        case Committed(seat, card, by):
            return f"{seat} chooses {'?' if card is None else card}{_made_by(by)}"
        case Revealed(trick, played):
            return f"trick {trick}: {plays(played)}"
        case Placed(seat, card, row, side):
            return f"{seat} lays {card} {_MARKS[side]} row {row}"
        case RowTaken(seat, card, row, taken, bulls, by):
            return f"{seat} lays {card}, takes row {row} [{cards(taken)}], {bulls} bulls{_made_by(by)}"
        case DealScored(deal, bulls_taken, scores):
            return f"deal {deal} scored: bulls {cards(bulls_taken)}, scores {cards(scores)}"
        case _:
            assert_never(payload)


def _made_by(by: By) -> str:
    return "" if by is By.PLAYER else f" ({by.value.lower()})"
