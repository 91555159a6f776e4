"""Acts that come in while others of their match are being written: each builds on the one before."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis
from support.play_stream import playing
from support.service import QUICK, channel, guest, reason, running_service
from support.tables import all_choose, seated, views

from croupier.v1 import matches_pb2
from croupier_service import following, projection
from croupier_service.projection import YouView
from croupier_service.record import Record
from croupier_service.store.opening import Store

PAUSE = 150  # ms: a change that begins time is good for 250


async def pause_writes(redis_url: str) -> None:
    """Have the server put writes off for a while."""
    async with Redis.from_url(redis_url) as server:
        await server.execute_command("CLIENT", "PAUSE", PAUSE, "WRITE")  # type: ignore[no-untyped-call]


async def test_all_seats_are_sent_before_the_first_is_written(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 4)
        await all_choose(players, match)  # from here on the service knows the match and all callers' requests
        while len((seen := await views(players, match))[0].you.window.must) < 4:
            await all_choose(players, match)
        store, happened = service._store.matches, []
        load, commit = store.load, store.commit

        async def loaded(*arguments: Any) -> Any:
            happened.append("load")
            return await load(*arguments)

        async def committed(*arguments: Any) -> Any:
            happened.append("send")
            done = await commit(*arguments)
            happened.append("written" if done else "lost")
            return done

        monkeypatch.setattr(store, "load", loaded)
        monkeypatch.setattr(store, "commit", committed)
        await pause_writes(redis_url)
        answers = await asyncio.gather(*(player.choose(view) for player, view in zip(players, seen, strict=True)))
        monkeypatch.undo()
        assert happened == ["send"] * 4 + ["written"] * 4
        sequences = sorted(answer.applied_sequence for answer in answers)
        assert sequences[:3] == list(range(seen[0].sequence + 1, seen[0].sequence + 4))
        assert sequences[3] > sequences[2]


async def test_when_another_replica_was_faster_those_behind_are_tried_again(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            players, match = await seated([first, first, first, second], 4)
            for _ in range(8):
                seen = await views(players, match)
                await pause_writes(redis_url)
                asked = [(player, view) for player, view in zip(players, seen, strict=True) if view.you.window.choices]
                answers = await asyncio.gather(*(player.choose(view) for player, view in asked))
                applied = [answer.applied_sequence for answer in answers]
                assert len(set(applied)) == len(asked)
            request = matches_pb2.ListEventsRequest(match=match, page_size=1000)
            page = await players[0].matches.ListEvents(request, metadata=players[0].auth)
            assert [event.sequence for event in page.events] == list(range(1, len(page.events) + 1))
            tricks = [event.six_nimmt.revealed for event in page.events if event.type == "six_nimmt.revealed"]
            assert tricks
            assert all(len({play.seat for play in trick.plays}) == 4 for trick in tricks)


async def test_what_is_sent_first_is_carried_out_first(store: Store) -> None:
    pipe, sent = store.pipe, []
    for number in range(200):
        sent.append(asyncio.create_task(pipe.call("RPUSH", "order", number)))
        if number % 3 == 0:
            await asyncio.sleep(0)  # some leave in one turn of the loop, some in later ones
    assert await asyncio.gather(*sent) == list(range(1, 201))
    assert await pipe.call("LRANGE", "order", 0, -1) == [str(number).encode() for number in range(200)]


async def test_a_read_does_not_wait_for_a_write(store: Store, redis_url: str) -> None:
    await store.pipe.call("SET", "kept", "1")
    for client in store.pipe._topology.primaries():
        await client.execute_command("CLIENT", "PAUSE", 60_000, "WRITE")  # type: ignore[no-untyped-call]
    try:
        write = asyncio.create_task(store.pipe.call("SET", "kept", "2"))
        await asyncio.sleep(0.05)
        assert await store.pipe.call("GET", "kept") == b"1"
        assert not write.done()
    finally:
        for client in store.pipe._topology.primaries():
            await client.execute_command("CLIENT", "UNPAUSE")  # type: ignore[no-untyped-call]
    assert await write


async def test_what_strangers_ask_for_is_not_kept(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        stranger = await guest(over)
        view = await players[0].get(match)
        assert await reason(stranger.choose(view)) == "NOT_SEATED"
        await players[0].choose(view)
        known = service.playing.acting._changing._known
        assert known.get(match, stranger.player) is None
        assert known.get(match, players[0].player) is not None


async def test_a_fault_in_telling_one_player_ends_his_stream_and_no_other(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = replace(QUICK, heartbeat=10_000)
    async with running_service(redis_url, settings=slow) as service, channel(service) as over:
        players, match = await seated([over], 2)
        async with playing(players[0]) as ann, playing(players[1]) as ben:
            for table in (ann, ben):
                await table.next("question")
            seen, shown = await views(players, match), projection.you_view

            def fails(record: Record, player: str) -> YouView:
                if player == players[1].player:
                    raise RuntimeError("once")
                return shown(record, player)

            monkeypatch.setattr(following, "you_view", fails)
            for player, view in zip(players, seen, strict=True):
                await player.choose(view)
            async with asyncio.timeout(5):
                assert (await ben.next("go_away")).reason == "INTERNAL"
                told: set[str] = set()
                while "six_nimmt.revealed" not in told:
                    told |= {event.type for event in (await ann.next("events")).events}
