"""Tables with everybody seated."""

import asyncio

import grpc
from support.service import Client, guest

from croupier.v1 import matches_pb2


async def seated(over: list[grpc.aio.Channel], seats: int, **fields: object) -> tuple[list[Client], str]:
    """A running match of guests, spread over the channels."""
    players = [await guest(over[seat % len(over)], f"P{seat}") for seat in range(seats)]
    match = await players[0].create(seats, **fields)
    for player in players[1:]:
        await player.join(match.id, join_code=match.join_code)
    return players, match.id


async def views(players: list[Client], match: str) -> list[matches_pb2.Match]:
    """The match as each sees it."""
    return list(await asyncio.gather(*(player.get(match) for player in players)))


async def all_choose(players: list[Client], match: str) -> None:
    """Everybody who is asked answers with his first choice, at the same time."""
    seen = await views(players, match)
    await asyncio.gather(
        *(player.choose(view) for player, view in zip(players, seen, strict=True) if view.you.window.choices)
    )
