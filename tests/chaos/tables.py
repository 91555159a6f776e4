"""Keeping a number of matches going: opened, joined and looked after through any replica."""

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import grpc

from chaos.history import Done, History, Seated, Stream
from chaos.players import SILENCE, TIMING, Calls, Player, open_channel, reason_of
from chaos.recorder import now, seen
from croupier.v1 import games_pb2, matches_pb2, matches_pb2_grpc, six_nimmt_pb2

Answer = TypeVar("Answer")
_GIVE_UP = 60.0  # seconds, for a call that is sent again and again
STAND_IN = "chaos"  # level of the bots that stand in
_GUARDED = 2  # one in so many matches, where they do
_BANKED = 0.3  # of the matches: there the seats have a bank, too
_PASSING = frozenset({"", "UNAVAILABLE", "CONTENDED", "OVERLOADED", "GOING_DOWN", "INTERNAL"})


async def insist(
    calls: Calls,
    ask: "Callable[[matches_pb2_grpc.MatchesAsyncStub], Awaitable[Answer]]",
) -> Answer:
    """Ask any replica, and again elsewhere while that may help. Raises the last refusal."""
    give_up = asyncio.get_running_loop().time() + _GIVE_UP
    while True:
        try:
            return await ask(random.choice(calls))
        except grpc.aio.AioRpcError as error:
            if reason_of(error) not in _PASSING or asyncio.get_running_loop().time() > give_up:
                raise
        await asyncio.sleep(random.uniform(0.1, 0.4))


class Tables:
    """Matches of 6 nimmt!, one deal each, `count` at a time."""

    def __init__(
        self,
        history: History,
        players: Sequence[Player],
        calls: Calls,
        targets: Sequence[str],
        *,
        seats: int,
        window: float,
    ) -> None:
        self._history = history
        self._players = players
        self._calls = calls
        self._targets = targets
        self._seats = seats
        self._window = window
        self._over: dict[str, asyncio.Event] = {}
        self.begun: list[str] = []
        self.finished = 0

    def done(self, match: str) -> None:
        """A player heard that a match is over."""
        if match in self._over:
            self._over[match].set()

    async def keep(self, until: float) -> None:
        """One match after another, until a time of the loop; the last one is played to its end."""
        loop = asyncio.get_running_loop()
        while loop.time() < until:
            match = f"chaos-{uuid.uuid4().hex[:20]}"
            self._over[match] = asyncio.Event()
            try:
                await self._open(match)
            except (grpc.aio.AioRpcError, TimeoutError) as problem:
                print(f"{match} was not opened: {problem}", flush=True)
                self._history.unfinished.append(match)
                continue
            await self._await_end(match, until)

    async def _open(self, match: str) -> None:
        players = random.sample(self._players, self._seats)
        fickle = random.random() < 0.5
        create = matches_pb2.CreateMatchRequest(
            request_id=uuid.uuid4().hex,
            match_id=match,
            game="six_nimmt",
            seats=self._seats,
            preset="single_deal",
            options=games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(recommit=fickle)),
        )
        create.clock.window_duration.FromMilliseconds(round(self._window * 1000))
        if random.random() < _BANKED:
            create.clock.bank_duration.FromMilliseconds(1_000)
            create.clock.increment_duration.FromMilliseconds(100)
        if len(self.begun) % _GUARDED == 0:
            create.stand_in.level = STAND_IN
            create.stand_in.after_duration.FromMilliseconds(500)
        for player in players:
            if fickle:
                player.fickle.add(match)
        await insist(self._calls, lambda stub: stub.CreateMatch(create, metadata=players[0].auth, timeout=5))
        self.begun.append(match)
        for player in players[1:]:
            join = matches_pb2.JoinMatchRequest(request_id=uuid.uuid4().hex, match=match)
            await insist(self._calls, _joining(join, player))

    async def _await_end(self, match: str, until: float) -> None:
        """Where streams are late, whether a match is over is asked for; it has its time, and a minute."""
        loop = asyncio.get_running_loop()
        give_up = max(until, loop.time()) + 30 * self._window + 60
        request = matches_pb2.GetMatchRequest(match=match)
        auth = self._players[0].auth
        while not self._over[match].is_set():
            try:
                async with asyncio.timeout(20 * self._window):
                    await self._over[match].wait()
            except TimeoutError:
                try:
                    found = await insist(self._calls, lambda stub: stub.GetMatch(request, metadata=auth, timeout=5))
                except grpc.aio.AioRpcError:
                    self._history.unreadable.append(match)
                    return
                if found.state == matches_pb2.MatchState.OVER:
                    break
                if loop.time() > give_up:
                    self._history.unfinished.append(match)
                    return
        self.finished += 1

    async def watch(self, watcher: Player) -> None:
        """Watch one match after another as anyone may, hopping between replicas. Until cancelled."""
        streams, replica = 0, random.randrange(len(self._targets))
        while True:
            running = [match for match in self.begun[-200:] if not self._over[match].is_set()]
            if not running:
                await asyncio.sleep(0.5)
                continue
            match = random.choice(running)
            request = matches_pb2.WatchMatchRequest(match=match)
            while True:
                streams += 1
                others = [index for index in range(len(self._targets)) if index != replica]
                replica = random.choice(others or [replica])
                stream = Stream(f"{watcher.player}/w{streams}", watcher.player, replica, now(), {})
                if request.HasField("after"):
                    stream.resume[match] = request.after
                self._history.streams.append(stream)
                try:
                    over = await self._follow(stream, watcher, request)
                except (grpc.aio.AioRpcError, TimeoutError) as problem:
                    over, stream.why = False, type(problem).__name__
                stream.closed = now()
                if over:
                    break
                steady = stream.welcomed is not None and stream.closed - stream.opened > TIMING.steady * 1000
                await asyncio.sleep(random.uniform(0, TIMING.prompt) if steady else random.uniform(0.1, 0.5))

    async def _follow(self, stream: Stream, watcher: Player, request: matches_pb2.WatchMatchRequest) -> bool:
        """One connection; whether the match is over. The request moves on behind what was received."""
        match = request.match
        async with open_channel(self._targets[stream.replica]) as channel:
            stub: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(channel)
            call = stub.WatchMatch(request, metadata=watcher.auth)
            while True:
                async with asyncio.timeout(SILENCE):
                    message = await call.read()
                if not isinstance(message, matches_pb2.WatchMatchResponse):
                    return False
                stream.welcomed = stream.welcomed or now()
                match message.WhichOneof("message"):
                    case "snapshot":
                        whole = message.snapshot.match
                        stream.items.append(Seated(match, whole.sequence, now()))
                        request.after, request.mark = whole.sequence, whole.mark
                    case "event":
                        stream.items.append(seen(match, message.event))
                        request.after, request.mark = message.event.sequence, message.event.mark
                    case "end" if message.end.reason in ("OVER", "ABANDONED"):
                        stream.items.append(Done(match, now()))
                        return True
                    case _:
                        pass


def _joining(
    request: matches_pb2.JoinMatchRequest, player: Player
) -> "Callable[[matches_pb2_grpc.MatchesAsyncStub], Awaitable[matches_pb2.Match]]":
    return lambda stub: stub.JoinMatch(request, metadata=player.auth, timeout=5)
