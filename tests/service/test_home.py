"""The home feed, tickets, and the caller's own list: what an app needs after it was killed."""

import asyncio
import base64
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from support.service import QUICK, Client, channel, guest, reason, running_service
from support.tables import seated

from croupier.v1 import matches_pb2, players_pb2

TYPE = players_pb2.PlayerEventType


async def page(player: Client, after: str = "", wait: int = 0) -> players_pb2.ListPlayerEventsResponse:
    request = players_pb2.ListPlayerEventsRequest(player="me", after=after, wait=Duration(seconds=wait))
    return await player.players.ListPlayerEvents(request, metadata=player.auth)


@asynccontextmanager
async def feed(player: Client, after: str = "") -> AsyncIterator[Any]:
    """A function that answers the next message, heartbeats passed over."""
    call = player.players.WatchPlayer(players_pb2.WatchPlayerRequest(player="me", after=after), metadata=player.auth)
    messages = aiter(call)

    async def following() -> players_pb2.WatchPlayerResponse:
        async with asyncio.timeout(10):
            while (message := await anext(messages)).HasField("heartbeat"):
                assert message.next
            return message

    try:
        yield following
    finally:
        call.cancel()


def stands(events: Any) -> dict[str, int]:
    return {event.match: event.type for event in events}


async def test_one_call_says_how_everything_stands(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, running = await seated([over], 2)
        ann, bob = players
        waiting = (await ann.create(3)).id
        answer = await page(ann)
        assert stands(answer.events) == {running: TYPE.YOUR_TURN, waiting: TYPE.SEATED}
        first = answer.events[0]
        view = await ann.get(running)
        assert (first.match, first.window, first.seat) == (running, view.you.window.id, 0)
        assert first.deadline_time == view.you.window.deadline_time
        await ann.choose(view)
        assert stands((await page(ann)).events)[running] == TYPE.WAITING
        assert stands((await page(bob)).events) == {running: TYPE.YOUR_TURN}
        asked = matches_pb2.ListMatchesRequest(player="me", your_turn=True)
        assert [m.id for m in (await bob.matches.ListMatches(asked, metadata=bob.auth)).matches] == [running]
        assert not (await ann.matches.ListMatches(asked, metadata=ann.auth)).matches
        alone = matches_pb2.ListMatchesRequest(your_turn=True)
        assert await reason(ann.matches.ListMatches(alone, metadata=ann.auth)) == "INVALID_FIELD"


async def test_a_long_poll_waits_for_what_is_new_on_whichever_replica(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            ann, bob = await guest(first), await guest(second)
            nothing = await page(ann)
            assert not nothing.events
            poll = asyncio.ensure_future(page(ann, nothing.next, 20))
            await asyncio.sleep(0.1)
            assert not poll.done()
            match = (await bob.create(2)).id
            await ann.join(match)
            async with asyncio.timeout(5):
                news = await poll
            assert stands(news.events) == {match: TYPE.YOUR_TURN}
            assert not (await page(ann, news.next)).events, "nothing is told twice"
            await ann.choose(await ann.get(match))
            after = await page(ann, news.next)
            assert stands(after.events) == {match: TYPE.WAITING}
            await bob.matches.Resign(matches_pb2.ResignRequest(match=match), metadata=bob.auth)
            over = await page(ann, after.next, 5)
            assert stands(over.events) == {match: TYPE.OVER}
            assert list(over.events[0].outcome.places) == [2, 1], "Bob sat first, and gave up"
            assert not (await page(ann, over.next)).events
            assert not (await page(ann)).events, "what is done is not told to whoever begins anew"


async def test_a_stream_goes_on_behind_its_cursor(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        ann, bob = players
        async with feed(ann) as following:
            snapshot = await following()
            assert stands(snapshot.snapshot.events) == {match: TYPE.YOUR_TURN}
            await ann.choose(await ann.get(match))
            waiting = await following()
            assert (waiting.event.type, waiting.event.match) == (TYPE.WAITING, match)
            other = (await ann.create(3)).id
            added = await following()
            assert (added.event.type, added.event.match) == (TYPE.SEATED, other)
            left = matches_pb2.LeaveMatchRequest(match=other)
            await ann.matches.LeaveMatch(left, metadata=ann.auth)
            gone = await following()
            assert (gone.event.type, gone.event.match) == (TYPE.GONE, other)
        while (view := await bob.get(match)).you.window.choices:  # his card, and a row if it is too low
            await bob.choose(view)
        async with feed(ann, gone.next) as following:
            missed = await following()
            assert (missed.event.type, missed.event.match) == (TYPE.YOUR_TURN, match)
        async with feed(ann, added.next) as following:
            assert {(await following()).event.type for _ in range(2)} == {TYPE.YOUR_TURN, TYPE.GONE}


def cursor_of(text: str) -> str:
    return base64.urlsafe_b64encode(zlib.compress(text.encode())).decode()


@pytest.mark.parametrize(
    "text",
    ['{"\\ud800":1}', '{"":1}', '{"m-12:log":1}', '{"m-12":true}', '{"m-12":1.5}', '{"m-12":"1"}', "[]", '{"a b":1}'],
)
async def test_a_cursor_of_odd_make_is_refused(redis_url: str, text: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        assert await reason(page(ann, cursor_of(text))) == "FEED_CURSOR_INVALID"


async def test_a_made_up_cursor_tells_nothing_of_other_people_s_matches(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, eve = await guest(over), await guest(over)
        private = await ann.create(3, match_id="secret-table", visibility=matches_pb2.Visibility.PRIVATE)
        public = await ann.create(3, match_id="public-table")
        names = [private.id, public.id, "no-such-table"]
        answers = [await page(eve, cursor_of(f'{{"{name}":1}}')) for name in names]
        for name, answer in zip(names, answers, strict=True):
            (event,) = answer.events
            assert event == players_pb2.PlayerEvent(type=TYPE.GONE, match=name, state=matches_pb2.MatchState.ABANDONED)


async def test_a_resumed_feed_says_at_once_that_it_is_open(redis_url: str) -> None:
    async with (
        running_service(redis_url, settings=replace(QUICK, heartbeat=10_000)) as service,
        channel(service) as over,
    ):
        ann = await guest(over)
        request = players_pb2.WatchPlayerRequest(player="me", after=(await page(ann)).next)
        call = ann.players.WatchPlayer(request, metadata=ann.auth)
        async with asyncio.timeout(5):
            assert (await anext(aiter(call))).HasField("heartbeat")
        call.cancel()


async def test_those_that_ask_come_before_newer_ones(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        asks = (await ann.create(2)).id
        await bob.join(asks)
        for number in range(110):
            host = bob if number < 45 else await guest(over)
            match = await host.create(3)
            await ann.join(match.id)
        events = (await page(ann)).events
        assert len(events) == 100
        assert (events[0].match, events[0].type) == (asks, TYPE.YOUR_TURN)


@pytest.mark.parametrize("cursor", ["x", "bm9uc2Vuc2U=", "eJxLTEpOAQAEZgGF", "eJyrVkpUslIyVKoFAAsXAkY=", "=" * 400])
async def test_a_made_up_cursor_is_refused(redis_url: str, cursor: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        assert await reason(page(ann, cursor)) == "FEED_CURSOR_INVALID"
        async with feed(ann, cursor) as following:
            assert await reason(following()) == "FEED_CURSOR_INVALID"


async def test_a_feed_is_its_player_s_alone(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        request = players_pb2.ListPlayerEventsRequest(player=bob.player)
        assert await reason(ann.players.ListPlayerEvents(request, metadata=ann.auth)) == "INVALID_FIELD"
        assert (await bob.players.ListPlayerEvents(request, metadata=bob.auth)).next


async def test_a_feed_is_told_to_go_elsewhere_when_the_service_stops(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, _ = await seated([over], 2)
        async with feed(players[0]) as following:
            await following()
            stop = asyncio.create_task(service.stop())
            message = await following()
            assert message.end.reason == "GO_AWAY"
            assert message.next
            await stop


async def test_a_ticket_opens_one_stream_of_one_match(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        ann = players[0]
        request = matches_pb2.CreateEventsTicketRequest(match=match)
        made = await ann.matches.CreateEventsTicket(request, metadata=ann.auth)
        remaining = made.expire_time.ToMilliseconds() - (await ann.get(match)).server_time.ToMilliseconds()
        assert 25_000 < remaining <= 30_000
        elsewhere = matches_pb2.WatchMatchRequest(match="other", ticket=made.ticket)
        assert await reason(anext(aiter(ann.matches.WatchMatch(elsewhere)))) == "UNAUTHENTICATED"
        made = await ann.matches.CreateEventsTicket(request, metadata=ann.auth)
        call = ann.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match, ticket=made.ticket))
        snapshot = (await anext(aiter(call))).snapshot
        assert snapshot.match.you.seat == 0
        assert snapshot.match.you.view.six_nimmt.hand
        call.cancel()
        again = matches_pb2.WatchMatchRequest(match=match, ticket=made.ticket)
        assert await reason(anext(aiter(ann.matches.WatchMatch(again)))) == "UNAUTHENTICATED"
        missing = matches_pb2.CreateEventsTicketRequest(match="nowhere")
        assert await reason(ann.matches.CreateEventsTicket(missing, metadata=ann.auth)) == "MATCH_NOT_FOUND"


async def test_a_feed_tells_of_the_newest_hundred_and_its_cursor_fits_into_a_request_line(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        hosted = service._settings.open_tables
        made = []
        for number in range(hosted):
            made.append((await ann.create(3, match_id=f"m{number:03}-{'x' * 58}")).id)
        bob = await guest(over)
        for number in range(hosted, 120):
            host = bob if number < 2 * hosted else await guest(over)
            match = await host.create(3, match_id=f"m{number:03}-{'y' * 58}")
            await ann.join(match.id)
            made.append(match.id)
        whole = await page(ann)
        assert {event.match for event in whole.events} == set(made[-100:])
        assert len(whole.next) <= 8000
        assert not (await page(ann, whole.next)).events
