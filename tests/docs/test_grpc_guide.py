"""docs/grpc.md is true: its program plays, and does what the page says about refusals and resumes."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from support.fake_api import FakeApi, running_api
from support.house import running_house

from croupier.v1 import matches_pb2

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "grpc.md").read_text(encoding="utf-8")
((KIND, PROGRAM),) = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
DEFINITIONS = PROGRAM.partition("\nme = ")[0]


def run(target: str, text: str, folder: Path) -> list[str]:
    """The lines that a program prints."""
    (folder / "program.py").write_text(text.replace("127.0.0.1:50051", target), encoding="utf-8")
    command = [sys.executable, "-P", "program.py"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=90, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def test_it_plays_and_follows_a_match(tmp_path: Path) -> None:
    with running_house(tmp_path / "data") as house:
        *told, scores = run(house.grpc, PROGRAM, tmp_path)
    assert re.fullmatch(r"\[\d+, \d+, \d+\]", scores)
    events = [line.split() for line in told]
    numbers = [int(number) for number, _ in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert events[-1][1] == "match.over"


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with running_api() as api:
        yield api


def refuse(context: Any, code: grpc.StatusCode, reason: str, window: str = "", wait_ms: int = 0) -> None:
    """End a call as the service does."""
    parts: list[Any] = [error_details_pb2.ErrorInfo(reason=reason)]
    if window:
        parts.append(matches_pb2.Window(id=window))
    if wait_ms:
        delay = Duration()
        delay.FromMilliseconds(wait_ms)
        parts.append(error_details_pb2.RetryInfo(retry_delay=delay))
    packed = [AnyMessage() for _ in parts]
    for each, part in zip(packed, parts, strict=True):
        each.Pack(part)
    context.abort_with_status(
        rpc_status.to_status(status_pb2.Status(code=code.value[0], message=reason, details=packed))
    )


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "RESOURCE_EXHAUSTED"])
def test_it_sends_again_what_the_page_says(api: FakeApi, tmp_path: Path, code: str) -> None:
    def create(request: Any, context: Any) -> Any:
        if len(api.calls) < 2:
            refuse(context, grpc.StatusCode[code], "OVERLOADED", wait_ms=10)
        return matches_pb2.Match(id="abcd")

    api.answers["CreateMatch"] = create
    use = 'print(call(matches.CreateMatch, matches_pb2.CreateMatchRequest(request_id="one")).id)'
    assert run(api.target, f"{DEFINITIONS}\n{use}", tmp_path) == ["abcd"]
    assert [recorded.request.request_id for recorded in api.calls] == ["one", "one"]


def test_it_reads_the_details_of_a_refusal(api: FakeApi, tmp_path: Path) -> None:
    def act(request: Any, context: Any) -> None:
        refuse(context, grpc.StatusCode.ABORTED, "STALE_WINDOW", window="d1.t2.choose", wait_ms=1_500)

    api.answers["Act"] = act
    use = """
try:
    call(matches.Act, matches_pb2.ActRequest())
except grpc.RpcError as error:
    reason, window, wait = details(error)
    print(reason, window.id, wait)
"""
    assert run(api.target, DEFINITIONS + use, tmp_path) == ["STALE_WINDOW d1.t2.choose 1.5"]
    assert len(api.calls) == 1


@pytest.mark.parametrize("end", ["GO_AWAY", "BEHIND", "broken"])
def test_it_resumes_behind_the_last_event(api: FakeApi, tmp_path: Path, end: str) -> None:
    def watch(request: Any, context: Any) -> Iterator[matches_pb2.WatchMatchResponse]:
        number = request.after + 1
        yield matches_pb2.WatchMatchResponse(event=matches_pb2.Event(sequence=number, mark=f"m{number}"))
        if number < 2 and end == "broken":
            refuse(context, grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE")
        reason = end if number < 2 else "OVER"
        yield matches_pb2.WatchMatchResponse(end=matches_pb2.StreamEnd(reason=reason, sequence=number))

    api.answers["WatchMatch"] = watch
    use = """
for message in follow("abcd", (("authorization", "Bearer t"),)):
    if message.HasField("event"):
        print(message.event.sequence)
"""
    assert run(api.target, DEFINITIONS + use, tmp_path) == ["1", "2"]
    assert [(recorded.request.after, recorded.request.mark) for recorded in api.calls] == [(0, ""), (1, "m1")]
    assert api.last.metadata["authorization"] == "Bearer t"
