"""Settings, field rules, names, and the start of the process."""

import os
import subprocess
import sys

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from croupier.v1 import bots_pb2, matches_pb2, players_pb2
from croupier_service.config import ConfigError, read_settings
from croupier_service.errors import Refused
from croupier_service.players import RandomNames, clean_name
from croupier_service.validation import check


def test_defaults_are_enough_with_an_address() -> None:
    settings = read_settings({"CROUPIER_REDIS_URL": "redis://127.0.0.1:6379", "CROUPIER_GRPC_PORT": ""})
    assert (settings.grpc_port, settings.shards) == (50051, 64)


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(ConfigError) as wrong:
        read_settings({"CROUPIER_GRPC_PORT": "70000", "CROUPIER_SHARDS": "many", "CROUPIER_LOG_LEVEL": "loud"})
    said = wrong.value.problems
    assert len(said) == 4
    for name in ("REDIS_URL", "GRPC_PORT", "SHARDS", "LOG_LEVEL"):
        assert any(f"CROUPIER_{name}" in problem for problem in said)


@pytest.mark.parametrize("url", ["127.0.0.1:6379", "http://127.0.0.1", "valkey", "redis://:x@127.0.0.1:bad/0"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="redis://"):
        read_settings({"CROUPIER_REDIS_URL": url})


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "CROUPIER_REDIS_URL is not set"),
        ({"CROUPIER_REDIS_URL": "redis://127.0.0.1:1"}, "cannot be reached"),
        ({"CROUPIER_REDIS_URL": "redis://127.0.0.1:1", "CROUPIER_SHARDS": "0"}, "CROUPIER_SHARDS='0'"),
    ],
)
def test_a_service_that_cannot_start_says_why_in_a_line_and_exits_with_2(
    environment: dict[str, str], said: str
) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    ended = subprocess.run(
        [sys.executable, "-c", "import sys; from croupier_service.bootstrap import main; sys.exit(main())"],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(lines) == 1
    assert said in lines[0]


def test_a_taken_port_says_so_and_exits_with_2(redis_url: str) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-c", "import sys; from croupier_service.bootstrap import main; sys.exit(main())"],
            env={**os.environ, "CROUPIER_REDIS_URL": redis_url, "CROUPIER_GRPC_PORT": str(port)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 2
    assert f"127.0.0.1:{port} cannot be served on" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (matches_pb2.GetMatchRequest(), "match"),
        (matches_pb2.GetMatchRequest(match="x" * 64), "match"),
        (matches_pb2.GetMatchRequest(match="m-12:log"), "match"),
        (players_pb2.GetPlayerRequest(player="p-12:live"), "player"),
        (bots_pb2.Hello(resume=[bots_pb2.MatchCursor(match="m-12:log")]), "resume[0].match"),
        (matches_pb2.ListMatchesRequest(page_size=101), "pageSize"),
        (matches_pb2.ListMatchesRequest(page_size=-1), "pageSize"),
        (matches_pb2.ListEventsRequest(match="m-12", wait=Duration(seconds=31)), "wait"),
        (matches_pb2.ListEventsRequest(match="m-12", wait=Duration(seconds=-1)), "wait"),
        (matches_pb2.AddBotRequest(match="m-12"), "bot"),
        (matches_pb2.AddBotRequest(match="m-12", bot=matches_pb2.BotRequest(level="")), "bot.level"),
        (players_pb2.CreatePlayerRequest(display_name="x" * 41), "displayName"),
        (players_pb2.CreatePlayerRequest(locale="no such thing"), "locale"),
        (bots_pb2.Hello(offers=[bots_pb2.Offer(game="g"), bots_pb2.Offer()]), "offers[1].game"),
        (bots_pb2.Hello(offers=[bots_pb2.Offer(game="g")] * 33), "offers"),
        (bots_pb2.Offer(game="g", levels=["random", "x" * 41]), "levels[1]"),
        (bots_pb2.Offer(game="g", levels=["random", "a\tb"]), "levels[1]"),
        (
            matches_pb2.CreateMatchRequest(game="g", stand_in=matches_pb2.StandInOptions(level="a\u0007b")),
            "standIn.level",
        ),
        (matches_pb2.CreateMatchRequest(game="g", preset="a\u202eb"), "preset"),
        (matches_pb2.CreateMatchRequest(game="g", bots=[matches_pb2.BotRequest(level="\u001b[2J")]), "bots[0].level"),
        (matches_pb2.ActRequest(match="m-12", window="w", request_id="a\nb"), "requestId"),
        (matches_pb2.JoinMatchRequest(match="m-12", join_code="\u0085"), "joinCode"),
        (bots_pb2.PlayerMessage(ping=bots_pb2.Ping(payload="\u0000")), "ping.payload"),
    ],
)
def test_field_rules_name_the_field(message: Message, field: str) -> None:
    with pytest.raises(Refused) as refused:
        check(message)
    assert refused.value.reason == "INVALID_FIELD"
    assert refused.value.metadata["field"] == field


def test_what_is_within_the_rules_passes() -> None:
    check(matches_pb2.ListEventsRequest(match="m-12", after=0, wait=Duration(seconds=30)))
    check(players_pb2.CreatePlayerRequest(locale="uk-UA", display_name="Ann"))
    check(players_pb2.CreatePlayerRequest(display_name="Ann\tof Green"))  # it is cleaned
    check(matches_pb2.CreateMatchRequest(game="g", seats=2, stand_in=matches_pb2.StandInOptions(level="карти 🂡")))


def test_names_are_clean_and_ids_fit_their_pattern() -> None:
    assert clean_name("  Ann\u0000\n\tof  Green ") == "Ann of Green"
    names = RandomNames()
    assert len(names.token()) == len("crp_") + 43
    assert {len(names.match()), len(names.player())} == {18}
    assert names.token() != names.token()
