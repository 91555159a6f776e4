"""Freedom of Speech as its users meet it: whole matches in every flow, with timers of a twentieth, over both APIs."""

import asyncio
import json
import uuid
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from support.house import House, running_house
from support.rest import RestPlayer
from support.service import channel, guest, running_service
from support.speakers import Speaker
from support.spoken_matches import check_match, told
from support.spoken_rest import RestSpeaker
from support.spoken_words import Plan, made_up, options

from croupier.v1 import games_pb2, matches_pb2
from croupier_engine.freedom_of_speech.model import Phase, State

SEATS = 4
WORDS = made_up(40, Random(4))
TRIES = 3  # on a machine so slow that nobody has a word in time, another match


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("speech") / "data") as house:
        yield house


def third_is_left(view: Any) -> str:
    """Each third card is left to the buzz, each fifth is given up."""
    return "buzz" if view["card"] % 3 == 0 else "skip" if view["card"] % 5 == 0 else "guess"


def tie_at_two(view: Any) -> str:
    """Both teams get two cards; in sudden death only the first team gets one."""
    most = 3 if view["suddenDeath"] and view["team"] == 0 else 2
    return "guess" if view["scores"][view["team"]] < most else "buzz"


class Finished:
    """A match that is over: its events, and the states of its replay."""

    def __init__(self, events: Sequence[matches_pb2.Event], replay: matches_pb2.Replay, commitment: str) -> None:
        self.events = events
        self.states: list[State] = check_match(events, replay, commitment)
        self.places = list(replay.outcome.places)
        self.scores = list(replay.outcome.scores)

    def count(self, kind: str) -> int:
        return len(told(self.events, kind))

    def givers(self) -> list[int]:
        """Of each card."""
        return [what.drawn.giver for what in told(self.events, "drawn")]

    def rounds(self) -> list[list[int]]:
        """The givers of each timer's cards."""
        found: list[list[int]] = []
        for event in self.events:
            if event.type == "freedom_of_speech.started":
                found.append([])
            elif event.type == "freedom_of_speech.drawn":
                found[-1].append(event.freedom_of_speech.drawn.giver)
        return found


async def over_grpc(redis_url: str, plan: Plan, **how: Any) -> Finished:
    """A match by clients on streams of gRPC."""
    async with running_service(redis_url) as service, channel(service) as over:
        clients = [await guest(over, f"P{seat}") for seat in range(SEATS)]
        chosen = ParseDict(options(WORDS, **how), games_pb2.Options())
        made = await clients[0].create(SEATS, game="freedom_of_speech", options=chosen)
        assert not made.options.freedom_of_speech.words, "they are secret"
        for client in clients[1:]:
            await client.join(made.id)
        cards: dict[int, str] = {}
        async with asyncio.timeout(150), asyncio.TaskGroup() as tasks:
            for client in clients:
                tasks.create_task(Speaker(client, made.id, WORDS, plan, cards).run())
        done = await clients[0].get(made.id)
        assert done.state == matches_pb2.MatchState.OVER
        assert [card.word for card in done.options.freedom_of_speech.words] == WORDS, "and no more, now"
        assert [seat.team for seat in done.seats] == [0, 1, 0, 1]
        auth = clients[0].auth
        page = await clients[0].matches.ListEvents(
            matches_pb2.ListEventsRequest(match=made.id, page_size=1000), metadata=auth
        )
        replay = await clients[0].matches.GetReplay(matches_pb2.GetReplayRequest(match=made.id), metadata=auth)
        return Finished(page.events, replay, made.commitment)


def over_rest(house: House, plan: Plan, **how: Any) -> Finished:
    """A match by clients of REST and its event streams."""
    players = [RestPlayer(house.web) for _ in range(SEATS)]
    made = players[0].create(game="freedom_of_speech", seats=SEATS, options=options(WORDS, **how))
    match = made["id"]
    assert "words" not in made["options"]["freedomOfSpeech"] or not made["options"]["freedomOfSpeech"]["words"]
    for player in players[1:]:
        player.call("POST", f"/v1/matches/{match}:join", {"requestId": uuid.uuid4().hex})
    cards: dict[int, str] = {}
    speakers = [RestSpeaker(player, match, plan, cards) for player in players]
    for speaker in speakers:
        speaker.start()
    for speaker in speakers:
        speaker.join(150)
        assert speaker.problem is None, speaker.problem
        assert speaker.over
    events, after = [], 0
    while page := players[0].events(match, after)["events"]:
        events += [ParseDict(event, matches_pb2.Event()) for event in page]
        after = page[-1]["sequence"]
    replay = ParseDict(players[0].call("GET", f"/v1/matches/{match}/replay"), matches_pb2.Replay())
    done = players[0].get(match)
    assert done["state"] == "OVER"
    assert [card["word"] for card in done["options"]["freedomOfSpeech"]["words"]] == WORDS
    assert json.dumps(done["outcome"]["places"]) == json.dumps(list(replay.outcome.places))
    return Finished(events, replay, made["commitment"])


async def test_hot_potato_over_grpc(redis_url: str) -> None:
    match = await over_grpc(redis_url, third_is_left, winAt=3)
    for _ in range(TRIES):
        if any(len(givers) > 1 for givers in match.rounds()):
            break
        match = await over_grpc(redis_url, third_is_left, winAt=3)
    assert sorted(match.places) == [1, 1, 3, 3]
    assert max(match.scores) == 3
    assert match.count("buzzed") >= 1
    for givers in match.rounds():
        closed = [giver % 2 for giver in givers]
        assert closed[0] != closed[-1] or len(givers) != 2, "a card each"
    assert any(len({giver % 2 for giver in givers}) == 2 for givers in match.rounds()), "one timer, both teams"
    _deadlines_stay(match.states)


def test_team_relay_over_rest(house: House) -> None:
    match = over_rest(house, third_is_left, turnMode="TEAM_RELAY", winAt=3)
    for _ in range(TRIES):
        if any(len(givers) > 1 for givers in match.rounds()):
            break
        match = over_rest(house, third_is_left, turnMode="TEAM_RELAY", winAt=3)
    assert sorted(match.places) == [1, 1, 3, 3]
    assert match.count("buzzed") >= 1
    assert all(len({giver % 2 for giver in givers}) == 1 for givers in match.rounds()), "a timer is of one team"
    assert any(len(set(givers)) == 2 for givers in match.rounds()), "whose players give in turn"
    _deadlines_stay(match.states)


async def test_solo_over_grpc(redis_url: str) -> None:
    match = await over_grpc(redis_url, third_is_left, turnMode="SOLO", winAt=3)
    for _ in range(TRIES):
        if any(len(givers) > 1 for givers in match.rounds()):
            break
        match = await over_grpc(redis_url, third_is_left, turnMode="SOLO", winAt=3)
    assert sorted(match.places) == [1, 1, 3, 3]
    assert match.count("buzzed") >= 1
    assert all(len(set(givers)) == 1 for givers in match.rounds()), "a timer is of one giver"
    assert any(len(givers) > 1 for givers in match.rounds())
    _deadlines_stay(match.states)


def test_sudden_death_over_rest(house: House) -> None:
    match = over_rest(house, tie_at_two, turnMode="TEAM_RELAY", winAt=2, equalTurns=True)
    for _ in range(TRIES):
        if match.count("sudden_death"):
            break
        match = over_rest(house, tie_at_two, turnMode="TEAM_RELAY", winAt=2, equalTurns=True)
    assert match.scores == [3, 2, 3, 2]
    assert match.places == [1, 3, 1, 3]
    assert match.count("sudden_death") >= 1
    assert match.count("buzzed") >= 2, "in sudden death each turn lasts until its buzz"


def _deadlines_stay(states: Sequence[State]) -> None:
    """While a timer runs its end is the same, whatever is guessed."""
    ends: dict[int, set[int | None]] = {}
    for state in states:
        if state.phase is Phase.CLUE:
            ends.setdefault(state.round, set()).add(state.deadline)
    assert ends
    assert all(len(found) == 1 for found in ends.values())
