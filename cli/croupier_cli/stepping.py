"""A replay on the screen, step by step, seen from any seat."""

import asyncio
from typing import Any

import croupier_convert
from croupier.v1 import matches_pb2
from croupier_cli.replay_file import Played, game_and_options, play
from croupier_cli.replay_text import command_text
from croupier_cli.tables import TABLES
from croupier_cli.tables.board import Status, board, helping
from croupier_cli.tables.lifecycle import standing
from croupier_cli.tables.table import Scene
from croupier_cli.terminal.ink import line
from croupier_cli.terminal.screen import HEIGHT, WIDTH, Screen

_KEYS = "right left command   down up question   Home End   Tab seat   ? help   q leave"
_HELP_KEYS = (
    "right, space   the next command         left   the one before",
    "down           the next question        up     the one before",
    "Home, End      the start, the end       Tab    look from the next seat",
    "q              leave",
)
_STORY = 40  # commands back from which events are told


def step_through(message: matches_pb2.Replay) -> None:
    """Show a replay until the viewer leaves. Raises Problem without a terminal, Wrong if it cannot be played."""
    asyncio.run(Stepping(message).run())


class Stepping:
    """Where the viewer is in a replay, and from which seat he looks."""

    def __init__(self, message: matches_pb2.Replay) -> None:
        self._message = message
        self._table = TABLES[message.game]
        self._game, self._options = game_and_options(message)
        self._steps: list[Played] = list(play(message))
        self._at = 0
        self._seat = 0
        self._helping = False
        self._left = False
        self._notice = ""
        self._dirty = asyncio.Event()

    async def run(self) -> None:
        """Draw and listen."""
        with Screen(self.press, self._dirty.set) as screen:
            while not self._left:
                size = screen.size
                if size[0] < WIDTH or size[1] < HEIGHT:
                    screen.draw([line(f"{WIDTH} x {HEIGHT} needed; this terminal is {size[0]} x {size[1]}.")])
                elif self._helping:
                    screen.draw(helping(self._table, _HELP_KEYS, size))
                else:
                    screen.draw(board(self._table, self.scene(), None, self._status(), size))
                await self._dirty.wait()
                self._dirty.clear()

    def press(self, key: str) -> None:
        """What a key does."""
        self._dirty.set()
        self._notice = ""
        last = len(self._steps) - 1
        if self._helping:
            self._helping = False
            return
        match key:
            case "right" | "space" | "enter":
                self._at = min(self._at + 1, last)
            case "left":
                self._at = max(self._at - 1, 0)
            case "down" | "page down":
                self._at = next(
                    (n for n in range(self._at + 1, last) if self._window(n) != self._window(self._at)), last
                )
            case "up" | "page up":
                before = max(self._at - 1, 0)
                self._at = next((n for n in range(before, 0, -1) if self._window(n - 1) != self._window(before)), 0)
            case "home" | "end":
                self._at = 0 if key == "home" else last
            case "tab":
                self._seat = (self._seat + 1) % len(self._message.seats)
            case "?":
                self._helping = True
            case "q" | "escape" | "hang up":
                self._left = True
            case _:
                self._notice = "That key does nothing here; what does is written below."

    @property
    def position(self) -> int:
        """Commands done so far."""
        return self._at

    @property
    def state(self) -> Any:
        """The game's state after them."""
        return self._steps[self._at].step.state

    def _window(self, at: int) -> str:
        awaiting = self._game.awaiting(self._steps[at].step.state)
        return awaiting.window if awaiting is not None else ""

    def scene(self) -> Scene:
        """The match as it stood after the present step, for the seat that the viewer looks from."""
        state = self.state
        match = matches_pb2.Match(
            id=self._message.match,
            game=self._message.game,
            state=matches_pb2.MatchState.RUNNING,
            options=self._message.options,
            seats=[
                matches_pb2.Seat(player=player, display_name=f"Seat {seat}", bot=True)
                for seat, player in enumerate(self._message.seats)
            ],
        )
        match.you.seat = self._seat
        match.you.view.CopyFrom(croupier_convert.view_to_proto(match.game, self._game.view(state, self._seat)))
        awaiting = self._game.awaiting(state)
        if awaiting is not None and (awaiting.must or awaiting.may):
            match.you.window.id = awaiting.window
            match.you.window.kind = matches_pb2.WindowKind.Value.Value(awaiting.kind)
            match.you.window.must.extend(awaiting.must)
            match.you.window.may.extend(awaiting.may)
        return Scene(match, self._events())

    def _events(self) -> list[matches_pb2.Event]:
        events = []
        for played in self._steps[max(0, self._at - _STORY) : self._at + 1]:
            for event in played.step.events:
                message = matches_pb2.Event(type=event.type)
                croupier_convert.set_payload(message, self._message.game, event.seen_by(self._seat))
                events.append(message)
        return events

    def _status(self) -> Status:
        done = f"{self._at} of {len(self._steps) - 1}: {command_text(self._message.game, self._steps[self._at])}"
        outcome = self._message.outcome
        if self._at == len(self._steps) - 1 and outcome.places:
            done = f"{done}. {standing(self.scene(), outcome)}"
        return Status(notice=self._notice or done, keys=_KEYS)
