"""A player over REST who vanishes in mid-match, and comes back, at a house with its own bots."""

import time
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict
from support.house import running_house
from support.processes import eventually
from support.replays import check_replay
from support.rest import RestPlayer, SseReader

from croupier.v1 import act_by_pb2, matches_pb2


def trick_of(players: list[RestPlayer], match: str, until: int) -> int:
    """Everybody answers what he is asked, until so many tricks are played; the trick that is played then."""
    while True:
        for player in players:
            seen = player.get(match)
            trick: int = seen["you"]["view"]["sixNimmt"]["trick"]
            if trick >= until or seen["state"] != "RUNNING":
                return trick
            if seen["you"]["window"]["choices"]:
                player.answer(seen)
        time.sleep(0.02)


def test_a_house_bot_plays_for_whoever_is_away_until_he_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_HEARTBEAT", "300")
    with running_house(tmp_path / "data") as house:
        ann, ben, eve = (RestPlayer(house.web) for _ in range(3))
        match = ann.create(
            seats=3,
            bots=[{"level": "careful"}],
            preset="single_deal",
            standIn={"level": "careful", "afterDuration": "0.500s"},
        )
        ben.call("POST", f"/v1/matches/{match['id']}:join", {"requestId": "join"})
        assert match["standIn"] == {"level": "careful", "afterDuration": "0.500s"}
        stream = SseReader(eve, match["id"])
        assert trick_of([ann, ben], match["id"], 3) == 3

        def happened(kind: str) -> bool:
            return any(event["type"] == kind for event in stream.events)

        def ben_waits_for(kind: str) -> bool:
            ben.get(match["id"])  # he is there, and does nothing
            return happened(kind)

        assert eventually(lambda: ben_waits_for("match.stood_in"), seconds=30)
        seen = ben.get(match["id"])["seats"][0]
        assert seen["player"] == ann.id
        assert seen["standIn"] not in (ann.id, ben.id)
        assert seen["epoch"] == 1
        assert trick_of([ben], match["id"], 6) == 6
        back = ann.get(match["id"])
        assert back["seats"][0]["epoch"] == 2
        assert "standIn" not in back["seats"][0]
        assert back["you"]["seat"] == 0
        while ann.get(match["id"])["state"] == "RUNNING":
            trick_of([ann, ben], match["id"], 11)
        stream.join(30)
        assert stream.over
        told = [event["type"] for event in stream.events if event["type"].startswith("match.")]
        assert [kind for kind in told if kind in ("match.absent", "match.stood_in", "match.returned")] == [
            "match.absent",
            "match.stood_in",
            "match.returned",
        ]
        replay = ParseDict(ann.call("GET", f"/v1/matches/{match['id']}/replay"), matches_pb2.Replay())
        check_replay(replay, match["commitment"])
        by = [entry.act.by for entry in replay.log if entry.HasField("act") and entry.act.seat == 0]
        turns = [who for who, before in zip(by, [None, *by], strict=False) if who != before]
        player, stand_in = act_by_pb2.ActBy.PLAYER, act_by_pb2.ActBy.STAND_IN
        assert turns == [player, stand_in, player]
        assert {entry.act.by for entry in replay.log if entry.HasField("act") and entry.act.seat != 0} == {player}
