"""A bot's connection: one `Bots.Play` stream for all its matches, made again whenever it breaks."""

import asyncio
import inspect
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import grpc
import grpc.aio

from croupier.targets import KEEPALIVE
from croupier.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, players_pb2, players_pb2_grpc
from croupier_bots.address import checked_target, outage
from croupier_bots.bot import Bot, Choice
from croupier_bots.declaration import declared, name_of
from croupier_bots.errors import BotStopped, ChoiceInvalid, Replaced, Unauthenticated
from croupier_bots.line import Call, Line
from croupier_bots.session import Ask, ComeBack, Session

log = logging.getLogger("croupier_bots")

CAPACITY = 100  # matches at a time, unless told otherwise

_CHANNEL = (
    *KEEPALIVE,
    ("grpc.use_local_subchannel_pool", 1),
    # Of several replicas any one, so that they are spread; one that is not there is passed over at once.
    ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"pick_first": {"shuffleAddressList": True}}]})),
)

# No later attempt can fare better than the one that got these.
_FOR_GOOD = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,  # a game that is offered
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. Delays double from `first_delay` to `longest_delay`, and start over once a connection was `steady`.

    What breaks after it was steady is made again within `prompt`: another replica may be there. Whether a newer stream
    that has taken over is still there is looked for `looks` times, `look` apart.
    """

    ping: float = 8.0  # between two frames to the server, at most
    silence: float = 30.0  # without a frame from the server, after which the connection counts as dead
    first_delay: float = 0.5
    longest_delay: float = 30.0
    steady: float = 2.0
    prompt: float = 0.1
    look: float = 20.0
    looks: int = 5


class BackOff:
    """How long to wait before the next attempt: random up to a bound that doubles, so that many do not come at once."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._bound = timing.first_delay

    def next(self) -> float:
        """Seconds to wait now."""
        bound, self._bound = self._bound, min(self._bound * 2, self._timing.longest_delay)
        return random.uniform(bound / 2, bound)  # noqa: S311 - jitter

    def reset(self) -> None:
        """It went well."""
        self._bound = self._timing.first_delay


@dataclass(frozen=True, slots=True)
class Server:
    """Where to play. `target`: `host:port`, or several replicas `10.0.0.1:50051,10.0.0.2:50051`, any of which will do.

    `credentials`: for a server that speaks TLS. Raises AddressInvalid.
    """

    target: str
    credentials: grpc.ChannelCredentials | None = None
    timing: Timing = field(default_factory=Timing)

    def __post_init__(self) -> None:
        checked_target(self.target)


@dataclass(frozen=True, slots=True)
class Offers:
    """What a player offers: levels by game, who plays a match, matches at a time, and a seed for repeatable play.

    `name` is what the log calls it; where it is `quiet`, the log does not tell of every match.
    """

    games: Mapping[str, Sequence[str]]
    make: Callable[[matches_pb2.Match], Bot]
    capacity: int = CAPACITY
    seed: int | None = None
    name: str = "bot"
    quiet: bool = False

    @classmethod
    def of(cls, bot: Callable[[], Bot], capacity: int, seed: int | None, *, offering: bool) -> "Offers":
        """What a bot's class offers. Raises BotInvalid; `offering`: also if that is nothing."""
        return cls(declared(bot, offering=offering), lambda _: bot(), capacity, seed, name_of(bot))


async def run(
    bot: Callable[[], Bot],
    target: str,
    token: str,
    *,
    capacity: int = CAPACITY,
    seed: int | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    timing: Timing = Timing(),
) -> None:
    """Play as the player of `token` on the server at `target` (`host:port`, or a list of such), until cancelled.

    `bot` is a class, or anything else that makes a bot: each match gets its own. One without `games` is asked for by
    nobody, and plays the matches that its player joins. `capacity`: matches that it may be seated in at a time by its
    offers. `seed` makes its play repeatable. `credentials`: for a server that speaks TLS. Raises BotInvalid and
    AddressInvalid at once, and BotStopped where the server will not have it back, such as Replaced and Unauthenticated.
    """
    offers = Offers.of(bot, capacity, seed, offering=False)
    await run_offers(offers, Server(target, credentials, timing), token)


async def run_offers(offers: Offers, server: Server, token: str, welcomed: Callable[[], None] = lambda: None) -> None:
    """As `run`; `welcomed` is called whenever a connection stands and the offers with it."""
    player = _Player(offers, server, token, welcomed)
    try:
        await player.play()
    finally:
        player.stop_thinking()


def open_channel(server: Server) -> grpc.aio.Channel:
    """A channel with a connection of its own, so that a new one never inherits the troubles of the last."""
    target = checked_target(server.target)
    if server.credentials is None:
        return grpc.aio.insecure_channel(target, options=_CHANNEL)
    return grpc.aio.secure_channel(target, server.credentials, options=_CHANNEL)


class _Player:
    """Connections, one after another, and the bots' answers, which outlive them."""

    def __init__(self, offers: Offers, server: Server, token: str, welcomed: Callable[[], None]) -> None:
        self._offers = offers
        self._session = Session(offers.make, offers.games, offers.capacity, offers.seed, offers.quiet)
        self._server = server
        self._timing = server.timing
        self._token = token
        self._welcomed = welcomed
        self._stood = False  # a connection, at some time
        self._looks = 0  # for a newer stream, that found it there
        self._line = Line(self._session, server.timing.ping, self._ask)
        self._thinking: dict[str, asyncio.Task[None]] = {}

    async def play(self) -> None:
        """Until cancelled, or BotStopped."""
        back_off = BackOff(self._timing)
        while True:
            began = time.monotonic()
            try:
                await self._connect()
            except ComeBack as reason:
                steady = time.monotonic() - began >= self._timing.steady
                if steady:
                    back_off.reset()
                wait = random.uniform(0, self._timing.prompt) if steady else back_off.next()  # noqa: S311 - jitter
                if reason.after is not None:
                    wait = reason.after + min(wait, self._timing.first_delay)
                name, target = self._offers.name, self._server.target
                log.info("%s at %s: %s; connecting again in %.1f s", name, target, reason, wait)
                await asyncio.sleep(wait)
            except Replaced:
                # The newest wins, and nobody is sent away to find out whether it lives.
                if self._looks == self._timing.looks:
                    raise
                self._looks += 1
                name, pause = self._offers.name, self._timing.look
                log.info("%s: a newer stream of this player took over; is it there in %.0f s?", name, pause)
                await asyncio.sleep(pause)

    def stop_thinking(self) -> None:
        """Nobody waits for these answers any more."""
        for task in self._thinking.values():
            task.cancel()

    async def _connect(self) -> None:
        async with open_channel(self._server) as channel:
            stub: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(channel)
            call: Call = stub.Play(metadata=(("authorization", f"Bearer {self._token}"),))
            self._line.begin()
            writer = asyncio.create_task(self._line.write(call))
            try:
                await self._read(call)
            except grpc.aio.AioRpcError as error:
                if _hidden(error):
                    await self._knock(channel)
                raise _why(error.code(), error.details() or "") from None
            finally:
                call.cancel()
                writer.cancel()
                await asyncio.gather(writer, return_exceptions=True)

    async def _knock(self, channel: grpc.aio.Channel) -> None:
        """Ask whether the token is good; raises as the end of a stream does."""
        players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
        request = players_pb2.GetPlayerRequest(player="me")
        auth = (("authorization", f"Bearer {self._token}"),)
        try:
            await players.GetPlayer(request, metadata=auth, timeout=self._timing.silence)
        except grpc.aio.AioRpcError as error:
            raise _why(error.code(), error.details() or "") from None
        raise ComeBack("the server ended the stream")

    async def _read(self, call: Call) -> None:
        while True:
            try:
                async with asyncio.timeout(self._timing.silence):
                    frame = await call.read()
            except TimeoutError:
                raise ComeBack(f"nothing came for {self._timing.silence:g} s") from None
            if isinstance(frame, bots_pb2.PlayResponse):
                for message in frame.messages:
                    self._line.perform(self._session.receive(message))
                    if message.HasField("welcome"):
                        self._stands()
                    await asyncio.sleep(0)  # answers and pings go out between the messages of a long frame
            else:
                raise _why(await call.code(), await call.details() or "")

    def _stands(self) -> None:
        name, player = self._offers.name, self._session.player
        if self._stood:
            log.info("%s (%s) is connected again", name, player)
        else:
            games = "; ".join(f"{game}: {', '.join(levels)}" for game, levels in self._offers.games.items())
            what = f"offers {games}" if games else "offers nothing, and plays where it joins"
            log.info("%s (%s) at %s %s", name, player, self._server.target, what)
        self._stood = True
        self._looks = 0
        self._welcomed()

    def _ask(self, ask: Ask) -> None:
        earlier = self._thinking.pop(ask.match, None)
        if earlier is not None:
            earlier.cancel()  # its window is closed
        try:
            choice = ask.bot.choose(ask.view, ask.window)
        except Exception as problem:  # whatever an author's code raises must not end his other matches
            self._line.perform(self._session.fumble(ask.match, ask.window.id, problem))
            return
        if inspect.isawaitable(choice):
            task = asyncio.create_task(self._think(ask, choice))
            self._thinking[ask.match] = task
            task.add_done_callback(lambda done: self._thought(ask.match, done))
        else:
            self._answer(ask, choice)

    async def _think(self, ask: Ask, coming: Awaitable[Choice | None]) -> None:
        try:
            choice = await coming
        except Exception as problem:  # as in _ask
            self._line.perform(self._session.fumble(ask.match, ask.window.id, problem))
        else:
            self._answer(ask, choice)

    def _thought(self, match: str, task: asyncio.Task[None]) -> None:
        if self._thinking.get(match) is task:
            del self._thinking[match]

    def _answer(self, ask: Ask, choice: Choice | None) -> None:
        try:
            self._line.perform(self._session.decide(ask.match, ask.window.id, choice))
        except ChoiceInvalid as problem:
            self._line.perform(self._session.fumble(ask.match, ask.window.id, problem))


def _why(code: grpc.StatusCode, details: str) -> ComeBack | BotStopped:
    """What the end of a stream means."""
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return Unauthenticated(code.name, details)
    if code in _FOR_GOOD:
        return BotStopped(code.name, details)
    return ComeBack(outage(code, details))


def _hidden(error: grpc.aio.AioRpcError) -> bool:
    """Whether gRPC does not tell how the server ended the stream: it says this if the end overtakes a message to it."""
    return error.code() is grpc.StatusCode.INTERNAL and error.details() == "Internal error from Core"
