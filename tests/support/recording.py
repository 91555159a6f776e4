"""Everything that one viewer of a match receives, over both APIs, recorded byte by byte.

Real service, real gateway: REST answers and problems, the bytes of an SSE stream, gRPC answers, errors with their
details, watch and play streams.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from support.gateway_process import GatewayProcess, running_gateway
from support.service import QUICK, Client, channel, running_service
from support.stacked import CountedNames, StackedDealer, StoppedTime

from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_service.hub import Hub

MATCH = "leak-match"


@dataclass
class Recorder:
    """Everything that one viewer receives."""

    viewer: Client
    gateway: GatewayProcess
    wrong: games_pb2.Action  # an act that the rules refuse
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
        self.socket = self.connection.sock  # the connection lets go of it, since it closes behind a stream
        response = self.connection.getresponse()
        kind = ""
        try:
            while line := response.readline():
                if not line.startswith(b"retry:"):  # of chance
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
            request = matches_pb2.ActRequest(match=MATCH, window=wanted, action=self.wrong)
            await self.refused(name, viewer.matches.Act(request, metadata=viewer.auth))
        await self.call("GET", f"/v1/matches/{MATCH}")
        await self.call("GET", f"/v1/matches/{MATCH}/events")
        await self.call("GET", f"/v1/matches/{MATCH}/events?after=999")
        await self.call("GET", f"/v1/matches/{MATCH}/replay")
        await self.call("GET", "/v1/matches?player=me")
        await self.call("GET", "/v1/matches?player=me&yourTurn=true")
        await self.call("GET", "/v1/players/me/events")
        await self.call("GET", "/v1/matches")
        body = {"window": window, "action": json_format.MessageToDict(self.wrong)}
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
        recorder.socket.shutdown(2)
        await asyncio.to_thread(thread.join)
        recorder.connection.close()


@dataclass
class Stage:
    """A service and a gateway, on which matches are played one after the other, each from nothing."""

    redis: Any
    over: grpc.aio.Channel
    gateway: GatewayProcess
    dealer: StackedDealer
    names: CountedNames
    hub: Hub

    async def clear(self, orders: Sequence[tuple[int, ...]]) -> None:
        """Nothing is left of the match before; the next one has these orders."""
        async with asyncio.timeout(10):
            while self.hub._feeds:  # until nobody watches the match before, which had the same id
                await asyncio.sleep(0.01)
        self.redis.flush()
        self.dealer.orders = orders
        self.names.restart()


@asynccontextmanager
async def stage(redis: Any) -> AsyncIterator[Stage]:
    """A stage over an empty Redis."""
    dealer, names = StackedDealer(), CountedNames()
    settings = replace(QUICK, heartbeat=10_000)
    async with running_service(redis.url, settings=settings, dealer=dealer, names=names, time=StoppedTime()) as service:
        async with channel(service) as over:
            with running_gateway(f"127.0.0.1:{service.port}") as gateway:
                yield Stage(redis, over, gateway, dealer, names, service.hub)


def compare(one: dict[str, list[bytes]], other: dict[str, list[bytes]], *, seated: bool) -> None:
    assert one.keys() == other.keys()
    assert {"sse", "watch", "get", "events", "not held"} <= one.keys()
    assert ("play" in one) == seated
    for part in one:
        assert one[part] == other[part], f"{part} differs, seated: {seated}"
