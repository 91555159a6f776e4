"""One call to the service for all spectators of a match: each of its messages is written once, and handed to all.

All of this lives in the thread of the streams.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Set
from itertools import islice
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.message import Message

from croupier.spectators import SPECTATOR
from croupier.v1.matches_pb2 import WatchMatchResponse, You
from croupier_gateway.frames import NOBODY, Frame
from croupier_gateway.sse import Told
from croupier_gateway.upstream import may_be_repeated, pauses

if TYPE_CHECKING:
    from croupier_gateway.streams import Stream

_LOG = logging.getLogger("croupier.gateway")
_KEPT = 8
"""Frames that are kept for those who come next and are a little behind."""
_PATIENCE = 5.0
"""Seconds that another replica has to begin; whoever hears nothing for 25 hangs up."""
_MOST = 512
"""Frames that are kept while somebody does not read; whoever is further behind is cut off."""


class Shared:
    """What all spectators of a match see. It ends when nobody listens, or when the call does and none can follow it."""

    def __init__(self, call: Any, told: Told, you: You, over: Callable[[], None]) -> None:
        """`call` has brought what `told` says, and `you` as what the viewer sees now."""
        self._call = call
        self._told = told
        self._you = you
        self._over = over
        self._frames: deque[Frame] = deque()
        self._stale = False  # what it tells may be old
        self._start = 0  # how many frames there were before these
        self._base = told.cursor  # before these
        self._streams: set[Stream] = set()
        self._behind: dict[Stream, int] = {}  # those who do not read: the frame that is next for them
        self._task = asyncio.get_running_loop().create_task(self._run())

    def joins(self, stream: "Stream", cursor: str, you: You) -> bool:
        """Go on from here with what comes behind a cursor; False if that cannot be."""
        end = self._start + len(self._frames)
        at = end if cursor == self._told.cursor and _same(you, self._you) else self._place(cursor)
        if at is None or self._stale:
            return False
        if any(stream.player in frame.seated for frame in islice(self._frames, at - self._start, None)):
            return False  # he has taken a seat, which only his own call goes by
        self._streams.add(stream)
        if at < end:
            self._behind[stream] = at
            self.catch_up(stream)
        return True

    def leave(self, stream: "Stream") -> None:
        """Somebody is gone."""
        self._streams.discard(stream)
        self._behind.pop(stream, None)
        if not self._streams:
            self._over()  # at once, or somebody might still join
            self._task.cancel()

    def cursor_of(self, stream: "Stream") -> str:
        """How far one has been told."""
        at = self._behind.get(stream)
        if at is None:
            return self._told.cursor
        return self._base if at == self._start else self._frames[at - self._start - 1].cursor

    def catch_up(self, stream: "Stream") -> None:
        """One reads again."""
        at = self._behind.pop(stream, None)
        if at is None:
            return
        end = self._start + len(self._frames)
        while at < end and not stream.paused:
            stream.send(self._frames[at - self._start])
            at += 1
        if at < end:
            self._behind[stream] = at

    async def _run(self) -> None:
        try:
            message = await self._heard()
            while message is not grpc.aio.EOF:
                if message is None:
                    message = await self._renewed()
                else:
                    self._tell(message)
                    message = await self._heard()
        except grpc.RpcError:
            pass  # they resume
        except Exception as fault:
            _LOG.error("a shared stream failed", exc_info=fault)
        finally:
            self._over()
            self._call.cancel()
            for stream in tuple(self._streams):
                stream.finish(whole=stream not in self._behind)

    async def _heard(self) -> Any:
        """The next message of the call; None: it has broken off, and another may go on."""
        try:
            message = await self._call.read()
        except grpc.RpcError as error:
            if may_be_repeated(error):
                return None
            raise
        return None if message is not grpc.aio.EOF and message.end.reason == "GO_AWAY" else message

    async def _renewed(self) -> Any:
        """The first message of another call, made for all as one of them; EOF: there is none.

        If each of them made his own, a thousand calls would come at once.
        """
        self._stale = True  # nobody joins meanwhile
        for pause in pauses():
            await asyncio.sleep(pause)
            stream = next((one for one in self._streams if not one.by_ticket), None)
            if stream is None:
                break
            self._call.cancel()
            self._call = await stream.call_behind(self._told.cursor)
            try:
                async with asyncio.timeout(_PATIENCE):
                    message = await self._heard()
                    shared = message is not None and SPECTATOR in dict(await self._call.initial_metadata() or ())
            except TimeoutError:
                continue
            except grpc.RpcError:  # his call is refused, which says nothing of the others'
                if stream in self._streams:
                    stream.finish(whole=stream not in self._behind)
                continue
            if shared:
                return message
            if message is not None and stream in self._streams:
                stream.go_alone()  # he has a seat by now
        return grpc.aio.EOF

    def _tell(self, message: WatchMatchResponse) -> None:
        # Whoever has taken a seat sees more from here on.
        seated = seated_by(message)
        for stream in [one for one in self._streams if one.player in seated] if seated else ():
            stream.go_alone()
        you = you_of(message)
        if you is not None:
            self._you = you
        self._stale = message.heartbeat.stale
        frame = Frame(self._told.frame(message).encode(), self._told.cursor, seated)
        end = self._start + len(self._frames)
        self._frames.append(frame)
        for stream in self._streams:
            if stream.paused or stream in self._behind:
                self._behind.setdefault(stream, end)
            else:
                stream.send(frame)
        while len(self._frames) > (_MOST if self._behind else _KEPT):
            self._base = self._frames.popleft().cursor
            self._start += 1
        for stream in [one for one, at in self._behind.items() if at < self._start]:
            stream.finish(whole=False)

    def _place(self, cursor: str) -> int | None:
        """The first frame behind the event that a cursor names, be it the view after that event."""
        known = [self._base, *(frame.cursor for frame in self._frames)]
        if cursor not in known:
            return None
        at = len(known) - 1 - known[::-1].index(cursor)
        while at and known[at - 1] == cursor:
            at -= 1
        return self._start + at


def you_of(message: Message) -> You | None:
    """What a message says of the viewer's own view, once he has been told all events before it."""
    if isinstance(message, WatchMatchResponse):
        if message.HasField("snapshot"):
            return message.snapshot.match.you
        if message.HasField("window"):
            return message.window.you
    return None


def seated_by(message: Message) -> Set[str]:
    """Players who have a seat, or stand in for one who has, as a message of a match tells."""
    if not isinstance(message, WatchMatchResponse):
        return NOBODY
    if message.HasField("snapshot"):
        seats = message.snapshot.match.seats
        return ({seat.player for seat in seats} | {seat.stand_in for seat in seats}) - {""}
    happened = message.event.match
    return {happened.joined.player, happened.stood_in.player} - {""}


def left_by(message: Message) -> str:
    """The player who has left, as a message of a match tells; empty: nobody."""
    return message.event.match.left.player if isinstance(message, WatchMatchResponse) else ""


def _same(one: You, other: You) -> bool:
    """Two views differ in nothing but the time that was left."""
    first, second = You(), You()
    first.CopyFrom(one)
    second.CopyFrom(other)
    for each in (first, second):
        if each.HasField("window"):
            each.window.ClearField("remaining")
    return first == second
