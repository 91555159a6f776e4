"""House bots at the tables of a real service, also across its restart."""

import asyncio
from dataclasses import replace

from google.protobuf.duration_pb2 import Duration
from support.bot_table import FAST
from support.service import QUICK, Client, channel, guest, running_service

from croupier.v1 import matches_pb2
from croupier_bots import Server
from croupier_bots.house import run_house

SLOW_CLOCK = matches_pb2.ClockOptions(window_duration=Duration(seconds=30))


async def over(client: Client, match: str) -> matches_pb2.Match:
    async with asyncio.timeout(60):
        while (seen := await client.get(match)).state != matches_pb2.MatchState.OVER:
            await asyncio.sleep(0.05)
    return seen


async def test_they_play_to_the_end_and_outlive_a_restart(redis_url: str) -> None:
    async with running_service(redis_url) as service:
        settings = replace(QUICK, grpc_port=service.port)
        ready = asyncio.get_running_loop().create_future()
        house = asyncio.create_task(
            run_house(Server(f"127.0.0.1:{service.port}", timing=FAST), each=2, seed=1, ready=ready.set_result)
        )
        async with channel(service) as over_it:
            host = await guest(over_it)
            assert await asyncio.wait_for(ready, 10) == 4
            bots = [matches_pb2.BotRequest(level=level) for level in ("careful", "random", "careful")]
            names = [
                (await host.create(seats=3, spectate=True, bots=bots, clock=SLOW_CLOCK, match_id=f"house-{n}")).id
                for n in range(3)
            ]
            await asyncio.sleep(0.3)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over_it:
        again = Client(over_it, host.player, host.token)
        try:
            for name in names:
                match = await over(again, name)
                assert sorted(match.outcome.places)[0] == 1
                assert all(seat.bot for seat in match.seats)
                happened = await again.matches.ListEvents(
                    matches_pb2.ListEventsRequest(match=name, page_size=1000), metadata=again.auth
                )
                types = {event.type for event in happened.events}
                assert "match.timed_out" not in types, "the clock had to play for a bot"
        finally:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)
