"""What a follower of a match says about its connection."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import grpc
from support.fake_api import running_api

from croupier.v1 import matches_pb2
from croupier_cli.following import Following
from croupier_cli.remote import Player

Message = matches_pb2.WatchMatchResponse
TABLE = matches_pb2.Match(id="abcd", state=matches_pb2.MatchState.RUNNING)


async def test_a_table_that_the_server_cannot_reach_is_told_until_it_can() -> None:
    back = threading.Event()

    def watch(_request: Any, _context: Any) -> Iterator[Message]:
        yield Message(heartbeat=matches_pb2.Heartbeat(stale=True))
        back.wait(20)
        yield Message(heartbeat=matches_pb2.Heartbeat())
        yield Message(end=matches_pb2.StreamEnd(reason="OVER"))

    with running_api() as api:
        api.answers["WatchMatch"] = watch
        api.answers["GetMatch"] = lambda _request, _context: TABLE
        async with grpc.aio.insecure_channel(api.target) as over:
            following = Following(Player(over, "token"), TABLE)
            said: list[str] = []
            told = asyncio.Event()

            def changed() -> None:
                said.append(following.link)
                told.set()

            following.changed = changed
            task = asyncio.create_task(following.follow())
            async with asyncio.timeout(20):
                await told.wait()
                assert said == ["the table cannot be reached at present"]
                back.set()
                await task
            assert said[-1] == following.link == ""


async def test_a_match_that_comes_whole_counts_though_it_is_behind_what_was_shown() -> None:
    asked: list[matches_pb2.WatchMatchRequest] = []

    def watch(request: Any, _context: Any) -> Iterator[Message]:
        asked.append(request)
        if len(asked) == 1:
            yield Message(event=matches_pb2.Event(sequence=9, type="six_nimmt.committed", mark="lost"))
            yield Message(end=matches_pb2.StreamEnd(reason="GO_AWAY"))
            return
        whole = matches_pb2.Match(id="abcd", state=matches_pb2.MatchState.OVER, sequence=7, mark="kept")
        yield Message(snapshot=matches_pb2.Snapshot(match=whole, reason="CURSOR_INVALID"))
        yield Message(end=matches_pb2.StreamEnd(reason="OVER"))

    with running_api() as api:
        api.answers["WatchMatch"] = watch
        api.answers["GetMatch"] = lambda _request, _context: matches_pb2.Match(id="abcd", sequence=7)
        async with grpc.aio.insecure_channel(api.target) as over:
            table = matches_pb2.Match(id="abcd", state=matches_pb2.MatchState.RUNNING, sequence=9)
            following = Following(Player(over, "token"), table)
            async with asyncio.timeout(20):
                await following.follow()
    assert [(request.after, request.mark) for request in asked] == [(0, ""), (9, "lost")]
    assert following.scene.match.sequence == 7
    assert not following.scene.events, "what is lost is told no longer"
