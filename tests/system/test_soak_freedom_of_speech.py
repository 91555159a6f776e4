"""Matches of Freedom of Speech at once over two replicas, one killed in between: no open word reaches a guesser."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import ParseDict
from support.replicas import QUICK, Replica
from support.scraping import Scrape, two_ports
from support.service import Client, guest
from support.speakers import Speaker, Viewer
from support.spoken_matches import check_match, told
from support.spoken_words import made_up, options

from croupier.v1 import games_pb2, matches_pb2

SEATS, CARDS, NOBODY = 4, 40, -1
MODES = ("HOT_POTATO", "TEAM_RELAY", "SOLO")
CLOSING = ("scored", "skipped", "fouled", "buzzed")
ROUND_ROBIN = json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})


def plan(view: Any) -> str:
    """Most cards are guessed; some are left to the buzz, given up, called a foul, or lost by one."""
    return {3: "buzz", 5: "skip", 6: "flag", 8: "foul"}.get(view["card"] % 9, "guess")


@dataclass
class Talked:
    """A match with all who were at it."""

    match: str
    commitment: str
    shown: bool  # the opponents see the card
    words: list[str]
    words_of_cards: dict[int, str]
    viewers: list[Viewer]  # by seat; the last one is a spectator


@contextmanager
def two_replicas(redis_url: str, folder: Path) -> Iterator[tuple[list[Replica], list[int]]]:
    """Replicas that log all they can, and their ports of metrics."""
    first = two_ports()
    ports = [first, first + 1]
    base = QUICK | {"DURABILITY": "memory", "LOG_LEVEL": "DEBUG", "PLAYERS_PER_MINUTE": "100000"}
    replicas = [
        Replica(redis_url, folder / f"replica-{port}.log", base | {"METRICS_PORT": str(port)}) for port in ports
    ]
    try:
        for replica in replicas:
            replica.start()
        yield replicas, ports
    finally:
        for replica in replicas:
            replica.kill9()


async def begun(over: grpc.aio.Channel, number: int, timer: str) -> Talked:
    """A match in which nobody has acted yet."""
    words = made_up(CARDS, Random(number))
    shown = number % 2 == 0
    how = options(
        words,
        turnMode=MODES[number % 3],
        winAt=4,
        maxRounds=20,
        timerDuration=timer,
        startDuration=timer,
        equalTurns=number % 4 == 0,
        opponentsSeeCard=shown,
    )
    clients = [await guest(over, f"P{seat}") for seat in range(SEATS + 1)]
    made = await clients[0].create(SEATS, game="freedom_of_speech", options=ParseDict(how, games_pb2.Options()))
    words_of_cards: dict[int, str] = {}
    viewers: list[Viewer] = [Speaker(client, made.id, words, plan, words_of_cards) for client in clients[:SEATS]]
    viewers.append(Viewer(clients[SEATS], made.id, words))
    for client in clients[1:SEATS]:
        await client.join(made.id)
    return Talked(made.id, made.commitment, shown, words, words_of_cards, viewers)


async def talk(talked: Talked, pause: float, around: int) -> None:
    """All play and watch to the end; so many viewers, the spectator first, look around on everything there is."""
    curious = talked.viewers[::-1][:around]
    beside = [asyncio.create_task(each) for viewer in curious for each in (viewer.roam(pause), viewer.follow_home())]
    beside += [asyncio.create_task(viewer.follow_play()) for viewer in curious[1:]]
    try:
        async with asyncio.TaskGroup() as tasks:
            for viewer in talked.viewers:
                tasks.create_task(viewer.run())
        assert not any(task.done() for task in beside), [task.exception() for task in beside if task.done()]
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def kill_some(replicas: Sequence[Replica], pauses: Sequence[float]) -> int:
    """One after the other is killed and started again; how often."""
    for number, pause in enumerate(pauses):
        await asyncio.sleep(pause)
        replica = replicas[number % len(replicas)]
        replica.kill9()
        await asyncio.sleep(0.5)
        await asyncio.to_thread(replica.start)
    return len(pauses)


async def played(
    redis_url: str, folder: Path, matches: int, pauses: Sequence[float], pause: float, around: int, timer: str
) -> None:
    """The matches, and all that has to be true of them."""
    with two_replicas(redis_url, folder) as (replicas, ports):
        target = "ipv4:" + ",".join(replica.target for replica in replicas)
        settings = [("grpc.service_config", ROUND_ROBIN), ("grpc.use_local_subchannel_pool", 1)]
        settings += [("grpc.max_reconnect_backoff_ms", 1_000), ("grpc.initial_reconnect_backoff_ms", 100)]
        async with grpc.aio.insecure_channel(target, options=settings) as over:
            tables = [await begun(over, number, timer) for number in range(matches)]
            killing = asyncio.create_task(kill_some(replicas, pauses))
            async with asyncio.TaskGroup() as tasks:
                for table in tables:
                    tasks.create_task(talk(table, pause, around))
            assert await killing == len(pauses)
            counts = [await check(table) for table in tables]
            assert sum(buzzes for buzzes, _ in counts) >= matches, "timers ran out"
            assert sum(won for _, won in counts) >= matches, "and words were guessed"
            kinds = {kind for table in tables for viewer in table.viewers for kind in viewer.heard.bytes}
            assert {"watch", "get", "events", "mine", "home", "play", "act", "act refused"} <= kinds
        pages = [Scrape(f"http://127.0.0.1:{port}/metrics").text for port in ports]
    logs = [replica.log.read_text(errors="replace") for replica in replicas]
    assert all("croupier_calls_total" in page for page in pages)
    assert all('"level": "debug"' in log for log in logs), "they tell all that they can"
    for text in (*pages, *logs):
        assert "Traceback" not in text
        for table in tables:
            assert not [word for word in table.words if word in text.lower()]


async def check(table: Talked) -> tuple[int, int]:
    """One match that is over; how many buzzes there were, and how many cards were won."""
    client: Client = table.viewers[0].client
    events: list[matches_pb2.Event] = []
    request = matches_pb2.ListEventsRequest(match=table.match, page_size=1000)
    while page := (await client.matches.ListEvents(request, metadata=client.auth)).events:
        events += page
        request.after = page[-1].sequence
    wanted = matches_pb2.GetReplayRequest(match=table.match)
    check_match(events, await client.matches.GetReplay(wanted, metadata=client.auth), table.commitment)
    check_secrets(table, events)
    return len(told(events, "buzzed")), len(told(events, "scored"))


def check_secrets(table: Talked, events: Sequence[matches_pb2.Event]) -> None:
    """No word reached anybody before it was closed, but for those who may see it, and these not before it was drawn."""
    last = events[-1].sequence
    open_from: dict[str, tuple[int, int]] = {}  # of a word: its giver, and when it was drawn
    closed_from: dict[str, int] = {}
    drawn: list[tuple[int, int, int]] = []  # sequence, giver, card
    for event in events:
        what = event.freedom_of_speech
        name = event.type.removeprefix("freedom_of_speech.")
        if name == "drawn":
            drawn.append((event.sequence, what.drawn.giver, what.drawn.card))
        elif name == "guessed" and what.guessed.right:
            closed_from.setdefault(what.guessed.text, event.sequence)
        elif name in CLOSING and (word := getattr(what, name).word.word):
            began, gave, card = drawn[-1]
            open_from.setdefault(word, (gave, began))
            closed_from.setdefault(word, event.sequence)
            assert table.words_of_cards.get(card, word) == word
    for seat, viewer in enumerate(table.viewers):
        assert viewer.heard.bytes["watch"]
        for channel, shows, words in viewer.heard.found:
            assert shows is not None, f"{words} in {channel} of seat {seat}"
            for word in words:
                closed = closed_from.get(word, last)
                gave, since = open_from.get(word, (NOBODY, last))
                sees = seat == gave or (table.shown and seat < SEATS and gave != NOBODY and (seat - gave) % 2)
                assert shows >= (since if sees else closed), f"{word} in {channel} of seat {seat} of {table.match}"


async def test_ten_matches_at_once_tell_no_word_though_a_replica_is_killed(redis_url: str, tmp_path: Path) -> None:
    await played(redis_url, tmp_path, 10, [4], pause=1, around=SEATS + 1, timer="3s")


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_a_hundred_matches_at_once_tell_no_word_though_replicas_are_killed(
    redis_url: str, tmp_path: Path
) -> None:
    await played(redis_url, tmp_path, 100, [8, 8, 8], pause=20, around=2, timer="20s")
