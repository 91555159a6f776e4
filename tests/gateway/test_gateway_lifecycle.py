"""How the gateway starts and stops, and what it logs."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.fake_api import FakeApi, running_api
from support.gateway_process import running_gateway, until
from support.stand import set_stand
from support.watched_table import set_table

from croupier.v1 import matches_pb2

EVENTS = "/v1/matches/abcd/events"


def test_a_dead_service_ends_streams_and_a_new_one_resumes_them() -> None:
    with running_api() as first:
        table = set_table(first)
        target = first.target
        gateway_run = running_gateway(target)
        gateway = gateway_run.__enter__()
        watch = gateway.watch()
        watch.block()
        table.happen()
        assert watch.block()[1] == "id: 4"
    try:
        assert watch.block() == [], "the stream just ends"
        watch.close()
        status, problem = gateway.get("/v1/games")
        assert (status, problem["reason"]) == (503, "UNAVAILABLE")
        assert gateway.get("/readyz")[0] == 503
        assert gateway.refused()["reason"] == "UNAVAILABLE"
        with running_api(port=int(target.rsplit(":", 1)[1])) as second:
            set_table(second).happen(2)
            until(lambda: gateway.get("/readyz")[0] == 200)
            watch = gateway.watch(Last_Event_ID="4")
            assert watch.block()[1:3] == ["event: event", "id: 5"]
            watch.close()
    finally:
        gateway_run.__exit__(None, None, None)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_what_waits_and_tells_where_to_go_on(api: FakeApi, how: signal.Signals) -> None:
    table = set_table(api)
    with running_gateway(api.target) as gateway:
        watch = gateway.watch()
        watch.block()
        poll = gateway.connect()
        poll.request("GET", EVENTS + "?wait=20s")
        until(lambda: table.open == 2)
        began = time.monotonic()
        gateway.process.send_signal(how)
        assert watch.block() == ["event: end", "id: 3", 'data: {"reason":"GO_AWAY","sequence":3}']
        assert watch.block() == []
        answer = poll.getresponse()
        assert (answer.status, json.loads(answer.read())["reason"]) == (503, "GOING_DOWN")
        watch.close()
        poll.close()
        assert gateway.process.wait(10) == 0
        assert time.monotonic() - began < 12


def test_a_call_in_progress_is_finished_before_the_stop(api: FakeApi) -> None:
    begun = threading.Event()

    def slow(request: Any, context: Any) -> matches_pb2.ActResponse:
        begun.set()
        time.sleep(0.5)
        return matches_pb2.ActResponse(applied_sequence=7)

    api.answers["Act"] = slow
    with running_gateway(api.target) as gateway:
        connection = gateway.connect()
        headers = {"Content-Type": "application/json", "Connection": "close"}
        connection.request("POST", "/v1/matches/abcd:act", body="{}", headers=headers)
        assert begun.wait(5)
        gateway.process.send_signal(signal.SIGTERM)
        assert json.loads(connection.getresponse().read())["appliedSequence"] == 7
        connection.close()
        assert gateway.process.wait(15) == 0


def test_a_taken_port_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        process = subprocess.run(
            [sys.executable, "-m", "croupier_gateway.main"],
            env={**os.environ, "CROUPIER_GATEWAY_PORT": str(port)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert process.returncode == 2
    assert process.stdout == ""
    (line,) = process.stderr.splitlines()
    assert line.startswith(f"127.0.0.1:{port} is in use;")
    assert "CROUPIER_GATEWAY_PORT" in line


def test_logs_are_json_lines_without_secrets(api: FakeApi, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log, running_gateway(api.target, stderr=log) as gateway:
        gateway.get("/v1/matches/%D0%B0?page_token=s3cret", Authorization="Bearer s3cret", X_Request_Id="mine")
        gateway.get("/v1/matches", Authorization="Bearer s3cret\xff")
        gateway.watch(EVENTS + "?ticket=s3cret").close()
        with socket.create_connection((gateway.host, gateway.port)) as rude:
            rude.sendall(b"GET /v1/games HTTP/1.1\r\nAuthorization: Bearer s3cret\x00\r\n\r\n")
            rude.recv(1000)
        gateway.stop()
        assert gateway.process.stdout is not None
        assert gateway.process.stdout.read() == ""
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert "s3cret" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    (entry,) = [line for line in lines if line.get("request") == "mine"]
    assert (entry["message"], entry["status"]) == ("GET /v1/matches/{match}", 400)
    assert {line["level"] for line in lines} <= {"info", "warning"}


def test_what_breaks_a_shared_stream_is_logged_as_a_fault(api: FakeApi, tmp_path: Path) -> None:
    stand = set_stand(api)
    with (tmp_path / "log").open("wb") as log, running_gateway(api.target, stderr=log) as gateway:
        with closing(gateway.watch(Authorization="Bearer ann")) as watch:
            watch.block()
            stand.happen()
            assert watch.block()
            assert watch.block()
            stand.happen(seconds=10**15)  # no time that can be written
            assert watch.block() == []
        gateway.stop()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    (fault,) = [line for line in lines if line["level"] == "error"]
    assert (fault["logger"], fault["message"]) == ("croupier.gateway", "a shared stream failed")
    assert "Traceback" in fault["exception"]


def test_what_libraries_log_is_json_too() -> None:
    program = (
        "import logging; from gunicorn.config import Config; from croupier_gateway.logs import JsonLogger; "
        "JsonLogger(Config()); [logging.getLogger(name).error('x') for name in ('asyncio', 'grpc.aio._call')]"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [json.loads(line)["logger"] for line in ended.stderr.splitlines()] == ["asyncio", "grpc.aio._call"]


@pytest.mark.parametrize(("most", "code"), [(200, 2), (264, None)])
def test_as_many_files_as_calls_are_there_or_it_does_not_start(most: int, code: int | None) -> None:
    environment = os.environ | {"CROUPIER_GATEWAY_PORT": "0", "CROUPIER_GATEWAY_THREADS": "200"}
    start = ["bash", "-c", f"ulimit -Sn 100; ulimit -Hn {most}; exec {sys.executable} -m croupier_gateway.main"]
    with subprocess.Popen(start, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if code is None:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("web: ")
            process.terminate()
        _, said = process.communicate(timeout=30)
    if code is not None:
        assert process.returncode == code
        assert "CROUPIER_GATEWAY_THREADS is 200" in said
