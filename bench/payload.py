"""Bytes on the wire: of a move, of what the table hears of it, and of a snapshot, by gRPC and by REST."""

import argparse
import asyncio
import json
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from statistics import fmean

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from bench.load_streams import Seat
from bench.processes import running_redis, running_service
from bench.rounds import figure, rounds_argument, whole
from bench.spoken import spoken
from bench.tables import Guest, new_guests, new_table, open_table, stub_of
from bench.web import Caller, follow, running_gateway
from croupier.v1 import bots_pb2, games_pb2, matches_pb2, matches_pb2_grpc

SEATS = 4
GAMES = ("six_nimmt", "durak", "freedom_of_speech")
_FRAME = 5  # bytes that gRPC puts before each message
_WAYS = ("grpc", "rest", "play", "rest_gzip")  # of acting, in turn
_ROOM = 64  # streams; those of one match are still being let go of when the next begins
_PACE = 0.25  # s; a player says at most five things a second
_QUIET = 0.5  # s; then everything that was on its way has come


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--moves", type=whole(1), default=80, help="of a match; it may end before that")
    rounds_argument(parser, told="matches of each game")


def run(moves: int, rounds: int) -> Mapping[str, object]:
    """Bytes of a move, of what a table of four hears of it, and of a snapshot, for each game."""
    result: dict[str, object] = {"moves": moves, "rounds": rounds, "seats": SEATS}
    with (
        running_redis(durable=False) as redis,
        running_service(redis.url, "memory") as service,
        running_gateway(service.address, _ROOM) as gateway,
    ):
        for game in GAMES:
            matches = [
                asyncio.run(_match(service.address, gateway.address, game, moves, Random(number)))
                for number in range(rounds)
            ]
            for name in matches[0]:
                found = [match[name] for match in matches]
                result |= figure(f"{game}_{name}", found, 0)
    return result


@dataclass(slots=True)
class Bytes:
    """What was counted: of each kind of message its sizes, and of each kind of stream their sum."""

    sizes: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    told: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    acted: asyncio.Event = field(default_factory=asyncio.Event)  # a stream has brought an answer

    def figures(self, moves: int) -> dict[str, float]:
        """Means, those of streams for each move and the whole table."""
        return {name: fmean(sizes) for name, sizes in self.sizes.items()} | {
            f"table_{name}": total / moves for name, total in self.told.items()
        }


def _size(message: Message) -> int:
    return message.ByteSize() + _FRAME


async def _match(target: str, web: str, game: str, moves: int, dice: Random) -> dict[str, float]:
    found, made = Bytes(), 0
    async with grpc.aio.insecure_channel(target) as channel:
        stub, guests = stub_of(channel), await new_guests(channel, SEATS)
        match = await open_table(stub, guests, new_table(game, SEATS))
        async with _followed(target, web, stub, guests, match, found) as seats:
            callers = [Caller(web, guest.token) for guest in guests]
            table = Table(stub, guests, callers, seats, match, found)
            while made < moves and (chosen := _choice(await table.look(made), made, dice)) is not None:
                await table.move(made, *chosen)
                made += 1
                if game == "freedom_of_speech":
                    await asyncio.sleep(_PACE)
            await asyncio.sleep(_QUIET)
            for caller in callers:
                caller.close()
    return found.figures(made)


def _choice(
    seen: Sequence[matches_pb2.Match], made: int, dice: Random
) -> tuple[int, matches_pb2.Window, games_pb2.Action] | None:
    """A seat, its question, and an answer; None: the match is over, or there is nothing to be done."""
    if seen[0].game == "freedom_of_speech":
        said = spoken(seen, made)
        return None if said is None else (said[0], seen[said[0]].you.window, said[1])
    for seat, match in enumerate(seen):
        if choices := match.you.window.choices:
            return seat, match.you.window, dice.choice(choices)
    return None


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits there, each by gRPC, by REST and by a stream of `Bots.Play`."""

    stub: "matches_pb2_grpc.MatchesAsyncStub"
    guests: Sequence[Guest]
    callers: Sequence[Caller]
    seats: Sequence[Seat]
    match: str
    found: Bytes

    async def look(self, made: int) -> list[matches_pb2.Match]:
        """The match as each seat sees it; of each move, one of them looks by REST, too."""
        request = matches_pb2.GetMatchRequest(match=self.match)
        seen = [await self.stub.GetMatch(request, metadata=guest.metadata) for guest in self.guests]
        sizes = self.found.sizes
        sizes["snapshot_grpc"] += map(_size, seen)
        caller, path = self.callers[made % SEATS], f"/v1/matches/{self.match}"
        sizes["snapshot_rest"].append(len(await asyncio.to_thread(caller.call, "GET", path)))
        sizes["snapshot_rest_gzip"].append(len(await asyncio.to_thread(caller.call, "GET", path, gzip=True)))
        return seen

    async def move(self, made: int, seat: int, window: matches_pb2.Window, action: games_pb2.Action) -> None:
        """By one of the ways, in turn."""
        sizes, way = self.found.sizes, _WAYS[made % len(_WAYS)]
        request = matches_pb2.ActRequest(request_id=uuid.uuid4().hex, match=self.match, window=window.id, action=action)
        if way == "grpc":
            answer = await self.stub.Act(request, metadata=self.guests[seat].metadata)
            sizes["act_grpc_sent"].append(_size(request))
            sizes["act_grpc_answer"].append(_size(answer))
        elif way == "play":
            act = bots_pb2.PlayAct(request_id=request.request_id, match=self.match, window=window.id, action=action)
            frame = bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(act=act)])
            sizes["act_play_sent"].append(_size(frame))
            self.found.acted.clear()
            await self.seats[seat].call.write(frame)
            await self.found.acted.wait()
        else:
            body = json.dumps(MessageToDict(request), separators=(",", ":"), ensure_ascii=False).encode()
            path = f"/v1/matches/{self.match}:act"
            answered = await asyncio.to_thread(self.callers[seat].call, "POST", path, body, gzip=way == "rest_gzip")
            sizes["act_rest_sent"].append(len(body))
            sizes[f"act_{way}_answer"].append(len(answered))


@asynccontextmanager
async def _followed(
    target: str,
    web: str,
    stub: "matches_pb2_grpc.MatchesAsyncStub",
    guests: Sequence[Guest],
    match: str,
    found: Bytes,
) -> AsyncIterator[list[Seat]]:
    """Every seat listens by each kind of stream; what comes before the first move is not counted."""
    begun = asyncio.Semaphore(0)
    counting = False

    def told(kind: str, size: int) -> None:
        if counting:
            found.told[kind] += size

    async def watch(guest: Guest) -> None:
        request = matches_pb2.WatchMatchRequest(match=match)
        async for message in stub.WatchMatch(request, metadata=guest.metadata):
            told("watch", _size(message))
            if message.HasField("snapshot"):
                begun.release()

    async def sse(guest: Guest) -> None:
        async for frame in follow(web, match, guest.token):
            told("sse", frame.size)
            if frame.name == "snapshot":
                begun.release()

    async def play(seat: Seat) -> None:
        await seat.write(bots_pb2.PlayerMessage(hello=bots_pb2.Hello()))
        while isinstance(frame := await seat.call.read(), bots_pb2.PlayResponse):
            answers = sum(message.ByteSize() + 2 for message in frame.messages if message.HasField("acted"))
            if answers:
                found.sizes["act_play_answer"].append(answers + _FRAME)
                found.acted.set()
            if rest := frame.ByteSize() - answers:
                told("play", rest + _FRAME)
            for message in frame.messages:
                if message.HasField("seated"):
                    begun.release()
                elif message.HasField("refused"):
                    raise RuntimeError(str(message))

    seats = [Seat(target, guest.token) for guest in guests]
    tasks = [asyncio.ensure_future(way) for guest in guests for way in (watch(guest), sse(guest))]
    tasks += [asyncio.ensure_future(play(seat)) for seat in seats]
    try:
        async with asyncio.timeout(30):
            for _ in tasks:
                await begun.acquire()
        counting = True
        yield seats
    finally:
        for task in tasks:
            task.cancel()
        for done in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(done, Exception):
                raise done
        for seat in seats:
            await seat.channel.close()
