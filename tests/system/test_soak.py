"""The long ones: many matches by bots, and many commits at once over two replicas."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.house import House, running_house
from support.replays import check_replay
from support.rest import RestPlayer
from support.service import channel, running_service
from support.tables import all_choose, seated, views

from croupier.v1 import matches_pb2

MODES = [(cards, placement) for cards in ("STANDARD", "TACTIC", "LOGIC") for placement in ("NORMAL", "PROFESSIONAL")]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("soak") / "data") as house:
        yield house


def bots_play(house: House, seats: int, matches: int, cards: str, placement: str) -> None:
    """Matches among bots alone, all at once; each ends, and no bot was late or did anything illegal."""
    host = RestPlayer(house.web)
    options = {"sixNimmt": {"cards": cards, "placement": placement}}
    level = [{"level": "random"}] * seats
    made = [
        host.create(seats=seats, options=options, bots=level, spectate=True, preset="single_deal")["id"]
        for _ in range(matches)
    ]
    give_up = time.monotonic() + 300
    for match in made:
        while (view := host.get(match))["state"] == "RUNNING":
            assert time.monotonic() < give_up
            host.events(match, view["sequence"], "5s")
        assert view["state"] == "OVER"
        kinds = {event["type"] for event in host.events(match)["events"]}
        assert not kinds & {"match.timed_out", "match.barred", "match.resigned"}


@pytest.mark.parametrize("seats", [2, 4, 10])
@pytest.mark.parametrize(("cards", "placement"), MODES)
def test_bots_play_one_match(house: House, cards: str, placement: str, seats: int) -> None:
    bots_play(house, seats, 1, cards, placement)


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seats", [2, 4, 10])
@pytest.mark.parametrize(("cards", "placement"), MODES)
def test_bots_play_twenty_matches(house: House, cards: str, placement: str, seats: int) -> None:
    bots_play(house, seats, 20, cards, placement)
    logs = "".join(log.read_text(errors="replace") for log in (house.data / "logs").glob("*.log"))
    assert "Traceback" not in logs
    assert '"level": "error"' not in logs


async def five_seats_commit_at_once(one: Any, two: Any, windows: int) -> int:
    """Whole deals in which all five commit at the same moment, over two replicas; how many windows there were."""
    done = 0
    while done < windows:
        players, match = await seated([one, two], 5, preset="single_deal")
        while (seen := await views(players, match))[0].state == matches_pb2.MatchState.RUNNING:
            if seen[0].you.window.kind != matches_pb2.WindowKind.CHOOSE:
                await all_choose(players, match)
                continue
            answers = await asyncio.gather(*(p.choose(v) for p, v in zip(players, seen, strict=True)))
            assert len({answer.applied_sequence for answer in answers}) == 5, "each commit is acknowledged once"
            done += 1
        request = matches_pb2.ListEventsRequest(match=match)
        pages = [await player.matches.ListEvents(request, metadata=player.auth) for player in players[:2]]
        kinds = [event.type for event in pages[0].events]
        assert [event.type for event in pages[1].events] == kinds, "both replicas tell the same"
        assert kinds.count("six_nimmt.revealed") == 10, "each window closes once"
        assert kinds.count("six_nimmt.committed") == 50
        wanted = matches_pb2.GetReplayRequest(match=match)
        replays = [await player.matches.GetReplay(wanted, metadata=player.auth) for player in players[:2]]
        assert replays[0] == replays[1]
        check_replay(replays[0], seen[0].commitment)
    return done


async def test_five_seats_commit_at_once_in_a_whole_deal(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            assert await five_seats_commit_at_once(first, second, 10) == 10


@pytest.mark.soak
async def test_five_seats_commit_at_once_two_hundred_times(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            assert await five_seats_commit_at_once(first, second, 200) == 200
