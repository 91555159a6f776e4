"""Players that hop between replicas: the SDK's session over connections of our own, all of it written down."""

import asyncio
import random
import uuid
from collections.abc import Callable, Sequence
from typing import TypeAlias

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from chaos.history import History
from chaos.recorder import Recorder
from croupier.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, matches_pb2_grpc
from croupier_bots import Bot, Timing
from croupier_bots.client import BackOff
from croupier_bots.errors import Replaced
from croupier_bots.line import Call, Line
from croupier_bots.session import Ask, ComeBack, Session

TIMING = Timing(longest_delay=1.0)
SILENCE = 8.0  # seconds, after which a stream counts as dead: more than two heartbeats
_AWAY = (10.0, 14.0)  # seconds: whoever has just acted counts as present for three heartbeats
_PING = 3.0  # seconds between two frames to a replica
Calls: TypeAlias = "Sequence[matches_pb2_grpc.MatchesAsyncStub]"
"""Plain calls: a stub for each replica."""
_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 1000))


def open_channel(target: str) -> grpc.aio.Channel:
    """A channel with a connection of its own."""
    return grpc.aio.insecure_channel(target, options=_OPTIONS)


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The reason of a refusal; empty if the server did not give one, and so may not even have seen the call."""
    status = rpc_status.from_call(error)
    info = ErrorInfo()
    for detail in status.details if status is not None else ():
        if detail.Unpack(info):
            return str(info.reason)
    return ""


class Habits:
    """How players play: think for up to `think` seconds; chances of letting the clock play, and of saying it twice.

    `stays`: seconds after which they go away for a while; None: they do not.
    """

    def __init__(
        self,
        think: float,
        lazy: float = 0.08,
        twice: float = 0.05,
        elsewhere: float = 0.03,
        stays: float | None = None,
    ) -> None:
        self.think = think
        self.stays = stays
        self.lazy = lazy
        self.twice = twice
        self.elsewhere = elsewhere
        self.change = 0.25  # of mind, where the rules allow it
        self.hop = 0.002  # per frame: leave for another replica without a reason


class Player:
    """A player: one stream at a time, at any replica."""

    def __init__(
        self,
        history: History,
        targets: Sequence[str],
        calls: Calls,
        player: str,
        token: str,
        habits: Habits,
        done: Callable[[str], None],
        levels: Sequence[str] = (),
    ) -> None:
        """`levels`: at which it offers to play, as a bot; none: a person."""
        self.player = player
        self.auth = (("authorization", f"Bearer {token}"),)
        self._recorder = Recorder(history, player, stands_in=bool(levels))
        self._targets = targets
        self._calls = calls
        self._habits = habits
        self._done = done
        self._session = Session(lambda _: Bot(), {"six_nimmt": levels} if levels else {}, 500, quiet=True)
        self._line = Line(self._session, _PING, self._ask)
        self._replica = random.randrange(len(targets))
        self._errands: set[asyncio.Task[None]] = set()
        self.fickle: set[str] = set()  # matches in which a choice may be changed

    async def play(self) -> None:
        """Until cancelled: connect, and again elsewhere when the line breaks."""
        back_off = BackOff(TIMING)
        loop = asyncio.get_running_loop()
        while True:
            began, wait = loop.time(), 0.0
            try:
                why = await self._connect()
                if why == "away":
                    wait = random.uniform(*_AWAY)
            except ComeBack as reason:
                why, wait = str(reason), back_off.next()
            except grpc.aio.AioRpcError as error:
                why, wait = f"{error.code().name} {error.details()}", back_off.next()
            except Replaced:
                # There is one stream at a time here, but an older one may come to life behind this one's back.
                why, wait = "replaced", back_off.next()
            except TimeoutError:
                why = "silence"
            finally:
                self._recorder.closed("end")
            self._recorder.closed(why)
            if loop.time() - began > TIMING.steady:
                back_off.reset()
                if why != "away":
                    wait = random.uniform(0, TIMING.prompt)  # as the SDK does
            await asyncio.sleep(wait)
            others = [index for index in range(len(self._targets)) if index != self._replica]
            self._replica = random.choice(others or [self._replica])

    async def _connect(self) -> str:
        """Until the line breaks, or he leaves: why."""
        loop = asyncio.get_running_loop()
        leaves = None if self._habits.stays is None else loop.time() + self._habits.stays
        async with open_channel(self._targets[self._replica]) as channel:
            stub: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(channel)
            self._recorder.opened(self._replica, self._line.begin().hello)
            call: Call = stub.Play(metadata=self.auth)
            writer = asyncio.create_task(self._line.write(call, self._sent))
            try:
                while True:
                    async with asyncio.timeout(SILENCE):
                        frame = await call.read()
                    if not isinstance(frame, bots_pb2.PlayResponse):
                        raise ComeBack("ended")
                    for message in frame.messages:
                        self._recorder.heard(message)
                        self._line.perform(self._session.receive(message))
                        if message.HasField("over") and message.over.HasField("outcome"):
                            self._done(message.over.match)
                    if random.random() < self._habits.hop:
                        return "hop"
                    if leaves is not None and loop.time() > leaves:
                        return "away"
            finally:
                call.cancel()
                writer.cancel()
                await asyncio.gather(writer, return_exceptions=True)

    def _sent(self, message: bots_pb2.PlayerMessage) -> None:
        if message.HasField("act"):
            self._recorder.sent(message.act)

    def _ask(self, ask: Ask) -> None:
        if not ask.window.choices or random.random() < self._habits.lazy:
            return  # the clock will play
        asyncio.get_running_loop().call_later(random.uniform(0, self._habits.think), self._answer, ask)

    def _answer(self, ask: Ask) -> None:
        choice = random.choice(ask.window.choices)
        for effect in self._session.decide(ask.match, ask.window.id, choice):
            self._line.perform([effect])
            if isinstance(effect, bots_pb2.PlayerMessage) and effect.HasField("act"):
                self._tease(ask, effect.act)

    def _tease(self, ask: Ask, act: bots_pb2.PlayAct) -> None:
        """Say it twice, say it to another replica too, or change the mind: all of it is allowed."""
        if random.random() < self._habits.twice:
            self._line.post(bots_pb2.PlayerMessage(act=act))
        if random.random() < self._habits.elsewhere:
            errand = asyncio.create_task(self._act_elsewhere(act))
            self._errands.add(errand)
            errand.add_done_callback(self._errands.discard)
        others = [choice for choice in ask.window.choices if choice != act.action]
        if act.match in self.fickle and others and random.random() < self._habits.change:
            other = bots_pb2.PlayAct()
            other.CopyFrom(act)
            other.request_id = uuid.uuid4().hex
            other.action.CopyFrom(random.choice(others))
            loop = asyncio.get_running_loop()
            loop.call_later(random.uniform(0.02, 0.3), self._line.post, bots_pb2.PlayerMessage(act=other))

    async def _act_elsewhere(self, act: bots_pb2.PlayAct) -> None:
        """The same act as a plain call, at whichever replica."""
        request = matches_pb2.ActRequest(request_id=act.request_id, match=act.match, window=act.window)
        request.action.CopyFrom(act.action)
        if act.HasField("epoch"):
            request.epoch = act.epoch
        self._recorder.sent(act)
        try:
            answer = await random.choice(self._calls).Act(request, metadata=self.auth, timeout=10)
        except grpc.aio.AioRpcError as error:
            if reason := reason_of(error):
                self._recorder.answered(act.request_id, act.match, None, reason)
        else:
            self._recorder.answered(act.request_id, act.match, answer.applied_sequence, "")
