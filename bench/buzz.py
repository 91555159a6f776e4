"""How late the buzz of Freedom of Speech comes when nothing disturbs it: matches in which nobody ever guesses."""

import argparse
import asyncio
import json
import time
import uuid

import grpc
import redis.asyncio
from google.protobuf.json_format import ParseDict

from bench.processes import CannotMeasure, cpu_seconds, running_redis, running_service
from bench.rounds import duration, whole
from croupier.v1 import games_pb2, matches_pb2, matches_pb2_grpc, players_pb2, players_pb2_grpc
from croupier_service.store.keys import SHARDS, ShardKeys

SEATS = 4
TIMER, START = 3.0, 0.5  # seconds, a twentieth of the usual ones
_OPTIONS = {
    "freedomOfSpeech": {"timerDuration": f"{TIMER}s", "startDuration": f"{START}s", "maxRounds": 1_000, "winAt": 200}
}
_PLAYERS_AT_ONCE = 8


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--matches", type=whole(1), default=200)
    parser.add_argument("--seconds", type=duration, default=30)


def run(matches: int, seconds: float) -> dict[str, float | int]:
    """Milliseconds from a timer's end until its buzz was published, of all that came within a time."""
    with running_redis(durable=True) as server, running_service(server.url, "fsync") as service:
        return asyncio.run(_run(server.url, service.address, service.pid, matches, seconds))


async def _run(url: str, target: str, pid: int, matches: int, seconds: float) -> dict[str, float | int]:
    buzzes = Buzzes(url)
    listening = asyncio.create_task(buzzes.listen())
    async with grpc.aio.insecure_channel(target) as channel:
        players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
        stub: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(channel)
        guests = [await players.CreatePlayer(players_pb2.CreatePlayerRequest(display_name="A")) for _ in range(SEATS)]
        auth = [(("authorization", f"Bearer {guest.token}"),) for guest in guests]
        options = ParseDict(_OPTIONS, games_pb2.Options())
        gate = asyncio.Semaphore(_PLAYERS_AT_ONCE)

        async def begin(index: int) -> None:
            await asyncio.sleep(index * (TIMER + START) / matches)  # their timers are spread evenly
            create = matches_pb2.CreateMatchRequest(
                match_id=f"bench-{uuid.uuid4().hex[:20]}", game="freedom_of_speech", seats=SEATS, options=options
            )
            async with gate:
                await stub.CreateMatch(create, metadata=auth[0])
                for each in auth[1:]:
                    await stub.JoinMatch(matches_pb2.JoinMatchRequest(match=create.match_id), metadata=each)

        await asyncio.gather(*(begin(index) for index in range(matches)))
        buzzes.late.clear()
        before = cpu_seconds(pid)
        await asyncio.sleep(seconds)
        late, used = sorted(buzzes.late), cpu_seconds(pid) - before
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    if not late:
        raise CannotMeasure(f"no timer of {TIMER} s came to its end within {seconds} s: give it more --seconds")
    return {
        "matches": matches,
        "buzzes": len(late),
        "early": sum(value < 0 for value in late),
        "p50_ms": round(late[len(late) // 2], 1),
        "p99_ms": round(late[int((len(late) - 1) * 0.99)], 1),
        "max_ms": round(late[-1], 1),
        "service_cpu_share": round(used / seconds, 2),
    }


class Buzzes:
    """What the commits publish: a match, its version, its next deadline.

    Nobody acts, so that by turns a timer starts by itself and buzzes.
    """

    def __init__(self, url: str) -> None:
        self._client = redis.asyncio.Redis.from_url(url, protocol=3)
        self._ends: dict[str, int] = {}  # of timers that run
        self.late: list[float] = []

    async def listen(self) -> None:
        """Until cancelled."""
        shards = 0
        while not shards:
            shards = int(await self._client.get(SHARDS) or 0)
        async with self._client.pubsub() as pubsub:
            await pubsub.ssubscribe(*(ShardKeys(shard).channel for shard in range(shards)))
            while True:
                message = await pubsub.get_message(timeout=10)
                if message is None or message["type"] != "smessage":
                    continue
                at = time.time() * 1000
                match, version, deadline = json.loads(message["data"])[:3]
                self._hear(match, version, deadline, at)

    def _hear(self, match: str, version: int, deadline: int | None, at: float) -> None:
        # It is created and joined by its first changes, the last of which makes the first giver ready.
        if version <= SEATS or deadline is None:
            return
        if (end := self._ends.pop(match, None)) is not None:
            self.late.append(at - end)
        else:
            self._ends[match] = deadline
