"""6 nimmt! in a terminal."""

from collections.abc import Sequence
from typing import Any

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_cli.tables import lifecycle
from croupier_cli.tables.six_nimmt_marks import card_cell, count, row_line
from croupier_cli.tables.table import Scene, Speech
from croupier_cli.terminal.ink import Line, Span, fit, line, short, wrap
from croupier_engine.six_nimmt import text
from croupier_engine.six_nimmt.model import HAND

_SEAT_CELLS = 39  # two columns of seats
_CHOICE_CELLS = 6

_HELP = (
    "Everybody chooses a card in secret; then all are laid, the lowest first.",
    "A card goes to the row whose last card is the nearest lower one.",
    "The sixth card of a row takes the five that lie there, and starts it anew.",
    "A card lower than all rows takes a row of your choice.",
    "Every bullhead taken costs a point. The higher score wins.",
    "",
    "Small figures behind a card are its bullheads: ² ³ ⁵ ⁷; none: one.",
    "[42] you are on this card    (42) you have chosen it    > this row",
    "66  -6: points left, and points lost in this deal.",
    "`croupier rules six_nimmt` prints the rules in full, also in ru and uk.",
)


class SixNimmtTable:
    """The methods are those of GameTable."""

    title = "6 nimmt!"
    bots = ""
    speech: Speech | None = None

    def heading(self, scene: Scene) -> str:
        """Deal and trick, and how it is played where that is unusual."""
        view, options = scene.view.six_nimmt, scene.match.options.six_nimmt
        mode = [pb.SixNimmtCards.Value.Name(options.cards).lower()] if options.cards > 1 else []
        mode += ["professional"] if options.placement == pb.SixNimmtPlacement.PROFESSIONAL else []
        trick = f"trick {view.trick} of {HAND}" if view.trick else "draft"
        return ", ".join([*mode, f"deal {max(1, view.deal)}", trick])

    def table(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """Rows, then the seats: in two columns, or with their hands where these are public."""
        view = scene.view.six_nimmt
        fresh = {play.card for play in view.plays}
        on = picked.six_nimmt.row.row if picked is not None and picked.six_nimmt.HasField("row") else None
        lines = [row_line(number, row.cards, fresh, number == on) for number, row in enumerate(view.rows)]
        return (
            [*lines, *self._waiting(scene, view, width), *self._seats(scene, view)]
            if lines
            else self._seats(scene, view)
        )

    def _waiting(self, scene: Scene, view: pb.SixNimmtView, width: int) -> list[Line]:
        """The cards that lie open until a choice is made, on a line or two; else an empty line."""
        waiting = [f"{scene.brief(play.seat)} {play.card}" for play in view.waiting]
        if not waiting:
            return [line("")]
        return [line(text) for text in wrap([f" To be laid: {waiting[0]}", *waiting[1:]], width, indent="   ")[:2]]

    def _seats(self, scene: Scene, view: pb.SixNimmtView) -> list[Line]:
        seats = range(len(view.scores))
        if view.hands:
            told = [_seat(scene, view, seat, name_cells=12) for seat in seats]
            return [line(fit(told[seat], 29), *map(card_cell, view.hands[seat].cards)) for seat in seats]
        told = [_seat(scene, view, seat, name_cells=18) for seat in seats]
        half = (len(told) + 1) // 2 if len(told) > 4 else len(told)
        return [
            line(fit(told[number], _SEAT_CELLS), told[number + half] if number + half < len(told) else "")
            for number in range(half)
        ]

    def hand(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """The hand, or during a draft what can be picked; where an end is to be chosen, both above it."""
        view = scene.view.six_nimmt
        kind = picked.six_nimmt.WhichOneof("action") if picked is not None else None
        sides = [_sides(view, picked.six_nimmt.side.side)] if picked is not None and kind == "side" else []
        on = None
        if kind == "pick" and picked is not None:
            on = picked.six_nimmt.pick.card
        elif kind == "commit" and picked is not None:
            on = picked.six_nimmt.commit.card
        cards = view.pool or view.hand
        chosen = view.chosen if view.HasField("chosen") else None
        spans = [Span(_bracketed(card, on, chosen), _style(card, on, chosen)) for card in cards]
        each = (width - 1) // _CHOICE_CELLS
        return sides + [line(" ", *spans[start : start + each]) for start in range(0, len(spans), each)]

    def question(self, scene: Scene) -> str:
        """What the viewer is asked."""
        view = scene.view.six_nimmt
        chosen = f"You have chosen {view.chosen}. " if view.HasField("chosen") else ""
        if scene.window is None:
            return ""
        if not scene.choices:
            return f"{chosen}Waiting for {scene.names(scene.window.must)}."
        match scene.choices[0].six_nimmt.WhichOneof("action"):
            case "commit":
                return f"{chosen}Choose another, or wait." if chosen else "Choose a card."
            case "pick":
                return "Take a card from the pool."
            case "row":
                return f"Your {view.waiting[0].card} fits nowhere: take a row."
            case _:
                return f"Your {view.waiting[0].card} is as near to one end as to the other: choose."

    def typed(self, action: games_pb2.Action, number: int) -> str:
        """Cards by number, rows by 1 to 4, ends by arrows alone."""
        act = action.six_nimmt
        match act.WhichOneof("action"):
            case "commit":
                return str(act.commit.card)
            case "pick":
                return str(act.pick.card)
            case "row":
                return str(act.row.row + 1)
        return ""

    def story(self, scene: Scene, width: int) -> list[Line]:
        """The tricks of late: who laid what where, and who took what."""
        paragraphs: list[list[str]] = []
        for event in scene.events:
            happened = event.six_nimmt.WhichOneof("event")
            if happened in ("dealt", "revealed", "deal_scored", "rows_laid") or not paragraphs:
                paragraphs.append([])
            for item in _items(scene, event):
                last = paragraphs[-1]
                if last and last[-1].endswith(":"):
                    last[-1] += f" {item}"
                else:
                    last.append(item if last else f" {item}")
        return [line(text.removesuffix(":")) for items in paragraphs for text in wrap(items, width, indent="   ")]

    def told(self, scene: Scene, event: matches_pb2.Event) -> str:
        """An event in a line."""
        happened = event.six_nimmt
        match happened.WhichOneof("event"):
            case "dealt":
                dealt = happened.dealt
                lies = f"pool {text.cards(dealt.pool)}" if dealt.pool else _rows(dealt.rows)
                hand = f", hand {text.cards(dealt.hand)}" if dealt.hand else ""
                return f"deal {dealt.deal}: {lies}{hand}"
            case "picked":
                return f"{scene.name(happened.picked.seat)} takes {happened.picked.card}{_by(happened.picked.by)}"
            case "rows_laid":
                return f"rows: {_rows(happened.rows_laid.rows)}"
            case "committed":
                committed = happened.committed
                own = f": {committed.card}" if committed.HasField("card") else ""
                return f"{scene.name(committed.seat)} has chosen{own}{_by(committed.by)}"
            case "revealed":
                plays = ", ".join(f"{scene.name(play.seat)} {play.card}" for play in happened.revealed.plays)
                return f"trick {happened.revealed.trick}: {plays}"
            case "placed":
                placed = happened.placed
                side = "left" if placed.side == pb.SixNimmtSide.LEFT else "right"
                return f"{scene.name(placed.seat)} lays {placed.card} on the {side} of row {placed.row + 1}"
            case "row_taken":
                taken = happened.row_taken
                cards = f"[{text.cards(taken.taken)}], {count(taken.bulls)}{_by(taken.by)}"
                return f"{scene.name(taken.seat)} lays {taken.card} and takes row {taken.row + 1} {cards}"
            case "deal_scored":
                scored = happened.deal_scored
                scores = ", ".join(f"{scene.name(seat)} {score}" for seat, score in enumerate(scored.scores))
                return f"deal {scored.deal} is over: {scores}"
        return event.type

    def help(self) -> Sequence[str]:
        """The game in a few lines."""
        return _HELP

    def notation(self, payload: Any) -> str:
        """As in the engine's logs."""
        return text.event(payload)

    def act(self, action: Any) -> str:
        """As in the engine's logs."""
        return text.action(action)


TABLE = SixNimmtTable()


def _seat(scene: Scene, view: pb.SixNimmtView, seat: int, name_cells: int) -> str:
    mine = " (you)" if seat == scene.seat else ""
    name = fit(short(scene.name(seat), name_cells - len(mine)) + mine, name_cells)
    taken = f"-{view.bulls[seat]}" if view.bulls[seat] else ""
    return f" {name}{view.scores[seat]:>4}{taken:>4} {_doing(scene, view, seat)}"


def _doing(scene: Scene, view: pb.SixNimmtView, seat: int) -> str:
    if seat in view.resigned:
        return "out"
    window = scene.window
    if window is None:
        return ""
    if seat in window.must:
        seated = scene.match.seats[seat] if seat < len(scene.match.seats) else None
        away = seated is not None and seat != scene.seat and not seated.bot and not seated.present
        return "away" if away else "to act"
    return "chosen" if window.kind == matches_pb2.WindowKind.CHOOSE else ""


def _items(scene: Scene, event: matches_pb2.Event) -> list[str]:
    """What an event adds to the story; an item that ends in a colon is a heading of those after it."""
    happened = event.six_nimmt
    match happened.WhichOneof("event"):
        case "dealt":
            return [f"Deal {happened.dealt.deal}:"]
        case "picked":
            return [f"{scene.brief(happened.picked.seat)} took {happened.picked.card}"]
        case "rows_laid":
            return ["The last four start the rows"]
        case "revealed":
            return [f"Trick {happened.revealed.trick}:"]
        case "placed":
            placed = happened.placed
            left = " on the left" if placed.side == pb.SixNimmtSide.LEFT else ""
            return [f"{scene.brief(placed.seat)} {placed.card} to row {placed.row + 1}{left}"]
        case "row_taken":
            taken = happened.row_taken
            return [f"{scene.brief(taken.seat)} {taken.card} TAKES row {taken.row + 1}, {count(taken.bulls)}"]
        case "deal_scored":
            scored = happened.deal_scored
            lost = [f"{scene.brief(seat)} -{bulls}" for seat, bulls in enumerate(scored.bulls)]
            return [f"Deal {scored.deal} is over:", *lost]
    news = event.match.WhichOneof("event") in lifecycle.NEWS
    return [lifecycle.told(scene, event)] if news else []


def _bracketed(card: int, on: int | None, chosen: int | None) -> str:
    before, after = ("[", "]") if card == on else ("(", ")") if card == chosen else (" ", " ")
    return before + card_cell(card).text[1:] + after


def _style(card: int, on: int | None, chosen: int | None) -> str:
    style = card_cell(card).style
    return f"{style} mark".strip() if card == on else f"{style} bold".strip() if card == chosen else style


def _sides(view: pb.SixNimmtView, side: int) -> Line:
    """Both ends where the waiting card may go; the chosen one in brackets."""
    card = view.waiting[0].card
    rows = [list(row.cards) for row in view.rows]
    left = min((number for number, row in enumerate(rows) if row[0] > card), key=lambda number: rows[number][0])
    right = max((number for number, row in enumerate(rows) if row[-1] < card), key=lambda number: rows[number][-1])
    ends = (
        (pb.SixNimmtSide.LEFT, f"left of row {left + 1}, before {rows[left][0]}"),
        (pb.SixNimmtSide.RIGHT, f"right of row {right + 1}, after {rows[right][-1]}"),
    )
    return line(" ", *[Span(f"[{words}]", "mark") if end == side else Span(f" {words} ") for end, words in ends])


def _rows(rows: Sequence[pb.SixNimmtCardList]) -> str:
    return text.table(tuple(row.cards) for row in rows)


def _by(by: int) -> str:
    if by == act_by_pb2.ActBy.STAND_IN:
        return " (the stand-in)"
    return " (the clock)" if by == act_by_pb2.ActBy.CLOCK else ""
