"""Who looks after a shard's deadlines, and which of them are due."""

import asyncio
from collections.abc import Sequence

from croupier_service.store import scripts
from croupier_service.store.keys import ShardKeys
from croupier_service.store.pipe import Pipe


class ShardStore:
    """Leases and deadlines. Times are milliseconds."""

    def __init__(self, pipe: Pipe, shards: int) -> None:
        self._pipe = pipe
        self._shards = [ShardKeys(shard) for shard in range(shards)]

    async def lease(self, who: str, ms: int) -> list[int]:
        """Take or keep the lead of every shard that nobody else leads; the shards led from now on."""
        answers = await asyncio.gather(
            *(self._pipe.script(scripts.LEASE, [shard.leader], who, ms) for shard in self._shards)
        )
        return [index for index, won in enumerate(answers) if won]

    async def release(self, who: str, shards: Sequence[int]) -> None:
        """Give the lead of shards up at once."""
        await asyncio.gather(*(self._pipe.script(scripts.RELEASE, [self._shards[i].leader], who) for i in shards))

    async def due(self, shards: Sequence[int], until: int) -> list[tuple[int, str]]:
        """Deadlines up to a time in these shards, as (server ms, match)."""
        answers = await self._pipe.calls(
            *(("ZRANGEBYSCORE", self._shards[i].deadlines, "-inf", until, "WITHSCORES") for i in shards)
        )
        return [(int(score), match.decode()) for answer in answers for match, score in answer]

    async def forget(self, match: str, shard: int, deadline: int) -> None:
        """Drop the deadline of a match that is not there any more, unless it has another by now."""
        await self._pipe.script(scripts.DROP, [self._shards[shard].deadlines], match, deadline)
