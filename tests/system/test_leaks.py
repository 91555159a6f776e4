"""Hidden information: two matches that differ only in what a viewer may not know give him the same bytes.

Real service, real gateway; every channel of a viewer is recorded whole: REST answers and problems, the bytes of an SSE
stream, gRPC answers, errors with their details, watch and play streams.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import grpc
import pytest
from support.gateway_process import GatewayProcess, running_gateway
from support.service import QUICK, Client, channel, guest, running_service
from support.stacked import CountedNames, StackedDealer, StoppedTime
from support.tables import views

from croupier.v1 import bots_pb2, games_pb2, matches_pb2, six_nimmt_pb2
from croupier_service.hub import Hub

SEATS = 3
VIEWER = 1
TRICKS = 3
MATCH = "leak-match"
CARDS = six_nimmt_pb2.SixNimmtCards
PLACEMENT = six_nimmt_pb2.SixNimmtPlacement
MODES = list(product((CARDS.STANDARD, CARDS.TACTIC, CARDS.LOGIC), (PLACEMENT.NORMAL, PLACEMENT.PROFESSIONAL)))
MODE_NAMES = [f"{CARDS.Value.Name(c)}-{PLACEMENT.Value.Name(p)}".lower() for c, p in MODES]
Choose = Callable[[matches_pb2.Match], int]


def act(**action: Any) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(**action))


@dataclass
class Recorder:
    """Everything that one viewer receives."""

    viewer: Client
    gateway: GatewayProcess
    parts: dict[str, list[bytes]] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)  # the newest event and window of each stream
    questions: set[str] = field(default_factory=set)

    def keep(self, part: str, data: bytes) -> None:
        self.parts.setdefault(part, []).append(data)

    # Streams.

    def read_sse(self) -> None:
        """In a thread: the lines of the SSE stream as they come."""
        self.connection = self.gateway.connect(timeout=60)
        self.connection.request(
            "GET", f"/v1/matches/{MATCH}/events", headers={**self.rest, "Accept": "text/event-stream"}
        )
        response = self.connection.getresponse()
        kind = ""
        try:
            while line := response.readline():
                self.keep("sse", line)
                if line.startswith(b"event:"):
                    kind = line.split(b":")[1].strip().decode()
                elif line.startswith(b"data:"):
                    data = json.loads(line[5:])
                    sequence = data["match"]["sequence"] if kind == "snapshot" else data["sequence"]
                    self.shown["sse window" if kind in ("window", "snapshot") else "sse"] = sequence
        except (OSError, ValueError, AttributeError):
            pass  # closed at the end of the test

    async def read_watch(self) -> None:
        request = matches_pb2.WatchMatchRequest(match=MATCH)
        async for message in self.viewer.matches.WatchMatch(request, metadata=self.viewer.auth):
            self.keep("watch", message.SerializeToString(deterministic=True))
            match message.WhichOneof("message"):
                case "snapshot":
                    self.shown["watch window"] = message.snapshot.match.sequence
                case "event":
                    self.shown["watch"] = message.event.sequence
                case "window":
                    self.shown["watch window"] = message.window.sequence

    async def read_play(self) -> None:
        call = self.viewer.bots.Play(metadata=self.viewer.auth)
        await call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(hello=bots_pb2.Hello())]))
        frame: Any
        while (frame := await call.read()) is not grpc.aio.EOF:
            for message in frame.messages:
                self.keep("play", message.SerializeToString(deterministic=True))
                if message.HasField("events"):
                    self.shown["play"] = message.events.events[-1].sequence
                elif message.HasField("question"):
                    self.questions.add(message.question.window.id)
                elif message.HasField("seated"):
                    self.shown["play"] = message.seated.match.sequence

    async def caught_up(self, seated: bool) -> None:
        """Every stream shows what the match is now, so that the next change is a step of its own everywhere."""
        now = await self.viewer.get(MATCH)
        wanted = ["sse window", "watch window", *(["play"] if seated else [])]
        async with asyncio.timeout(10):
            while any(self.shown.get(part, 0) < now.sequence for part in wanted) or (
                seated and now.you.window.choices and now.you.window.id not in self.questions
            ):
                await asyncio.sleep(0.005)

    # Calls.

    @property
    def rest(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.viewer.token}", "X-Request-Id": "fixed"}

    async def call(self, method: str, path: str, body: object = None) -> None:
        def send() -> bytes:
            connection = self.gateway.connect()
            headers = {**self.rest, "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            kept = [h for h in response.getheaders() if h[0] not in ("Date", "Server")]
            data = repr((response.status, sorted(kept))).encode() + response.read()
            connection.close()
            return data

        self.keep(f"{method} {path}", await asyncio.to_thread(send))

    async def refused(self, name: str, call: Any) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call
        trailers = repr([(key, value) for key, value in error.value.trailing_metadata() or ()])
        self.keep(name, f"{error.value.code()} {error.value.details()} {trailers}".encode())

    async def calls(self) -> None:
        """One of each that a viewer can make in mid-match."""
        viewer = self.viewer
        view = await viewer.get(MATCH)
        self.keep("get", view.SerializeToString(deterministic=True))
        events = matches_pb2.ListEventsRequest(match=MATCH)
        page = await viewer.matches.ListEvents(events, metadata=viewer.auth)
        self.keep("events", page.SerializeToString(deterministic=True))
        mine = await viewer.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=viewer.auth)
        self.keep("mine", mine.SerializeToString(deterministic=True))
        replay = matches_pb2.GetReplayRequest(match=MATCH)
        await self.refused("no replay", viewer.matches.GetReplay(replay, metadata=viewer.auth))
        window = view.you.window.id
        for name, wanted in (("not held", window), ("stale", "d1.t9.choose")):
            request = matches_pb2.ActRequest(match=MATCH, window=wanted, action=act(commit={"card": 0}))
            await self.refused(name, viewer.matches.Act(request, metadata=viewer.auth))
        await self.call("GET", f"/v1/matches/{MATCH}")
        await self.call("GET", f"/v1/matches/{MATCH}/events")
        await self.call("GET", f"/v1/matches/{MATCH}/events?after=999")
        await self.call("GET", f"/v1/matches/{MATCH}/replay")
        await self.call("GET", "/v1/matches?player=me")
        await self.call("GET", "/v1/matches?player=me&yourTurn=true")
        await self.call("GET", "/v1/players/me/events")
        await self.call("GET", "/v1/matches")
        body = {"window": window, "action": {"sixNimmt": {"commit": {"card": 0}}}}
        await self.call("POST", f"/v1/matches/{MATCH}:act", body)
        await self.call("POST", f"/v1/matches/{MATCH}:act", {"window": window, "choice": 77})


@asynccontextmanager
async def recorded(recorder: Recorder, seated: bool) -> AsyncIterator[None]:
    """All streams of the viewer, for as long as it lasts."""
    thread = threading.Thread(target=recorder.read_sse, daemon=True)
    thread.start()
    tasks = [asyncio.create_task(recorder.read_watch())]
    if seated:
        tasks.append(asyncio.create_task(recorder.read_play()))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        recorder.connection.sock.shutdown(2)
        await asyncio.to_thread(thread.join)
        recorder.connection.close()


@dataclass
class Stage:
    """A service and a gateway, on which matches are played one after the other, each from nothing."""

    redis: Any
    mode: tuple[int, int]
    over: grpc.aio.Channel
    gateway: GatewayProcess
    dealer: StackedDealer
    names: CountedNames
    hub: Hub

    async def run(
        self, order: list[int], secret: frozenset[int], hidden: Choose, *, seated: bool
    ) -> dict[str, list[bytes]]:
        """Play some tricks without the secret cards, then choose cards by `hidden`; what the viewer got."""
        async with asyncio.timeout(10):
            while self.hub._feeds:  # until nobody watches the match before, which had the same id
                await asyncio.sleep(0.01)
        self.redis.flush()
        self.dealer.orders = [tuple(order)]
        self.names.restart()
        cards, placement = self.mode
        options = six_nimmt_pb2.SixNimmtOptions(cards=cards, placement=placement)  # type: ignore[arg-type]
        players = [await guest(self.over, f"P{seat}") for seat in range(SEATS)]
        stranger = await guest(self.over, "Stranger")
        viewer = players[VIEWER] if seated else stranger
        viewer.request = "fixed"
        recorder = Recorder(viewer, self.gateway)
        await players[0].create(SEATS, match_id=MATCH, options=games_pb2.Options(six_nimmt=options))
        await recorder.call("GET", "/v1/matches")
        for player in players[1:]:
            await player.join(MATCH)
        async with recorded(recorder, seated):
            await recorder.caught_up(seated)
            seen = await self._tricks(players, secret, recorder, seated)
            for seat in (0, 2):
                await players[seat].choose(seen[seat], action=act(commit={"card": hidden(seen[seat])}))
                await recorder.caught_up(seated)
            await recorder.calls()
        return recorder.parts

    async def _tricks(
        self, players: list[Client], secret: frozenset[int], recorder: Recorder, seated: bool
    ) -> list[matches_pb2.Match]:
        tricks = 0
        while True:
            seen = await views(players, MATCH)
            window = seen[0].you.window
            choose = window.kind == matches_pb2.WindowKind.CHOOSE
            tricks += choose
            if tricks > TRICKS:
                return seen
            for seat in window.must:
                if choose:
                    card = min(set(seen[seat].you.view.six_nimmt.hand) - secret)
                    await players[seat].choose(seen[seat], action=act(commit={"card": card}))
                else:
                    await players[seat].choose(seen[seat])
                await recorder.caught_up(seated)


@asynccontextmanager
async def stage(redis: Any, mode: tuple[int, int]) -> AsyncIterator[Stage]:
    dealer, names = StackedDealer(), CountedNames()
    settings = replace(QUICK, heartbeat=10_000)
    async with running_service(redis.url, settings=settings, dealer=dealer, names=names, time=StoppedTime()) as service:
        async with channel(service) as over:
            with running_gateway(f"127.0.0.1:{service.port}") as gateway:
                yield Stage(redis, mode, over, gateway, dealer, names, service.hub)


def lowest(seen: matches_pb2.Match) -> int:
    return min(seen.you.view.six_nimmt.hand)


def highest(seen: matches_pb2.Match) -> int:
    return max(seen.you.view.six_nimmt.hand)


def deck(mode: tuple[int, int]) -> list[int]:
    """An order in which every hand has low and high cards."""
    order = list(range(104 if mode[0] == CARDS.STANDARD else SEATS * 10 + 4))
    return order[::3] + order[1::3] + order[2::3]


def compare(one: dict[str, list[bytes]], other: dict[str, list[bytes]], *, seated: bool) -> None:
    assert one.keys() == other.keys()
    assert {"sse", "watch", "get", "events", "not held"} <= one.keys()
    assert ("play" in one) == seated
    for part in one:
        assert one[part] == other[part], f"{part} differs, seated: {seated}"


@pytest.mark.parametrize("mode", MODES, ids=MODE_NAMES)
async def test_what_others_have_chosen_shows_nowhere_before_the_reveal(
    redis_server: Any, mode: tuple[int, int]
) -> None:
    async with stage(redis_server, mode) as table:
        for seated in (True, False):
            runs = [await table.run(deck(mode), frozenset(), hidden, seated=seated) for hidden in (lowest, highest)]
            compare(*runs, seated=seated)


@pytest.mark.parametrize("mode", MODES[:4], ids=MODE_NAMES[:4])
async def test_cards_that_others_hold_show_nowhere(redis_server: Any, mode: tuple[int, int]) -> None:
    """A card of seat 0 changes places with one of seat 2, and where there is a stock, another with one of the stock.

    (With the logic deck all hands are public.)
    """
    order = deck(mode)
    swapped = list(order)
    pairs = [(0, 29)] + ([(5, 103)] if len(order) == 104 else [])
    for one, other in pairs:
        swapped[one], swapped[other] = swapped[other], swapped[one]
    secret = frozenset(order[place] + 1 for pair in pairs for place in pair)

    def open_card(seen: matches_pb2.Match) -> int:
        return min(set(seen.you.view.six_nimmt.hand) - secret)

    async with stage(redis_server, mode) as table:
        for seated in (True, False):
            runs = [await table.run(dealt, secret, open_card, seated=seated) for dealt in (order, swapped)]
            compare(*runs, seated=seated)


async def test_the_comparison_itself_sees_a_difference(redis_server: Any) -> None:
    """The viewer's own card makes a difference, so that the tests above do not compare nothing."""
    order = list(range(104))
    other = list(order)
    other[12], other[103] = other[103], other[12]
    async with stage(redis_server, MODES[0]) as table:
        runs = [await table.run(dealt, frozenset(), lowest, seated=True) for dealt in (order, other)]
    assert runs[0]["get"] != runs[1]["get"]
    assert runs[0]["sse"] != runs[1]["sse"]
