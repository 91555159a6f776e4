"""The screen of a match: what is the same for every game around what the game draws itself."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.guest import NOT_GIVEN, Given
from croupier_cli.tables.table import GameTable, Scene
from croupier_cli.terminal.ink import Line, Span, cells, fit, line, short, tail

_HURRY_S = 10


@dataclass(frozen=True, slots=True)
class Status:
    """What stands around the table. `left`: seconds that the viewer has, None where no clock runs."""

    link: str = ""  # what is wrong with the connection; empty: nothing
    left: float | None = None
    notice: str = ""  # the answer to the last key
    keys: str = ""  # which keys do what
    line: str | None = None  # what is being typed; None: nothing can be
    given: Given = NOT_GIVEN  # the viewer's options, for the commands that are shown


def board(
    table: GameTable, scene: Scene, picked: games_pb2.Action | None, status: Status, size: tuple[int, int]
) -> list[Line]:
    """The lines of a running match; at least 80 x 24 show all of it."""
    width, height = size
    top = [_title(table, scene, status, width), _rule(width), *table.table(scene, picked, width)]
    bottom = [
        _rule(width),
        *table.hand(scene, picked, width),
        *([] if status.line is None else [line(" ", Span(f"> {tail(status.line, width - 5)}_", "bold"))]),
        _question(table.question(scene), status.left, width),
        line(Span(f" {status.notice}", "bold")),
        line(Span(f" {status.keys}", "dim")),
    ]
    return [*top, *_past(table, scene, height - len(top) - len(bottom), width), *bottom]


def lobby(table: GameTable, scene: Scene, status: Status, size: tuple[int, int]) -> list[Line]:
    """The lines of a table that waits for players."""
    width, height = size
    match = scene.match
    code = f" --code {match.join_code}" if match.HasField("join_code") else ""
    join = f"croupier play {match.game} --join {match.id}{code}{status.given.server}"
    seats = [
        line(
            f"   {number:>2}  {_team(seat)}{fit(seat.display_name if seat.HasField('player') else '(free)', 30)}",
            _mark(scene, number),
        )
        for number, seat in enumerate(match.seats)
    ]
    lines = [
        _title(table, scene, status, width),
        _rule(width),
        line(" The table is open. It starts when the last seat is taken."),
        line(""),
        *seats,
        line(""),
        line(" Others sit down with:"),
        *_command(join, width),
        line(" On the same machine add --name NAME. --seat 2 takes that seat."),
    ]
    bottom = [_rule(width), line(Span(f" {status.notice}", "bold")), line(Span(f" {status.keys}", "dim"))]
    return [*lines, *[line("")] * (height - len(lines) - len(bottom)), *bottom]


def ending(table: GameTable, scene: Scene, status: Status, size: tuple[int, int]) -> list[Line]:
    """The lines of a match that is over: places, and how to check the deals."""
    width, height = size
    match = scene.match
    lines = [_title(table, scene, status, width), _rule(width)]
    if match.state == matches_pb2.MatchState.OVER:
        order = sorted(range(len(match.outcome.places)), key=lambda seat: (match.outcome.places[seat], seat))
        lines += [line(Span(" The match is over.", "bold"))]
        lines += [
            line(
                Span(
                    f"   {match.outcome.places[seat]:>2}.  {fit(scene.name(seat), 24)}{match.outcome.scores[seat]:>6}"
                    f"  {'you' if seat == scene.seat else ''}",
                    "bold" if seat == scene.seat else "",
                )
            )
            for seat in order
        ]
        lines += [
            line(""),
            line(" Every deal was fixed before the first card by a seed with this SHA-256:"),
            line(f"   {match.commitment}"),
            line(" To check that the replay keeps to it:"),
            *_command(f"croupier replay {match.id} --save match.json{status.given.player}", width),
            *_command("croupier verify match.json", width),
        ]
    else:
        lines += [line(Span(" The table was closed before play began.", "bold"))]
    bottom = [_rule(width), line(Span(f" {status.notice}", "bold")), line(Span(f" {status.keys}", "dim"))]
    return [*lines, *_past(table, scene, height - len(lines) - len(bottom), width), *bottom]


def helping(table: GameTable, keys: Sequence[str], size: tuple[int, int]) -> list[Line]:
    """The lines of the help: the game, then the keys."""
    width, _ = size
    lines: list[Line] = [line(Span(f" {table.title}", "bold")), _rule(width)]
    lines += [line(f"  {text}") for text in table.help()]
    lines += [line(""), line(Span(" Keys", "bold"))]
    lines += [line(f"  {text}") for text in keys]
    return [*lines, line(""), line(Span(" Any key goes back to the table.", "dim"))]


def _past(table: GameTable, scene: Scene, room: int, width: int) -> list[Line]:
    """What happened of late, in exactly `room` lines, the first of them empty."""
    if room <= 0:
        return []
    story = table.story(scene, width)[-(room - 1) :] if room > 1 else []
    return [line(""), *story, *[line("")] * (room - 1 - len(story))]


def _command(text: str, width: int) -> list[Line]:
    """A command to be copied; where it is too long it goes on in the next line, as a shell reads it."""
    parts = textwrap.wrap(text, width - 6, break_long_words=False, break_on_hyphens=False)
    return [
        line(Span(f"   {part}" + ("" if number == len(parts) else " \\"), "bold"))
        for number, part in enumerate(parts, start=1)
    ]


def _title(table: GameTable, scene: Scene, status: Status, width: int) -> Line:
    running = scene.match.state == matches_pb2.MatchState.RUNNING
    left = f" {table.title}  {table.heading(scene) if running else ''}"
    right = short(status.link or scene.match.id, width - cells(left) - 2)
    gap = max(1, width - cells(left) - cells(right) - 1)
    return line(Span(left, "bold"), " " * gap, Span(right, "mark" if status.link else "dim"))


def _question(text: str, left: float | None, width: int) -> Line:
    clock = "" if left is None else f"{max(0, int(left))} s"
    hurry = left is not None and left < _HURRY_S
    return line(Span(fit(f" {text}", width - 8), "bold"), Span(f"{clock:>6}", "red bold" if hurry else ""))


def _rule(width: int) -> Line:
    return line(Span("─" * width, "dim"))


def _team(seat: matches_pb2.Seat) -> str:
    return f"team {seat.team + 1}  " if seat.HasField("team") else ""


def _mark(scene: Scene, seat: int) -> str:
    seated = scene.match.seats[seat]
    if seat == scene.seat:
        return "you"
    return "a bot" if seated.bot else ""
