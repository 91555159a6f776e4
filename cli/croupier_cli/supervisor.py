"""Child processes that are started in order, kept running, and stopped in reverse order."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from croupier_cli.problem import Problem

_POLL_S = 0.02
_READY_WAIT_S = 60.0
_BACK_OFF_S = (0.2, 10.0)  # first and longest pause before a restart
_SOUND_S = 30.0  # a part that ran this long starts again at the first pause


class StopRequested(Exception):  # noqa: N818 - not an error
    """A stop was asked for while parts were being brought up."""


class Part(Protocol):
    """Something that runs beside the supervisor, in a process of its own."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def launch(self) -> None:
        """Start it, without waiting. Raises `Problem`."""
        ...

    def ready(self) -> bool:
        """Whether it does its work by now. Raises `Problem` when it has ended instead."""
        ...

    def ended(self) -> str | None:
        """How it ended; None while it runs."""
        ...

    def stop(self) -> None:
        """End it, in the end by force; nothing of it is left when this returns."""
        ...


@dataclass
class _Watch:
    part: Part
    launched: float  # monotonic seconds
    pause: float = _BACK_OFF_S[0]
    due: float | None = None  # when to launch again; None while it runs


class Supervisor:
    """Keeps parts running until it is asked to stop.

    `report` gets a line whenever a part ended by itself and when it is started again.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._watches: list[_Watch] = []
        self._stopping = False

    def request_stop(self) -> None:
        """Ask it to stop; safe in a signal handler."""
        self._stopping = True

    def bring_up(self, part: Part) -> None:
        """Start a part and wait until it is ready. Raises `Problem`, or `StopRequested`."""
        self._watches.append(_Watch(part, time.monotonic()))
        part.launch()
        give_up = time.monotonic() + _READY_WAIT_S
        while not part.ready():
            if self._stopping:
                raise StopRequested
            if time.monotonic() > give_up:
                raise Problem(f"{part.name} is not ready after {_READY_WAIT_S:.0f} s; look into its log")
            time.sleep(_POLL_S)

    def keep_running(self) -> None:
        """Start again whatever ends, with growing pauses, until a stop is asked for."""
        while not self._stopping:
            for watch in self._watches:
                self._look_after(watch, time.monotonic())
            time.sleep(_POLL_S)

    def stop_all(self) -> None:
        """Stop every part, the last started first."""
        while self._watches:
            self._watches.pop().part.stop()

    def _look_after(self, watch: _Watch, now: float) -> None:
        if watch.due is None:
            how = watch.part.ended()
            if how is None:
                return
            if now - watch.launched > _SOUND_S:
                watch.pause = _BACK_OFF_S[0]
            self._wait_and_relaunch(watch, now, how)
        elif now >= watch.due:
            watch.due, watch.launched = None, now
            try:
                watch.part.launch()
            except Problem as problem:
                self._wait_and_relaunch(watch, now, problem.message)

    def _wait_and_relaunch(self, watch: _Watch, now: float, how: str) -> None:
        self._report(f"{watch.part.name} ended ({how}); starting it again in {watch.pause:.1f} s")
        watch.due = now + watch.pause
        watch.pause = min(watch.pause * 2, _BACK_OFF_S[1])
