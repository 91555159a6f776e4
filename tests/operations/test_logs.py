"""Logs of both processes: one request followed through them, and no secret in either."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from support.house import CROUPIER, House, running_house
from support.processes import eventually
from support.rest import RestPlayer, SseReader
from support.service import channel, guest, running_service, told

from croupier.v1 import matches_pb2


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("logs") / "data") as house:
        yield house


def lines(house: House, name: str) -> list[dict[str, Any]]:
    """The lines of a log, but for those that announce an address."""
    text = (house.data / "logs" / f"{name}.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def of(house: House, name: str, request: str) -> list[dict[str, Any]]:
    return [line for line in lines(house, name) if line.get("request") == request]


def test_one_request_is_followed_through_both(house: House) -> None:
    ann = RestPlayer(house.web)
    match = ann.create(seats=4, preset="single_deal", bots=[{"level": "careful"}] * 3)
    connection = ann.connect()
    try:
        body = json.dumps({"requestId": "first", "window": match["you"]["window"]["id"], "choice": 0})
        headers = {
            "content-type": "application/json",
            "authorization": f"Bearer {ann.token}",
            "x-request-id": "follow-me-1",
        }
        connection.request("POST", f"/v1/matches/{match['id']}:act", body, headers)
        response = connection.getresponse()
        response.read()
        assert (response.status, response.headers["x-request-id"]) == (200, "follow-me-1")
    finally:
        connection.close()
    assert eventually(lambda: bool(of(house, "gateway", "follow-me-1") and of(house, "service", "follow-me-1")))
    (outside,), (inside,) = of(house, "gateway", "follow-me-1"), of(house, "service", "follow-me-1")
    assert (outside["method"], outside["route"], outside["status"]) == ("POST", "/v1/matches/{match}:act", 200)
    assert (inside["message"], inside["method"], inside["outcome"]) == ("call", "/croupier.v1.Matches/Act", "OK")
    assert outside["match"] == inside["match"] == match["id"]
    assert inside["player"] == ann.id
    assert outside["ms"] >= 0
    assert inside["ms"] >= 0
    for line in (outside, inside):
        assert {"time", "level", "message"} <= line.keys()


def test_a_request_without_a_name_gets_one_that_both_know(house: House) -> None:
    ann = RestPlayer(house.web)
    connection = ann.connect()
    try:
        connection.request("GET", "/v1/players/me", headers={"authorization": f"Bearer {ann.token}"})
        response = connection.getresponse()
        response.read()
        name = response.headers["x-request-id"]
    finally:
        connection.close()
    assert name
    assert eventually(lambda: bool(of(house, "gateway", name) and of(house, "service", name)))
    assert of(house, "service", name)[0]["player"] == ann.id


async def test_over_grpc_the_name_of_a_request_comes_back_in_the_metadata(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as wire:
        ann = await guest(wire)
        named = (*ann.auth, ("x-request-id", "mine-2"))
        answered = ann.matches.ListMatches(matches_pb2.ListMatchesRequest(), metadata=named)
        await answered
        assert dict(await answered.trailing_metadata())["x-request-id"] == "mine-2"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ann.matches.GetMatch(matches_pb2.GetMatchRequest(match="m-none"), metadata=named)
        assert dict(refused.value.trailing_metadata())["x-request-id"] == "mine-2"
        assert told(refused.value).reason == "MATCH_NOT_FOUND"
        unnamed = ann.matches.ListMatches(matches_pb2.ListMatchesRequest(), metadata=ann.auth)
        await unnamed
        assert dict(await unnamed.trailing_metadata())["x-request-id"]


def test_no_secret_is_in_any_log(house: House) -> None:
    ann, bob = RestPlayer(house.web), RestPlayer(house.web)
    match = ann.create(
        seats=4, preset="single_deal", visibility="PRIVATE", bots=[{"level": "careful"}, {"level": "random"}]
    )
    bob.call("POST", f"/v1/matches/{match['id']}:join", {"joinCode": "WRONGCODE"}, expected=403)
    bob.call("POST", f"/v1/matches/{match['id']}:join", {"joinCode": match["joinCode"]})
    ticket = ann.call("POST", f"/v1/matches/{match['id']}/events:ticket", {})["ticket"]
    stream = SseReader(ann, match["id"])
    while ann.get(match["id"])["state"] == "RUNNING":
        for player in (ann, bob):
            view = player.get(match["id"])
            if view["state"] == "RUNNING" and view["you"]["window"]["choices"]:
                player.answer(view)
    stream.join(30)
    ann.call("POST", f"/v1/matches/{match['id']}:act", {"window": "w0", "choice": 0}, expected=422)
    seed = ann.call("GET", f"/v1/matches/{match['id']}/replay")["seed"]
    for log in (house.data / "logs").glob("*.log"):
        text = log.read_text(encoding="utf-8")
        for secret in (ann.token, bob.token, match["joinCode"], "WRONGCODE", ticket, seed):
            assert secret not in text, log.name
        for word in ('"hand"', '"choices"', '"view"', "crp_", "Bearer"):
            assert word not in text, log.name


def test_settings_are_told_at_start_without_their_secrets(house: House) -> None:
    (told,) = [line for line in lines(house, "service") if line["message"] == "settings"]
    assert told["redis_url"].startswith("unix://")
    assert (told["shards"], told["drain"], told["metrics_port"]) == (64, 10_000, 0)
    (told,) = [line for line in lines(house, "gateway") if "settings" in line]
    assert told["settings"]["threads"] == 200


@pytest.mark.parametrize("address", ["redis://ann:s3cret@127.0.0.1:1/0", "redis://127.0.0.1:1/0?password=s3cret"])
def test_a_password_is_in_no_line_of_a_service_that_cannot_start(address: str) -> None:
    ended = subprocess.run(
        [*CROUPIER, "serve", "--redis-url", address, "--port", "0"],
        env={"PATH": sys.exec_prefix},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert '"message": "settings"' in ended.stderr
    assert "127.0.0.1:1" in ended.stderr
    assert "s3cret" not in ended.stderr + ended.stdout


def test_what_the_clock_does_and_what_bots_answer_is_told_of_their_match(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_LOG_LEVEL", "DEBUG")
    with running_house(tmp_path / "data", "--redis-url", redis_url) as house:
        ann = RestPlayer(house.web)
        match = ann.create(seats=2, preset="single_deal", bots=[{"level": "random"}], clock={"windowDuration": "0.05s"})
        assert eventually(lambda: ann.get(match["id"])["state"] == "OVER", seconds=30)
        told_of = [line for line in lines(house, "service") if line.get("match") == match["id"]]
    fired = [line for line in told_of if line["message"] == "clock.fired"]
    assert fired
    assert all(line["late_ms"] >= 50 for line in fired)
    answered = [line for line in told_of if line["message"] == "play.answered"]
    assert answered
    assert all(line["player"].startswith("p-") and line["request"] for line in answered)


def test_the_level_is_a_setting_of_both(tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_LOG_LEVEL", "WARNING")
    with running_house(tmp_path / "data", "--redis-url", redis_url) as house:
        RestPlayer(house.web)
        assert lines(house, "service") == lines(house, "gateway") == []
