"""How late deadlines are fired when nothing disturbs them: matches in which nobody ever answers."""

import argparse
import asyncio
import json
import time
import uuid

import grpc
import redis.asyncio

from bench.processes import CannotMeasure, cpu_seconds, running_redis, running_service
from bench.rounds import duration, whole
from croupier.v1 import matches_pb2, matches_pb2_grpc, players_pb2, players_pb2_grpc
from croupier_service.store.keys import SHARDS, ShardKeys

GRACE = 250  # ms, the service's own default


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--matches", type=whole(1), default=2_000)
    parser.add_argument("--seconds", type=duration, default=60)
    parser.add_argument("--window", type=duration, default=10.0, help="seconds for each question")


def run(matches: int, window: float, seconds: float) -> dict[str, float | int]:
    """Milliseconds beyond deadline and grace until the commit was published, of all that fired within a time."""
    with running_redis(durable=True) as server, running_service(server.url, "fsync") as service:
        return asyncio.run(_run(server.url, service.address, service.pid, matches, window, seconds))


async def _run(url: str, target: str, pid: int, matches: int, window: float, seconds: float) -> dict[str, float | int]:
    notices = Notices(url)
    listening = asyncio.create_task(notices.listen())
    async with grpc.aio.insecure_channel(target) as channel:
        players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
        stub: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(channel)
        guests = [await players.CreatePlayer(players_pb2.CreatePlayerRequest(display_name="A")) for _ in range(2)]
        auth = [(("authorization", f"Bearer {guest.token}"),) for guest in guests]
        gate = asyncio.Semaphore(8)

        async def begin(index: int) -> None:
            await asyncio.sleep(index * window / matches)  # their windows are spread evenly
            create = matches_pb2.CreateMatchRequest(
                match_id=f"bench-{uuid.uuid4().hex[:20]}", game="six_nimmt", seats=2, preset="single_deal"
            )
            create.clock.window_duration.FromMilliseconds(round(window * 1000))
            async with gate:
                await stub.CreateMatch(create, metadata=auth[0])
                await stub.JoinMatch(matches_pb2.JoinMatchRequest(match=create.match_id), metadata=auth[1])

        await asyncio.gather(*(begin(index) for index in range(matches)))
        notices.late.clear()
        before = cpu_seconds(pid)
        await asyncio.sleep(seconds)
        late, used = sorted(notices.late), cpu_seconds(pid) - before
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    if not late:
        raise CannotMeasure(f"no deadline of {window} s fired within {seconds} s: give it more --seconds")
    return {
        "matches": matches,
        "running": len(notices.deadlines),
        "deadlines": len(late),
        "early": sum(value < 0 for value in late),
        "lateness_p50_ms": round(late[len(late) // 2], 1),
        "lateness_p99_ms": round(late[int((len(late) - 1) * 0.99)], 1),
        "lateness_max_ms": round(late[-1], 1),
        "service_cpu_share": round(used / seconds, 2),
    }


class Notices:
    """What the commits publish: a match, its version, its next deadline."""

    def __init__(self, url: str) -> None:
        self._client = redis.asyncio.Redis.from_url(url, protocol=3)
        self.deadlines: dict[str, int] = {}
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
                # A match is created, joined and started by its first two changes; then all is the clock's.
                if version > 2 and match in self.deadlines:
                    self.late.append(at - self.deadlines[match] - GRACE)
                self.deadlines.pop(match, None)
                if version >= 2 and deadline is not None:
                    self.deadlines[match] = deadline
