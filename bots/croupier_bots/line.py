"""What goes out on a connection: what a session wants to be sent, at once, and a ping where there is nothing."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeAlias

import grpc.aio

from croupier.v1 import bots_pb2
from croupier_bots.session import Ask, Effect, Later, Session, Stop, Told

Call: TypeAlias = "grpc.aio.StreamStreamCall[bots_pb2.PlayRequest, bots_pb2.PlayResponse]"


class Line:
    """The way out of a session, over one connection after another.

    `ping`: seconds between two frames, at most. `ask`: is called with every question; `tell`: with what becomes of
    answers of which there may be more.
    """

    def __init__(
        self,
        session: Session,
        ping: float,
        ask: Callable[[Ask], None],
        tell: Callable[[Told | Stop], None] = lambda _: None,
    ) -> None:
        self._session = session
        self._ping = ping
        self._ask = ask
        self._tell = tell
        self._outbox: list[bots_pb2.PlayerMessage] = []
        self._filled = asyncio.Event()

    def begin(self) -> bots_pb2.PlayerMessage:
        """Have the session's hello go out first on a new connection, and answer it.

        What was meant for an older one is not sent on this one; the session sends again what matters.
        """
        hello = self._session.hello()
        self._outbox = []
        self.post(hello)
        return hello

    def post(self, message: bots_pb2.PlayerMessage) -> None:
        """Send a message."""
        self._outbox.append(message)
        self._filled.set()

    def perform(self, effects: Iterable[Effect]) -> None:
        """Do what the session says."""
        for effect in effects:
            match effect:
                case Ask():
                    self._ask(effect)
                case Told() | Stop():
                    self._tell(effect)
                case Later():
                    asyncio.get_running_loop().call_later(effect.seconds, self._again, effect)
                case _:
                    self.post(effect)

    async def write(self, call: Call, sent: Callable[[bots_pb2.PlayerMessage], None] = lambda _: None) -> None:
        """Write until cancelled; `sent` is called with each message before it leaves."""
        while True:
            try:
                async with asyncio.timeout(self._ping):
                    await self._filled.wait()
            except TimeoutError:
                self._outbox.append(bots_pb2.PlayerMessage(ping=bots_pb2.Ping()))
            self._filled.clear()
            messages, self._outbox = self._outbox, []
            for message in messages:
                sent(message)
            await call.write(bots_pb2.PlayRequest(messages=messages))

    def _again(self, later: Later) -> None:
        self.perform(self._session.again(later))
