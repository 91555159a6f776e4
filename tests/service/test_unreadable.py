"""What the store has by now cannot be read here, as after a change by a later version: it is said, and not for ever."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs
from support.failover import copied
from support.match_stream import Stream, watching
from support.service import channel, reason, running_service
from support.tables import seated

from croupier.v1 import matches_pb2, players_pb2
from croupier_service.bootstrap import Service


async def beat(stream: Stream, *, stale: bool) -> None:
    """Heartbeats, up to one that says so."""
    async with asyncio.timeout(10):
        while True:
            message = await stream.next(beats=True)
            if message.HasField("heartbeat") and message.heartbeat.stale is stale:
                return


async def written_by_a_later_version(service: Service, match: str, part: str) -> None:
    keys, pipe = service._store.matches._keys(match), service._store.pipe
    version = int(await pipe.call("HGET", keys.match(match), "version")) + 1
    broken = {"meta": b"another form"} if part == "record" else {}
    fields = {"version": version, "name": "later", **broken}
    await pipe.call("XADD", keys.log(match), f"{version}-0", "e", b"another form", "n", "later")
    await pipe.call("HSET", keys.match(match), *(each for pair in fields.items() for each in pair))
    service.hub.changed(match, version, None)


@pytest.mark.parametrize("part", ["record", "log"])
async def test_a_change_that_cannot_be_read_makes_streams_stale_until_it_can(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        (ann, ben), match = await seated([over], 2)
        copy, store, looks = await copied(service, match), service._store.matches, 0
        seen, load = await ann.get(match), store.load

        async def counted(*arguments: Any) -> Any:
            nonlocal looks
            looks += 1
            return await load(*arguments)

        monkeypatch.setattr(store, "load", counted)
        feed = ben.players.WatchPlayer(players_pb2.WatchPlayerRequest(player="me"), metadata=ben.auth)
        with capture_logs() as logs:
            async with watching(ben, match) as stream:
                assert (await stream.next()).HasField("snapshot")
                await beat(stream, stale=False)
                await anext(aiter(feed))
                await written_by_a_later_version(service, match, part)
                await beat(stream, stale=True)
                async with asyncio.timeout(10):
                    async for news in feed:
                        if news.heartbeat.stale:
                            break
                poll = matches_pb2.ListEventsRequest(match=match, after=seen.sequence)
                assert await reason(ben.matches.ListEvents(poll, metadata=ben.auth)) == "INTERNAL"
                before = looks
                for _ in range(5):
                    await beat(stream, stale=True)
                assert looks - before < 20, "at heartbeats, not without a pause"
                await copy.fail_over()
                await beat(stream, stale=False)
                await ann.choose(seen)
                assert (await stream.events(seen.sequence + 1))[0].sequence == seen.sequence + 1
        feed.cancel()
        assert len([line for line in logs if line["event"] == "hub.unreadable"]) == 1
