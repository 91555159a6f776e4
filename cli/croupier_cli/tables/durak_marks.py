"""Durak: cards and choices as they are drawn."""

from collections.abc import Iterable, Sequence

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2
from croupier_cli.terminal.ink import Line, Span, cells, line
from croupier_engine.cards import JOKERS, suit

_CHOICE_LINES = 2
_SUITS = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts"}
_STYLES = {"D": "red", "H": "red", "": "magenta"}


def card_span(card: str, trump: str, style: str = "") -> Span:
    """A card; trumps are underlined, and in the list of a hand they stand behind all others."""
    styles = [_STYLES.get(suit(card), ""), "under" if card not in JOKERS and suit(card) == trump else "", style]
    return Span(card, " ".join(filter(None, styles)))


def suit_name(letter: str) -> str:
    """S: spades."""
    return _SUITS.get(letter, "not known yet")


def hand_lines(cards: Sequence[str], trump: str, picked: frozenset[str], width: int) -> list[Line]:
    """A hand, trumps last; cards of the choice that the keyboard is on stand out, in brackets."""
    ordered = sorted(cards, key=lambda card: card not in JOKERS and suit(card) == trump)
    each = (width - 1) // 4
    spans = []
    for card in ordered:
        before, after = ("[", "]") if card in picked else (" ", " ")
        drawn = card_span(card, trump, "mark" if card in picked else "")
        spans.append(Span(f"{before}{drawn.text}{after}", drawn.style))
    return [line(*spans[at : at + each]) for at in range(0, len(spans), each)]


def table_lines(pairs: Sequence[pb.DurakPair], trump: str, width: int) -> list[Line]:
    """Attack cards with what beats them: 6S/9S, and -- for what is not beaten yet."""
    each = (width - 1) // 8
    lines: list[Line] = []
    for at in range(0, len(pairs), each):
        spans: list[Span | str] = []
        for pair in pairs[at : at + each]:
            cover = card_span(pair.cover, trump) if pair.HasField("cover") else Span("--", "bold")
            spans += [" ", card_span(pair.attack, trump), "/", cover, " "]
        lines.append(line(" ", *spans))
    return lines or [line(Span("  nothing lies on the table", "dim"))]


def label(action: pb.DurakAction) -> str:
    """A choice in a few characters."""
    match action.WhichOneof("action"):
        case "lead":
            return " ".join(action.lead.cards)
        case "beat":
            return f"{action.beat.attack}/{action.beat.card}"
        case "transfer":
            return f"pass on {' '.join(action.transfer.cards)}"
        case "throw":
            return " ".join(action.throw.cards)
        case "claim":
            return "new deal"
        case other:
            return str(other)


def cards_of(action: pb.DurakAction) -> frozenset[str]:
    """The cards of a choice that come from the hand."""
    match action.WhichOneof("action"):
        case "lead" | "transfer" | "throw" as kind:
            return frozenset(getattr(action, kind).cards)
        case "beat":
            return frozenset([action.beat.card])
    return frozenset()


def choice_lines(choices: Iterable[games_pb2.Action], picked: games_pb2.Action | None, width: int) -> list[Line]:
    """The choices with their numbers, as many lines of them as fit, around the one that the keyboard is on."""
    lines: list[list[Span]] = [[]]
    used, at = 1, 0
    for number, choice in enumerate(choices, 1):
        on = choice == picked
        words = f"{number} {label(choice.durak)}"
        span = Span(f"[{words}]" if on else f" {words} ", "mark" if on else "")
        if lines[-1] and used + cells(span.text) > width:
            lines.append([])
            used = 1
        lines[-1].append(span)
        used += cells(span.text)
        at = len(lines) - 1 if on else at
    first = min(at, max(0, len(lines) - _CHOICE_LINES))
    return [line(" ", *spans) for spans in lines[first : first + _CHOICE_LINES]]
