"""A service that takes a call and is gone before it has said anything: the barest of HTTP/2."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

_PREFACE = 24  # bytes that a client begins with
_HEAD = 9  # bytes before each frame: length, type, flags, stream
_DATA, _SETTINGS = 0, 4
_ACKNOWLEDGED = 1

WAYS = {
    "dropped": b"",
    "refused": b"\0\0\x04\x03\0\0\0\0\x01" + b"\0\0\0\x07",  # RST_STREAM of stream 1, REFUSED_STREAM
    "sent away": b"\0\0\x08\x07\0\0\0\0\0" + b"\0\0\0\0" + b"\0\0\0\0",  # GOAWAY, no stream was looked at
}
"""What it says to a call before it goes."""


@contextmanager
def vanishing_service(last: bytes) -> Iterator[str]:
    """Its target. It takes one connection, and one call on it; from then on nobody listens there."""
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=_serve, args=(listener, last))
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _serve(listener: socket.socket, last: bytes) -> None:
    with listener, suppress(OSError):
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as sent:
            connection.sendall(_frame(_SETTINGS))
            sent.read(_PREFACE)
            _await_request(connection, sent)
            listener.close()
            connection.sendall(last)
            connection.shutdown(socket.SHUT_WR)
            sent.read()


def _await_request(connection: socket.socket, sent: BinaryIO) -> None:
    while head := sent.read(_HEAD):
        sent.read(int.from_bytes(head[:3]))
        kind, flags = head[3], head[4]
        if kind == _DATA:
            return
        if kind == _SETTINGS and not flags & _ACKNOWLEDGED:
            connection.sendall(_frame(_SETTINGS, _ACKNOWLEDGED))


def _frame(kind: int, flags: int = 0) -> bytes:
    return bytes((0, 0, 0, kind, flags, 0, 0, 0, 0))
