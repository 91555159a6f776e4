"""Guests, and where their tokens are kept, so that a restarted process comes back as the same players."""

import asyncio
import json
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import grpc
import grpc.aio

from croupier.v1 import players_pb2, players_pb2_grpc
from croupier_bots.address import outage
from croupier_bots.client import BackOff, Offers, Server, Timing, open_channel, run_offers
from croupier_bots.errors import BotStopped, TokenFileInvalid, Unauthenticated

log = logging.getLogger("croupier_bots")

# While these last, another attempt may fare better.
_PASSING = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,  # by a server that cannot even refuse all that comes
    }
)


async def guest(
    target: str,
    name: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timing: Timing = Timing(),  # noqa: B008 - frozen
) -> str:
    """Make a guest called `name` on the server at `target` (`host:port`) and answer its token.

    Waits for a server that is not up yet. Raises AddressInvalid at once, and BotStopped if it makes no guests.
    """
    return await make_guest(Server(target, credentials, timing), name)


async def make_guest(server: Server, name: str) -> str:
    """As `guest`."""
    back_off = BackOff(server.timing)
    while True:
        async with open_channel(server) as channel:
            players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
            try:
                request = players_pb2.CreatePlayerRequest(display_name=name)
                return (await players.CreatePlayer(request, timeout=server.timing.silence)).token
            except grpc.aio.AioRpcError as error:
                if error.code() not in _PASSING:
                    raise BotStopped(error.code().name, error.details() or "") from None
                why = outage(error.code(), error.details() or "")
        wait = back_off.next()
        log.info("%s at %s: %s; trying again in %.1f s", name, server.target, why, wait)
        await asyncio.sleep(wait)


async def run_guest(
    offers: Offers,
    server: Server,
    name: str,
    tokens: "TokenFile | None" = None,
    welcomed: Callable[[], None] = lambda: None,
    *,
    key: str | None = None,
) -> None:
    """As `run_offers`, with the token kept under `key`; a new guest if there is none or the server knows it not.

    Without a key, it is kept under the name. What was kept so before there were keys is the key's, once the server has
    taken it.
    """
    offers = replace(offers, name=name)
    key = name if key is None else key
    token = tokens.get(key) if tokens else None
    moving = tokens is not None and token is None and key != name
    if tokens and moving:
        token = tokens.get(name)

    fresh = False  # made just now, and taken by nobody yet

    def stands() -> None:
        nonlocal fresh, moving
        if tokens and moving:
            tokens.move(name, key)
        fresh = moving = False
        welcomed()

    while True:
        fresh = token is None
        if token is None:
            moving = False
            token = await make_guest(server, name)
            if tokens:
                tokens.put(key, token)
        try:
            await run_offers(offers, server, token, stands)
        except Unauthenticated:
            if fresh:
                raise
            log.warning("%s at %s: the server does not know its token; a new guest is made", name, server.target)
            token = None


class TokenFile:
    """Tokens by name, in a JSON file that only its owner reads (mode 0600); made when the first token is put in.

    Raises TokenFileInvalid if the file cannot be read or written.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._tokens = self._read()

    def get(self, name: str) -> str | None:
        """The token kept under this name."""
        return self._tokens.get(name)

    def put(self, name: str, token: str) -> None:
        """Keep a token, on disk before this returns; what others have put into the file meanwhile stays there."""
        self._write(self._read() | {name: token})

    def move(self, old: str, new: str) -> None:
        """Keep under another name what is kept under `old`."""
        tokens = self._read()
        if old in tokens:
            tokens[new] = tokens.pop(old)
            self._write(tokens)

    def _read(self) -> dict[str, str]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            kept = {}
        except (OSError, ValueError) as problem:
            raise TokenFileInvalid(f"{self._path} cannot be read: {problem}") from None
        if not isinstance(kept, dict) or not all(isinstance(token, str) for token in kept.values()):
            raise TokenFileInvalid(f"{self._path} is not an object of names and tokens")
        return kept

    def _write(self, tokens: dict[str, str]) -> None:
        beside = self._path.with_name(self._path.name + ".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(tokens, file, indent=1)
            beside.replace(self._path)
        except OSError as problem:
            raise TokenFileInvalid(f"{self._path} cannot be written: {problem}") from None
        self._tokens = tokens
