"""Clients that play as fast as they are answered: `python -m bench.load KIND TARGET MATCHES SEATS SECONDS`.

KIND: `echo`, `script`, `match`, `frames` (of the bare stack), or `moves` (the product). One stream a seat, each over a
connection of its own.
It prints `begin` when all play and a warm-up has passed, `end` after SECONDS, and a line of JSON.
"""

import asyncio
import json
import sys
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import grpc

from croupier.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    games_pb2,
    matches_pb2,
    matches_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    six_nimmt_pb2,
)

_WARM = 2.0  # s
_DEALS = 4  # of a match
ACK = 5.0  # s between acknowledgements of what was received; a stream without one for a minute is ended


class Counter:
    """Moves that were accepted and delivered while it counts, and how long each took."""

    def __init__(self) -> None:
        self.counting = False
        self.moves = 0
        self.tables = 0  # that have moved at least once
        self.took: list[float] = []

    def moved(self, began: float) -> None:
        """One more, sent at `began`."""
        if self.counting:
            self.moves += 1
            self.took.append(time.perf_counter() - began)


class Table:
    """One match: a move counts when its player has the answer and every seat has its event."""

    def __init__(self, seats: int, counter: Counter) -> None:
        self.cursors = [0] * seats
        self._counter = counter
        self._moved = False
        self._accepted: deque[tuple[int, float]] = deque()

    def accepted(self, sequence: int, began: float) -> None:
        """A move has become part of the match as of event `sequence`."""
        if not self._moved:
            self._moved = True
            self._counter.tables += 1
        self._accepted.append((sequence, began))
        self.look()

    def look(self) -> None:
        """Count what everybody has by now."""
        reached = min(self.cursors)
        while self._accepted and self._accepted[0][0] <= reached:
            self._counter.moved(self._accepted.popleft()[1])


class Seat:
    """One stream."""

    def __init__(self, target: str, token: str) -> None:
        channel = grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        stub: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(channel)
        self.call: grpc.aio.StreamStreamCall[bots_pb2.PlayRequest, bots_pb2.PlayResponse] = stub.Play(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        self.channel = channel
        self.sent: dict[str, float] = {}
        self._acts = 0

    async def act(self, match: str, window: str, action: games_pb2.Action) -> None:
        """Send a move."""
        self._acts += 1
        request = f"{self._acts}"
        self.sent[request] = time.perf_counter()
        act = bots_pb2.PlayAct(request_id=request, match=match, window=window, action=action)
        await self.write(bots_pb2.PlayerMessage(act=act))

    async def write(self, *messages: bots_pb2.PlayerMessage) -> None:
        """One frame."""
        await self.call.write(bots_pb2.PlayRequest(messages=messages))

    async def read(self) -> list[bots_pb2.TableMessage]:
        """One frame."""
        frame = await self.call.read()
        if not isinstance(frame, bots_pb2.PlayResponse):
            raise TypeError(f"a stream has ended: {await self.call.code()} {await self.call.details()}")
        return list(frame.messages)


def _commit(card: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=card)))


async def bare_match(kind: str, target: str, index: int, seats: int, counter: Counter) -> None:
    """The seats of a match of the bare stack: each sends again when it is answered."""
    match = f"{kind}-{index:04d}-{uuid.uuid4().hex[:12]}"
    table = Table(seats, counter)

    async def sit(number: int) -> None:
        seat = Seat(target, "-")
        await seat.act(match, "join", _commit(1))
        await seat.read()
        await seat.act(match, "d1.t1.choose", _commit(55))
        while True:
            for message in await seat.read():
                if message.HasField("events"):
                    table.cursors[number] = message.events.events[-1].sequence
                    table.look()
                elif message.HasField("acted"):
                    began = seat.sent.pop(message.acted.request_id)
                    if kind in ("match", "frames"):
                        table.accepted(message.acted.applied_sequence, began)
                    else:
                        counter.moved(began)
                    await seat.act(match, "d1.t1.choose", _commit(55))

    await asyncio.gather(*(sit(number) for number in range(seats)))


async def real_match(target: str, seats: int, counter: Counter, calls: grpc.aio.Channel) -> None:
    """The seats of one table, which play one match after another."""
    guests: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(calls)
    matches: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(calls)
    tokens = [
        (await guests.CreatePlayer(players_pb2.CreatePlayerRequest(display_name="B"))).token for _ in range(seats)
    ]
    chairs = [Seat(target, token) for token in tokens]
    tables: dict[str, Table] = {}
    over = asyncio.Event()

    async def sit(seat: Seat, number: int) -> None:
        await seat.write(bots_pb2.PlayerMessage(hello=bots_pb2.Hello()))
        asked = ("", "")
        acks: dict[str, int] = {}
        acked = time.monotonic()
        while True:
            for message in await seat.read():
                window, match = matches_pb2.Window(), ""
                match message.WhichOneof("message"):
                    case "seated":
                        match, window = message.seated.match.id, message.seated.match.you.window
                        acks[match] = tables[match].cursors[number] = message.seated.match.sequence
                    case "question":
                        match, window = message.question.match, message.question.window
                    case "events":
                        table = tables[message.events.match]
                        acks[message.events.match] = table.cursors[number] = message.events.events[-1].sequence
                        table.look()
                    case "acted":
                        began = seat.sent.pop(message.acted.request_id)
                        tables[message.acted.match].accepted(message.acted.applied_sequence, began)
                    case "over":
                        if number == 0:
                            over.set()
                    case "refused" | "go_away":
                        raise RuntimeError(str(message))
                    case _:
                        pass
                if window.choices and (match, window.id) != asked:
                    asked = match, window.id
                    await seat.act(match, window.id, window.choices[len(window.choices) // 2])
            if time.monotonic() > acked + ACK:
                acked = time.monotonic()
                await seat.write(
                    *(bots_pb2.PlayerMessage(ack=bots_pb2.PlayAck(match=m, sequence=s)) for m, s in acks.items())
                )
                acks.clear()

    async def open_tables() -> None:
        while True:
            over.clear()
            create = matches_pb2.CreateMatchRequest(
                match_id=f"bench-{uuid.uuid4().hex[:20]}", game="six_nimmt", seats=seats, request_id=uuid.uuid4().hex
            )
            create.options.six_nimmt.end_mode = six_nimmt_pb2.SixNimmtEndMode.FIXED_DEALS
            create.options.six_nimmt.deals = _DEALS
            tables[create.match_id] = Table(seats, counter)
            await matches.CreateMatch(create, metadata=(("authorization", f"Bearer {tokens[0]}"),))
            for token in tokens[1:]:
                join = matches_pb2.JoinMatchRequest(match=create.match_id, request_id=uuid.uuid4().hex)
                await matches.JoinMatch(join, metadata=(("authorization", f"Bearer {token}"),))
            await over.wait()
            await asyncio.sleep(0.05)  # the others have it, too

    await asyncio.gather(open_tables(), *(sit(seat, number) for number, seat in enumerate(chairs)))


async def _play(tasks: "Sequence[asyncio.Future[None]]", seconds: float) -> None:
    """Let them play; whatever goes wrong in one is raised."""
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


async def _main(kind: str, target: str, matches: int, seats: int, seconds: float) -> None:
    counter = Counter()
    async with grpc.aio.insecure_channel(target) as calls:
        make: Callable[[int], Awaitable[None]] = (
            (lambda index: real_match(target, seats, counter, calls))
            if kind == "moves"
            else (lambda index: bare_match(kind, target, index, seats, counter))
        )
        tasks = [asyncio.ensure_future(make(index)) for index in range(matches)]
        while kind in ("match", "frames", "moves") and counter.tables < matches:
            await _play(tasks, 0.1)
        await _play(tasks, _WARM)
        counter.counting = True
        began = time.perf_counter()
        print("begin", flush=True)
        await _play(tasks, seconds)
        counter.counting = False
        took = time.perf_counter() - began
        print("end", flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    ordered = sorted(counter.took) or [0.0]
    shares = {"p50_ms": 0.5, "p99_ms": 0.99, "p999_ms": 0.999}
    latencies = {name: round(ordered[int((len(ordered) - 1) * share)] * 1000, 2) for name, share in shares.items()}
    print(json.dumps({"moves": counter.moves, "seconds": took, **latencies}), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])))
