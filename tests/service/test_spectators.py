"""Streams that the gateway may show to others: whoever has no seat is shown the same to the end."""

from support.match_stream import Stream, watching
from support.service import Client, channel, guest, running_service
from support.tables import all_choose, seated

from croupier.spectators import SHAREABLE, SPECTATOR
from croupier.v1 import matches_pb2

PUBLIC = matches_pb2.Visibility.PUBLIC


class Shareable(Stream):
    """A stream as the gateway asks for it."""

    def __init__(self, client: Client, match: str, after: int | None = None) -> None:
        request = matches_pb2.WatchMatchRequest(match=match, after=after)
        self.call = client.matches.WatchMatch(request, metadata=(*client.auth, (SHAREABLE, "1")))
        self._messages = aiter(self.call)

    async def spectator(self) -> str | bytes | None:
        """Whom the service names as one; None: nobody."""
        return dict(await self.call.initial_metadata()).get(SPECTATOR)


async def test_who_takes_a_seat_is_still_shown_what_everybody_sees(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        host, late = await guest(over, "Host"), await guest(over, "Late")
        match = await host.create(2, visibility=PUBLIC)
        stream = Shareable(late, match.id)
        assert not (await stream.next()).snapshot.match.you.HasField("seat")
        assert await stream.spectator() == late.player
        async with watching(late, match.id) as own:
            await own.next()
            await late.join(match.id)
            await all_choose([host, late], match.id)
            now = (await host.get(match.id)).sequence
            told, told_alone = await _until(stream, now), await _until(own, now)
        stream.call.cancel()
        events = [message.event for message in told if message.HasField("event")]
        assert [event.sequence for event in events] == list(range(events[0].sequence, now + 1))
        assert events[0].match.joined.player == late.player
        for message in told:
            assert not message.window.you.HasField("seat")
            assert not message.window.you.window.choices
            assert not message.window.you.view.six_nimmt.hand
            assert not message.event.six_nimmt.dealt.hand
        assert any(message.window.you.view.six_nimmt.hand for message in told_alone), "another stream of his own"


async def test_who_has_a_seat_or_looks_on_at_a_private_table_shares_nothing(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, visibility=PUBLIC)
        stream = Shareable(players[1], match)
        assert (await stream.next()).snapshot.match.you.seat == 1
        assert await stream.spectator() is None
        stream.call.cancel()
        onlooker = await guest(over, "Onlooker")
        for asked in (Shareable(onlooker, match, after=0), Shareable(onlooker, match)):
            await asked.next()
            assert await asked.spectator() == onlooker.player
            asked.call.cancel()
        async with watching(onlooker, match) as plain:
            await plain.next()
            assert SPECTATOR not in dict(await plain.call.initial_metadata())
        private = await onlooker.create(2, visibility=matches_pb2.Visibility.PRIVATE, spectate=True)
        hidden = Shareable(onlooker, private.id)
        assert (await hidden.next()).snapshot.match.join_code
        assert await hidden.spectator() is None
        hidden.call.cancel()


async def _until(stream: Stream, sequence: int) -> list[matches_pb2.WatchMatchResponse]:
    """All messages up to the window behind an event."""
    found: list[matches_pb2.WatchMatchResponse] = []
    while not found or found[-1].window.sequence < sequence:
        found.append(await stream.next())
    return found
