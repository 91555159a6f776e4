"""Connections that are answered for the last time, but whose clients may still be sending.

Closed at once, with something unread in it, a connection would be reset, and the client would lose the answer. So our
side alone is closed, and what still comes is read and thrown away: until the client closes too, or for a bounded time.
"""

import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

_SECONDS = 2.0
_BYTES = 1024 * 1024
_CONNECTIONS = 256
_READ_BYTES = 64 * 1024


@dataclass(slots=True)
class _Farewell:
    until: float
    left: int
    """Bytes."""
    gone: Callable[[], None]


class Lingering:
    """All of them, the oldest first. For the thread of the selector alone, which waits for none of them."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._all: dict[socket.socket, _Farewell] = {}

    def add(self, connection: socket.socket, gone: Callable[[], None]) -> None:
        """Close a connection as soon as that does no harm; then call `gone`. One too many costs the oldest its time."""
        try:
            connection.setblocking(False)
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # closed already, or there is no client any more
            connection.close()
            gone()
            return
        if len(self._all) >= _CONNECTIONS:
            self._close(next(iter(self._all)))
        self._all[connection] = _Farewell(time.monotonic() + _SECONDS, _BYTES, gone)
        self._selector.register(connection, selectors.EVENT_READ, self._read)

    def look(self) -> None:
        """Close those whose time is over. To be called about every second."""
        now = time.monotonic()
        for connection in [each for each, farewell in self._all.items() if farewell.until <= now]:
            self._close(connection)

    def _read(self, connection: socket.socket) -> None:
        farewell = self._all.get(connection)
        if farewell is None:  # closed since the selector has seen it
            return
        try:
            count = len(connection.recv(_READ_BYTES))
        except BlockingIOError:
            return
        except OSError:
            count = 0
        farewell.left -= count
        if count == 0 or farewell.left <= 0:
            self._close(connection)

    def _close(self, connection: socket.socket) -> None:
        farewell = self._all.pop(connection)
        self._selector.unregister(connection)
        connection.close()
        farewell.gone()
