"""A client that does not read its stream: its place is free again, and the call behind it is ended."""

import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from support.fake_api import FakeApi
from support.gateway_process import running_gateway, until

from croupier.v1 import matches_pb2

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
            deaf.sendall(b"GET /v1/matches/abcd/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
            until(lambda: flood.open == 1)
            assert gateway.refused()["reason"] == "OVERLOADED", "it has the only place"
            until(lambda: flood.open == 0, 20)
            until(lambda: _reads(gateway), 10)


def _reads(gateway: Any) -> bool:
    """Another one gets the place, and what he reads is not cut off."""
    with closing(gateway.watch()) as watch:
        return watch.status == 200 and all(any(watch.block()) for _ in range(3))
