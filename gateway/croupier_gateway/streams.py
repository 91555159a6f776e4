"""Streams to clients: each from the call behind it to the socket before it, all of them in one thread.

A stream holds a server's thread until it has begun: up to then it may be refused, and that takes a status. Then its
socket is handed over to the strand, which writes whatever comes. Spectators of one match share one call to the service.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import grpc
from google.protobuf.message import Message

from croupier.spectators import SHAREABLE, SPECTATOR
from croupier.v1.matches_pb2 import WatchMatchRequest, You
from croupier_gateway import sse
from croupier_gateway.frames import Frame
from croupier_gateway.outlet import Outlet
from croupier_gateway.routes import Binding
from croupier_gateway.sharing import Shared, left_by, seated_by, you_of
from croupier_gateway.strand import Strand
from croupier_gateway.upstream import Metadata, Upstream, may_be_repeated, pauses

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_LOG = logging.getLogger("croupier.gateway")

KEY = "croupier.stream"
"""In a request's environ: the stream that goes on when its thread has gone."""

CLOSE: ContextVar[Callable[[], None]] = ContextVar("close", default=lambda: None)
"""Has the connection of the request that its thread serves closed behind the answer."""

_PIPE_BYTES = 65_536


class HandedOver(BaseException):
    """Ends an answer for its thread, but not for its client. Not an Exception, or the server took it for a fault."""

    def __init__(self, stream: "Stream") -> None:
        super().__init__()
        self.stream = stream


@dataclass(frozen=True, slots=True)
class Asked:
    """What is called for a stream."""

    binding: Binding
    message: Message
    metadata: Metadata

    @property
    def by_ticket(self) -> bool:
        """It cannot be called twice."""
        return bool(getattr(self.message, "ticket", ""))

    def behind(self, cursor: str) -> "Asked | None":
        """The same again, behind a cursor; None: that cannot be, for its ticket is spent."""
        message = WatchMatchRequest()
        message.CopyFrom(cast(WatchMatchRequest, self.message))
        if self.by_ticket:
            return None
        number, _, mark = cursor.partition(":")
        message.after, message.mark = int(number or 0), mark
        return Asked(self.binding, message, self.metadata)


class Streams:
    """All streams of this process."""

    def __init__(self, upstream: Upstream, stall: float) -> None:
        """`stall`: seconds for which a client may take nothing."""
        self.stall = stall
        self.strand = Strand()
        self._upstream = upstream
        self._shared: dict[str, Shared] = {}  # by match

    def open(self, binding: Binding, message: Message, metadata: Metadata) -> "Stream":
        """Call the service, with the cursor that the message names."""
        asked = Asked(binding, message, (*metadata, (SHAREABLE, "1")))
        stream = Stream(self, asked, sse.Told(sse.after(message)))
        stream.begin()
        return stream

    async def call(self, asked: Asked) -> Any:
        """A call to the service; only in the strand."""
        return self._upstream.stream(asked.binding, asked.message, asked.metadata)

    def share(self, match: str, stream: "Stream", call: Any, told: sse.Told, you: You) -> Shared | None:
        """Let a spectator hear what the others hear, from where he is; None: they are elsewhere at present."""
        shared, cursor = self._shared.get(match), told.cursor
        if shared is None:

            def over() -> None:
                if self._shared.get(match) is made:
                    del self._shared[match]

            shared = made = self._shared[match] = Shared(call, told, you, over)
        elif shared.joins(stream, cursor, you):
            call.cancel()
            return shared
        else:
            return None
        shared.joins(stream, cursor, you)
        return shared

    def serving(self, timeout: float) -> bool:
        """The service answers the streams' own channel within `timeout` seconds that it serves."""
        asked = self.strand.run(self._upstream.serves_streams(timeout))
        try:
            return asked.result(timeout + 1)
        except (TimeoutError, CancelledError):  # the thread of the streams is held up, or ends
            asked.cancel()
            return False

    def close(self) -> None:
        """End them all, without a word."""
        self.strand.close(self._upstream.close_streams)


class Stream(Outlet):
    """One client of a watching rpc."""

    __slots__ = (
        "_asked",
        "_call",
        "_drained",
        "_first",
        "_looked",
        "_opening",
        "_over",
        "_sat",
        "_shared",
        "_stopping",
        "_streams",
        "_task",
        "_told",
        "player",
    )

    def __init__(self, streams: Streams, asked: Asked, told: sse.Told) -> None:
        super().__init__(streams.stall)
        self._streams = streams
        self._asked = asked
        self._told = told
        self._call: Any = None
        self._first: Message | None = None
        self._looked = 0  # events that took a seat are known up to this one
        self._over: Future[None] = Future()
        self._sat = False  # a spectator by ticket has taken a seat, as far as he was told
        self._shared: Shared | None = None
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self.player = ""  # of a spectator, who shall be shown no more if he takes a seat

    # In the server's thread.

    def begin(self) -> None:
        """Start the call."""
        self._opening = self._streams.strand.run(self._open())

    def first(self) -> Message | None:
        """Wait for its first message; None: it has ended without one. Raises grpc.RpcError, CancelledError."""
        return self._opening.result()

    def body(self, environ: "WSGIEnvironment", keep: Callable[[], Callable[[], None]]) -> Iterator[bytes]:
        """The answer, up to where the stream goes on without its thread; `keep` has its place kept from then on, and
        answers how to give it back."""
        first = self._first
        CLOSE.get()()  # there is nobody to read another request behind a stream
        yield (sse.retry() + (self._told.frame(first) if first is not None else "\n")).encode()
        if first is None:
            return
        if "gunicorn.socket" in environ:
            environ[KEY] = self
            leave = keep()
            self._over.add_done_callback(lambda _: leave())
            raise HandedOver(self)
        ours, theirs = socket.socketpair()  # another server: it gets what comes, and holds its thread
        self.carry(ours, chunked=False)
        with theirs:
            while data := theirs.recv(_PIPE_BYTES):
                yield data

    def carry(self, connection: socket.socket, *, chunked: bool) -> "Future[None]":
        """Write all that is to come to a connection, which is closed at the end; done when it is."""
        self.chunked = chunked
        if self._streams.strand.run(self._carry(connection)).cancelled():  # there is no strand any more
            connection.close()
            if not self._over.done():
                self._over.set_result(None)
        return self._over

    def when_over(self, call: Callable[[int], object]) -> None:
        """Have something called at the end, with the number of bytes that were sent from the strand."""
        self._over.add_done_callback(lambda _: call(self.sent))

    def stop(self) -> None:
        """End it: the call if it has just begun, else with a word where to go on."""
        self._opening.cancel()
        self._streams.strand.soon(self._stop)

    # In the strand.

    async def _open(self) -> Message | None:
        waits, first = pauses(), None
        while True:
            self._call = await self._streams.call(self._asked)
            try:
                message = await self._read()
            except grpc.RpcError as error:
                if first and self._asked.by_ticket and error.code() is grpc.StatusCode.UNAUTHENTICATED:
                    raise first from None  # it was a call before this one that has spent the ticket
                pause = next(waits, None)
                if pause is None or not may_be_repeated(error):
                    raise
                first = first or error
                await asyncio.sleep(pause)  # its replica has gone before it said anything: another one is asked
            else:
                self._first = None if message is grpc.aio.EOF else message
                return self._first

    async def _read(self) -> Any:
        """The first message of a call, or its end."""
        message = await self._call.read()
        told = dict(await self._call.initial_metadata() or ())
        self.player = str(told.get(SPECTATOR, ""))
        return message

    async def _carry(self, connection: socket.socket) -> None:
        try:
            await self._tend(self._start(connection))
        finally:
            if self.transport is None:
                connection.close()
                self.closed()

    async def _tend(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what tells this stream alone; it ends with that, unless it is shared by then."""
        self._task = asyncio.current_task()
        try:
            await work
        except (grpc.RpcError, OSError):
            pass
        except Exception as fault:
            _LOG.error("a stream failed", exc_info=fault)
        finally:
            self._task = None
            if self._shared is None:
                self.finish()

    async def _start(self, connection: socket.socket) -> None:
        await asyncio.get_running_loop().connect_accepted_socket(lambda: self, connection)
        if self._stopping:
            self._stop()
        else:
            await self._follow()

    async def _follow(self) -> None:
        """Tell what the call brings, until another does that too."""
        message: Any = self._first
        first, you, self._first = True, None, None
        while message is not grpc.aio.EOF:
            you = you_of(message) or you
            if not first:
                self.send(self._written(message))
            if self.paused:
                self._drained = asyncio.get_running_loop().create_future()
                await self._drained
            if first and self.player and self._seats(message):  # he has taken it while the call began
                first, message = False, await self._again()
                continue
            first = False
            if self.player and you is not None and self._told.number == you.sequence:
                if self._sat:
                    return  # he comes back with another ticket
                match = cast(WatchMatchRequest, self._asked.message).match
                self._shared = self._streams.share(match, self, self._call, self._told, you)
                if self._shared is not None:
                    self._call = None
                    return
            message = await self._call.read()
            while self.player and self._seats(message):
                message = await self._again()

    def _written(self, message: Message) -> Frame:
        return Frame(self._told.frame(message).encode())

    def _seats(self, message: Any) -> bool:
        """Whether a message tells, for the first time, that this spectator has a seat."""
        if message is grpc.aio.EOF:
            return False
        seated = self.player in seated_by(message)
        if self._asked.by_ticket:  # he can be shown more by another stream alone, once it is sure that he still sits
            self._sat = seated or (self._sat and left_by(message) != self.player)
        if not seated or self._asked.by_ticket:
            return False
        sequence = message.snapshot.match.sequence or message.event.sequence
        known, self._looked = self._looked, max(self._looked, sequence)
        return bool(sequence > known)

    async def _again(self) -> Any:
        """Call anew, for who calls sees more by now, and read on; without a second ticket the stream ends here."""
        self._call.cancel()
        asked = self._asked.behind(self._told.cursor)
        if asked is None:
            return grpc.aio.EOF
        self._asked = asked
        self._call = await self._streams.call(asked)
        return await self._read()

    @property
    def by_ticket(self) -> bool:
        """It cannot call again."""
        return self._asked.by_ticket

    async def call_behind(self, cursor: str) -> Any:
        """A call for all who share, as this spectator's, behind a cursor."""
        asked = self._asked.behind(cursor)
        assert asked is not None, "not by ticket"
        return await self._streams.call(asked)

    def go_alone(self) -> None:
        """A spectator has taken a seat: from here on he has a call of his own."""
        assert self._shared is not None, "a spectator"
        shared, self._shared = self._shared, None
        self._told = sse.Told(shared.cursor_of(self))
        whole = not self.paused
        shared.leave(self)
        asked = self._asked.behind(self._told.cursor)
        if asked is None or not whole:
            self.finish(whole=whole)
            return
        self._asked = asked
        self._task = asyncio.get_running_loop().create_task(self._tend(self._alone()))

    async def _alone(self) -> None:
        self._call = await self._streams.call(self._asked)
        message = await self._read()
        if message is not grpc.aio.EOF:
            self.send(self._written(message))
            self._first = message
            await self._follow()

    def _stop(self) -> None:
        self._stopping = True
        if self.transport is None:
            if self._call is not None:
                self._call.cancel()
        elif not self.transport.is_closing():
            if not self.paused:
                told = self._told if self._shared is None else sse.Told(self._shared.cursor_of(self))
                self.send(Frame(told.go_away().encode()))
            self.finish(whole=not self.paused)

    def let_go(self) -> None:
        """Have nothing come any more."""
        if self._shared is not None:
            shared, self._shared = self._shared, None
            shared.leave(self)
        if self._call is not None:
            self._call.cancel()
            self._call = None
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    def drained(self) -> None:
        """The client has read almost all."""
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        if self._shared is not None:
            self._shared.catch_up(self)

    def closed(self) -> None:
        """The client is gone, or everything is told."""
        self.let_go()
        if not self._over.done():
            self._over.set_result(None)
