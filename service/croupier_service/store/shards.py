"""Who looks after a shard's deadlines, and which of them are due."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass

from croupier_service.errors import StoreUnavailable
from croupier_service.store import scripts
from croupier_service.store.keys import MEMBERS, NOTES, ShardKeys
from croupier_service.store.pipe import Pipe, answered


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead of a shard; of two leads of one shard, the one with the higher token is the later."""

    shard: int
    holder: str
    token: int

    @property
    def stored(self) -> str:
        """What the shard's leader key holds while this lead does."""
        return f"{self.holder} {self.token}"


@dataclass(frozen=True, slots=True)
class Members:
    """The processes that lead shards. `lapses`: ms until the first of the others is none, unless it says more."""

    names: frozenset[str]  # this one included
    known: bool  # this one was among them before
    lapses: int | None  # None: there are no others


class ShardStore:
    """Leads and deadlines. Times are milliseconds.

    A process is a member for as long as it says so in time. A lead does not lapse: it holds until another process takes
    it, which it may do once the holder is no member. So whoever leads has one key to keep alive, however many shards.
    """

    def __init__(self, pipe: Pipe, shards: int) -> None:
        self._pipe = pipe
        self._shards = [ShardKeys(shard) for shard in range(shards)]

    async def announce(self, who: str, ms: int) -> Members:
        """Be a member for another `ms`."""
        now, known, *listed = await self._pipe.script(scripts.ANNOUNCE, [MEMBERS], who, ms)
        until = {name.decode(): int(score) for name, score in zip(listed[::2], listed[1::2], strict=True)}
        others = [score - now for name, score in until.items() if name != who]
        return Members(frozenset(until), bool(known), min(others, default=None))

    async def leads(self) -> list[Lead | StoreUnavailable | None]:
        """How each shard is led, also by whoever is no member any more; None: by nobody; an error: it is not known."""
        answers = await answered(self._pipe.call("GET", shard.leader) for shard in self._shards)
        return [_lead(shard, kept) if isinstance(kept, bytes) else kept for shard, kept in enumerate(answers)]

    async def take(self, who: str, over: Iterable[tuple[int, Lead | None]]) -> list[Lead]:
        """Take shards, each from a lead that is over or from nobody; those that nobody else has taken in between."""
        wanted = list(over)
        tokens = await asyncio.gather(
            *(
                self._pipe.script(
                    scripts.LEAD,
                    [self._shards[shard].leader, self._shards[shard].fence],
                    who,
                    "" if lead is None else lead.stored,
                )
                for shard, lead in wanted
            )
        )
        return [Lead(shard, who, token) for (shard, _), token in zip(wanted, tokens, strict=True) if token]

    async def release(self, leads: Iterable[Lead]) -> None:
        """Give leads up at once."""
        await asyncio.gather(
            *(self._pipe.script(scripts.RELEASE, [self._shards[lead.shard].leader], lead.stored) for lead in leads)
        )

    async def withdraw(self, who: str) -> None:
        """Be no member any more."""
        await self._pipe.call("ZREM", MEMBERS, who)

    async def stir(self, who: str) -> None:
        """Have the others look at how the shards are led: see Listener.noted."""
        await self._pipe.call("PUBLISH", NOTES, json.dumps(["LEAD", "", who]))

    async def due(self, shards: Iterable[int], until: int) -> list[tuple[int, str]]:
        """Deadlines up to a time in these shards, as (server ms, match)."""
        answers = await self._pipe.calls(
            *(("ZRANGEBYSCORE", self._shards[i].deadlines, "-inf", until, "WITHSCORES") for i in shards)
        )
        return [(int(score), match.decode()) for answer in answers for match, score in answer]

    async def forget(self, match: str, shard: int, deadline: int) -> None:
        """Drop the deadline of a match that is not there any more, unless it has another by now."""
        await self._pipe.script(scripts.DROP, [self._shards[shard].deadlines], match, deadline)


def _lead(shard: int, kept: bytes) -> Lead:
    holder, token = kept.decode().split(" ")
    return Lead(shard, holder, int(token))
