"""Calls that wait: streams and long polls. Their number is bounded, and exact.

A call is counted from `enter` until the server has closed the answer, however that comes about: `Admission` stands
around the whole application, and the server closes what it returned in every case. A stream that goes on without its
thread keeps its place until its connection is closed.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from werkzeug.wsgi import ClosingIterator

from croupier_gateway.problems import Problem, busy

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

KEY = "croupier.waiting"
"""In a request's environ: the call that waits for it."""

_LOOK_SECONDS = 1.0


class Cut(Enum):
    """Why a waiting call was ended from this side."""

    GONE = "the client closed its connection"
    LATE = "the service said nothing in time"
    STOPPING = "this server stops"


class Waiting:
    """One call that waits."""

    def __init__(self, room: "WaitingRoom", connection: socket.socket | None) -> None:
        self._room = room
        self._connection = connection
        self._lock = threading.Lock()
        self._cancel: Callable[[], object] | None = None
        self._first_by = float("inf")
        self.cut: Cut | None = None

    def attach(self, cancel: Callable[[], object], first_within: float = float("inf")) -> None:
        """Name what ends the call upstream, and how many seconds it has to say something; `spoke` lifts that."""
        with self._lock:
            self._cancel = cancel
            self._first_by = time.monotonic() + first_within
            too_late = self.cut is not None
        if too_late:
            cancel()

    def spoke(self) -> None:
        """The service has said something."""
        self._first_by = float("inf")

    def hand_over(self) -> None:
        """Somebody else looks from now on whether the client is there."""
        self._connection = None

    def end(self, why: Cut) -> None:
        """End the call upstream; its thread then ends the answer."""
        with self._lock:
            self.cut = self.cut or why
            cancel = self._cancel
        if cancel is not None:
            cancel()

    def leave(self) -> None:
        """Free the place, and end the call upstream if it is not over."""
        self._room.forget(self)
        if self._cancel is not None:
            self._cancel()

    def look(self) -> None:
        """End the call if its client is gone or the service is silent."""
        if time.monotonic() > self._first_by:
            self.end(Cut.LATE)
        elif (connection := self._connection) is not None and _closed(connection):
            self.end(Cut.GONE)


class WaitingRoom:
    """All calls that wait, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._inside: set[Waiting] = set()
        self._stop = threading.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._inside)

    def enter(self, environ: "WSGIEnvironment") -> Waiting:
        """A place for this request's call. Raises Problem: OVERLOADED, GOING_DOWN."""
        waiting = Waiting(self, environ.get("gunicorn.socket"))
        with self._lock:
            if self._closed:
                raise busy("GOING_DOWN")
            if len(self._inside) >= self.limit:
                raise busy("OVERLOADED", limit=str(self.limit))
            self._inside.add(waiting)
        environ[KEY] = waiting
        return waiting

    @contextmanager
    def within(self, environ: "WSGIEnvironment", seconds: float, cancel: Callable[[], object]) -> Iterator[None]:
        """A place for something that is to be done in time: `cancel` ends it otherwise. Raises Problem: OVERLOADED,
        GOING_DOWN; DEADLINE_EXCEEDED if it was ended."""
        try:
            waiting = self.enter(environ)
        except Problem:
            cancel()  # or the server would wait for it all the same, to get to what comes behind it
            raise
        del environ[KEY]  # the place is given back here, not with the answer
        try:
            waiting.attach(cancel, seconds)
            yield
        finally:
            self.forget(waiting)
            if waiting.cut is Cut.LATE:
                raise problem_of(Cut.LATE)

    def forget(self, waiting: Waiting) -> None:
        """Give a place back; twice is once."""
        with self._lock:
            self._inside.discard(waiting)

    def watch(self) -> None:
        """Start the thread that ends calls whose client is gone, and all of them when the server stops."""
        threading.Thread(target=self._watch, name="waiting-room", daemon=True).start()

    def stop(self) -> None:
        """End all waiting calls, and admit no more. Only sets a flag, since signal handlers call it."""
        self._stop.set()

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            for waiting in self._all():
                waiting.look()
        with self._lock:
            self._closed = True
        for waiting in self._all():
            waiting.end(Cut.STOPPING)

    def _all(self) -> list[Waiting]:
        with self._lock:
            return list(self._inside)


def keep(environ: "WSGIEnvironment") -> Callable[[], None]:
    """Let a call's place outlast its answer; what to call when it is over."""
    waiting: Waiting = environ.pop(KEY)
    waiting.hand_over()
    return waiting.leave


def problem_of(cut: Cut) -> Problem:
    """What a client hears whose call was ended from this side before there was an answer."""
    return Problem("DEADLINE_EXCEEDED") if cut is Cut.LATE else busy("GOING_DOWN")


class Admission:
    """Stands around the application and frees a waiting call's place when its answer is closed."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """One request (WSGI)."""

        def leave() -> None:
            waiting = environ.pop(KEY, None)
            if waiting is not None:
                waiting.leave()

        try:
            answer = self._app(environ, start_response)
        except BaseException:
            leave()
            raise
        return ClosingIterator(answer, leave)


def _closed(connection: socket.socket) -> bool:
    """The other side has closed. What it may have sent ahead stays unread."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
