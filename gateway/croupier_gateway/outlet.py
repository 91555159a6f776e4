"""The connection of a stream, as it is written to in the strand; whoever does not read is cut off."""

import asyncio
from typing import cast

from croupier_gateway.frames import Frame


class Outlet(asyncio.Protocol):
    """One connection, and what is put into it."""

    __slots__ = ("_stall", "_timer", "chunked", "paused", "sent", "transport")

    def __init__(self, stall: float) -> None:
        """`stall`: seconds for which the client may take nothing."""
        self._stall = stall
        self._timer: asyncio.TimerHandle | None = None
        self.chunked = False  # how HTTP has the body
        self.transport: asyncio.Transport | None = None
        self.paused = False  # the client does not read as fast as it is written to
        self.sent = 0  # bytes

    def send(self, frame: Frame) -> None:
        """Write; not to be called while it is paused."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(frame.chunk if self.chunked else frame.text)
            self.sent += len(frame.text)

    def finish(self, *, whole: bool = True) -> None:
        """Close the connection; `whole`: behind all that was written, else at once."""
        self.let_go()
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        if not whole:
            transport.abort()
            return
        if self.chunked:
            transport.write(b"0\r\n\r\n")
        transport.close()
        left = transport.get_write_buffer_size()
        if left and self._timer is None:
            self._timer = self._look_later(left)

    def let_go(self) -> None:
        """Have nothing come any more."""
        raise NotImplementedError

    def drained(self) -> None:
        """The client has read almost all."""
        raise NotImplementedError

    def closed(self) -> None:
        """The connection is no more."""
        raise NotImplementedError

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.closed()

    def pause_writing(self) -> None:
        """More was written than the client reads at present."""
        self.paused = True
        assert self.transport is not None, "a connection"
        if self._timer is None:
            self._timer = self._look_later(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """The client has read almost all."""
        self.paused = False
        if self._timer is not None and self.transport is not None and not self.transport.is_closing():
            self._timer.cancel()
            self._timer = None
        self.drained()

    def _look_later(self, left: int) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self._stall, self._look, left)

    def _look(self, before: int) -> None:
        """Cut off a client who has taken nothing since the last look."""
        assert self.transport is not None, "a connection"
        left = self.transport.get_write_buffer_size()
        if left >= before:
            self.transport.abort()
        else:
            self._timer = self._look_later(left)
