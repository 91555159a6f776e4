"""Durak in a terminal."""

from collections.abc import Sequence
from typing import Any

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.tables import lifecycle
from croupier_cli.tables.durak_marks import card_span, cards_of, choice_lines, hand_lines, suit_name, table_lines
from croupier_cli.tables.durak_told import item, told
from croupier_cli.tables.table import Scene, Speech
from croupier_cli.terminal.ink import Line, Span, fit, line, short, wrap
from croupier_engine.durak import text

_HELP = (
    "The attacker lays cards before the player on his left, who beats each",
    "with a higher card of its suit or with a trump, or takes them all.",
    "Cards of ranks on the table may be thrown in; then all draw up to six.",
    "Who has no cards when the talon is empty is out. The last one is the fool.",
    "",
    "Cards are rank and suit: 6S, TH, AC; S spades, C clubs, D diamonds,",
    "H hearts; T ten, JB and JR the jokers. 6S/9S: beaten; 6S/--: not yet.",
    "Choices are numbered; several cards of a rank are choices of their own.",
    "pass on: the next player defends    new deal: you show five of a suit",
    "`croupier rules durak` prints the rules in full, also in ru and uk.",
)
_KINDS = {pb.DurakKind.PROSTOY: "simple", pb.DurakKind.PODKIDNOY: "throw-in", pb.DurakKind.PEREVODNOY: "transfer"}


class DurakTable:
    """The methods are those of GameTable."""

    title = "Durak"
    bots = ""
    speech: Speech | None = None

    def heading(self, scene: Scene) -> str:
        """Kind, game and bout."""
        view, options = scene.view.durak, scene.match.options.durak
        series = [f"game {view.game}"] if options.games > 1 or options.until_losses else []
        teams = ["teams"] if options.teams else []
        return ", ".join([_KINDS.get(options.kind, "throw-in"), *teams, *series, f"bout {view.bout}"])

    def table(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """Trump and piles, what lies on the table, the seats."""
        view = scene.view.durak
        trump = view.trump_suit
        shown: list[Span | str] = []
        if view.HasField("trump_card"):
            shown = ["  under the talon: ", card_span(view.trump_card, trump)]
        piles = line(f" Trump: {suit_name(trump)}   talon {view.talon_size}   discard {view.discard_size}", *shown)
        taking = line(f" {scene.brief(view.defending)} takes." if view.taking else "")
        return [
            piles,
            taking,
            *table_lines(view.table, trump, width),
            line(""),
            *[line(_seat(scene, view, seat)) for seat in range(len(view.hand_sizes))],
        ]

    def hand(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """The hand, and below it what can be done."""
        view = scene.view.durak
        cards = cards_of(picked.durak) if picked is not None else frozenset()
        lines = hand_lines(view.hand, view.trump_suit, cards, width)
        return lines + (choice_lines(scene.choices, picked, width) if scene.choices else [])

    def question(self, scene: Scene) -> str:
        """What the viewer is asked."""
        if scene.window is None:
            return ""
        must = scene.seat is not None and scene.seat in scene.window.must
        if not scene.choices:
            return f"Waiting for {scene.names(scene.window.must)}."
        if not must:
            return f"You may do this; waiting for {scene.names(scene.window.must)}."
        match scene.window.kind:
            case matches_pb2.WindowKind.LEAD:
                return f"Lead to {scene.brief(scene.view.durak.defending)}."
            case matches_pb2.WindowKind.DEFEND:
                ways = [word for kind, word in (("beat", "beat"), ("transfer", "pass on")) if kind in _kinds(scene)]
                return f"{', '.join(ways).capitalize()}, or take." if ways else "You have nothing that beats: take."
            case _ if "throw" in _kinds(scene):
                return f"Throw in, at most {scene.view.durak.room}, or pass."
            case _:
                return "You have nothing to throw in: pass."

    def typed(self, action: games_pb2.Action, number: int) -> str:
        """The number that stands before the choice."""
        return str(number)

    def story(self, scene: Scene, width: int) -> list[Line]:
        """The bouts of late, a paragraph each."""
        paragraphs: list[list[str]] = []
        for event in scene.events:
            if event.durak.WhichOneof("event") in ("dealt", "led") or not paragraphs:
                paragraphs.append([])
            news = event.match.WhichOneof("event") in ("timed_out", "barred", "resigned")
            words = lifecycle.told(scene, event) if news else item(scene, event.durak)
            if words:
                paragraphs[-1].append(words if paragraphs[-1] else f" {words}")
        return [line(words) for items in paragraphs for words in wrap(items, width, indent="   ")]

    def told(self, scene: Scene, event: matches_pb2.Event) -> str:
        """An event in a line."""
        return told(scene, event.durak) or event.type

    def help(self) -> Sequence[str]:
        """The game in a few lines."""
        return _HELP

    def notation(self, payload: Any) -> str:
        """As in the engine's logs."""
        return text.event(payload)

    def act(self, action: Any) -> str:
        """As in the engine's logs."""
        return text.action(action)


TABLE = DurakTable()


def _kinds(scene: Scene) -> set[str | None]:
    """The kinds of what the viewer may do."""
    return {choice.durak.WhichOneof("action") for choice in scene.choices}


def _seat(scene: Scene, view: pb.DurakView, seat: int) -> str:
    seated = scene.match.seats[seat] if seat < len(scene.match.seats) else None
    mine = " (you)" if seat == scene.seat else ""
    team = f" team {seated.team + 1}" if seated is not None and seated.HasField("team") else ""
    name = fit(short(scene.name(seat), 24 - len(mine)) + mine, 24)
    lost = f"  lost {view.losses[seat]}" if any(view.losses) else ""
    return f" {name}{view.hand_sizes[seat]:>3} cards{lost}{team}  {_doing(scene, view, seat, seated)}"


def _doing(scene: Scene, view: pb.DurakView, seat: int, seated: matches_pb2.Seat | None) -> str:
    if seat in view.resigned:
        return "gave up"
    if seat in view.out:
        return "out"
    role = ""
    if view.bout:
        role = "defends" if seat == view.defending else "attacks" if seat == view.attacking else ""
    passed = "passed" if seat in view.passed or (seat == scene.seat and view.passed_ahead) else ""
    acts = ""
    if scene.window is not None and seat in scene.window.must:
        away = seated is not None and seat != scene.seat and not seated.bot and not seated.present
        acts = "away" if away else "to act"
    return ", ".join(filter(None, (role, passed, acts)))
