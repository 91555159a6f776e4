"""A plain player of Durak: the cheapest card that is no trump, always."""

from collections.abc import Sequence

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot

_RANKS = "23456789TJQKA"


class Plain(Bot):
    """Leads, beats and throws in the cheapest card, trumps behind all others; it throws in no trumps, and takes only
    what it cannot beat."""

    games = {"durak": ("plain",)}  # noqa: RUF012

    def __init__(self) -> None:
        self._seat = 0

    def seated(self, match: matches_pb2.Match) -> None:
        self._seat = match.you.seat

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> int | None:
        trump = view.durak.trump_suit
        options = [
            (price, index) for index, choice in enumerate(window.choices) if (price := _price(choice.durak, trump))
        ]
        if options and self._seat in window.must:
            return min(options)[1]
        return None if self._seat in window.may else 0


def _price(action: pb.DurakAction, trump: str) -> tuple[int, ...] | None:
    """What an act costs, the lowest first; None: it is not thought of."""
    match action.WhichOneof("action"):
        case "lead":
            return _cards(action.lead.cards, trump)
        case "beat":
            return _cards([action.beat.card], trump)
        case "throw" | "transfer" as kind:
            cards = _cards(getattr(action, kind).cards, trump)
            return None if cards is None or cards[0] else cards
        case "take" | "pass":
            return (9,)
    return None


def _cards(cards: Sequence[str], trump: str) -> tuple[int, ...] | None:
    if len(cards) != 1:
        return None
    card = cards[0]
    if card in ("JB", "JR"):
        return (2, 0)
    return (int(card[1] == trump), _RANKS.index(card[0]))
