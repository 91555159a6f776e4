"""One thread with an event loop, for all streams of this process."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_CLOSING_SECONDS = 5.0


class Strand:
    """It begins when it is first needed, since a thread does not survive a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Have something done there; cancelled if the strand is closed."""
        with self._lock:
            if not self._closed:
                return asyncio.run_coroutine_threadsafe(work, self._running())
        work.close()
        never: Future[T] = Future()
        never.cancel()
        return never

    def soon(self, call: Callable[..., object], *arguments: object) -> None:
        """Have something called there; not at all if the strand is closed."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call, *arguments)

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """End what runs there, do a last thing there, and end the thread; what does not end in time is left alone."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            self._closed = True
        if loop is None or thread is None:
            return
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(_end_all(last), loop).result(_CLOSING_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSING_SECONDS)
        if not thread.is_alive():
            loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="streams", daemon=True)
            self._thread.start()
        return self._loop


async def _end_all(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last()
