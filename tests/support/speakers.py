"""Players and spectators of Freedom of Speech over gRPC, who keep note of every word that reaches them.

Players follow a plan, see spoken_words. All calls are made again when a replica is away, as the same request.
"""

import asyncio
import re
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from support.service import Client, told
from support.spoken_words import LATE, Plan, decide

from croupier.v1 import bots_pb2, games_pb2, matches_pb2, players_pb2

T = TypeVar("T")
_AWAY = frozenset({"UNAVAILABLE", "OVERLOADED", "GOING_DOWN", "CONTENDED", ""})
_WAIT_S = 240  # a machine may have much else to do


def pieces(message: Message) -> Iterator[tuple[int | None, Message]]:
    """The parts of an answer, each with the number of the last event that it shows; None: it shows nothing."""
    match message:
        case matches_pb2.Match() | matches_pb2.Event() | matches_pb2.WindowUpdate() | bots_pb2.Question():
            yield message.sequence, message
        case matches_pb2.You():
            yield message.sequence, message
        case matches_pb2.ActResponse():
            yield from pieces(message.match)
            yield from _each(message.events)
        case matches_pb2.ListEventsResponse():
            yield from _each(message.events)
            yield from pieces(message.you)
        case matches_pb2.ListMatchesResponse():
            yield from _each(message.matches)
        case matches_pb2.WatchMatchResponse() | bots_pb2.TableMessage():
            kind = message.WhichOneof("message")
            assert kind is not None, "an empty message"
            yield from pieces(getattr(message, kind))
        case matches_pb2.Snapshot() | bots_pb2.Seated():
            yield from pieces(message.match)
        case bots_pb2.MatchEvents():
            yield from _each(message.events)
        case _:
            yield None, message


def _each(messages: Any) -> Iterator[tuple[int | None, Message]]:
    for message in messages:
        yield from pieces(message)


class Heard:
    """What reached one viewer: how many bytes by channel, and each piece that has a word of the match."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = re.compile("|".join(words).encode(), re.IGNORECASE)
        self.bytes: Counter[str] = Counter()
        self.found: list[tuple[str, int | None, frozenset[str]]] = []

    def take(self, channel: str, message: Message) -> None:
        """An answer or a message of a stream."""
        self.bytes[channel] += message.ByteSize()
        for sequence, piece in pieces(message):
            self._look(channel, sequence, piece.SerializeToString())

    def _look(self, channel: str, sequence: int | None, data: bytes) -> None:
        words = frozenset(word.decode().lower() for word in self._words.findall(data))
        if words:
            self.found.append((channel, sequence, words))

    def error(self, channel: str, error: grpc.aio.AioRpcError) -> None:
        """A refusal with all its details."""
        data = f"{error.code()} {error.details()} {error.trailing_metadata()!r}".encode()
        self.bytes[f"{channel} refused"] += len(data)
        self._look(f"{channel} refused", None, data)


class Viewer:
    """A spectator, or a player who does nothing."""

    def __init__(self, client: Client, match: str, words: Sequence[str]) -> None:
        self.client, self.match = client, match
        self.heard = Heard(words)
        self.you: Any = None
        self.sequence = 0
        self.mark = ""
        self.over = False
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Watch to the end."""
        await self._watch()

    async def call(self, channel: str, method: Callable[..., Awaitable[T]], request: Any) -> T | None:
        """The answer, kept; None if it was refused for a reason that players have to live with."""
        give_up = asyncio.get_running_loop().time() + _WAIT_S
        while True:
            try:
                answer = await method(request, metadata=self.client.auth, timeout=30)
            except grpc.aio.AioRpcError as error:
                self.heard.error(channel, error)
                reason = _reason(error)
                if reason not in _AWAY:
                    if reason in LATE | {"NOT_SEATED"}:
                        return None
                    raise
                if asyncio.get_running_loop().time() > give_up:
                    raise
                await asyncio.sleep(0.1)
                continue
            assert isinstance(answer, Message)
            self.heard.take(channel, answer)
            return answer

    async def _watch(self) -> None:
        while not self.over:
            request = matches_pb2.WatchMatchRequest(
                match=self.match, after=self.sequence if self.you else None, mark=self.mark
            )
            with suppress(grpc.aio.AioRpcError):
                async for message in self.client.matches.WatchMatch(request, metadata=self.client.auth):
                    self.heard.take("watch", message)
                    self._take(message)
            if not self.over:
                await asyncio.sleep(0.1)

    def _take(self, message: matches_pb2.WatchMatchResponse) -> None:
        match message.WhichOneof("message"):
            case "snapshot":
                self._see(message.snapshot.match.you)
                self.over |= message.snapshot.match.state == matches_pb2.MatchState.OVER
            case "window":
                self._see(message.window.you)
            case "event":
                self.sequence, self.mark = message.event.sequence, message.event.mark
                self.over |= message.event.type == "match.over"
        if self.over:
            self._changed.set()

    def _see(self, you: matches_pb2.You) -> None:
        if self.you is None or you.sequence >= self.you["sequence"]:
            self.you = MessageToDict(you, always_print_fields_with_no_presence=True)
            self._changed.set()

    async def roam(self, pause: float) -> None:
        """One call after the other, until cancelled, with an act that is refused to all but the giver."""
        matches, match = self.client.matches, self.match
        while True:
            await self.call("get", matches.GetMatch, matches_pb2.GetMatchRequest(match=match))
            events = matches_pb2.ListEventsRequest(match=match, page_size=1000, wait=Duration(nanos=1_000_000))
            await self.call("events", matches.ListEvents, events)
            await self.call("mine", matches.ListMatches, matches_pb2.ListMatchesRequest(player="me"))
            if self.you and self.you["view"]["freedomOfSpeech"]["giver"] != self.you.get("seat"):
                await self.act({"clue": {"text": "not for me to say"}})
            await asyncio.sleep(pause)

    async def follow_home(self) -> None:
        """The feed of the player's own matches, until cancelled."""
        while True:
            with suppress(grpc.aio.AioRpcError):
                request = players_pb2.WatchPlayerRequest(player="me")
                async for message in self.client.players.WatchPlayer(request, metadata=self.client.auth):
                    self.heard.take("home", message)
            await asyncio.sleep(0.1)

    async def follow_play(self) -> None:
        """The stream of bots, until cancelled; questions are answered by clues, refused to all but the giver."""
        clue = ParseDict({"freedomOfSpeech": {"clue": {"text": "and one thing more"}}}, games_pb2.Action())
        while True:
            with suppress(grpc.aio.AioRpcError):
                call = self.client.bots.Play(metadata=self.client.auth)
                await call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(hello=bots_pb2.Hello())]))
                frame: Any
                while (frame := await call.read()) is not grpc.aio.EOF:
                    for message in frame.messages:
                        self.heard.take("play", message)
                        if message.HasField("question"):
                            act = bots_pb2.PlayAct(match=self.match, window=message.question.window.id, action=clue)
                            await call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(act=act)]))
            await asyncio.sleep(0.1)

    async def act(self, action: Any) -> matches_pb2.ActResponse | None:
        """An act as JSON in the window that was seen last."""
        if self.you is None or not self.you.get("window"):
            return None
        request = matches_pb2.ActRequest(
            request_id=uuid.uuid4().hex,
            match=self.match,
            window=self.you["window"]["id"],
            action=ParseDict({"freedomOfSpeech": action}, games_pb2.Action()),
        )
        return await self.call("act", self.client.matches.Act, request)


class Speaker(Viewer):
    """A player who follows a plan; `words_of_cards` is what givers tell the test."""

    def __init__(
        self, client: Client, match: str, words: Sequence[str], plan: Plan, words_of_cards: dict[int, str]
    ) -> None:
        super().__init__(client, match, words)
        self._plan, self._told = plan, words_of_cards

    async def run(self) -> None:
        """Play to the end."""
        watching = asyncio.create_task(self._watch())
        try:
            while not self.over:
                await self._changed.wait()
                self._changed.clear()
                await self._play_on()
            await watching
        finally:
            watching.cancel()

    async def _play_on(self) -> None:
        while not self.over and self.you is not None:
            action = decide(self.you, self._plan, self._told)
            answer = None if action is None else await self.act(action)
            if answer is None:
                return  # until something has changed
            self._see(answer.match.you)


def _reason(error: grpc.aio.AioRpcError) -> str:
    try:
        return told(error).reason
    except AssertionError:
        return ""  # of gRPC itself: the replica is away
