"""Whether a move costs the same with many matches open, and late in a long match."""

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc

from bench.load_streams import ACK, Seat
from bench.processes import cpu_seconds, running_redis, running_service
from bench.rounds import figure, rounds_argument, whole
from bench.tables import Guest, new_guests, new_table, open_table, stub_of
from croupier.v1 import bots_pb2, matches_pb2, six_nimmt_pb2

SEATS, TRICKS = 4, 10
LONG_SEATS = 6  # a match of a hundred deals, the most there are, has 6,000 moves then
_DEALS = 100
_CHUNKS = 10  # of a long match
_LEAST = 0.01  # s, what the kernel counts in
_WARM = 200  # moves before the first is counted
_AT_ONCE = 8  # tables that are being opened


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--matches", type=whole(1), nargs="+", default=[1, 10, 100, 1_000], help="open at a time")
    parser.add_argument(
        "--moves", type=whole(1), default=1_000, help="of a round, at least; not less than a trick a match"
    )
    parser.add_argument("--entries", type=whole(_CHUNKS, 6_000), default=5_000, help="of the log of a long match")
    rounds_argument(parser)


def run(matches: Sequence[int], moves: int, entries: int, rounds: int) -> Mapping[str, object]:
    """CPU of a move with more and more matches open, and of the first and the last moves of a long match.

    Always one match at a time is played, by all of its seats, each with one stream for all of its matches: what
    differs is how many are there.
    """
    result: dict[str, object] = {"moves": moves, "entries": entries, "rounds": rounds}
    of_count: dict[int, list[Cost]] = {}
    for count in matches:
        with running_redis(durable=True) as redis, running_service(redis.url, "fsync") as service:
            assert redis.pid is not None
            pids = service.pid, redis.pid
            of_count[count] = asyncio.run(_matches(service.address, pids, count, moves, rounds))
    for count, costs in of_count.items():
        result |= _figures(costs, f"_{count}_open")
    result |= _ratio(of_count[matches[-1]], of_count[matches[0]], "matches")
    with running_redis(durable=True) as redis, running_service(redis.url, "fsync") as service:
        assert redis.pid is not None
        first, last = asyncio.run(_long(service.address, (service.pid, redis.pid), entries, rounds))
    chunk = entries // _CHUNKS
    result |= _figures(first, f"_first_{chunk}") | _figures(last, f"_last_{chunk}")
    return result | _ratio(last, first, "log")


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of CPU a move."""

    service: float
    redis: float


def _figures(costs: Sequence[Cost], name: str) -> dict[str, object]:
    result: dict[str, object] = {}
    for part in ("service", "redis"):
        found = [getattr(cost, part) for cost in costs]
        result |= figure(f"{part}_us{name}", found, 1)
    return result


def _ratio(above: Sequence[Cost], below: Sequence[Cost], name: str) -> dict[str, object]:
    """What the one is to the other, round by round."""
    result: dict[str, object] = {}
    for part in ("service", "redis"):
        found = [getattr(a, part) / getattr(b, part) for a, b in zip(above, below, strict=True)]
        result |= figure(f"{part}_ratio_{name}", found, 3)
    return result


async def _matches(target: str, pids: tuple[int, int], count: int, moves: int, rounds: int) -> list[Cost]:
    """All of them are played, by turns, a trick at a time; they begin at different tricks, as hands get shorter."""
    async with _crew(target, SEATS) as crew:
        ids = await crew.open(count)
        for index, match in enumerate(ids):
            await crew.play(match, SEATS * (TRICKS + index % TRICKS if count < TRICKS else index % TRICKS))
        tricks = -(-moves // (SEATS * count))
        if count < TRICKS:
            tricks = -(-tricks // TRICKS) * TRICKS  # whole deals

        async def play_round() -> int:
            for _ in range(tricks):
                for match in ids:
                    await crew.play(match, SEATS)
            return tricks * count * SEATS

        return [await _cost(pids, play_round) for _ in range(rounds)]


async def _long(target: str, pids: tuple[int, int], entries: int, rounds: int) -> tuple[list[Cost], list[Cost]]:
    """The first and the last moves of a match, of one after another."""
    first, last, chunk = [], [], entries // _CHUNKS
    async with _crew(target, LONG_SEATS) as crew:
        (warm,) = await crew.open(1)
        await crew.play(warm, min(chunk, _WARM))
        for _ in range(rounds):
            (match,) = await crew.open(1)

            async def play_chunk(match: str = match) -> int:
                await crew.play(match, chunk)
                return chunk

            first.append(await _cost(pids, play_chunk))
            await crew.play(match, entries - 2 * chunk)
            last.append(await _cost(pids, play_chunk))
    return first, last


async def _cost(pids: tuple[int, int], play: Callable[[], Awaitable[int]]) -> Cost:
    """What so many moves take of service and Redis."""
    before = [cpu_seconds(pid) for pid in pids]
    moves = await play()
    used = [max(cpu_seconds(pid) - began, _LEAST) for pid, began in zip(pids, before, strict=True)]
    return Cost(*(seconds * 1e6 / moves for seconds in used))


class Crew:
    """Players, each with one stream for all of the matches that they play together."""

    def __init__(self, channel: grpc.aio.Channel, guests: Sequence[Guest], seats: Sequence[Seat]) -> None:
        self._stub, self._guests, self._seats = stub_of(channel), guests, seats
        self._asked: dict[str, dict[int, matches_pb2.Window]] = defaultdict(dict)  # by match and seat: unanswered
        self._last: dict[tuple[str, int], str] = {}  # by match and seat: the window that was asked about last
        self._under_way: dict[str, int] = defaultdict(int)  # moves that are not answered
        self._news: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._writing = [asyncio.Lock() for _ in seats]  # gRPC takes one frame of a stream at a time
        self.fault: BaseException | None = None

    async def open(self, count: int) -> list[str]:
        """So many matches, which have begun."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one() -> str:
            create = new_table("six_nimmt", len(self._guests))
            create.options.six_nimmt.end_mode = six_nimmt_pb2.SixNimmtEndMode.FIXED_DEALS
            create.options.six_nimmt.deals = _DEALS
            async with gate:
                return await open_table(self._stub, self._guests, create)

        return list(await asyncio.gather(*(one() for _ in range(count))))

    async def play(self, match: str, moves: int) -> None:
        """So many moves of a match, all seats that are asked at once; they are made when all of them are answered."""
        asked, news = self._asked[match], self._news[match]
        while moves or self._under_way[match]:
            if self.fault is not None:
                raise self.fault
            if not moves or not asked:
                news.clear()
                await news.wait()
                continue
            for number in sorted(asked)[:moves]:
                window = asked.pop(number)
                moves -= 1
                self._under_way[match] += 1
                async with self._writing[number]:
                    await self._seats[number].act(match, window.id, window.choices[len(window.choices) // 2])

    async def listen(self, number: int) -> None:
        """To what one of them is told."""
        try:
            await self._listen(number)
        except Exception as fault:
            self.fault = fault
            for news in self._news.values():
                news.set()

    async def _listen(self, number: int) -> None:
        seat = self._seats[number]
        await seat.write(bots_pb2.PlayerMessage(hello=bots_pb2.Hello()))
        acks: dict[str, int] = {}
        acked = time.monotonic()
        while True:
            for message in await seat.read():
                match message.WhichOneof("message"):
                    case "seated":
                        acks[message.seated.match.id] = message.seated.match.sequence
                        self._ask(number, message.seated.match.id, message.seated.match.you.window)
                    case "question":
                        self._ask(number, message.question.match, message.question.window)
                    case "events":
                        acks[message.events.match] = message.events.events[-1].sequence
                    case "acted":
                        self._under_way[message.acted.match] -= 1
                        self._news[message.acted.match].set()
                    case "refused" | "over" | "go_away":
                        raise RuntimeError(str(message))
                    case _:
                        pass
            if time.monotonic() > acked + ACK:
                acked = time.monotonic()
                async with self._writing[number]:
                    await seat.write(
                        *(bots_pb2.PlayerMessage(ack=bots_pb2.PlayAck(match=m, sequence=s)) for m, s in acks.items())
                    )
                acks.clear()

    def _ask(self, number: int, match: str, window: matches_pb2.Window) -> None:
        if window.choices and self._last.get((match, number)) != window.id:
            self._last[match, number] = window.id
            self._asked[match][number] = window
            self._news[match].set()


@asynccontextmanager
async def _crew(target: str, seats: int) -> AsyncIterator[Crew]:
    async with grpc.aio.insecure_channel(target) as channel:
        guests = await new_guests(channel, seats)
        chairs = [Seat(target, guest.token) for guest in guests]
        crew = Crew(channel, guests, chairs)
        listening = [asyncio.ensure_future(crew.listen(number)) for number in range(seats)]
        try:
            yield crew
        finally:
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)
            for chair in chairs:
                await chair.channel.close()
