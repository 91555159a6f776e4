"""Two connections of one player: the newest wins, on whichever replica, and nothing is lost between them."""

import asyncio
from dataclasses import replace

import pytest
from support.play_stream import playing
from support.service import channel, guest, running_service
from support.tables import seated

from croupier.v1 import bots_pb2


async def test_c19_an_act_in_flight_at_the_older_stream_is_neither_lost_nor_doubled(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            (ann, bob), match = await seated([first], 2)
            twin = replace(ann, channel=second)
            async with playing(ann) as older:
                sequence = (await older.next("seated")).match.sequence
                question = await older.next("question")
                act = bots_pb2.PlayAct(request_id="once", match=match, window=question.window.id, choice=0)
                # Sent and not answered yet, while the newer stream opens.
                await older.send(act=act)
                async with playing(twin, resume={match: sequence}) as newer:
                    assert (await older.next("go_away")).reason == "REPLACED"
                    with pytest.raises(EOFError):
                        await older.next()
                    await newer.send(act=act)
                    acted = await newer.next("acted")
                    assert (acted.request_id, acted.applied_sequence) == ("once", sequence + 1)
                    await bob.choose(await bob.get(match))
            now = (await bob.get(match)).sequence
            # What either stream did not bring is behind the cursor, once.
            async with playing(twin, resume={match: sequence}) as last:
                found: list[int] = []
                async with asyncio.timeout(10):
                    while len(found) < now - sequence:
                        found += [event.sequence for event in (await last.next("events")).events]
                assert found == list(range(sequence + 1, now + 1))


async def test_c18_a_stream_that_was_replaced_hears_nothing_more(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        (ann, bob), match = await seated([over], 2)
        stranger = await guest(over)
        async with playing(ann) as older:
            await older.next("question")
            async with playing(ann) as newer, playing(stranger) as other:
                assert (await older.next("go_away")).reason == "REPLACED"
                await bob.choose(await bob.get(match))
                await newer.next("events")
                with pytest.raises(EOFError):
                    await older.next()
                await other.send(ping=bots_pb2.Ping(payload="p"))
                assert (await other.next()).pong.payload == "p"
