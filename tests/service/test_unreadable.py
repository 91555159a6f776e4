"""What the store has by now cannot be read here, as after a change by a later version: it is said, and not for ever."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from structlog.testing import capture_logs
from support.away import happened, staying, terms
from support.failover import copied
from support.match_stream import Stream, watching
from support.play_stream import playing
from support.service import QUICK, Client, channel, guest, reason, running_service
from support.tables import seated

from croupier.v1 import bots_pb2, matches_pb2, players_pb2
from croupier_service import absence, home
from croupier_service.bootstrap import Service
from croupier_service.store.keys import shard_of


async def beat(stream: Stream, *, stale: bool) -> None:
    """Heartbeats, up to one that says so."""
    async with asyncio.timeout(10):
        while True:
            message = await stream.next(beats=True)
            if message.HasField("heartbeat") and message.heartbeat.stale is stale:
                return


async def written_by_a_later_version(service: Service, match: str, part: str) -> None:
    keys, pipe = service._store.matches._keys(match), service._store.pipe
    version, sequence = (int(each) + 1 for each in await pipe.call("HMGET", keys.match(match), "version", "sequence"))
    broken = {"meta": b"another form"} if part == "record" else {}
    fields = {"version": version, "sequence": sequence, "name": "later", "mark": "later", **broken}
    await pipe.call("RPUSH", keys.log(match), b"later another form")
    await pipe.call("HSET", keys.match(match), *(each for pair in fields.items() for each in pair))
    service.hub.changed(match, version, None)


async def test_a_change_that_cannot_be_read_makes_streams_stale_until_it_can(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
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
                await written_by_a_later_version(service, match, "record")
                await beat(stream, stale=True)
                async with asyncio.timeout(10):
                    async for news in feed:
                        if news.heartbeat.stale:
                            break
                poll = matches_pb2.ListEventsRequest(match=match, after=seen.sequence)
                assert await reason(ben.matches.ListEvents(poll, metadata=ben.auth)) == "MATCH_UNREADABLE"
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


@pytest.mark.parametrize("watched", [True, False])
async def test_where_events_cannot_be_read_the_whole_match_is_sent(redis_url: str, watched: bool) -> None:
    async with running_service(redis_url) as service, channel(service) as over, AsyncExitStack() as beside:
        (ann, ben), match = await seated([over], 2)
        seen, copy = await ben.get(match), await copied(service, match)

        async def whole(stream: Stream) -> None:
            snapshot = (await stream.next()).snapshot
            assert (snapshot.reason, snapshot.match.sequence) == ("EVENTS_UNREADABLE", seen.sequence + 1)
            await beat(stream, stale=False)

        async def resumed(mark: str = "") -> None:
            async with watching(ben, match, seen.sequence, mark) as stream:
                await whole(stream)

        early = [await beside.enter_async_context(watching(ann, match))] if watched else []
        for stream in early:
            assert (await stream.next()).HasField("snapshot")
        with capture_logs() as logs:
            await written_by_a_later_version(service, match, "log")
            for stream in early:
                await whole(stream)
            await resumed()
            await resumed(seen.mark)
            poll = matches_pb2.ListEventsRequest(match=match, after=seen.sequence)
            assert await reason(ben.matches.ListEvents(poll, metadata=ben.auth)) == "MATCH_UNREADABLE"
            async with playing(ben, resume={match: seen.sequence}) as table:
                assert (await table.next()).seated.match.sequence == seen.sequence + 1
                question = (await table.next()).question
                act = bots_pb2.PlayAct(request_id="a", match=match, window=question.window.id, choice=0)
                await table.send(act=act)
                assert (await table.next("events")).events[-1].sequence == seen.sequence + 2
            for stream in early:
                assert (await stream.events(seen.sequence + 2))[0].sequence == seen.sequence + 2
            assert told_of(logs) == [match]
            # It can be read again, and then not once more.
            await beside.aclose()
            await copy.fail_over()
            async with watching(ben, match, seen.sequence - 1) as stream:
                assert (await stream.next()).event.sequence == seen.sequence
            await ann.choose(seen)
            async with watching(ben, match, seen.sequence) as stream:
                assert (await stream.next()).event.sequence == seen.sequence + 1
            assert told_of(logs) == [match]
            await copy.fail_over()
            await written_by_a_later_version(service, match, "log")
            await resumed()
            assert told_of(logs) == [match, match]


async def two_matches(over: Any) -> tuple[Client, Client, str, str]:
    """Two players in two running matches."""
    (ann, ben), first = await seated([over], 2)
    second = (await ann.create(2)).id
    await ben.join(second)
    return ann, ben, first, second


def told_of(logs: Any) -> list[str]:
    """The matches that the log calls unreadable, but for what it says of each call."""
    return [line["match"] for line in logs if line["event"] == "match.unreadable" and "method" not in line]


@pytest.mark.parametrize("resumed", [True, False])
async def test_a_bot_plays_on_beside_a_match_that_cannot_be_read(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        _, ben, bad, good = await two_matches(over)
        sequences = {match: (await ben.get(match)).sequence for match in (bad, good)}
        copy, store, looks = await copied(service, bad), service._store.matches, 0
        await written_by_a_later_version(service, bad, "record")
        readable = store.readable

        async def counted(matches: Any, *arguments: Any) -> Any:
            nonlocal looks
            looks += bad in matches
            return await readable(matches, *arguments)

        monkeypatch.setattr(store, "readable", counted)
        heard: list[bots_pb2.TableMessage] = []
        with capture_logs() as logs:
            async with playing(ben, resume=sequences if resumed else {}) as table:

                async def question(match: str) -> matches_pb2.Window:
                    while True:
                        heard.append(await table.next())
                        assert not heard[-1].HasField("go_away")
                        if heard[-1].HasField("question") and heard[-1].question.match == match:
                            return heard[-1].question.window

                window = await question(good)
                await table.send(act=bots_pb2.PlayAct(request_id="a-1", match=good, window=window.id, choice=0))
                await table.send(act=bots_pb2.PlayAct(request_id="a-2", match=bad, window=window.id, choice=0))
                while not {"a-1", "a-2"} <= {each.acted.request_id or each.refused.request_id for each in heard}:
                    heard.append(await table.next())
                before = looks
                await asyncio.sleep(5 * QUICK.heartbeat / 1000)
                assert 0 < looks - before < 10, "again and again, and not without a pause"
                await copy.fail_over()
                await question(bad)
        refused = [each.refused for each in heard if each.HasField("refused")]
        assert sorted((each.match, each.request_id, each.reason) for each in refused) == [
            (bad, "", "MATCH_UNREADABLE"),
            (bad, "a-2", "MATCH_UNREADABLE"),
        ]
        assert told_of(logs) == [bad]


async def test_lists_leave_out_what_cannot_be_read_and_forget_nothing(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, ben, past, live = await two_matches(over)
        good = (await ben.create(2)).id
        await ann.matches.Resign(matches_pb2.ResignRequest(match=past), metadata=ann.auth)

        async def listed(**wanted: Any) -> set[str]:
            answer = await ben.matches.ListMatches(matches_pb2.ListMatchesRequest(**wanted), metadata=ben.auth)
            return {match.id for match in answer.matches}

        assert await listed(player="me") == {past, live, good}
        copies = [await copied(service, match) for match in (past, live, good)]
        with capture_logs() as logs:
            for match in (past, live):
                await written_by_a_later_version(service, match, "record")
            for _ in range(3):
                assert await listed(player="me") == {good}
            assert good in await listed()
            await written_by_a_later_version(service, good, "record")
            assert good not in await listed()
        assert sorted(told_of(logs)) == sorted([past, live, good])
        for copy in copies:
            await copy.fail_over()
        assert await listed(player="me") == {past, live, good}


async def page(player: Client, after: str = "", wait: int = 0) -> players_pb2.ListPlayerEventsResponse:
    request = players_pb2.ListPlayerEventsRequest(player="me", after=after, wait=Duration(seconds=wait))
    return await player.players.ListPlayerEvents(request, metadata=player.auth)


async def test_a_home_feed_tells_nothing_of_what_cannot_be_read_until_it_can(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        _, ben, bad, good = await two_matches(over)
        both = await page(ben)
        assert {event.match for event in both.events} == {bad, good}
        copy = await copied(service, bad)
        with capture_logs() as logs:
            await written_by_a_later_version(service, bad, "record")
            assert not (await page(ben, both.next)).events, "it is not gone"
            feed = ben.players.WatchPlayer(players_pb2.WatchPlayerRequest(player="me"), metadata=ben.auth)
            told: list[str] = []
            beats = 0
            async with asyncio.timeout(10):
                async for message in feed:
                    told += [event.match for event in (*message.snapshot.events, message.event) if event.match]
                    beats += message.HasField("heartbeat")
                    if message.HasField("heartbeat"):
                        assert message.heartbeat.stale is (bad not in told)
                        if bad in told:
                            break
                        if beats == 3:
                            assert told == [good]
                            await copy.fail_over()
        feed.cancel()
        assert told == [good, bad]
        assert told_of(logs) == [bad]


async def test_a_match_that_cannot_be_read_keeps_its_place_in_the_home_feed(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "_MATCHES", 2)
    async with running_service(redis_url) as service, channel(service) as over:
        ann, ben, bad, good = await two_matches(over)
        both = await page(ben)
        assert {event.match for event in both.events} == {bad, good}
        copy = await copied(service, bad)
        await written_by_a_later_version(service, bad, "record")
        newer = (await ann.create(2)).id
        await ben.join(newer)
        meanwhile = await page(ben, both.next)
        assert not meanwhile.events, "there is no room for it"
        request = players_pb2.WatchPlayerRequest(player="me", after=meanwhile.next)
        feed = ben.players.WatchPlayer(request, metadata=ben.auth)
        async with asyncio.timeout(10):
            assert (await anext(aiter(feed))).heartbeat.stale
            await copy.fail_over()
            async for message in feed:
                assert message.HasField("heartbeat"), "it runs on as it was told"
                if not message.heartbeat.stale:
                    break
        feed.cancel()
        await ben.choose(await ben.get(bad))
        assert [event.match for event in (await page(ben, meanwhile.next)).events] == [bad]


async def test_a_long_poll_waits_for_news_of_the_others(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        _, ben, bad, good = await two_matches(over)
        both = await page(ben)
        await written_by_a_later_version(service, bad, "record")
        poll = asyncio.create_task(page(ben, both.next, wait=10))
        await asyncio.sleep(3 * QUICK.heartbeat / 1000)
        assert not poll.done()
        await ben.choose(await ben.get(good))
        assert [event.match for event in (await poll).events] == [good]


@pytest.mark.parametrize("part", ["record", "chairs"])
async def test_bots_stand_in_elsewhere_beside_a_match_that_cannot_be_read(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(absence, "_AT_ONCE", 1)
    async with running_service(redis_url) as service, channel(service) as over:
        bot, onlooker = await guest(over, "Robo"), await guest(over, "Eve")
        tables = [await seated([over], 2, stand_in=terms()) for _ in range(2)]
        # The one that cannot be read is looked at before the other.
        (_, bad), ((_, ben), good) = sorted(tables, key=lambda table: shard_of(table[1], QUICK.shards))
        copy, matches = await copied(service, bad), service._store.matches
        with capture_logs() as logs:
            if part == "record":
                await written_by_a_later_version(service, bad, part)
            else:
                await service._store.pipe.call("HSET", matches._keys(bad).guarded, bad, b"another form")
            async with staying(ben, match=good), playing(bot, capacity=3):
                await happened(onlooker, good, "match.stood_in")
                await asyncio.sleep(3 * QUICK.heartbeat / 1000)
                await copy.fail_over()
                await happened(onlooker, bad, "match.stood_in")
        assert told_of(logs) == ([bad] if part == "record" else [])
        assert not [line for line in logs if line["event"].startswith("absence.")]
