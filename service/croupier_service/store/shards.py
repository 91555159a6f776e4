"""Who looks after a shard's deadlines, and which of them are due."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass

from croupier_service.store import scripts
from croupier_service.store.keys import MEMBERS, NOTES, ShardKeys
from croupier_service.store.pipe import Pipe


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
class Standing:
    """How the shards are led. `free`: by nobody; `lapses`: ms until the first lead of another one does, if it does."""

    members: int  # processes that lead shards, this one included
    known: bool  # this one was among them before
    leads: tuple[Lead, ...]  # its own
    free: tuple[int, ...]
    lapses: int | None


class ShardStore:
    """Leases and deadlines. Times are milliseconds."""

    def __init__(self, pipe: Pipe, shards: int) -> None:
        self._pipe = pipe
        self._shards = [ShardKeys(shard) for shard in range(shards)]

    async def keep(self, who: str, ms: int) -> Standing:
        """Be a member, and keep what is led, for another `ms`."""
        (members, known), *answers = await asyncio.gather(
            self._pipe.script(scripts.ANNOUNCE, [MEMBERS], who, ms),
            *(self._pipe.script(scripts.KEEP, [shard.leader], who, ms) for shard in self._shards),
        )
        return Standing(
            members,
            bool(known),
            tuple(Lead(shard, who, token) for shard, (token, _) in enumerate(answers) if token > 0),
            tuple(shard for shard, (token, _) in enumerate(answers) if token == 0),
            min((lapses for token, lapses in answers if token < 0), default=None),
        )

    async def lease(self, who: str, ms: int, shards: Iterable[int]) -> list[Lead]:
        """Take the lead of those of these shards that nobody leads."""
        wanted = list(shards)
        tokens = await asyncio.gather(
            *(
                self._pipe.script(scripts.LEASE, [self._shards[i].leader, self._shards[i].fence], who, ms)
                for i in wanted
            )
        )
        return [Lead(shard, who, token) for shard, token in zip(wanted, tokens, strict=True) if token]

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
