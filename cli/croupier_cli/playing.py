"""A match in the terminal, by keyboard: what is shown, and what each key does."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.following import Following
from croupier_cli.guest import Given
from croupier_cli.picking import Picking
from croupier_cli.problem import Problem
from croupier_cli.remote import Refused, request_id
from croupier_cli.replay_file import Wrong, check_known, save_replay
from croupier_cli.speaking import Sent, Speaking
from croupier_cli.tables import TABLES
from croupier_cli.tables.board import Status, board, ending, helping, lobby
from croupier_cli.terminal.ink import line
from croupier_cli.terminal.screen import HEIGHT, WIDTH, Screen
from croupier_cli.verification import verify

_REDRAW_S = 0.25  # while a clock runs
_LOBBY_BOT = "careful"
_AHEAD = 5  # typed acts that may be on their way at once
_TOO_LATE = ("TIMER_RUN_OUT", "STALE_WINDOW")  # what was typed is of no more use

_HELP_KEYS = (
    "arrows, Home, End   move          digits  go to the card with that number",
    "Enter               play it       r       give up for good",
    "?                   this help     q       leave; your seat is kept",
)
# Where texts are typed, no letter is a command. ^X is Ctrl-X.
_HELP_KEYS_SPEAKING = (
    "Enter               send the line   Esc    clear it",
    "?                   this help       ^X     leave; your seat is kept",
    "up, down            another choice  ^R     give up for good",
)


class Playing:
    """One match on the screen until it is over or the player leaves."""

    def __init__(self, following: Following, given: Given) -> None:
        self._following = following
        self._given = given
        self._table = TABLES[following.scene.match.game]
        self._picking = Picking(self._table.typed)
        self._speaking = None if self._table.speech is None else Speaking(self._table.speech)
        self._commitment = following.scene.match.commitment  # as it was before all cards were seen
        self._notice = ""
        self._confirm: Callable[[], None] | None = None
        self._committing = 0  # acts that are on their way
        self._in_turn = asyncio.Lock()  # they are sent one after another
        self._helping = False
        self._left = False
        self._dirty = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        following.changed = self._dirty.set

    async def run(self) -> None:
        """Draw and listen. Raises Problem without a terminal, Refused if the match is not there any more."""
        loop = asyncio.get_running_loop()
        with Screen(self._press, self._dirty.set, self._paste) as screen:
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
        self._offer()
        if self._helping:
            keys = _HELP_KEYS if self._speaking is None else _HELP_KEYS_SPEAKING
            screen.draw(helping(self._table, keys, size))
        elif scene.match.state == matches_pb2.MatchState.OPEN:
            screen.draw(lobby(self._table, scene, self._status(), size))
        elif self._following.done:
            screen.draw(ending(self._table, scene, self._status(), size))
        else:
            picked = (self._speaking or self._picking).picked
            screen.draw(board(self._table, scene, picked, self._status(), size))

    def _offer(self) -> None:
        """Let the keyboard know what is asked now."""
        scene = self._following.scene
        if self._speaking is not None:
            self._speaking.offer(scene, asked=self._may_act())
        else:
            self._picking.offer(scene.window.id if scene.window is not None else "", scene.choices)

    def _may_act(self) -> bool:
        scene = self._following.scene
        return scene.match.state == matches_pb2.MatchState.RUNNING and scene.seat is not None and not scene.resigned

    def _status(self) -> Status:
        following, line = self._following, None if self._speaking is None else self._speaking.line
        return Status(following.link, following.left(), self._notice, self._keys(), line, self._given)

    def _keys(self) -> str:
        match = self._following.scene.match
        if self._confirm is not None:
            return "y yes   any other key no"
        if self._speaking is not None and (self._may_act() or self._speaking.text):
            always = "^X leave" if self._speaking.text else "^R give up  ^X leave  ? help"
            return "  ".join(filter(None, (self._speaking.bar(), always)))
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
        elif self._speaking is not None and (self._may_act() or self._speaking.text):
            self._speak(self._speaking, key)
        elif key == "?":
            self._helping = True
        elif key == "q":
            self._quit()
        else:
            self._act(key)

    def _paste(self, text: str) -> None:
        self._dirty.set()
        if self._speaking is None or self._helping or self._confirm is not None:
            self._notice = "There is no line here for a pasted text."
        else:
            self._offer()
            self._notice = self._speaking.put(text)

    def _speak(self, speaking: Speaking, key: str) -> None:
        """A key where texts are typed."""
        if key == "ctrl-x":
            self._quit()
        elif key == "ctrl-r" and self._may_act():
            self._ask_to_resign()
        elif key == "?" and not speaking.text:
            self._helping = True
        else:
            self._offer()
            answer = speaking.press(key)
            if isinstance(answer, str):
                self._notice = answer
            elif answer is None:
                self._notice = f"{_named(key)} does nothing here; what does is written below."
            elif self._committing >= _AHEAD:
                speaking.give_back(speaking.sent)
                self._notice = "What you sent before is still on its way."
            else:
                self._start(self._commit(answer, speaking.sent))

    def _ask_to_resign(self) -> None:
        self._notice = "Give up for good? You come last, and the clock plays for your seat."
        self._confirm = lambda: self._start(self._resign())

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
                self._ask_to_resign()
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
            self._start(self._commit(self._picking.picked))

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

    def _commit(self, action: games_pb2.Action, sent: Sent | None = None) -> Coroutine[Any, Any, None]:
        """Play it, as the answer to what is asked now; `sent`: the line that it was, to be given back if refused."""
        scene = self._following.scene
        self._committing += 1
        request = matches_pb2.ActRequest(
            request_id=request_id(), match=scene.match.id, window=scene.match.you.window.id, action=action
        )
        return self._send_act(request, sent)

    async def _send_act(self, request: matches_pb2.ActRequest, sent: Sent | None) -> None:
        player = self._following.player
        try:
            async with self._in_turn:
                answer = await player.call(player.matches.Act, request)
        except Refused as refused:
            if self._speaking is not None and sent is not None and refused.reason not in _TOO_LATE:
                self._speaking.give_back(sent)
            raise
        finally:
            self._committing -= 1
        if self._table.speech is not None and sent is not None and sent[0]:
            self._notice = self._table.speech.taken(sent[0].rstrip(), answer.events) or self._notice
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
