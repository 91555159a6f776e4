"""Connections behind their last answer: they hold up nobody, and the answer arrives."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from support.gateway_process import GatewayProcess, running_gateway, until

LAST = (
    b"GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /version HTTP/1.0\r\n\r\n",
    b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n{",
    b"\x01\x02\r\n\r\n",
)


@pytest.fixture
def gateway() -> Iterator[GatewayProcess]:
    with running_gateway("127.0.0.1:1") as process:
        yield process


def connected(gateway: GatewayProcess) -> socket.socket:
    return socket.create_connection((gateway.host, gateway.port), timeout=10)


def whole(client: socket.socket) -> bytes:
    """All up to the end, which comes from the server."""
    answer = b""
    while some := client.recv(65_536):
        answer += some
    return answer


def test_clients_that_do_not_close_their_side_hold_up_nobody(gateway: GatewayProcess) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(gateway)) for _ in range(6) for _ in LAST]
        for client, request in zip(clients, LAST * 6, strict=True):
            client.sendall(request)
        assert gateway.get("/version")[0] == 200, "within 10 s"
        assert all(whole(client).startswith(b"HTTP/1.") for client in clients)
        until(lambda: all(_is_closed(client) for client in clients))
        assert gateway.get("/version")[0] == 200


def test_there_may_be_more_of_them_than_are_waited_for(gateway: GatewayProcess) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(gateway)) for _ in range(400)]
        for client in clients:
            client.sendall(LAST[0])
        assert all(whole(client).startswith(b"HTTP/1.1 200 ") for client in clients)
        assert gateway.get("/version")[0] == 200


def test_a_client_that_still_sends_its_body_gets_the_answer(gateway: GatewayProcess) -> None:
    with connected(gateway) as client:
        client.sendall(LAST[2])
        first = client.recv(1)
        for _ in range(10):
            client.sendall(b"x" * 60_000)
        head, _, body = (first + whole(client)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 413 ")
        assert json.loads(body)["reason"] == "BODY_TOO_LARGE"


def test_a_stop_waits_for_none_of_them_for_long(gateway: GatewayProcess) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(gateway)) for _ in range(24)]
        for client in clients:
            client.sendall(LAST[0])
        assert all(client.recv(1) for client in reversed(clients)), "each within 10 s"
        gateway.process.terminate()
        assert gateway.process.wait(10) == 0


def test_an_answer_that_leaves_a_body_unread_is_the_last(gateway: GatewayProcess) -> None:
    head = b"POST /v1/nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
    with connected(gateway) as client:
        client.sendall(head % 100_000_000 + b"a")
        answer = whole(client)
        assert answer.startswith(b"HTTP/1.1 404 ")
        assert b"\r\nConnection: close\r\n" in answer
    with connected(gateway) as client:
        client.sendall(head % 3 + b"abc" + LAST[0])
        answer = whole(client)
        assert answer.startswith(b"HTTP/1.1 404 ")
        assert b"\r\nConnection: keep-alive\r\n" in answer
        assert b"HTTP/1.1 200 " in answer, "a body that has come is passed over"


@pytest.mark.parametrize(
    "chunks", [b"zz\r\n{}\r\n", b"2\r\n{}x\r\n", b"2;\x01\r\n{}\r\n", b"0\r\nbad header: x\r\n\r\n"]
)
def test_a_malformed_body_in_chunks_is_told_and_is_the_last(gateway: GatewayProcess, chunks: bytes) -> None:
    head = (
        b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with connected(gateway) as client:
        client.sendall(head + chunks)
        answer, _, body = whole(client).partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"\r\nConnection: close" in answer
    problem = json.loads(body)
    assert (problem["reason"], problem["metadata"]) == ("MALFORMED_JSON", {"problem": "it broke off"})


def _is_closed(client: socket.socket) -> bool:
    """What is sent is refused."""
    with suppress(TimeoutError):
        try:
            client.sendall(b"x")
        except OSError:
            return True
    return False
