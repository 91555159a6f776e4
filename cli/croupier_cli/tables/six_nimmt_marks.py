"""6 nimmt!: cards and rows as they are drawn."""

from collections.abc import Collection, Sequence

from croupier_cli.terminal.ink import Line, Span, line
from croupier_engine.six_nimmt.deck import bulls, total
from croupier_engine.six_nimmt.model import ROW_LIMIT

_FIGURES = {1: " ", 2: "²", 3: "³", 5: "⁵", 7: "⁷"}
_STYLES = {1: "", 2: "cyan", 3: "yellow", 5: "red", 7: "magenta"}


def card_cell(card: int) -> Span:
    """A card in five cells, its bullheads as a small figure where it has more than one."""
    return Span(f"{card:>4}{_FIGURES[bulls(card)]}", _STYLES[bulls(card)])


def count(bullheads: int) -> str:
    """1 bullhead, 6 bullheads."""
    return f"{bullheads} bullhead" if bullheads == 1 else f"{bullheads} bullheads"


def row_line(number: int, cards: Sequence[int], fresh: Collection[int], picked: bool) -> Line:
    """A row with what it costs; `fresh`, the cards of this trick, stand out, and so does a row that is picked."""
    laid = [
        Span(cell.text, f"{cell.style} bold".strip()) if card in fresh else cell
        for card, cell in ((card, card_cell(card)) for card in cards)
    ]
    free = Span("    ." * (ROW_LIMIT - len(cards)), "dim")
    full = "  full: the next card takes it" if len(cards) == ROW_LIMIT else ""
    name = Span(f"{'>' if picked else ' '}Row {number + 1} ", "mark" if picked else "")
    return line(name, *laid, free, f"   {count(total(tuple(cards))):<12}", Span(full, "bold"))
