"""Following one match over a stream that comes back by itself."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import grpc
import grpc.aio
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1 import matches_pb2
from croupier_bots.client import BackOff, Timing
from croupier_cli.remote import Player, Refused, refusal
from croupier_cli.tables.table import Scene

EVENTS_KEPT = 200
_BACKLOG = 120  # events before the present one that are asked for at first, to tell what happened of late
_TIMING = Timing(silence=30.0, first_delay=0.3, longest_delay=3.0)
_FOR_GOOD = frozenset(
    {
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
    }
)


class _Broken(Exception):  # noqa: N818 - it names what happened
    """The stream is of no more use."""


class Following:
    """The match as its player sees it, kept up to date. `changed` is called after whatever may be seen differently."""

    def __init__(self, player: Player, match: matches_pb2.Match) -> None:
        self.player = player
        self.scene = Scene(match)
        self.link = ""  # what is wrong with the connection; empty: nothing
        self.changed: Callable[[], None] = lambda: None
        self._cursor, self._mark = max(0, match.sequence - _BACKLOG), ""
        self._ahead_ms = 0.0  # the server's clock over this machine's, which need not be right
        self._measure(match.server_time)
        self._told: Callable[[matches_pb2.Event], None] = lambda event: None

    def on_event(self, told: Callable[[matches_pb2.Event], None]) -> None:
        """Call this with every event, once and in order; from the first one of the match."""
        self._told = told
        self._cursor = 0

    @property
    def done(self) -> bool:
        """Nothing more will happen."""
        return self.scene.match.state in (matches_pb2.MatchState.OVER, matches_pb2.MatchState.ABANDONED)

    def left(self) -> float | None:
        """Seconds until the deadline of the present window, by the server's clock; None without one."""
        window = self.scene.window
        if window is None or not window.HasField("deadline_time"):
            return None
        return (window.deadline_time.ToMilliseconds() - self._now_ms() - self._ahead_ms) / 1000

    async def follow(self) -> None:
        """Until the match is done. Raises Refused if it is not there for this player any more."""
        delays = BackOff(_TIMING)
        while True:
            try:
                await self._stream(delays)
            except grpc.aio.AioRpcError as error:
                if error.code() in _FOR_GOOD:
                    raise refusal(error) from None
            except (_Broken, TimeoutError):
                pass
            else:
                return
            self.link = "no connection"
            self.changed()
            await asyncio.sleep(delays.next())

    async def refresh(self) -> None:
        """Look at the whole match: seats, presence, result."""
        self.take_match(await self.player.get(self.scene.match.id, patience=2))

    def take_match(self, match: matches_pb2.Match) -> None:
        """The match as an answer brought it; the stream may have been faster."""
        self._measure(match.server_time)
        if match.sequence >= self.scene.match.sequence:
            self.scene.match = match
            self.changed()

    async def _stream(self, delays: BackOff) -> None:
        request = matches_pb2.WatchMatchRequest(match=self.scene.match.id, after=self._cursor, mark=self._mark)
        call = self.player.matches.WatchMatch(request, metadata=self.player.auth)
        try:
            while True:
                async with asyncio.timeout(_TIMING.silence):
                    message = await call.read()
                if not isinstance(message, matches_pb2.WatchMatchResponse):
                    raise _Broken
                if self.link and not message.heartbeat.stale:
                    self.link = ""
                    await self._look()
                delays.reset()
                if await self._take(message):
                    return
        finally:
            call.cancel()

    async def _take(self, message: matches_pb2.WatchMatchResponse) -> bool:
        """One message; True if nothing more will come."""
        match message.WhichOneof("message"):
            case "snapshot":
                # The match as it is, also where the store has lost some of what was shown.
                self._cursor, self._mark = message.snapshot.match.sequence, message.snapshot.match.mark
                self._measure(message.snapshot.match.server_time)
                self.scene.match = message.snapshot.match
                if message.snapshot.reason:
                    self.scene.events = []  # they may never have happened
                self.changed()
            case "event":
                await self._take_event(message.event)
            case "window":
                self._take_window(message.window)
            case "heartbeat" if message.heartbeat.stale:
                self.link = "the table cannot be reached at present"
                self.changed()
            case "heartbeat":
                self._measure(message.heartbeat.server_time)
                await self._look()
            case "end":
                if message.end.reason not in ("OVER", "ABANDONED"):
                    raise _Broken
                try:
                    await self.refresh()
                except Refused:
                    raise _Broken from None  # the result is still to be fetched
                return True
        return False

    async def _take_event(self, event: matches_pb2.Event) -> None:
        self._cursor, self._mark = event.sequence, event.mark
        self.scene.events = [*self.scene.events[-EVENTS_KEPT:], event]
        if event.HasField("match") and event.sequence > self.scene.match.sequence:
            await self._look()  # seats have changed
        self._told(event)
        self.changed()

    def _take_window(self, update: matches_pb2.WindowUpdate) -> None:
        window = update.you.window
        if window.HasField("deadline_time"):
            # `remaining` was true when this was written.
            self._ahead_ms = window.deadline_time.ToMilliseconds() - window.remaining.ToMilliseconds() - self._now_ms()
        match = self.scene.match
        if update.sequence >= match.sequence:
            match.sequence = update.sequence
            match.you.CopyFrom(update.you)
            self.changed()

    async def _look(self) -> None:
        """Refresh if that can be done; if not, the stream will find out."""
        with suppress(Refused):
            await self.refresh()

    def _measure(self, server_time: Timestamp) -> None:
        self._ahead_ms = server_time.ToMilliseconds() - self._now_ms()

    @staticmethod
    def _now_ms() -> float:
        return time.monotonic() * 1000
