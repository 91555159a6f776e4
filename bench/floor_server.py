"""The bare stack: grpc.aio and Redis, without the product. `python -m bench.floor_server REDIS_URL`.

Four things that a stream may do, by how its match is called: `echo`; `script` (one pipelined script for each message,
then the answer); `match` (one pipelined script, an acknowledgement, and a message to each stream of the match);
`frames` (the same, but what waits for a stream leaves as one frame: under load several moves share one).
And three that a unary call may do: `echo`, `script`, and `watched` (one pipelined script, the answer, and two events to
each stream that follows the match); the name goes on with the number of seats.
Messages are those of Bots.Play and of Matches, as long as those of a move.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import grpc
from redis.asyncio import Redis

from croupier.v1 import bots_pb2, matches_pb2, six_nimmt_pb2

# Compare, write the record, append to the log, keep the deadline, publish: what a commit does at least.
SCRIPT = """
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'clock', ARGV[2], 'requests', ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('ZADD', KEYS[3], version, KEYS[1])
redis.call('SPUBLISH', KEYS[4], version)
return version
"""
_STATE, _ENTRY = b"s" * 600, b"e" * 200


class Scripts:
    """Runs a script for each call; those that come while others are under way leave together as one write."""

    def __init__(self, client: "Redis", sha: str) -> None:
        self._client = client
        self._sha = sha
        self._waiting: list[tuple[str, asyncio.Future[int]]] = []
        self._sending: asyncio.Task[None] | None = None

    def run(self, match: str) -> "asyncio.Future[int]":
        """The number of the change."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()
        self._waiting.append((match, future))
        if self._sending is None:
            self._sending = loop.create_task(self._send())
        return future

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            async with self._client.pipeline(transaction=False) as pipeline:
                for match, _ in batch:
                    tag = f"f:{{{match}}}"
                    keys = (f"{tag}:record", f"{tag}:log", f"{tag}:deadlines", f"{tag}:changes")
                    pipeline.execute_command("EVALSHA", self._sha, 4, *keys, _STATE, _ENTRY)
                for (_, future), answer in zip(batch, await pipeline.execute(), strict=True):
                    if not future.done():
                        future.set_result(answer)
        self._sending = None


class Outbox(asyncio.Queue[bots_pb2.TableMessage]):
    """What waits to be sent on a stream. `merged`: all that waits leaves as one frame; else each message is one."""

    merged = False


class Floor:
    """The streams of Bots."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._seats: dict[str, set[Outbox]] = defaultdict(set)

    async def play(self, frames: AsyncIterator[bots_pb2.PlayRequest], _: Any) -> AsyncIterator[bots_pb2.PlayResponse]:
        """A stream."""
        outbox = Outbox()
        reader = asyncio.create_task(self._read(frames, outbox))
        try:
            while True:
                messages = [await outbox.get()]
                while outbox.merged and not outbox.empty():
                    messages.append(outbox.get_nowait())
                yield bots_pb2.PlayResponse(messages=messages)
        finally:
            reader.cancel()
            for seats in self._seats.values():
                seats.discard(outbox)

    async def _read(self, frames: AsyncIterator[bots_pb2.PlayRequest], outbox: Outbox) -> None:
        tasks: set[asyncio.Task[None]] = set()
        async for frame in frames:
            for message in frame.messages:
                act = message.act
                if act.match.startswith("echo"):
                    outbox.put_nowait(_acted(act, 0))
                    continue
                if act.match.startswith(("match", "frames")):
                    self._seats[act.match].add(outbox)
                    outbox.merged = act.match.startswith("frames")
                if act.window == "join":
                    outbox.put_nowait(_acted(act, 0))
                    continue
                task = asyncio.create_task(self._move(act, outbox))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

    async def _move(self, act: bots_pb2.PlayAct, outbox: Outbox) -> None:
        version = await self._scripts.run(act.match)
        for seat in self._seats.get(act.match, ()):
            seat.put_nowait(_happened(act.match, version))
        outbox.put_nowait(_acted(act, version))


class Calls:
    """The calls of Matches."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._watching: dict[str, set[asyncio.Queue[int]]] = defaultdict(set)

    async def act(self, request: matches_pb2.ActRequest, _: Any) -> matches_pb2.ActResponse:
        """A call."""
        version = 0 if request.match.startswith("echo") else await self._scripts.run(request.match)
        for watching in self._watching.get(request.match, ()):
            watching.put_nowait(version)
        response = matches_pb2.ActResponse(applied_sequence=version, events=[_event(version), _event(version)])
        response.match.you.window.id = "d1.t1.choose"
        response.match.you.window.must.extend(range(int(request.match.split("-")[1])))
        return response

    async def watch(
        self, request: matches_pb2.WatchMatchRequest, _: Any
    ) -> AsyncIterator[matches_pb2.WatchMatchResponse]:
        """A stream."""
        queue = asyncio.Queue[int]()
        self._watching[request.match].add(queue)
        try:
            yield matches_pb2.WatchMatchResponse(snapshot=matches_pb2.Snapshot())
            while True:
                version = await queue.get()
                yield matches_pb2.WatchMatchResponse(event=_event(version))
                yield matches_pb2.WatchMatchResponse(event=_event(version))
        finally:
            self._watching[request.match].discard(queue)


def _acted(act: bots_pb2.PlayAct, version: int) -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(
        acted=bots_pb2.Acted(match=act.match, request_id=act.request_id, applied_sequence=version)
    )


def _happened(match: str, version: int) -> bots_pb2.TableMessage:
    """As much as is told of a move: at a table of four a trick is four cards chosen, a reveal, four cards placed."""
    return bots_pb2.TableMessage(events=bots_pb2.MatchEvents(match=match, events=[_event(version), _event(version)]))


def _event(version: int) -> matches_pb2.Event:
    event = matches_pb2.Event(
        sequence=version,
        type="six_nimmt.committed",
        six_nimmt=six_nimmt_pb2.SixNimmtEvent(committed=six_nimmt_pb2.SixNimmtCommitted(seat=1)),
        mark="bWFya21h",
    )
    event.time.FromMilliseconds(1_700_000_000_000)
    return event


async def _main(url: str) -> None:
    client = Redis.from_url(url, protocol=3)
    sha = await client.script_load(SCRIPT)
    scripts = Scripts(client, sha)
    floor, calls = Floor(scripts), Calls(scripts)
    server = grpc.aio.server()
    play = grpc.stream_stream_rpc_method_handler(
        floor.play,
        request_deserializer=bots_pb2.PlayRequest.FromString,
        response_serializer=bots_pb2.PlayResponse.SerializeToString,
    )
    act = grpc.unary_unary_rpc_method_handler(
        calls.act,
        request_deserializer=matches_pb2.ActRequest.FromString,
        response_serializer=matches_pb2.ActResponse.SerializeToString,
    )
    watch = grpc.unary_stream_rpc_method_handler(
        calls.watch,
        request_deserializer=matches_pb2.WatchMatchRequest.FromString,
        response_serializer=matches_pb2.WatchMatchResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("croupier.v1.Bots", {"Play": play}),
            grpc.method_handlers_generic_handler("croupier.v1.Matches", {"Act": act, "WatchMatch": watch}),
        )
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"grpc: 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
