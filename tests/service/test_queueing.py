"""A burst that waits in gRPC's own queue: each call is done, or refused with a time to retry, and nothing is done."""

import asyncio
from dataclasses import replace

import grpc
from support.service import QUICK, Client, channel, guest, reason, running_service, told

from croupier.v1 import matches_pb2

TOGETHER = 400
SETTINGS = replace(QUICK, queue=10, matches_per_minute=1_000_000, open_tables=1_000_000)


async def burst(host: Client, number: int) -> dict[str, grpc.aio.AioRpcError | None]:
    """Many tables opened at once: by their names, whether they were, or why not."""

    async def create(name: str) -> grpc.aio.AioRpcError | None:
        request = matches_pb2.CreateMatchRequest(request_id=name, match_id=name, game="six_nimmt", seats=2)
        try:
            await host.matches.CreateMatch(request, metadata=(*host.auth, ("x-request-id", name)))
        except grpc.aio.AioRpcError as error:
            return error
        return None

    names = [f"burst-{number}-{each}" for each in range(TOGETHER)]
    return dict(zip(names, await asyncio.gather(*map(create, names)), strict=True))


async def test_what_has_waited_for_too_long_is_refused_before_anything_is_done(redis_url: str) -> None:
    async with running_service(redis_url, settings=SETTINGS) as service, channel(service) as over:
        host = await guest(over)
        answers: dict[str, grpc.aio.AioRpcError | None] = {}
        async with asyncio.timeout(60):
            while not any(answers.values()):
                answers |= await burst(host, len(answers))
        refused = {name: error for name, error in answers.items() if error is not None}
        for name, error in refused.items():
            answer = told(error)
            assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "OVERLOADED")
            assert answer.metadata["limit"] == "10 ms"
            assert answer.retry_after is not None
            assert answer.retry_after >= 1
            assert ("x-request-id", name) in list(error.trailing_metadata())
        unhurried = replace(SETTINGS, queue=60_000)
        async with running_service(redis_url, settings=unhurried) as calm, channel(calm) as elsewhere:
            looking = Client(elsewhere, host.player, host.token)
            for name in answers:
                if name in refused:
                    assert await reason(looking.get(name)) == "MATCH_NOT_FOUND", "refused, and nothing was done"
                else:
                    assert (await looking.get(name)).id == name
            again = await looking.create(match_id=next(iter(refused)))
            assert again.state == matches_pb2.MatchState.OPEN


async def test_whoever_is_alone_never_waits(redis_url: str) -> None:
    """Not even where it is asked for more calls than make a replica look."""
    async with (
        running_service(redis_url, settings=replace(SETTINGS, queue=60_000)) as service,
        channel(service) as over,
    ):
        host = await guest(over)
        assert set((await burst(host, 0)).values()) == {None}


async def test_a_stranger_cannot_pass_for_the_service_itself(redis_url: str) -> None:
    async with running_service(redis_url, settings=SETTINGS) as service, channel(service) as over:
        stranger = Client(over, "", "")
        busy = asyncio.ensure_future(burst(await guest(over), 0))
        for word in ("", "0" * 32):
            marked = (("x-croupier-queue", word),)
            call = stranger.matches.GetMatch(matches_pb2.GetMatchRequest(match="burst-0-0"), metadata=marked)
            assert await reason(call) in ("UNAUTHENTICATED", "OVERLOADED")
        await busy
