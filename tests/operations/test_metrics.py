"""What Prometheus reads of both processes while a match is played."""

import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.house import CROUPIER, House, running_house
from support.processes import eventually
from support.rest import RestPlayer, SseReader
from support.scraping import Scrape, two_ports

LABELS = {"method", "reason", "game", "state", "route", "status", "le"}


class Measured(House):
    """A house whose metrics are on."""

    port: int

    def service(self) -> Scrape:
        return Scrape(f"http://127.0.0.1:{self.port}/metrics")

    def gateway(self) -> Scrape:
        return Scrape(f"http://127.0.0.1:{self.port + 1}/metrics")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    port = two_ports()
    house = Measured(tmp_path_factory.mktemp("measured") / "data", "--metrics-port", str(port))
    house.port = port
    try:
        house.await_ready()
        yield house
    finally:
        house.stop()


def test_the_addresses_are_printed(house: Measured) -> None:
    assert house.lines["metrics"] == f"http://127.0.0.1:{house.port + 1}/metrics"
    assert house.service().value("croupier_shards_led") == 64


def test_both_processes_tell_of_a_match_while_it_is_played_and_afterwards(house: Measured) -> None:
    ann = RestPlayer(house.web)
    match = ann.create(seats=4, preset="single_deal", bots=[{"level": "careful"}] * 3)
    stream = SseReader(ann, match["id"])
    assert eventually(lambda: stream.first is not None)
    service, gateway = house.service(), house.gateway()
    assert service.value("croupier_streams_open", method="/croupier.v1.Matches/WatchMatch") == 1
    assert service.value("croupier_streams_open", method="/croupier.v1.Bots/Play") == 20
    assert service.value("croupier_play_sessions") == 20
    assert service.value("croupier_feeds") == 1
    assert service.value("croupier_matches_opened_total", game="six_nimmt") == 1
    assert service.value("croupier_matches_finished_total") == 0
    assert gateway.value("croupier_gateway_waiting_calls") == 1
    assert gateway.value("croupier_gateway_waiting_limit") == 168

    assert ann.play(match["id"])["state"] == "OVER"
    stream.join(30)
    assert eventually(lambda: house.gateway().value("croupier_gateway_waiting_calls") == 0)
    service, gateway = house.service(), house.gateway()
    acts = service.value("croupier_calls_total", method="/croupier.v1.Matches/Act", reason="OK")
    assert acts >= 10
    assert service.value("croupier_call_seconds_count", method="/croupier.v1.Matches/Act") == acts
    assert service.value("croupier_matches_finished_total", game="six_nimmt", state="OVER") == 1
    assert service.value("croupier_commits_total", game="six_nimmt") >= 40, "each of four players commits ten cards"
    assert service.value("croupier_store_seconds_count") > 0
    assert service.value("croupier_store_commands_total") >= service.value("croupier_store_seconds_count")
    assert service.value("croupier_store_failures_total") == 0
    act = {"method": "POST", "route": "/v1/matches/{match}:act"}
    assert gateway.value("croupier_gateway_requests_total", **act, status="200") == acts
    assert gateway.value("croupier_gateway_request_seconds_count", **act) == acts
    events = {"method": "GET", "route": "/v1/matches/{match}/events"}
    assert gateway.value("croupier_gateway_requests_total", **events, status="200") >= 1
    assert gateway.value("croupier_gateway_request_seconds_count", **events) == 0, "how long a stream lasted is no news"

    for scrape in (service, gateway):
        assert {name for sample in scrape.own() for name in sample.labels} <= LABELS
        for secret in (match["id"], ann.id, ann.token, "Rest", "careful"):
            assert secret not in scrape.text


def test_refusals_and_addresses_of_nobody_are_counted_without_their_names(house: Measured) -> None:
    ann = RestPlayer(house.web)
    ann.call("GET", "/v1/matches/m-nosuchmatch", expected=404)
    ann.call("GET", "/v1/s3cret", expected=404)
    service, gateway = house.service(), house.gateway()
    refused = {"method": "/croupier.v1.Matches/GetMatch", "reason": "MATCH_NOT_FOUND"}
    assert service.value("croupier_calls_total", **refused) == 1
    assert gateway.value("croupier_gateway_requests_total", route="/v1/matches/{match}", status="404") == 1
    assert gateway.value("croupier_gateway_requests_total", route="-", status="404") == 1
    assert "s3cret" not in gateway.text
    assert "nosuchmatch" not in service.text + gateway.text


def test_fired_deadlines_and_how_late_they_were(house: Measured) -> None:
    ann = RestPlayer(house.web)
    match = ann.create(seats=2, preset="single_deal", bots=[{"level": "random"}], clock={"windowDuration": "0.1s"})
    assert eventually(lambda: ann.get(match["id"])["state"] == "OVER", seconds=30)
    service = house.service()
    fired = service.value("croupier_deadline_lateness_seconds_count", game="six_nimmt")
    assert fired >= 9
    assert 0.25 <= service.value("croupier_deadline_lateness_seconds_sum", game="six_nimmt") / fired < 5


def test_metrics_are_not_for_everybody(house: Measured) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{house.web}/metrics", timeout=10)
    refused.value.close()
    assert refused.value.code == 404


def test_without_a_wish_there_are_none(tmp_path: Path, redis_url: str) -> None:
    with running_house(tmp_path / "data", "--redis-url", redis_url) as house:
        assert list(house.lines) == ["web", "docs", "grpc"]
        for name in ("service", "gateway"):
            assert "metrics:" not in (house.data / "logs" / f"{name}.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("gateway", "--port", "0")])
def test_a_port_in_use_is_told_in_one_line(redis_url: str, command: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = subprocess.run(
            [*CROUPIER, *command],
            env={
                "PATH": sys.exec_prefix,
                "CROUPIER_REDIS_URL": redis_url,
                "CROUPIER_DURABILITY": "memory",
                "CROUPIER_METRICS_PORT": str(port),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (2, "")
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(lines) == 1
    assert f"127.0.0.1:{port}" in lines[0]
    assert "CROUPIER_METRICS_PORT" in lines[0]
