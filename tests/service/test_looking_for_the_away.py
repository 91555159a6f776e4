"""The look for matches where bots may stand in: where there are none, and where one has come."""

import asyncio

import pytest
from redis.asyncio import Redis
from support.away import happened, staying, terms
from support.service import QUICK, channel, guest, running_service
from support.tables import seated

from croupier_service import absence
from croupier_service.bootstrap import Service


async def until_nothing_is_looked_at(service: Service) -> None:
    async with asyncio.timeout(20):
        while len(service._absence._empty) < service.deadlines.leads or not service.deadlines.leads:
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def no_look_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the first."""
    monkeypatch.setattr(absence, "_FULL", 1_000_000)


async def test_where_nobody_may_stand_in_nothing_is_asked(redis_url: str) -> None:
    async with running_service(redis_url) as service, Redis.from_url(redis_url) as redis:
        await until_nothing_is_looked_at(service)
        before = (await redis.info("commandstats"))["cmdstat_hgetall"]["calls"]
        await asyncio.sleep(0.5)
        assert (await redis.info("commandstats"))["cmdstat_hgetall"]["calls"] == before


async def test_a_match_that_comes_later_is_looked_at(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        await until_nothing_is_looked_at(service)
        onlooker = await guest(over, "Eve")
        (_, ben), match = await seated([over], 2, stand_in=terms(20_000))
        async with staying(ben, match=match):
            absent = (await happened(onlooker, match, "match.absent")).match.absent
            assert absent.seat == 0


async def test_after_missed_notices_all_is_looked_at(redis_url: str) -> None:
    async with running_service(redis_url) as service:
        await until_nothing_is_looked_at(service)
        await service._absence.lost_touch()
        assert not service._absence._empty


async def test_after_an_outage_nobody_is_missed_before_he_could_say_that_he_is_there(redis_url: str) -> None:
    """Also where no look has failed, since there was nothing to look at."""
    async with running_service(redis_url) as service, channel(service) as over:
        await until_nothing_is_looked_at(service)
        onlooker = await guest(over, "Eve")
        (_, ben), match = await seated([over], 2, stand_in=terms(20_000))
        async with staying(ben, match=match):
            back = 0
            for _ in range(12):  # longer than whoever has only begun to play has to show up
                await service._absence.lost_touch()
                back = service._absence._time.now()
                await asyncio.sleep(QUICK.heartbeat / 2000)
            absent = await happened(onlooker, match, "match.absent")
            assert absent.time.ToMilliseconds() >= back + 2 * QUICK.heartbeat
