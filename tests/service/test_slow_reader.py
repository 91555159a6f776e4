"""A reader that stops reading: it costs a bounded piece of memory, slows nobody, and goes on where it was."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from support.play_stream import Table
from support.replicas import Replica
from support.service import Client, told
from support.tables import seated

from croupier.v1 import games_pb2, matches_pb2, six_nimmt_pb2

# So that little fits in between: what a reader leaves unread shall be felt soon.
NARROW = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 16_384),
]
RECOMMIT = games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(recommit=True))
LONG = matches_pb2.ClockOptions(window_duration=Duration(seconds=3600))
MEGABYTE = 1 << 20
Opening: TypeAlias = Callable[[Client, str], Awaitable[Callable[[], Awaitable[str]]]]


def resident(replica: Replica) -> int:
    """Bytes of memory that a process has."""
    status = Path(f"/proc/{replica.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


_FILLED = 300  # acts: more than what lies between the match and a reader that takes nothing


class Busy:
    """A match in which the first seat changes its mind as fast as it can; each time its own streams get a view."""

    def __init__(self, player: Client, match: str) -> None:
        self._player = player
        self._match = match
        self.acts = 0

    async def go_on(self, seconds: float, least: int = 0) -> int:
        """Play for a while, and on a slow machine until there were so many acts; how many that were."""
        view = await self._player.get(self._match)
        hand, before = view.you.view.six_nimmt.hand, self.acts
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end or self.acts - before < least:
            card = six_nimmt_pb2.SixNimmtCommit(card=hand[self.acts % len(hand)])
            action = games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=card))
            await self._player.choose(view, action=action, request_id=uuid.uuid4().hex)
            self.acts += 1
        return self.acts - before


async def watch_match(client: Client, match: str) -> Callable[[], Awaitable[str]]:
    """Open a stream and read nothing but its first message; answers what reads the rest and tells how it ended."""
    call = client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=client.auth)
    first: Any = await call.read()
    sequence = first.snapshot.match.sequence

    async def rest() -> str:
        nonlocal sequence
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                assert isinstance(message, matches_pb2.WatchMatchResponse)
                if message.HasField("event"):
                    assert message.event.sequence == sequence + 1
                    sequence = message.event.sequence
                if message.HasField("end"):
                    assert message.end.sequence == sequence
                    return await goes_on(client, match, sequence, message.end.reason)
        except grpc.aio.AioRpcError as error:
            return await goes_on(client, match, sequence, told(error).reason)
        return "silence"

    return rest


async def goes_on(client: Client, match: str, sequence: int, why: str) -> str:
    """A stream behind an event brings the next ones, one by one, up to the newest."""
    newest = (await client.get(match)).sequence
    request = matches_pb2.WatchMatchRequest(match=match, after=sequence)
    call = client.matches.WatchMatch(request, metadata=client.auth)
    while sequence < newest:
        message: Any = await call.read()
        if message.HasField("event"):
            assert message.event.sequence == sequence + 1
            sequence = message.event.sequence
    call.cancel()
    return why


async def play(client: Client, match: str) -> Callable[[], Awaitable[str]]:
    """The same with a bot's stream."""
    table = Table(client)
    await table.hello()
    sequence = (await table.next("seated")).match.sequence

    async def rest() -> str:
        try:
            away = await table.next("go_away")
        except grpc.aio.AioRpcError as error:
            return await goes_on(client, match, sequence, told(error).reason)
        return await goes_on(client, match, sequence, away.reason)

    return rest


async def stop_reading(
    redis_url: str, log: Path, opening: Opening, seconds: float, stall: int, alone_s: float
) -> tuple[str, int, int, int, int]:
    """How the stream ended; bytes that the process grew by without and with it; acts without and with it."""
    replica = Replica(redis_url, log, {"STALL": str(stall), "HEARTBEAT": "1000", "LOG_LEVEL": "WARNING"})
    replica.launch()
    try:
        await asyncio.to_thread(replica.await_ready)
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with (
            grpc.aio.insecure_channel(replica.target, options=options) as over,
            grpc.aio.insecure_channel(replica.target, options=NARROW) as narrow,
        ):
            players, match = await seated([over], 2, options=RECOMMIT, clock=LONG)
            busy = Busy(players[0], match)
            slow = replace(players[0], channel=narrow)
            # What a stream costs once, and what the process gets used to.
            warm = await opening(slow, match)
            await busy.go_on(seconds / 2)
            before = resident(replica)
            alone = await busy.go_on(alone_s)
            between = resident(replica)
            del warm
            rest = await opening(slow, match)
            together = await busy.go_on(seconds, _FILLED)
            after = resident(replica)
            async with asyncio.timeout(60):
                why = await rest()
            return why, between - before, after - between, alone, together
    finally:
        await asyncio.to_thread(replica.stop)


@pytest.mark.parametrize(
    ("opening", "stall", "ends"),
    [
        (watch_match, 4_000, ("BEHIND", "UNAVAILABLE")),  # on all but slow machines he is back in time to be told
        (watch_match, 1_000, ("UNAVAILABLE",)),
        (play, 1_000, ("STALLED", "UNAVAILABLE")),
    ],
)
async def test_a_reader_that_stops_is_cut_off_and_resumes(
    redis_url: str, tmp_path: Path, opening: Opening, stall: int, ends: tuple[str, ...]
) -> None:
    why, _, grown, _, acts = await stop_reading(redis_url, tmp_path / "log", opening, 6.0, stall, 1.0)
    assert why in ends
    assert acts > 0
    assert grown < MEGABYTE


@pytest.mark.soak
@pytest.mark.parametrize("opening", [watch_match, play])
async def test_a_reader_that_stops_for_a_minute_costs_less_than_a_megabyte(
    redis_url: str, tmp_path: Path, opening: Opening
) -> None:
    why, _, grown, alone, together = await stop_reading(redis_url, tmp_path / "log", opening, 60.0, 20_000, 60.0)
    assert why in ("STALLED", "UNAVAILABLE")
    assert grown < MEGABYTE
    assert together > alone / 2
