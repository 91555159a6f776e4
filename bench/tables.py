"""Guests and the tables that they open, by unary calls."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from croupier.v1 import games_pb2, matches_pb2, matches_pb2_grpc, players_pb2, players_pb2_grpc

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Guest:
    """A player."""

    token: str

    @property
    def metadata(self) -> Metadata:
        """Who calls."""
        return (("authorization", f"Bearer {self.token}"),)


async def new_guests(channel: grpc.aio.Channel, count: int) -> list[Guest]:
    """So many players."""
    players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
    create = players_pb2.CreatePlayerRequest(display_name="B")
    return [Guest((await players.CreatePlayer(create)).token) for _ in range(count)]


def stub_of(channel: grpc.aio.Channel) -> "matches_pb2_grpc.MatchesAsyncStub":
    """Matches."""
    return matches_pb2_grpc.MatchesStub(channel)


def new_table(game: str, seats: int, preset: str = "", window: int = 86_400) -> matches_pb2.CreateMatchRequest:
    """A table to be opened, with an id of its own; `window`: seconds for each question."""
    create = matches_pb2.CreateMatchRequest(
        request_id=uuid.uuid4().hex, match_id=f"bench-{uuid.uuid4().hex[:20]}", game=game, seats=seats, preset=preset
    )
    create.clock.window_duration.FromSeconds(window)
    return create


async def open_table(
    matches: "matches_pb2_grpc.MatchesAsyncStub", guests: Sequence[Guest], create: matches_pb2.CreateMatchRequest
) -> str:
    """The match, which has begun: every guest sits there, in this order."""
    await matches.CreateMatch(create, metadata=guests[0].metadata)
    for guest in guests[1:]:
        join = matches_pb2.JoinMatchRequest(request_id=uuid.uuid4().hex, match=create.match_id)
        await matches.JoinMatch(join, metadata=guest.metadata)
    return create.match_id


async def act(
    matches: "matches_pb2_grpc.MatchesAsyncStub", guest: Guest, match: str, window: str, action: games_pb2.Action
) -> matches_pb2.ActResponse:
    """A move."""
    request = matches_pb2.ActRequest(request_id=uuid.uuid4().hex, match=match, window=window, action=action)
    return await matches.Act(request, metadata=guest.metadata)
