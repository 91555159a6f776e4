"""What goes on for as long as the process does: it outlasts faults, and hidden changes do not show in it."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from support.service import QUICK, Client, channel, guest, running_service
from support.tables import seated, views

from croupier.v1 import games_pb2, matches_pb2, six_nimmt_pb2
from croupier_service.bootstrap import Service
from croupier_service.errors import StoreUnavailable
from croupier_service.store.notices import Notices

RECOMMIT = games_pb2.Options(six_nimmt=six_nimmt_pb2.SixNimmtOptions(recommit=True))


def commit(card: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=card)))


async def kinds(client: Client, match: str, wanted: int) -> list[str]:
    """The kinds of the first messages of a stream."""
    call = client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=client.auth)
    found: list[str] = []
    async for message in call:
        found.append(str(message.WhichOneof("message")))
        if len(found) == wanted:
            break
    call.cancel()
    return found


async def test_hidden_changes_do_not_move_the_heartbeat(redis_url: str) -> None:
    """A change that a viewer may not know of comes again and again, quicker than the heart beats."""
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, options=RECOMMIT)
        view = await players[0].get(match)
        hand = view.you.view.six_nimmt.hand
        await players[0].choose(view, action=commit(hand[0]))

        async def change_on() -> None:
            for turn in range(1000):
                await players[0].choose(view, action=commit(hand[turn % 10]))
                await asyncio.sleep(0.02)

        changing = asyncio.create_task(change_on())
        async with asyncio.timeout(20):
            assert await kinds(players[1], match, 4) == ["snapshot", "heartbeat", "heartbeat", "heartbeat"]
        assert not changing.done()
        changing.cancel()


async def test_who_acts_quicker_than_the_heart_beats_stays_present(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, options=RECOMMIT)
        view = await players[0].get(match)
        hand = view.you.view.six_nimmt.hand
        watch = players[0].matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=players[0].auth)
        second = players[0].matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=players[0].auth)
        await anext(aiter(watch))
        await anext(aiter(second))
        second.cancel()
        reader = asyncio.create_task(kinds(players[0], match, 10_000))
        for turn in range(60):  # longer than the three heartbeats for which presence is known
            acted = await players[0].choose(view, action=commit(hand[turn % 10]))
            assert acted.match.seats[0].present
            await asyncio.sleep(0.02)
            assert (await players[1].get(match)).seats[0].present
        reader.cancel()
        watch.cancel()


async def test_presence_follows_the_player_when_the_start_closes_seats_up(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob, cid = await guest(over), await guest(over), await guest(over)
        match = await ann.create(6)
        await bob.join(match.id, seat=2)
        await cid.join(match.id, seat=4)
        watch = cid.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match.id), metadata=cid.auth)
        await anext(aiter(watch))
        assert [seat.present for seat in (await ann.get(match.id)).seats] == [False] * 4 + [True, False]
        await ann.matches.StartMatch(matches_pb2.StartMatchRequest(match=match.id), metadata=ann.auth)
        assert [seat.present for seat in (await ann.get(match.id)).seats] == [False, False, True]
        watch.cancel()


def notices(service: Service) -> Notices:
    return service._notices


async def test_notices_outlast_a_broken_connection_and_a_failing_look(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first, second], 2)
            store = two._store.matches
            looks, versions = 0, store.versions

            async def failing(matches: Any) -> Any:
                nonlocal looks
                looks += 1
                if looks == 1:
                    raise StoreUnavailable("as told by the test")
                return await versions(matches)

            request = matches_pb2.WatchMatchRequest(match=match)
            watch = players[1].matches.WatchMatch(request, metadata=players[1].auth)
            messages = aiter(watch)
            await anext(messages)
            monkeypatch.setattr(store, "versions", failing)
            notices(two).ready.clear()
            await two._store.pipe.call("CLIENT", "KILL", "TYPE", "pubsub")
            async with asyncio.timeout(10):
                await notices(two).ready.wait()
                await players[0].choose(await players[0].get(match))
                while (message := await anext(messages)).WhichOneof("message") != "event":
                    pass
            assert message.event.type == "six_nimmt.committed"
            assert looks >= 1
            assert not two.failed.is_set()
            watch.cancel()


async def test_a_notice_right_behind_the_last_look_is_not_lost(redis_url: str) -> None:
    """Many changes elsewhere, one upon the other: the feed here ends up at the last of them by notices alone."""
    slow = replace(QUICK, heartbeat=10_000)  # no look at a heartbeat helps
    async with running_service(redis_url, settings=slow) as one, running_service(redis_url, settings=slow) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first], 5, preset="single_deal")
            watcher = await guest(second)
            poke = asyncio.Event()
            async with two.hub.feed(match, poke) as feed:
                assert feed is not None
                for _ in range(8):
                    seen = await views(players, match)
                    await asyncio.gather(
                        *(p.choose(v) for p, v in zip(players, seen, strict=True) if v.you.window.choices)
                    )
                    now = (await watcher.get(match)).sequence
                    async with asyncio.timeout(5):
                        while feed.record.sequence < now:
                            poke.clear()
                            await poke.wait()


async def test_a_feed_ahead_of_a_store_that_lost_writes_sends_its_watchers_to_begin_anew(
    redis_url: str, redis_server: Any
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        _, match = await seated([over], 2)
        poke = asyncio.Event()
        async with service.hub.feed(match, poke) as feed:
            assert feed is not None
            await service._store.pipe.call("HSET", service._store.matches._keys(match).match(match), "version", 1)
            async with asyncio.timeout(5):
                await poke.wait()  # the look at the next heartbeat
            assert feed.rewound
            async with service.hub.feed(match, asyncio.Event()) as anew:
                assert anew is not None
                assert anew is not feed


async def test_a_notice_that_overtakes_a_look_is_heeded(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = replace(QUICK, heartbeat=10_000)
    async with running_service(redis_url, settings=slow) as service, channel(service) as over:
        _, match = await seated([over], 2)
        poke = asyncio.Event()
        async with service.hub.feed(match, poke) as feed:
            assert feed is not None
            store, looks = service._store.matches, 0
            load, version = store.load, feed.record.version

            async def overtaken(*arguments: Any) -> Any:
                nonlocal looks
                looks += 1
                found = await load(*arguments)
                if looks == 1:
                    service.hub.changed(match, version + 1, None)
                return found

            monkeypatch.setattr(store, "load", overtaken)
            await service.hub._refresh(match, feed)
            async with asyncio.timeout(5):
                while looks < 2:
                    await asyncio.sleep(0.01)


async def test_a_part_that_ends_fails_the_service(redis_url: str) -> None:
    async with running_service(redis_url) as service:
        assert not service.failed.is_set()
        part = asyncio.create_task(asyncio.sleep(0))
        part.add_done_callback(service._part_ended)
        async with asyncio.timeout(5):
            await service.failed.wait()
