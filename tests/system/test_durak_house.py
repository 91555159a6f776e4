"""Durak as its users meet it: by REST alone, against house bots, in every kind of table, to the end."""

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from support.durak_rest import Scripted
from support.gateway_process import running_gateway
from support.house import House, running_house
from support.processes import eventually
from support.replays import check_replay
from support.rest import RestPlayer
from support.service import running_service

from croupier.v1 import matches_pb2
from croupier_service.dealer import FairDealer

PACK = 36
MATCHES = 60  # in so many at the most every opportunity comes


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("durak") / "data") as house:
        yield house


def played(house: House, seats: int, options: dict[str, Any], wanted: set[str], mate: int = 0) -> Any:
    """Matches of one scripted player and bots, until he has done all that is wanted; the last one.

    In the seat `mate`, unless it is 0, sits a second one, who acts only where the first has nothing to do: whatever
    may be done while others think comes up, however fast the bots are.
    """
    seat, slow = Scripted(RestPlayer(house.web)), Scripted(RestPlayer(house.web), eager=False)
    for _ in range(MATCHES):
        match = seat.player.create(game="durak", seats=seats, options={"durak": options})
        if mate:
            slow.player.call("POST", f"/v1/matches/{match['id']}:join", {"seat": mate})
        for level in ("careful", *["random"] * (seats - 2 - bool(mate))):
            match = seat.player.call("POST", f"/v1/matches/{match['id']}:addBot", {"bot": {"level": level}})
        assert match["state"] == "RUNNING"
        over = seat.play(match["id"], slow if mate else None)
        assert over["state"] == "OVER"
        assert len(over["outcome"]["places"]) == seats
        answer = seat.player.call("GET", f"/v1/matches/{match['id']}/replay")
        check_replay(ParseDict(answer, matches_pb2.Replay()), match["commitment"])
        if wanted <= seat.done:
            return over
    raise AssertionError(f"only {seat.done} of {wanted} came up")


def test_a_transfer_game_of_two(house: House) -> None:
    over = played(house, 2, {"kind": "PEREVODNOY"}, {"transfer", "throw_after_take"})
    assert over["options"]["durak"]["kind"] == "PEREVODNOY"
    assert all("team" not in seat for seat in over["seats"])


def test_a_team_game_of_four(house: House) -> None:
    over = played(house, 4, {"teams": 2}, {"throw", "pass_ahead"}, mate=2)
    assert [seat["team"] for seat in over["seats"]] == [0, 1, 0, 1]
    events, after = [], 0
    player = RestPlayer(house.web)
    while page := player.events(over["id"], after)["events"]:
        events += page
        after = page[-1]["sequence"]
    defender = None
    for event in events:
        told = event.get("durak", {})
        defender = told.get("led", told.get("transferred", {})).get("defender", defender)
        if "thrown" in told:
            assert told["thrown"]["seat"] % 2 != defender % 2, "nobody throws at a mate"


def test_a_game_of_three_with_jokers(house: House) -> None:
    over = played(house, 3, {"deck": 54}, {"throw_after_take", "pass_ahead"}, mate=1)
    assert over["options"]["durak"]["deck"] == 54


def test_a_game_of_six_without_a_talon(house: House) -> None:
    over = played(house, 6, {}, {"throw", "pass_ahead"}, mate=2)
    assert sorted(over["outcome"]["scores"])[-1] in (0, 1)


@pytest.mark.parametrize("kind", ["DEFEND", "THROW"])
def test_a_service_killed_in_mid_bout_goes_on_in_the_same_phase(house: House, kind: str) -> None:
    seat = Scripted(RestPlayer(house.web), eager=False)
    match = seat.player.create(game="durak", seats=2, bots=[{"level": "careful"}])["id"]
    view = seat.player.get(match)
    while view["you"]["window"]["kind"] != kind or view["you"]["window"]["must"] != [view["you"]["seat"]]:
        assert view["state"] == "RUNNING"
        if not seat.act(match):
            seat.player.events(match, view["sequence"], "10s")
        view = seat.player.get(match)
    pid = house.child("serve")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: house.child("serve") not in (None, pid), seconds=20)
    after = seat.player.get(match)
    assert after["you"]["window"]["id"] == view["you"]["window"]["id"]
    assert after["you"]["window"]["choices"] == view["you"]["window"]["choices"]
    assert after["you"]["view"] == view["you"]["view"]
    assert seat.play(match)["state"] == "OVER"


class SuitedDealer(FairDealer):
    """The first player to get cards gets five of a suit in the first deal; all else is by chance."""

    def order(self, seed: bytes, match: str, index: int, size: int) -> tuple[int, ...]:
        order = list(super().order(seed, match, index, size))
        if index != 1 or size != PACK:
            return tuple(order)
        for turn, card in enumerate(range(0, 20, 4)):  # the spades from six to ten
            here, there = turn * 2, order.index(card)
            order[here], order[there] = order[there], order[here]
        return tuple(order)


async def test_a_redeal_is_claimed_by_rest(redis_url: str) -> None:
    async with running_service(redis_url, dealer=SuitedDealer()) as service:
        with running_gateway(f"127.0.0.1:{service.port}") as gateway:
            await asyncio.to_thread(_claimed, f"http://127.0.0.1:{gateway.port}")


def _claimed(web: str) -> None:
    seats = [Scripted(RestPlayer(web)) for _ in range(2)]
    match = seats[0].player.create(game="durak", seats=2)["id"]
    seats[1].player.call("POST", f"/v1/matches/{match}:join", {})
    while any(seat.act(match) for seat in seats):
        pass
    assert seats[0].player.get(match)["state"] == "OVER"
    assert "claim" in seats[0].done | seats[1].done
    told = [event["durak"] for event in seats[0].player.events(match)["events"] if "durak" in event]
    claimed = next(event["claimed"] for event in told if "claimed" in event)  # chance may give a second one its reason
    assert claimed["hand"][:1] == ["6S"]
    assert [event["dealt"]["redeals"] for event in told if "dealt" in event][:2] == [0, 1]
