"""`croupier up` as its users meet it: REST, streams, bots, and a service that dies in mid-match."""

import json
import os
import signal
from collections.abc import Iterator

import pytest
from google.protobuf.json_format import ParseDict
from support.house import House, running_house
from support.processes import eventually
from support.replays import check_replay
from support.rest import RestPlayer, SseReader

from croupier.v1 import matches_pb2

MODES = [(cards, placement) for cards in ("STANDARD", "TACTIC", "LOGIC") for placement in ("NORMAL", "PROFESSIONAL")]
BOTS = [{"level": "careful"}] * 3


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house") / "data") as house:
        yield house


@pytest.mark.parametrize(("cards", "placement"), MODES)
def test_a_rest_client_plays_a_whole_match_against_three_bots(house: House, cards: str, placement: str) -> None:
    player = RestPlayer(house.web)
    options = {"sixNimmt": {"cards": cards, "placement": placement, "startCredit": 12}}
    match = player.create(seats=4, options=options, bots=BOTS)
    assert match["state"] == "RUNNING"
    stream = SseReader(player, match["id"])
    assert eventually(lambda: stream.first is not None)
    over = player.play(match["id"])
    assert over["state"] == "OVER"
    assert sorted(over["outcome"]["places"])[0] == 1
    assert min(over["outcome"]["scores"]) <= 0
    stream.join(30)
    polled, after = [], 0
    while page := player.events(match["id"], after)["events"]:
        polled += page
        after = page[-1]["sequence"]
    assert [event["sequence"] for event in polled] == list(range(1, over["sequence"] + 1))
    begun = stream.first["match"]["sequence"]
    assert stream.events == [event for event in polled if event["sequence"] > begun]
    answer = player.call("GET", f"/v1/matches/{match['id']}/replay")
    check_replay(ParseDict(answer, matches_pb2.Replay()), match["commitment"])


def test_a_service_killed_in_mid_match_goes_on_at_the_same_trick(house: House) -> None:
    player = RestPlayer(house.web)
    match = player.create(seats=4, bots=BOTS, preset="single_deal")
    stream = SseReader(player, match["id"])
    before = player.play(match["id"], until=lambda view: view["you"]["view"]["sixNimmt"]["trick"] == 4)
    assert before["you"]["window"]["kind"] == "CHOOSE"
    for _ in range(2):
        pid = house.child("serve")
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda dead=pid: house.child("serve") not in (None, dead), seconds=20)  # type: ignore[misc]
        after = player.get(match["id"])
        mine = after["you"]["view"]["sixNimmt"]
        assert mine["trick"] == 4
        assert mine["hand"] == before["you"]["view"]["sixNimmt"]["hand"]
        assert after["you"]["window"]["id"] == before["you"]["window"]["id"]
    over = player.play(match["id"])
    assert over["state"] == "OVER"
    stream.join(30)
    assert stream.over
    assert stream.opened >= 2
    begun = stream.first["match"]["sequence"]
    numbers = [event["sequence"] for event in stream.events]
    assert numbers == list(range(begun + 1, over["sequence"] + 1)), "neither a gap nor a repeat"
    timed_out = [event for event in stream.events if event["type"] == "match.timed_out"]
    assert not timed_out, "the bots came back and played"
    answer = player.call("GET", f"/v1/matches/{match['id']}/replay")
    check_replay(ParseDict(answer, matches_pb2.Replay()), match["commitment"])


def test_bots_killed_in_mid_match_come_back_as_themselves(house: House) -> None:
    player = RestPlayer(house.web)
    match = player.create(seats=4, bots=BOTS, preset="single_deal")
    player.play(match["id"], until=lambda view: view["you"]["view"]["sixNimmt"]["trick"] == 3)
    pid = house.child("bots")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    over = player.play(match["id"])
    assert over["state"] == "OVER"
    events = player.events(match["id"])["events"]
    assert "match.timed_out" not in [event["type"] for event in events]


def test_nothing_secret_is_in_the_logs(house: House) -> None:
    player = RestPlayer(house.web)
    match = player.create(seats=4, bots=BOTS, preset="single_deal")
    hand = match["you"]["view"]["sixNimmt"]["hand"]
    player.play(match["id"])
    logs = "".join(log.read_text(errors="replace") for log in (house.data / "logs").glob("*.log"))
    assert player.token not in logs
    assert json.dumps(hand) not in logs
    assert str(hand) not in logs
    assert "Traceback" not in logs
