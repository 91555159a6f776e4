"""Freedom of Speech: teams, cards and clues as they are drawn."""

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.tables.table import Scene
from croupier_cli.terminal.ink import Line, Span, cells, fit, fold, line, short
from croupier_engine.freedom_of_speech.model import TEAMS
from croupier_engine.freedom_of_speech.questions import team_of

_NAME_CELLS = 20
_WORD_CELLS = 46  # of a word in its frame, at most; what else counts stands beside it


def seat_lines(scene: Scene, view: pb.FreedomOfSpeechView, width: int) -> list[Line]:
    """The teams side by side: their cards, and below who is in them and does what."""
    column = (width - 1) // TEAMS
    seats = range(len(scene.match.seats))
    teams = [[_seat(scene, view, seat) for seat in seats if team_of(seat) == team] for team in range(TEAMS)]
    titles: list[Span | str] = [" "]
    for team, won in enumerate(view.scores):
        yours = ", yours" if scene.seat is not None and team_of(scene.seat) == team else ""
        words = f"Team {team + 1}{yours}: {won} {'card' if won == 1 else 'cards'}"
        titles.append(Span(fit(words, column), "bold" if team == view.team else ""))
    rows = max(map(len, teams))
    padded = [[*team, *[""] * (rows - len(team))] for team in teams]
    return [line(*titles), *[line(" ", *[fit(cell, column) for cell in row]) for row in zip(*padded, strict=True)]]


def _seat(scene: Scene, view: pb.FreedomOfSpeechView, seat: int) -> str:
    mine = " (you)" if seat == scene.seat else ""
    name = fit(short(scene.name(seat), _NAME_CELLS - len(mine)) + mine, _NAME_CELLS)
    owes = view.forfeits[seat] if seat < len(view.forfeits) else 0
    doing = _doing(scene, view, seat) + ([f"owes {owes}"] if owes else [])
    return f" {name} {', '.join(doing)}"


def _doing(scene: Scene, view: pb.FreedomOfSpeechView, seat: int) -> list[str]:
    if seat in view.resigned:
        return ["gave up"]
    if scene.window is None:
        return []
    part = []
    if seat == view.giver:
        part = ["gives" if view.running else "to start"]
    elif view.running and team_of(seat) == view.team:
        part = ["guesses"]
    seated = scene.match.seats[seat]
    away = seat != scene.seat and not seated.bot and not seated.present
    return [*part, *(["away"] if away else [])]


def word_lines(view: pb.FreedomOfSpeechView, width: int) -> list[Line]:
    """The card in a frame, as large as a terminal writes; a line for those who may not see it."""
    if not view.HasField("word"):
        return [line(Span(" The word is hidden from you.", "dim"))] if view.running else []
    word = view.word.word.upper()
    spread = " ".join(word)
    shown = spread if cells(spread) <= _WORD_CELLS else short(word, _WORD_CELLS)
    border = "─" * (cells(shown) + 4)
    other = f"  or: {', '.join(view.word.aliases)}" if view.word.aliases else ""
    room = width - cells(border) - 4
    return [
        line(f" ┌{border}┐"),
        line(" │  ", Span(shown, "bold"), "  │", short(other, room)),
        line(f" └{border}┘"),
    ]


def clue_lines(scene: Scene, view: pb.FreedomOfSpeechView, width: int, room: int) -> list[Line]:
    """The latest clues about the card, with their numbers, in at most `room` lines."""
    flags = {clue.clue: clue.flags for clue in view.open_clues}
    lines: list[Line] = []
    for said in view.talk:
        if said.kind == pb.FreedomOfSpeechKind.CLUE:
            by = flags.get(said.clue)
            flagged = f" ({len(by)} of {_needed(scene, view, said.seat)} flags, by {scene.names(by)})" if by else ""
            for number, words in enumerate(fold(f"{said.text}{flagged}", width - 7)):
                lines.append(line(f"{f'{said.clue:>4}' if number == 0 else '    '}  ", Span(words, "bold")))
    return lines[-room:] if lines else [line(Span("   no clue yet", "dim"))]


def _needed(scene: Scene, view: pb.FreedomOfSpeechView, giver: int) -> int:
    """Flags that make a clue a foul: more than a half of the opponents who are there."""
    seats = (seat for seat in range(len(scene.match.seats)) if seat not in view.resigned)
    return sum(team_of(seat) != team_of(giver) for seat in seats) // 2 + 1


def flag_line(scene: Scene, picked: games_pb2.Action, width: int) -> Line:
    """What is flagged by the key."""
    number = picked.freedom_of_speech.flag.clue
    given = next((clue for clue in map(_clue, reversed(scene.events)) if clue.clue == number), None)
    words = (
        f" Flag clue {number}" if given is None else f" Flag clue {number} of {scene.brief(given.seat)}: {given.text}"
    )
    return line(short(words, width - 1))


def _clue(event: matches_pb2.Event) -> pb.FreedomOfSpeechClueGiven:
    return event.freedom_of_speech.clue_given
