"""Every index can be deleted: the records bring it back, beside a service that runs."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import pytest
from google.protobuf.duration_pb2 import Duration
from support.house import CROUPIER
from support.play_stream import playing
from support.service import Client, channel, guest, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_service.reindexing import Found, Reindexing
from croupier_service.store import keys
from croupier_service.store.keys import ShardKeys
from croupier_service.store.opening import Store, open_store
from croupier_service.store.servertime import ServerTime

FAR = 1 << 52


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    opened = await open_store(redis_url, 64)
    yield opened
    await opened.close()


async def reindex(store: Store, *, write: bool = True) -> dict[str, Found]:
    time = ServerTime(store.pipe)
    await time.measure()
    return await Reindexing(store.matches, store.indexes, time, write=write, patience=0.2).run()


def different(found: dict[str, Found]) -> dict[str, tuple[int, int]]:
    return {name: (entries.missing, entries.stale) for name, entries in found.items() if not entries.sound}


async def index_keys(store: Store) -> list[str]:
    found = sorted(key.decode() for key in await store.pipe.call("KEYS", f"{keys.PREFIX}:*"))
    shard = tuple(
        name
        for each in range(store.shards)
        for name in (ShardKeys(each).deadlines, ShardKeys(each).open, ShardKeys(each).guarded)
    )
    return [key for key in found if key in shard or key == keys.BOOKED or key.endswith((":live", ":past", ":hosting"))]


async def snapshot(store: Store) -> dict[str, object]:
    """All that the indexes hold, with scores, in order."""
    kept: dict[str, object] = {}
    for key in await index_keys(store):
        if key.endswith(":guarded"):
            kept[key] = await store.pipe.call("HGETALL", key)
        else:
            kept[key] = await store.pipe.call("ZRANGE", key, 0, -1, "WITHSCORES")
    return kept


def long_clock() -> matches_pb2.ClockOptions:
    return matches_pb2.ClockOptions(window_duration=Duration(seconds=3000))


async def resign(player: Client, match: str) -> None:
    await player.matches.Resign(matches_pb2.ResignRequest(match=match), metadata=player.auth)


async def announced(store: Store) -> None:
    """Until every absence has been noticed: records are at rest then."""
    async with asyncio.timeout(30):
        while True:
            answers = [await store.pipe.call("HVALS", ShardKeys(shard).guarded) for shard in range(store.shards)]
            if not any(b'"absent_until":null' in chairs for values in answers for chairs in values):
                return
            await asyncio.sleep(0.1)


async def test_all_indexes_come_back_as_they_were(store: Store, redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob, bot = await guest(over, "Ann"), await guest(over, "Bob"), await guest(over, "Bot")
        async with playing(bot, capacity=5):
            await ann.create(3)
            private = await bob.create(3, visibility=matches_pb2.Visibility.PRIVATE)
            await ann.join(private.id, join_code=private.join_code)
            await ann.create(4, spectate=True)
            await ann.create(3, bots=[matches_pb2.BotRequest(level="random")])
            await ann.create(2, bots=[matches_pb2.BotRequest(level="random")], clock=long_clock())
            absence = matches_pb2.StandInOptions(level="random", after_duration=Duration(seconds=3000))
            await seated([over], 2, clock=long_clock(), stand_in=absence)
            players, done = await seated([over], 2)
            await resign(players[1], done)
            left = await bob.create(2)
            await bob.matches.LeaveMatch(matches_pb2.LeaveMatchRequest(match=left.id), metadata=bob.auth)
            assert (await bob.get(left.id)).state == matches_pb2.MatchState.ABANDONED
            handed = await ann.create(3)
            await bob.join(handed.id)
            await ann.matches.LeaveMatch(matches_pb2.LeaveMatchRequest(match=handed.id), metadata=ann.auth)
            await announced(store)
            await reindex(store)  # whoever has left is in a list until somebody reads it
            before = await snapshot(store)
            kinds = ("deadlines", "open", "guarded", "live", "past", "hosting", "booked")
            assert all(any(key.endswith(f":{kind}") for key in before) for kind in kinds), before.keys()
            assert different(await reindex(store)) == {}
            await store.pipe.calls(*(("DEL", key) for key in before))
            lost = await reindex(store, write=False)
            assert all(entries.missing and not entries.right for entries in lost.values())
            assert await index_keys(store) == [], "a dry run changes nothing"
            found = await reindex(store)
            assert {name: entries.missing for name, entries in found.items()} == {
                name: entries.missing for name, entries in lost.items()
            }
            assert await snapshot(store) == before
            for key in before:
                if key.endswith(":hosting"):
                    assert await store.pipe.call("PTTL", key) > 0
            assert different(await reindex(store)) == {}


async def test_deadlines_that_were_lost_fire_again(store: Store, redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        clock = matches_pb2.ClockOptions(window_duration=Duration(seconds=4))
        players, match = await seated([over], 2, clock=clock)
        await store.pipe.calls(*(("DEL", ShardKeys(shard).deadlines) for shard in range(store.shards)))
        found = await reindex(store)
        assert (found["deadlines"].right, found["deadlines"].missing) == (0, 1)
        types: list[str] = []
        async with asyncio.timeout(30):
            while "match.timed_out" not in types:
                request = matches_pb2.ListEventsRequest(match=match, wait=Duration(seconds=1))
                answer = await players[0].matches.ListEvents(request, metadata=players[0].auth)
                types = [event.type for event in answer.events]
                await asyncio.sleep(0.05)


async def test_what_no_record_wants_is_taken_out(store: Store, redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(3)
        await reindex(store)
        before = await snapshot(store)
        shard = ShardKeys(keys.shard_of("m-gone", store.shards))
        await store.pipe.calls(
            ("ZADD", shard.deadlines, FAR, "m-gone"),
            ("ZADD", shard.open, 5, "m-gone"),
            ("HSET", shard.guarded, "m-gone", msgspec.msgpack.encode([])),
            ("ZADD", keys.live(bob.player), 5, match.id, 6, "m-gone"),
            ("ZADD", keys.past(bob.player), 5, match.id),
            ("ZADD", keys.hosting(bob.player), FAR, match.id),
            ("ZADD", keys.BOOKED, 0, f"{bob.player}|{match.id}"),
            ("ZADD", keys.live(ann.player), 7, match.id),
        )
        found = await reindex(store)
        assert different(found) == {
            "deadlines": (0, 1),
            "open": (0, 1),
            "guarded": (0, 1),
            "live": (1, 3),
            "past": (0, 1),
            "hosting": (0, 1),
            "booked": (0, 1),
        }
        assert await snapshot(store) == before


async def test_what_is_in_the_making_is_left_alone(store: Store, redis_url: str) -> None:
    """A player is listed before he sits: by the second look he does."""
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(3)
        await store.players.add_live(bob.player, match.id, 5)
        time = ServerTime(store.pipe)
        await time.measure()
        looking = asyncio.create_task(Reindexing(store.matches, store.indexes, time, write=True, patience=2.0).run())
        await asyncio.sleep(0.5)
        await bob.join(match.id)
        assert different(await looking) == {}
        assert [listed for _, listed in await store.players.live(bob.player)] == [match.id]


async def test_repairs_beside_changes_do_no_harm(store: Store, redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        crowd = [await guest(over) for _ in range(6)]

        async def play(host: Client, other: Client) -> None:
            for _ in range(6):
                match = await host.create(2, clock=long_clock())
                await other.join(match.id)
                await resign(other, match.id)

        playing_on = asyncio.gather(*(play(crowd[i], crowd[i + 1]) for i in (0, 2, 4)))
        while not playing_on.done():
            await reindex(store)
        await playing_on
        await reindex(store)
        assert different(await reindex(store)) == {}


def before_the_first(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, happens: Callable[[], Awaitable[object]]
) -> None:
    """Something happens right before a method is called for the first time."""
    method, done = getattr(where, name), False

    async def later(*arguments: Any, **named: Any) -> Any:
        nonlocal done
        if not done:
            done = True
            await happens()
        return await method(*arguments, **named)

    monkeypatch.setattr(where, name, later)


async def test_a_match_that_changes_while_its_entry_is_put_back_has_the_last_word(
    store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, clock=long_clock())
        lists = [keys.live(player.player) for player in players]
        await store.pipe.calls(*(("DEL", key) for key in lists))

        async def end() -> None:
            await resign(players[0], match)
            await service._seating.idle()

        before_the_first(monkeypatch, store.indexes, "place", end)
        await reindex(store)
        assert [await store.players.live(player.player) for player in players] == [[], []]
        assert [len(await store.players.past(player.player)) for player in players] == [1, 1]


async def test_a_bot_that_is_booked_while_its_entry_is_taken_out_stays_booked(
    store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bot = await guest(over, "Ann"), await guest(over, "Bot")
        match = await ann.create(3)
        await store.pipe.call("ZADD", keys.BOOKED, 0, f"{bot.player}|{match.id}")

        async def seat() -> None:
            await store.offers.release(match.id, [bot.player])
            wanted = matches_pb2.BotRequest(level="random")
            await ann.matches.AddBot(matches_pb2.AddBotRequest(match=match.id, bot=wanted), metadata=ann.auth)

        assert await store.offers.renew(bot.player, {"six_nimmt": ["random"]}, 5, "s", 0, FAR)
        before_the_first(monkeypatch, store.indexes, "place", seat)
        await reindex(store)
        assert bot.player in [seat.player for seat in (await ann.get(match.id)).seats]
        assert await store.offers.booked(bot.player) == [match.id]


async def test_a_dry_run_beside_a_match_that_changes_tells_no_difference(
    store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, clock=long_clock())

        async def end() -> None:
            await resign(players[0], match)
            await service._seating.idle()

        before_the_first(monkeypatch, store.indexes, "scores", end)
        assert different(await reindex(store, write=False)) == {}


async def test_the_deadline_of_a_log_that_is_packed_meanwhile_stays_away(
    store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        await resign(players[0], match)

        async def pack() -> None:
            loaded = await store.matches.load(match, None, 0)
            assert loaded is not None
            assert await store.matches.pack(loaded.record)

        before_the_first(monkeypatch, store.indexes, "check", pack)
        found = await reindex(store)
        assert found["deadlines"].missing == 0
        deadlines = ShardKeys(keys.shard_of(match, store.shards)).deadlines
        assert await store.pipe.call("ZSCORE", deadlines, match) is None


async def test_a_past_that_is_full_wants_no_more(store: Store, redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bob = await guest(over), await guest(over)
        match = await ann.create(2)
        await bob.join(match.id)
        await resign(bob, match.id)
        await store.pipe.call("DEL", keys.past(ann.player))
        newer = [part for number in range(1000) for part in (FAR + number, f"m-newer-{number}")]
        await store.pipe.call("ZADD", keys.past(ann.player), *newer)
        found = await reindex(store, write=False)
        assert found["past"].missing == 0


async def test_the_command_prints_a_table_and_a_dry_run_tells_by_its_exit_code(store: Store, redis_url: str) -> None:
    async def run(*arguments: str) -> tuple[int, str]:
        ended = await asyncio.to_thread(
            subprocess.run,
            [*CROUPIER, "admin", "reindex", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"CROUPIER_REDIS_URL": redis_url},
        )
        assert not ended.stderr
        return ended.returncode, ended.stdout

    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        await ann.create(3)
        assert (await run("--dry-run"))[0] == 0
        await store.pipe.calls(*(("DEL", ShardKeys(shard).open) for shard in range(store.shards)))
        code, said = await run("--dry-run")
        assert code == 1
        lines = [line.split() for line in said.splitlines()]
        assert lines[0] == ["index", "right", "missing", "stale"]
        assert ["open", "0", "1", "0"] in lines
        assert ["live", "1", "0", "0"] in lines
        assert (await run())[0] == 0
        assert await run("--dry-run") == (0, said.replace("0         1", "1         0"))
