"""A program on a terminal of its own: a pseudo terminal whose screen an emulator keeps, and keys that are pressed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pyte

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "tab": "\t",
}


class Terminal:
    """A running program; `sent` is every byte that it has written."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: dict[str, str], columns: int = 80, lines: int = 24
    ) -> None:
        self.sent = b""
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, inside = pty.openpty()
        self._size(columns, lines)
        given = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env=given | {"TERM": "xterm-256color"} | environment,
            start_new_session=True,
        )
        os.close(inside)

    def _size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns: int, lines: int) -> None:
        """The user makes the window larger or smaller."""
        self._size(columns, lines)
        self._screen.resize(lines, columns)
        self.process.send_signal(signal.SIGWINCH)

    def press(self, *keys: str) -> None:
        """Press keys: names of KEYS, or characters."""
        for key in keys:
            os.write(self._terminal, KEYS.get(key, key).encode())

    def look(self, seconds: float = 0.05) -> str:
        """What stands on the screen, after whatever comes within a moment."""
        end = time.monotonic() + seconds
        while (wait := end - time.monotonic()) > 0:
            if select.select([self._terminal], [], [], wait)[0]:
                try:
                    data = os.read(self._terminal, 65536)
                except OSError:  # the program has closed its end
                    break
                self.sent += data
                self._stream.feed(data)
        return "\n".join(text.rstrip() for text in self._screen.display)

    def wait_for(self, pattern: str, seconds: float = 40) -> "re.Match[str]":
        """Wait until the screen matches a pattern."""
        give_up = time.monotonic() + seconds
        while True:
            seen = self.look()
            found = re.search(pattern, seen, re.MULTILINE)
            if found:
                return found
            if time.monotonic() > give_up or (self.process.poll() is not None and not self._comes()):
                raise AssertionError(f"{pattern!r} is not on the screen ({self.process.poll()}):\n{seen}")

    def _comes(self) -> bool:
        return bool(select.select([self._terminal], [], [], 0)[0]) and self.look() != ""

    def ended(self, seconds: float = 20) -> int:
        """Wait until the program has ended: its exit code."""
        give_up = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > give_up:
                raise AssertionError(f"it still runs:\n{self.look()}")
            self.look()
        self.look()
        code = self.process.returncode
        assert code is not None
        return code

    def close(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._terminal)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
