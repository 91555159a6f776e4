"""The store has lost writes, and others have gone on from there: nobody builds on what is lost, or tells it on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import grpc
import pytest
from support.away import events
from support.failover import copied
from support.match_stream import watching
from support.play_stream import playing
from support.service import QUICK, Client, channel, reason, running_service
from support.tables import all_choose, seated, views

from croupier.v1 import games_pb2, matches_pb2, six_nimmt_pb2
from croupier_service.bootstrap import Service

SLOW = replace(QUICK, heartbeat=10_000)  # nobody looks by himself


@dataclass
class Two:
    """Two replicas, and a match of two players that has just begun, each at the first."""

    replicas: tuple[Service, Service]
    channels: tuple[grpc.aio.Channel, grpc.aio.Channel]
    ann: Client
    ben: Client
    match: str

    def by_the_second(self, player: Client) -> Client:
        return replace(player, channel=self.channels[1])


@asynccontextmanager
async def two_replicas(redis_url: str, *, slow: bool = True) -> AsyncIterator[Two]:
    settings = SLOW if slow else QUICK
    async with (
        running_service(redis_url, settings=settings) as one,
        running_service(redis_url, settings=settings) as two,
    ):
        async with channel(one) as first, channel(two) as second:
            (ann, ben), match = await seated([first], 2)
            yield Two((one, two), (first, second), ann, ben, match)


async def played_to_the_end(players: list[Client], match: str) -> matches_pb2.Match:
    while True:
        seen = await views(players, match)
        if seen[0].HasField("outcome"):
            return seen[0]
        for player, view in zip(players, seen, strict=True):
            if view.you.window.choices:
                await player.choose(view)


async def test_a_replica_that_knows_lost_writes_does_not_build_on_them(redis_url: str) -> None:
    """The same version number, another history: what was acknowledged since stays, and what comes fits to it."""
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        elsewhere = both.by_the_second(ann)
        seen, asked = await views([ann, ben], match)
        # So that the first replica acts for Ben on the match as it knows it.
        assert await reason(ben.choose(asked, window="d9.t9.choose")) == "STALE_WINDOW"
        copy = await copied(both.replicas[0], match)
        lost = await ann.choose(seen, 0)
        await copy.fail_over()
        kept = await elsewhere.choose(seen, 1)
        assert kept.applied_sequence == lost.applied_sequence
        closed = await ben.choose(asked, 2)
        (revealed,) = [event for event in closed.events if event.type == "six_nimmt.revealed"]
        cards = [asked.you.window.choices[2], seen.you.window.choices[1]]
        played = {play.seat: play.card for play in revealed.six_nimmt.revealed.plays}
        assert [played[1], played[0]] == [choice.six_nimmt.commit.card for choice in cards]
        over = await played_to_the_end([elsewhere, both.by_the_second(ben)], match)
        told = await events(elsewhere, match)
        assert [event.sequence for event in told] == list(range(1, over.sequence + 1))


async def test_a_stream_of_a_lost_history_begins_anew_with_the_whole_match(redis_url: str) -> None:
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        seen = await ann.get(match)
        asked = await ben.get(match)
        async with watching(ann, match) as stream:
            assert (await stream.next()).snapshot.reason == ""
            copy = await copied(both.replicas[0], match)
            await ann.choose(seen, 0)
            lost = (await stream.events(seen.sequence + 1))[-1]
            assert lost.six_nimmt.committed.seat == 0
            await copy.fail_over()
            await both.by_the_second(ben).choose(asked, 1)  # as many changes as were lost
            await both.replicas[0].hub.lost_touch()
            message = await stream.next()
            while not message.HasField("snapshot"):
                message = await stream.next()
            assert message.snapshot.reason == "CURSOR_INVALID"
            assert message.snapshot.match.sequence == seen.sequence + 1
            assert [seat.committed for seat in message.snapshot.match.seats] == [False, True]
            await ann.choose(seen, 2)
            later = (await ann.get(match)).sequence
            told = await stream.events(later)
            assert [event.sequence for event in told] == list(range(seen.sequence + 2, later + 1))
            assert told[0].six_nimmt.committed.seat == 0


async def test_a_feed_that_others_have_overtaken_sees_that_its_history_is_lost(redis_url: str) -> None:
    """Others are further than what is known here: that the numbers go on does not mean that the history does."""
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        seen = await ann.get(match)
        asked = await ben.get(match)
        async with watching(ann, match) as stream:
            assert (await stream.next()).HasField("snapshot")
            copy = await copied(both.replicas[0], match)
            await ann.choose(seen, 0)
            await stream.events(seen.sequence + 1)
            await copy.fail_over()
            elsewhere = both.by_the_second(ben)
            await elsewhere.choose(asked, 1)
            await both.by_the_second(ann).choose(seen, 1)
            message = await stream.next()
            while not message.HasField("snapshot"):
                assert message.WhichOneof("message") != "event", "the rest of another history"
                message = await stream.next()
            assert message.snapshot.match.sequence >= seen.sequence + 2


async def test_a_change_made_here_shows_that_a_feed_is_of_a_lost_history(redis_url: str) -> None:
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        seen = await ann.get(match)
        asked = await ben.get(match)
        async with watching(ben, match) as stream:
            assert (await stream.next()).HasField("snapshot")
            copy = await copied(both.replicas[0], match)
            await ann.choose(seen, 0)
            await stream.events(seen.sequence + 1)
            await copy.fail_over()
            await ben.choose(asked, 0)
            message = await stream.next()
            while not message.HasField("snapshot"):
                assert message.WhichOneof("message") != "event", "the rest of another history"
                message = await stream.next()
            assert message.snapshot.reason == "CURSOR_INVALID"


async def test_a_long_poll_says_that_its_history_is_lost(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        seen, asked = await views([ann, ben], match)
        copy = await copied(both.replicas[0], match)
        await ann.choose(seen, 0)
        poll = asyncio.create_task(events(ann, match, seen.sequence + 1, wait=20))
        while match not in both.replicas[0].hub._feeds:
            await asyncio.sleep(0.01)
        await copy.fail_over()
        await ben.choose(asked, 0)
        assert await reason(poll) == "CURSOR_INVALID"


async def test_a_cursor_on_a_lost_history_is_known_by_its_mark(redis_url: str) -> None:
    """The stream broke with the failover, and its client comes back elsewhere, when the numbers have caught up."""
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        seen, asked = await views([ann, ben], match)
        copy = await copied(both.replicas[0], match)
        lost = (await ann.choose(seen, 0)).events[-1]
        assert (await ann.get(match)).mark == lost.mark
        await copy.fail_over()
        ann, ben = both.by_the_second(ann), both.by_the_second(ben)
        kept = (await ben.choose(asked, 1)).events[-1]
        assert kept.sequence == lost.sequence
        assert kept.mark != lost.mark
        async with watching(ann, match, lost.sequence, lost.mark) as stream:
            first = (await stream.next()).snapshot
            assert (first.reason, first.match.mark) == ("CURSOR_INVALID", kept.mark)
        gone = matches_pb2.ListEventsRequest(match=match, after=lost.sequence, mark=lost.mark)
        assert await reason(ann.matches.ListEvents(gone, metadata=ann.auth)) == "CURSOR_INVALID"
        there = matches_pb2.ListEventsRequest(match=match, after=kept.sequence, mark=kept.mark)
        page = await ann.matches.ListEvents(there, metadata=ann.auth)
        assert (list(page.events), page.next, page.next_mark) == ([], kept.sequence, kept.mark)
        async with playing(ann, resume={match: lost.sequence}, marks={match: lost.mark}) as table:
            assert (await table.next("seated")).match.mark == kept.mark


async def test_every_event_is_a_cursor_with_its_own_mark(redis_url: str) -> None:
    async with two_replicas(redis_url) as both:
        ann, ben, match = both.ann, both.ben, both.match
        for _ in range(3):
            await all_choose([ann, ben], match)
        for one in await events(ann, match):
            for viewer in (ann, both.by_the_second(ann)):
                async with watching(viewer, match, one.sequence, one.mark) as stream:
                    assert not (await stream.next()).HasField("snapshot")
                async with watching(viewer, match, one.sequence, "another") as stream:
                    assert (await stream.next()).snapshot.reason == "CURSOR_INVALID"


async def test_a_hidden_change_does_not_show_in_the_mark(redis_url: str) -> None:
    recommit = games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(recommit=True))
    async with running_service(redis_url) as service, channel(service) as over:
        (ann, ben), match = await seated([over], 2, options=recommit)
        seen = await ann.get(match)
        await ann.choose(seen, 0)
        before = await ben.get(match)
        await ann.choose(seen, 1)
        after = await ben.get(match)
        assert (after.sequence, after.mark) == (before.sequence, before.mark)
        async with watching(ben, match, after.sequence, after.mark) as stream:
            assert not (await stream.next()).HasField("snapshot")


async def test_a_bot_whose_answer_is_lost_is_asked_again(redis_url: str) -> None:
    async with two_replicas(redis_url, slow=False) as both:
        ann, match = both.ann, both.match
        async with playing(ann) as table:
            question = await table.next("question")
            seen = await ann.get(match)
            copy = await copied(both.replicas[0], match)
            await ann.choose(seen, 0)
            await table.next("events")
            await copy.fail_over()
            assert (await table.next("seated")).match.sequence == seen.sequence
            assert (await table.next("question")).window.id == question.window.id


async def test_who_comes_first_after_the_loss_is_told_what_the_store_has(redis_url: str) -> None:
    async with two_replicas(redis_url) as both:
        copy = await copied(both.replicas[0], both.match)
        async with watching(both.ann, both.match):
            await both.ann.choose(await both.ann.get(both.match))
            known = (await both.ben.get(both.match)).sequence
            await copy.fail_over()
            request = matches_pb2.WatchMatchRequest(match=both.match)
            call = both.ben.matches.WatchMatch(request, metadata=both.ben.auth)
            first = await call.read()
            call.cancel()
            assert isinstance(first, matches_pb2.WatchMatchResponse)
            assert first.snapshot.match.sequence == known - 1
            assert first.snapshot.reason == ""
