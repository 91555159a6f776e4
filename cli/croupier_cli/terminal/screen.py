"""The whole of a terminal as lines, and its keyboard without waiting for Enter."""

import asyncio
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from croupier_cli.problem import Problem
from croupier_cli.terminal.ink import Line, is_drawable, render, wants_colour
from croupier_cli.terminal.keys import Keys, Pasted

WIDTH, HEIGHT = 80, 24  # what a table is drawn for; a larger terminal shows more of the past
_ESCAPE_WAIT_S = 0.05  # after which an escape that stands alone is a key

_ENTER = "\033[?1049h\033[?25l\033[?2004h\033[2J"
_LEAVE = "\033[?2004l\033[?25h\033[?1049l"


def check_terminal() -> None:
    """Raise Problem where nothing can be drawn."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Problem("this needs a terminal, on input and output; `croupier watch` prints lines instead")
    if not is_drawable():
        raise Problem("this terminal cannot place its cursor (see TERM); `croupier watch` prints lines instead")


class Screen:
    """A terminal that is drawn on as long as the context lasts; afterwards it is as it was before.

    `pressed` is told every key, `resized` that the size has changed, `pasted` what was pasted. Raises Problem without a
    terminal.
    """

    def __init__(
        self,
        pressed: Callable[[str], None],
        resized: Callable[[], None],
        pasted: Callable[[str], None] = lambda text: None,
    ) -> None:
        check_terminal()
        self._pressed = pressed
        self._resized = resized
        self._pasted = pasted
        self._colour = wants_colour(sys.stdout)
        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._keys = Keys()
        self._settling: asyncio.TimerHandle | None = None
        self._shown: list[str] = []
        self._before: list[Any] = []

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        found = shutil.get_terminal_size((WIDTH, HEIGHT))
        return found.columns, found.lines

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these lines from the top; only those that have changed are sent."""
        width, height = self.size
        wanted = [render(spans, width, self._colour) for spans in lines[:height]]
        wanted += [""] * (height - len(wanted))
        if len(self._shown) != height:
            self._shown = ["\0"] * height
        sent = [
            f"\033[{number};1H{text}\033[K"
            for number, (text, shown) in enumerate(zip(wanted, self._shown, strict=True), start=1)
            if text != shown
        ]
        self._shown = wanted
        if sent:
            self._send("".join(sent))

    def __enter__(self) -> "Screen":
        loop = asyncio.get_running_loop()
        self._take()
        loop.add_reader(self._in, self._read)
        loop.add_signal_handler(signal.SIGWINCH, self._renew)
        loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._in)
        for number in (signal.SIGWINCH, signal.SIGTSTP):
            loop.remove_signal_handler(number)
        if self._settling is not None:
            self._settling.cancel()
        self._give_back()

    def _take(self) -> None:
        self._before = termios.tcgetattr(self._in)
        tty.setcbreak(self._in)
        self._send(_ENTER)
        self._shown = []

    def _give_back(self) -> None:
        self._send(_LEAVE)
        termios.tcsetattr(self._in, termios.TCSADRAIN, self._before)

    def _suspend(self) -> None:
        """Ctrl-Z: the shell gets its terminal back until the job goes on."""
        self._give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._take()
        self._resized()

    def _renew(self) -> None:
        self._shown = []
        self._send("\033[2J")
        self._resized()

    def _send(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:  # somebody made the terminal so; it takes more in a moment
                continue

    def _read(self) -> None:
        data = os.read(self._in, 1024)
        if not data:  # the terminal is gone
            asyncio.get_running_loop().remove_reader(self._in)
            self._pressed("hang up")
            return
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        for key in self._keys.feed(data):
            if isinstance(key, Pasted):
                self._pasted(key.text)
            else:
                self._pressed(key)
        if self._keys.pending:
            self._settling = asyncio.get_running_loop().call_later(_ESCAPE_WAIT_S, self._settle)

    def _settle(self) -> None:
        for key in self._keys.settle():
            self._pressed(key)
