"""House bots at the tables of a real service, also across its restart."""

import asyncio
from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration
from support.bot_table import FAST
from support.service import QUICK, Client, channel, guest, running_service

from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_bots import Bot, Choice, Server
from croupier_bots.house import run_house
from croupier_bots.session import Ask, Session

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


class First(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0


@pytest.mark.parametrize("refusal_first", [True, False])
async def test_c16_after_a_stale_answer_the_next_question_is_answered(redis_url: str, refusal_first: bool) -> None:
    """The refusal and the question that follows may come in either order; one answer goes to the open window."""
    async with running_service(redis_url) as service, channel(service) as over_it:
        host, bot = await guest(over_it), await guest(over_it, "Bot")
        session = Session(lambda match: First(), {"six_nimmt": ("first",)}, capacity=1, seed=1)
        call = bot.bots.Play(metadata=bot.auth)
        await call.write(bots_pb2.PlayRequest(messages=[session.hello()]))

        async def read(*kinds: str) -> list[bots_pb2.TableMessage]:
            """All messages until there is one of each kind."""
            messages: list[bots_pb2.TableMessage] = []
            async with asyncio.timeout(20):
                while not set(kinds) <= {message.WhichOneof("message") for message in messages}:
                    frame = await call.read()
                    assert isinstance(frame, bots_pb2.PlayResponse)
                    messages += frame.messages
            return messages

        def answers(messages: list[bots_pb2.TableMessage]) -> list[bots_pb2.PlayerMessage]:
            asked = [effect for message in messages for effect in session.receive(message) if isinstance(effect, Ask)]
            made = [effect for ask in asked for effect in session.decide(ask.match, ask.window.id, 0)]
            return [effect for effect in made if isinstance(effect, bots_pb2.PlayerMessage)]

        answers(await read("welcome"))
        match = await host.create(bots=[matches_pb2.BotRequest(level="first")], clock=SLOW_CLOCK)
        (late,) = answers(await read("seated", "question"))
        # Before it gets there, all have answered, so that the window is closed; a row may be the host's to choose.
        await bot.choose(await bot.get(match.id))
        await host.choose(await host.get(match.id))
        while not (await bot.get(match.id)).you.window.choices:
            await host.choose(await host.get(match.id))
        await call.write(bots_pb2.PlayRequest(messages=[late]))
        messages = await read("refused", "question")
        refused = [message for message in messages if message.HasField("refused")]
        assert [message.refused.reason for message in refused] == ["STALE_WINDOW"]
        others = [message for message in messages if message not in refused]
        (again,) = answers([*refused, *others] if refusal_first else [*others, *refused])
        assert again.act.window != late.act.window
        await call.write(bots_pb2.PlayRequest(messages=[again]))
        (acted,) = (message.acted for message in await read("acted") if message.HasField("acted"))
        assert acted.request_id == again.act.request_id
        call.cancel()
