"""Listings follow from the matches: no replica's death changes them, and a seat that was given back can be taken."""

import asyncio
from dataclasses import replace
from random import Random

import grpc
import pytest
from msgspec import structs
from support.played import opened
from support.service import Client, channel, guest, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Options
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.players import RandomNames
from croupier_service.store.opening import open_store


async def listed(whose: Client, over: grpc.aio.Channel, player: str = "") -> list[tuple[str, int]]:
    """What a list holds, asked at a replica."""
    asked = replace(whose, channel=over)
    answer = await asked.matches.ListMatches(matches_pb2.ListMatchesRequest(player=player), metadata=asked.auth)
    return [(match.id, match.state) for match in answer.matches]


async def test_c9_a_replica_s_death_changes_no_listing(redis_url: str) -> None:
    async with running_service(redis_url) as survivor, channel(survivor) as second:
        async with running_service(redis_url) as dying, channel(dying) as first:
            ann = await guest(first)
            waiting = await ann.create(3)
            players, running = await seated([first], 2)
            stream = players[0].matches.WatchMatch(
                matches_pb2.WatchMatchRequest(match=running), metadata=players[0].auth
            )
            await stream.read()
            before = [await listed(ann, second), await listed(ann, second, player="me")]
            before.append(await listed(players[0], second, player="me"))
            assert [entries[0][0] for entries in before] == [waiting.id, waiting.id, running]
            # It dies without giving anything back.
            for task in dying._tasks:
                task.cancel()
            await asyncio.gather(*dying._tasks, return_exceptions=True)
            dying.failed.clear()
            await asyncio.sleep(1)  # longer than its lease
            after = [await listed(ann, second), await listed(ann, second, player="me")]
            after.append(await listed(players[0], second, player="me"))
            assert after == before
            stream.cancel()


async def test_c21_a_seat_that_was_given_back_is_free_for_the_next_on_whichever_replica(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            host, bob, eve = await guest(first), await guest(first), await guest(second)
            match = await host.create(3)
            await bob.join(match.id)
            await bob.matches.LeaveMatch(matches_pb2.LeaveMatchRequest(match=match.id), metadata=bob.auth)
            taken = await eve.join(match.id)
            assert [seat.player for seat in taken.seats] == [host.player, eve.player, ""]
            assert (await bob.join(match.id)).state == matches_pb2.MatchState.RUNNING


@pytest.mark.parametrize("where", ["redis_url", "cluster_url"])
async def test_every_match_is_found_wherever_it_is_kept(request: pytest.FixtureRequest, where: str) -> None:
    store = await open_store(request.getfixturevalue(where), 64)
    record, _ = opened(GAMES["six_nimmt"], Options(), 2, Random(1))
    names = {f"m-{number}" for number in range(200)}
    for name in names:
        made = Change(
            structs.replace(record, id=name, version=0, sequence=0),
            FairDealer(),
            record.at,
            name=RandomNames().change(),
        )
        assert await store.matches.commit(None, made.record, made.entry, 10_000_000)
        await store.matches.set_present(name, "p-0", 1 << 52)
    found = [match async for ids in store.matches.ids() for match in ids]
    assert set(found) == names
    await store.close()
