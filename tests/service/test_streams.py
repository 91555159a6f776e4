"""WatchMatch and ListEvents: in order, without gaps or repeats, whatever happens."""

import asyncio

import pytest
from google.protobuf.duration_pb2 import Duration
from support.match_stream import watching
from support.service import channel, guest, reason, running_service
from support.tables import all_choose, seated

from croupier.v1 import matches_pb2


async def test_first_a_snapshot_then_events_then_the_window(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with watching(players[0], match) as stream:
            snapshot = (await stream.next()).snapshot
            assert snapshot.match.you.window.choices
            assert snapshot.reason == ""
            await players[1].choose(await players[1].get(match))
            event = (await stream.next()).event
            assert (event.sequence, event.type) == (snapshot.match.sequence + 1, "six_nimmt.committed")
            assert not event.six_nimmt.committed.HasField("card"), "only that seat sees its card"
            window = (await stream.next()).window
            assert window.sequence == event.sequence
            assert list(window.you.window.must) == [0]


async def test_a_stream_that_resumes_has_neither_gap_nor_repeat(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first], 3)
            seen: list[int] = []
            async with watching(players[0], match, after=0) as stream:
                seen += [event.sequence for event in await stream.events(4)]
            for _ in range(3):
                await all_choose(players, match)
            players[0].channel = second
            players[0].__post_init__()
            now = (await players[0].get(match)).sequence
            async with watching(players[0], match, after=seen[-1]) as stream:
                seen += [event.sequence for event in await stream.events(now)]
                await all_choose(players, match)  # through the other replica
                later = (await players[0].get(match)).sequence
                seen += [event.sequence for event in await stream.events(later)]
            assert seen == list(range(1, later + 1))


async def test_c31_a_cursor_from_the_future_gets_a_snapshot_and_the_reason(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with watching(players[0], match, after=999) as stream:
            snapshot = (await stream.next()).snapshot
            assert snapshot.reason == "CURSOR_INVALID"
            assert snapshot.match.id == match
        request = matches_pb2.ListEventsRequest(match=match, after=999)
        assert await reason(players[0].matches.ListEvents(request, metadata=players[0].auth)) == "CURSOR_INVALID"


async def test_a_stream_ends_when_the_match_is_over(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with watching(players[1], match) as stream:
            await stream.next()
            await players[0].matches.Resign(matches_pb2.ResignRequest(match=match), metadata=players[0].auth)
            message = await stream.next()
            while not message.HasField("end"):
                message = await stream.next()
            assert message.end.reason == "OVER"
            with pytest.raises(StopAsyncIteration):
                await stream.next(beats=True)
        async with watching(players[1], match, after=message.end.sequence) as stream:
            kinds = [(await stream.next()).WhichOneof("message") for _ in range(2)]
            assert kinds == ["window", "end"]


async def test_heartbeats_say_how_far_the_stream_is(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with watching(players[0], match) as stream:
            snapshot = (await stream.next()).snapshot
            beat = await stream.next(beats=True)
            assert beat.heartbeat.sequence == snapshot.match.sequence
            assert beat.heartbeat.server_time.ToMilliseconds() > 0
            assert (await players[1].get(match)).seats[0].present
            assert not (await players[1].get(match)).seats[1].present
        async with asyncio.timeout(5):
            while (await players[1].get(match)).seats[0].present:
                await asyncio.sleep(0.02)


async def test_c18_who_leaves_a_private_table_gets_nothing_more(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(3, visibility=matches_pb2.Visibility.PRIVATE)
        stranger = matches_pb2.WatchMatchRequest(match=match.id)
        assert await reason(anext(aiter(bob.matches.WatchMatch(stranger, metadata=bob.auth)))) == "MATCH_NOT_FOUND"
        await bob.join(match.id, join_code=match.join_code)
        async with watching(bob, match.id) as stream:
            await stream.next()
            await bob.matches.LeaveMatch(matches_pb2.LeaveMatchRequest(match=match.id), metadata=bob.auth)
            end = (await stream.next()).end
            assert end.reason == "NOT_VISIBLE"


async def test_a_long_poll_waits_and_answers_at_once_when_something_happens(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first, second], 2)
            now = (await players[0].get(match)).sequence
            request = matches_pb2.ListEventsRequest(match=match, after=now, wait=Duration(seconds=20))
            poll = asyncio.ensure_future(players[0].matches.ListEvents(request, metadata=players[0].auth))
            await asyncio.sleep(0.1)
            assert not poll.done()
            await players[1].choose(await players[1].get(match))
            async with asyncio.timeout(5):
                page = await poll
            assert [event.sequence for event in page.events] == [now + 1]
            assert page.next == now + 1
            assert list(page.you.window.must) == [0]
            empty = matches_pb2.ListEventsRequest(match=match, after=page.next)
            answer = await players[0].matches.ListEvents(empty, metadata=players[0].auth)
            assert (list(answer.events), answer.next) == ([], page.next)


async def test_pages_of_events_join_up(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 3)
        for _ in range(5):
            await all_choose(players, match)
        found, after = [], 0
        while True:
            request = matches_pb2.ListEventsRequest(match=match, after=after, page_size=7)
            page = await players[0].matches.ListEvents(request, metadata=players[0].auth)
            if not page.events:
                break
            found += [event.sequence for event in page.events]
            after = page.next
        assert found == list(range(1, (await players[0].get(match)).sequence + 1))


async def test_c34_a_view_is_the_state_after_its_sequence(redis_url: str) -> None:
    """Whichever comes first, the answer or the stream, the last view of both is the same."""
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with watching(players[0], match) as stream:
            await stream.next()
            answer = await players[0].choose(await players[0].get(match))
            while True:
                message = await stream.next()
                if message.HasField("window") and message.window.sequence == answer.match.sequence:
                    break
            assert message.window.you.view == answer.match.you.view
            assert message.window.you.window.id == answer.match.you.window.id


async def test_a_service_that_stops_sends_its_streams_elsewhere(redis_url: str) -> None:
    async with running_service(redis_url) as one, channel(one) as over:
        players, match = await seated([over], 2)
        async with watching(players[0], match) as stream:
            await stream.next()
            stop = asyncio.create_task(one.stop())
            kinds = []
            while not (message := await stream.next()).HasField("end"):
                kinds.append(message.WhichOneof("message"))
            assert kinds[:1] == ["event"], "clocks are credited before anybody is sent away"
            assert message.end.reason == "GO_AWAY"
            await stop
