"""A client that does not read its stream, or is gone: its place is free again, and the call behind it is ended."""

import ctypes
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from support.fake_api import FakeApi
from support.gateway_process import running_gateway, until
from support.watched_table import set_table

from croupier.v1 import matches_pb2

WATCHING = b"GET /v1/matches/abcd/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
PLENTY = "x" * 100_000  # in each event: more than sockets hold, after some of them


class Flood:
    """A stream that never ends."""

    def __init__(self) -> None:
        self.open = 0
        self.told = 0

    def watch(self, request: Any, context: Any) -> Iterator[matches_pb2.WatchMatchResponse]:
        self.open += 1
        context.add_callback(self._close)
        while context.is_active():
            self.told += 1
            yield matches_pb2.WatchMatchResponse(event=matches_pb2.Event(sequence=self.told, type=PLENTY))

    def _close(self) -> None:
        self.open -= 1


def test_whoever_does_not_read_loses_his_place(api: FakeApi) -> None:
    flood = Flood()
    api.answers.update(WatchMatch=flood.watch)
    with running_gateway(api.target, CROUPIER_GATEWAY_THREADS="33", CROUPIER_STALL="1000") as gateway:
        with socket.create_connection((gateway.host, gateway.port)) as deaf:
            deaf.sendall(WATCHING)
            until(lambda: flood.open == 1)
            assert gateway.refused()["reason"] == "OVERLOADED", "it has the only place"
            until(lambda: flood.open == 0, 20)
            until(lambda: _reads(gateway), 10)


def test_whoever_vanishes_without_a_word_loses_his_place(api: FakeApi) -> None:
    table = set_table(api)
    with running_gateway(api.target, CROUPIER_STALL="1000") as gateway:
        with socket.create_connection((gateway.host, gateway.port)) as client:
            client.sendall(WATCHING)
            assert client.recv(1000)
            until(lambda: table.open == 1)
            _vanish(client)
            table.happen()
            until(lambda: table.open == 0, 20)


def _vanish(client: socket.socket) -> None:
    """Have the kernel drop all that comes to a client from now on, and so acknowledge nothing."""
    keep_nothing = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))  # BPF: return 0 bytes
    program = struct.pack("HP", 1, ctypes.addressof(keep_nothing))
    client.setsockopt(socket.SOL_SOCKET, 26, program)  # SO_ATTACH_FILTER


def _reads(gateway: Any) -> bool:
    """Another one gets the place, and what he reads is not cut off."""
    with closing(gateway.watch()) as watch:
        return watch.status == 200 and all(any(watch.block()) for _ in range(3))
