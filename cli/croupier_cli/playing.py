"""A match in the terminal, by keyboard: what is shown, and what each key does."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from croupier.v1 import matches_pb2
from croupier_cli.following import Following
from croupier_cli.guest import Given
from croupier_cli.picking import Picking
from croupier_cli.problem import Problem
from croupier_cli.remote import Refused, request_id
from croupier_cli.replay_file import Wrong, check_known, save_replay
from croupier_cli.tables import TABLES
from croupier_cli.tables.board import Status, board, ending, helping, lobby
from croupier_cli.terminal.ink import line
from croupier_cli.terminal.screen import HEIGHT, WIDTH, Screen
from croupier_cli.verification import verify

_REDRAW_S = 0.25  # while a clock runs
_LOBBY_BOT = "careful"

_HELP_KEYS = (
    "arrows, Home, End   move          digits  go to the card with that number",
    "Enter               play it       r       give up for good",
    "?                   this help     q       leave; your seat is kept",
)


class Playing:
    """One match on the screen until it is over or the player leaves."""

    def __init__(self, following: Following, given: Given) -> None:
        self._following = following
        self._given = given
        self._table = TABLES[following.scene.match.game]
        self._picking = Picking(self._table.typed)
        self._commitment = following.scene.match.commitment  # as it was before all cards were seen
        self._notice = ""
        self._confirm: Callable[[], None] | None = None
        self._committing = False  # an act is on its way
        self._helping = False
        self._left = False
        self._dirty = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        following.changed = self._dirty.set

    async def run(self) -> None:
        """Draw and listen. Raises Problem without a terminal, Refused if the match is not there any more."""
        loop = asyncio.get_running_loop()
        with Screen(self._press, self._dirty.set) as screen:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._leave)
            following = asyncio.create_task(self._following.follow())
            following.add_done_callback(lambda _: self._dirty.set())
            try:
                while not self._left:
                    self._draw(screen)
                    self._dirty.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_REDRAW_S):
                            await self._dirty.wait()
                    if following.done():
                        following.result()
            finally:
                for task in (following, *self._tasks):
                    task.cancel()
                await asyncio.gather(following, *self._tasks, return_exceptions=True)
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    loop.remove_signal_handler(number)

    # What is shown.

    def _draw(self, screen: Screen) -> None:
        scene, size = self._following.scene, screen.size
        if size[0] < WIDTH or size[1] < HEIGHT:
            screen.draw([line(f"{WIDTH} x {HEIGHT} needed; this terminal is {size[0]} x {size[1]}.")])
            return
        if self._helping:
            screen.draw(helping(self._table, _HELP_KEYS, size))
        elif scene.match.state == matches_pb2.MatchState.OPEN:
            screen.draw(lobby(self._table, scene, self._status(), size))
        elif self._following.done:
            screen.draw(ending(self._table, scene, self._status(), size))
        else:
            window = scene.window
            self._picking.offer(window.id if window is not None else "", scene.choices)
            screen.draw(board(self._table, scene, self._picking.picked, self._status(), size))

    def _status(self) -> Status:
        return Status(self._following.link, self._following.left(), self._notice, self._keys(), self._given)

    def _keys(self) -> str:
        match = self._following.scene.match
        if self._confirm is not None:
            return "y yes   any other key no"
        if match.state == matches_pb2.MatchState.OVER:
            return "v save the replay and verify it   q leave"
        if match.state == matches_pb2.MatchState.ABANDONED:
            return "q leave"
        if match.state == matches_pb2.MatchState.OPEN:
            return "s start now   b seat a bot   q leave the table" if self._is_host() else "q leave the table"
        if self._following.scene.seat is None or self._following.scene.resigned:
            return "? help   q leave"
        if self._following.scene.choices:
            return "arrows or digits choose   Enter plays   ? help   r give up   q leave"
        return "? help   r give up   q leave"

    def _is_host(self) -> bool:
        scene = self._following.scene
        return scene.seat is not None and scene.match.seats[scene.seat].player == scene.match.host

    # What a key does.

    def _press(self, key: str) -> None:
        self._dirty.set()
        self._notice = ""
        if key == "hang up":
            self._leave()
        elif self._helping:
            self._helping = False
        elif self._confirm is not None:
            confirmed, self._confirm = self._confirm, None
            if key in ("y", "Y"):
                confirmed()
        elif key == "?":
            self._helping = True
        elif key == "q":
            self._quit()
        else:
            self._act(key)

    def _act(self, key: str) -> None:
        scene = self._following.scene
        state = scene.match.state
        if state == matches_pb2.MatchState.RUNNING and scene.resigned:
            self._notice = "You gave up: the clock plays for your seat, and you look on."
        elif state == matches_pb2.MatchState.RUNNING and scene.seat is not None:
            moved = self._picking.press(key)
            if moved is not None:
                self._notice = moved
            elif key in ("enter", "space"):
                self._commit_picked()
            elif key == "r":
                self._notice = "Give up for good? You come last, and the clock plays for your seat."
                self._confirm = lambda: self._start(self._resign())
            else:
                self._notice = f"{_named(key)} does nothing here; what does is written below."
        elif state == matches_pb2.MatchState.OPEN and self._is_host() and key in ("s", "b"):
            self._start(self._begin() if key == "s" else self._add_bot())
        elif state == matches_pb2.MatchState.OVER and key == "v":
            self._start(self._verify())
        else:
            self._notice = f"{_named(key)} does nothing here; what does is written below."

    def _commit_picked(self) -> None:
        if self._picking.picked is None:
            self._notice = "It is not your turn."
        elif not self._committing:
            self._committing = True
            self._start(self._commit())

    def _quit(self) -> None:
        scene = self._following.scene
        if scene.seat is None or scene.resigned or self._following.done:
            self._leave()
        elif scene.match.state == matches_pb2.MatchState.OPEN:
            self._start(self._leave_table())
        else:
            self._notice = "Leave? Your seat is kept, and the clock plays for you while you are away."
            self._confirm = self._leave

    def _leave(self) -> None:
        self._left = True
        self._dirty.set()

    def _start(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._told(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, what: Awaitable[None]) -> None:
        try:
            await what
        except (Refused, Problem) as refused:
            self._notice = str(refused)
        self._dirty.set()

    # What is asked of the server.

    async def _commit(self) -> None:
        scene, player = self._following.scene, self._following.player
        request = matches_pb2.ActRequest(
            request_id=request_id(),
            match=scene.match.id,
            window=scene.match.you.window.id,
            action=self._picking.picked,
        )
        try:
            answer = await player.call(player.matches.Act, request)
        finally:
            self._committing = False
        self._following.take_match(answer.match)

    async def _resign(self) -> None:
        player = self._following.player
        request = matches_pb2.ResignRequest(request_id=request_id(), match=self._following.scene.match.id)
        self._following.take_match((await player.call(player.matches.Resign, request)).match)

    async def _begin(self) -> None:
        player = self._following.player
        request = matches_pb2.StartMatchRequest(request_id=request_id(), match=self._following.scene.match.id)
        self._following.take_match(await player.call(player.matches.StartMatch, request))

    async def _add_bot(self) -> None:
        player = self._following.player
        request = matches_pb2.AddBotRequest(request_id=request_id(), match=self._following.scene.match.id)
        request.bot.level = _LOBBY_BOT
        self._following.take_match(await player.call(player.matches.AddBot, request))

    async def _leave_table(self) -> None:
        player = self._following.player
        request = matches_pb2.LeaveMatchRequest(request_id=request_id(), match=self._following.scene.match.id)
        await player.call(player.matches.LeaveMatch, request)
        self._leave()

    async def _verify(self) -> None:
        player, match = self._following.player, self._following.scene.match
        replay = await player.call(player.matches.GetReplay, matches_pb2.GetReplayRequest(match=match.id))
        file = Path(f"{match.id}.json")
        save_replay(replay, file)
        check_known(replay, str(file))
        try:
            verify(replay, self._commitment)
        except Wrong as wrong:
            self._notice = f"{file}: NOT what was played: {wrong}"
        else:
            self._notice = f"Saved as {file} and verified: deals, acts and result are true."


def _named(key: str) -> str:
    return f"The key {key}" if len(key) == 1 else f"The {key} key"
