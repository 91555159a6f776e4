"""The gateway as it is run: gunicorn, threads, sockets, signals."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from support.fake_api import FakeApi
from support.gateway_process import GatewayProcess, Watch, running_gateway, until
from support.watched_table import Table, set_table

from croupier.v1 import matches_pb2

Message = matches_pb2.WatchMatchResponse
EVENTS = "/v1/matches/abcd/events"
LIMIT = 8
"""Waiting calls at a time: 40 threads, less 32."""


@pytest.fixture(scope="module")
def _gateway(_api: FakeApi) -> Iterator[GatewayProcess]:
    with running_gateway(_api.target) as gateway:
        yield gateway


@pytest.fixture
def table(api: FakeApi) -> Table:
    return set_table(api)


@pytest.fixture
def gateway(_gateway: GatewayProcess, table: Table) -> Iterator[GatewayProcess]:
    """The process all these tests share; each leaves it with no call waiting."""
    yield _gateway
    until(lambda: table.open == 0)


def fill(gateway: GatewayProcess, places: int) -> list[Watch]:
    """That many streams, once so many places are free: one is freed shortly after its answer was closed."""
    watches: list[Watch] = []

    def opened() -> bool:
        watches.extend(gateway.watch() for _ in range(places))
        if all(watch.status == 200 for watch in watches):
            return True
        for watch in watches:
            watch.close()
        watches.clear()
        return False

    until(opened, 10)
    return watches


def test_events_arrive_one_by_one(gateway: GatewayProcess, table: Table) -> None:
    watch = gateway.watch()
    assert watch.response.headers["Transfer-Encoding"] == "chunked"
    assert watch.block()[1:3] == ["event: snapshot", "id: 3"]
    for sequence in (4, 5):
        table.happen()
        assert watch.block()[:2] == ["event: event", f"id: {sequence}"]
    watch.close()


def test_a_client_resumes_behind_the_last_id_it_saw(gateway: GatewayProcess, table: Table) -> None:
    watch = gateway.watch()
    watch.block()
    table.happen(2)
    assert watch.block()[1] == "id: 4"
    watch.close()
    table.happen(2)
    watch = gateway.watch(Last_Event_ID="4")
    assert [watch.block()[-2] for _ in range(3)] == ["id: 5", "id: 6", "id: 7"]
    watch.close()


def test_a_client_that_goes_is_noticed_without_any_message(gateway: GatewayProcess, table: Table) -> None:
    watch = gateway.watch()
    watch.block()
    assert table.open == 1
    watch.close()
    until(lambda: table.open == 0)


def test_a_long_poll_whose_client_goes_is_ended(gateway: GatewayProcess, table: Table) -> None:
    connection = gateway.connect()
    connection.request("GET", EVENTS + "?wait=20s")
    until(lambda: table.open == 1)
    connection.close()
    until(lambda: table.open == 0)


def test_waiting_calls_are_bounded_and_all_others_go_on(gateway: GatewayProcess, table: Table) -> None:
    watches = fill(gateway, LIMIT - 1)
    poll = gateway.connect()
    poll.request("GET", EVENTS + "?wait=20s")
    until(lambda: table.open == LIMIT)
    refused = gateway.refused()
    assert (refused["status"], refused["reason"], refused["retryAfter"]) == (503, "OVERLOADED", 1)
    status, problem = gateway.get(EVENTS + "?wait=1s")
    assert (status, problem["reason"], problem["metadata"]["limit"]) == (503, "OVERLOADED", str(LIMIT))
    assert gateway.get(EVENTS)[0] == 200, "a poll that does not wait needs no place"
    assert gateway.get("/v1/games")[0] == 200
    for watch in watches:
        watch.close()
    poll.close()


def test_places_come_back_however_a_call_ends(gateway: GatewayProcess, table: Table, api: FakeApi) -> None:
    def dying(request: Any, context: Any) -> Iterator[Message]:
        yield Message(event=matches_pb2.Event(sequence=1))
        raise RuntimeError

    def refused(request: Any, context: Any) -> Iterator[Message]:
        raise RuntimeError

    watching = table.watch
    api.answers["WatchMatch"] = lambda request, context: iter([Message(event=matches_pb2.Event(sequence=1))])
    with closing(gateway.watch()) as watch:
        assert len(watch.response.read().split(b"\n\n")) == 2
    api.answers["WatchMatch"] = dying
    with closing(gateway.watch()) as watch:
        assert len(watch.response.read().split(b"\n\n")) == 2
    api.answers["WatchMatch"] = refused
    assert gateway.refused()["reason"] == "INTERNAL"
    api.answers["WatchMatch"] = watching
    assert gateway.get(EVENTS + "?wait=0.001s")[0] == 200
    assert gateway.get(EVENTS + "?wait=x")[0] == 400
    with closing(gateway.connect()) as connection:
        connection.request("HEAD", EVENTS, headers={"Accept": "text/event-stream"})
        with closing(connection.getresponse()) as response:
            assert response.status == 200
    with socket.create_connection((gateway.host, gateway.port)) as rude:
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end
        rude.sendall(f"GET {EVENTS} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode())
        rude.recv(100)
    watches = fill(gateway, LIMIT)
    assert gateway.refused()["reason"] == "OVERLOADED"
    for watch in watches:
        watch.close()


def test_a_chunked_body_is_bounded_too(gateway: GatewayProcess, api: FakeApi) -> None:
    def chunks(count: int) -> Iterator[bytes]:
        yield b'{"window":"'
        yield from (b"w" * 1024 for _ in range(count))
        yield b'"}'

    for count, status in ((255, 200), (256, 413)):
        connection = gateway.connect()
        connection.request(
            "POST",
            "/v1/matches/abcd:act",
            body=chunks(count),
            headers={"Content-Type": "application/json"},
            encode_chunked=True,
        )
        response = connection.getresponse()
        assert response.status == status
        if status == 413:
            assert json.loads(response.read())["reason"] == "BODY_TOO_LARGE"
        connection.close()


def test_bodies_that_do_not_come_hold_up_nobody_who_needs_none(gateway: GatewayProcess) -> None:
    head = b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
    stalled = [socket.create_connection((gateway.host, gateway.port)) for _ in range(60)]
    try:
        for one in stalled:
            one.sendall(head)
        # More than there are threads: some are told so, the others wait for their rest.
        answered = 0
        for one in stalled:
            one.settimeout(0.05)
            try:
                answered += one.recv(12) == b"HTTP/1.1 503"
            except TimeoutError:
                continue
        assert answered == 60 - 24
        assert gateway.get("/v1/time")[0] == 200
    finally:
        for one in stalled:
            one.close()
    until(lambda: gateway.get("/v1/time")[0] == 200)


def test_the_head_of_a_stream_is_all_there_is(gateway: GatewayProcess, table: Table) -> None:
    for _ in range(LIMIT + 1):
        with closing(gateway.connect()) as connection:
            connection.request("HEAD", EVENTS, headers={"Accept": "text/event-stream"})
            response = connection.getresponse()
            assert response.headers["Content-Type"].startswith("text/event-stream")
            assert response.read() == b""


def test_what_is_not_http_gets_an_answer_and_harms_nobody(gateway: GatewayProcess) -> None:
    for request in (
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"\x16\x03\x01",
    ):
        with socket.create_connection((gateway.host, gateway.port)) as rude:
            rude.sendall(request)
            rude.shutdown(socket.SHUT_WR)
            answer = rude.recv(1000)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert gateway.get("/v1/games")[0] == 200


def test_a_connection_is_closed_behind_a_stream_alone(gateway: GatewayProcess) -> None:
    both = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with closing(gateway.connect()) as connection:
        for method, address, status in (
            ("POST", "/v1/matches/abcd:act", 200),
            ("GET", "/v1/matches/abcd", 200),
            ("GET", EVENTS + "?after=x", 400),
        ):
            connection.request(method, address, body=b"{}" if method == "POST" else None, headers=both)
            with closing(connection.getresponse()) as response:
                assert (response.status, response.headers["Connection"]) == (status, "keep-alive")
                response.read()
        connection.request("GET", EVENTS, headers=both)
        with closing(connection.getresponse()) as response:
            assert (response.status, response.headers["Connection"]) == (200, "close")
