"""A table of Freedom of Speech in a service whose chance is set by hand: seat 0 gives first, seat 2 guesses."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import ParseDict
from prometheus_client import REGISTRY
from support.service import QUICK, Client, Told, channel, running_service, told
from support.spoken_words import made_up, options
from support.stacked import StackedDealer
from support.tables import seated

from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_engine.freedom_of_speech.model import STEPS
from croupier_service.bootstrap import Service

GIVER, OPPONENT, GUESSER = 0, 1, 2
WORDS = made_up(20, Random(6))
TIMERS = 10


@dataclass
class SpokenTable:
    """A running match; the giver has not started."""

    service: Service
    over: grpc.aio.Channel
    players: list[Client]
    match: str

    async def act(self, seat: int, action: Any, **fields: Any) -> matches_pb2.ActResponse:
        """An act as JSON, in the present window unless one is named."""
        player = self.players[seat]
        seen = await player.get(self.match)
        parsed = ParseDict({"freedomOfSpeech": action}, games_pb2.Action())
        return await player.choose(seen, action=parsed, **fields)

    async def events(self, kind: str = "", seat: int = GUESSER) -> list[matches_pb2.Event]:
        """All events so far, or those of a kind, of the game's unless it names another."""
        player = self.players[seat]
        request = matches_pb2.ListEventsRequest(match=self.match, page_size=1000)
        page = await player.matches.ListEvents(request, metadata=player.auth)
        wanted = kind if "." in kind else f"freedom_of_speech.{kind}"
        return [event for event in page.events if not kind or event.type == wanted]


def guess(text: str) -> Any:
    """A guess as JSON."""
    return {"guess": {"text": text}}


def clue(text: str) -> Any:
    """A clue as JSON."""
    return {"clue": {"text": text}}


async def refused(call: Any) -> Told:
    """What a call is refused with."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return told(error.value)


async def rest_act(gateway: Any, table: SpokenTable, seat: int, window: str, action: Any) -> tuple[int, Any]:
    """An act over REST."""

    def send() -> tuple[int, Any]:
        connection = gateway.connect()
        headers = {"Authorization": f"Bearer {table.players[seat].token}", "Content-Type": "application/json"}
        body = json.dumps({"window": window, "action": {"freedomOfSpeech": action}})
        connection.request("POST", f"/v1/matches/{table.match}:act", body, headers)
        response = connection.getresponse()
        data = json.loads(response.read())
        connection.close()
        return response.status, data | {"retryAfter": response.headers.get("Retry-After")}

    return await asyncio.to_thread(send)


def play_act(table: SpokenTable, window: str, text: str) -> bots_pb2.PlayAct:
    action = ParseDict({"freedomOfSpeech": guess(text)}, games_pb2.Action())
    return bots_pb2.PlayAct(match=table.match, window=window, action=action)


def counted(reason: str, name: str = "croupier_calls_total", **labels: str) -> float:
    """Refusals for a reason so far, in this process."""
    return REGISTRY.get_sample_value(name, {"reason": reason, **labels}) or 0


@asynccontextmanager
async def spoken_table(
    redis_url: str, *, settings: Any = None, more: Any = None, **how: Any
) -> AsyncIterator[SpokenTable]:
    """A match of four with these words in order; `how` are options as JSON, `more` parts of the service."""
    dealer = StackedDealer()
    timers = [tuple(range(STEPS))] * TIMERS if "timerMaxDuration" in how else []
    dealer.orders = [(0, 1), tuple(range(len(WORDS))), *timers]
    settings = settings or replace(QUICK, timer_grace=50)
    async with running_service(redis_url, settings=settings, dealer=dealer, **(more or {})) as service:
        async with channel(service) as over:
            chosen = ParseDict(options(WORDS, **how), games_pb2.Options())
            players, match = await seated([over], 4, game="freedom_of_speech", options=chosen)
            yield SpokenTable(service, over, players, match)
