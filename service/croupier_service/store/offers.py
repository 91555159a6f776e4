"""Standing offers of bots, and the seats that they were used for."""

import json
from collections.abc import Mapping, Sequence

from croupier_service.store import keys, scripts
from croupier_service.store.pipe import Pipe


class OfferStore:
    """An offer is a bot's consent to be seated; it lapses unless it is renewed. Times are server milliseconds."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    async def next_stream(self) -> int:
        """A number for a stream that is opened now: their order is the store's, whatever replicas they are at."""
        return int(await self._pipe.script(scripts.STREAM, [keys.STREAMS]))

    async def renew(
        self, player: str, games: Mapping[str, Sequence[str]], capacity: int, stream: str, now: int, expires: int
    ) -> bool:
        """Keep the offer until `expires`; `games` maps a game's name to the levels that the bot plays it at.

        False: a newer stream of the same player has made another.
        """
        offer = json.dumps({"games": games, "capacity": capacity, "stream": stream, "expires": expires})
        return bool(await self._pipe.script(scripts.RENEW, [keys.OFFERS], player, offer, stream, now))

    async def stands(self, player: str, now: int) -> bool:
        """Whether the player has an offer that has not lapsed, and so a stream that is open."""
        offer = await self._pipe.call("HGET", keys.OFFERS, player)
        return offer is not None and int(json.loads(offer)["expires"]) > now

    async def withdraw(self, player: str, stream: str) -> None:
        """Drop the offer, unless a newer stream of the same player has made another."""
        await self._pipe.script(scripts.WITHDRAW, [keys.OFFERS], player, stream)

    async def book(
        self, match: str, game: str, seated: Sequence[str], wanted: Sequence[Mapping[str, str]], now: int
    ) -> list[str] | int:
        """A bot for each {"level": ..} or {"player": ..} wanted; or nothing, and the index of one that cannot be had.

        A booking stands until `release`.
        """
        answer = await self._pipe.script(
            scripts.BOOK,
            [keys.OFFERS, keys.BOOKED],
            now,
            match,
            game,
            json.dumps(list(seated)),
            json.dumps(list(wanted)),
        )
        return answer if isinstance(answer, int) else [player.decode() for player in answer]

    async def offered(self, game: str, now: int) -> list[str]:
        """The levels that a game is offered at, whether or not a bot is free, in alphabetical order."""
        offers = [json.loads(offer) for offer in await self._pipe.call("HVALS", keys.OFFERS)]
        return sorted({level for o in offers if o["expires"] > now for level in o["games"].get(game, ())})

    async def release(self, match: str, players: Sequence[str]) -> None:
        """The seats are free again, or the match is done."""
        if players:
            await self._pipe.call("ZREM", keys.BOOKED, *(f"{player}|{match}" for player in players))

    async def booked(self, player: str) -> list[str]:
        """The matches that a bot is booked for."""
        found = await self._pipe.call("ZRANGEBYLEX", keys.BOOKED, f"[{player}|", f"({player}" + "}")
        return [member.decode().split("|", 1)[1] for member in found]
