"""Before a replica goes down: whoever is about to be sent to another one shall not lose time by it."""

import asyncio
from contextlib import suppress

import structlog

from croupier_service.changing import ATTEMPTS, Changing
from croupier_service.errors import lasting
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.watching import Watching

_log = structlog.get_logger()
_AT_ONCE = 32  # matches


class Draining:
    """Sets clocks back, once."""

    def __init__(
        self, changing: Changing, watching: Watching, store: MatchStore, time: ServerTime, *, credit: int
    ) -> None:
        self._changing = changing
        self._watching = watching
        self._store = store
        self._time = time
        self._credit = credit  # ms
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def credit(self, seconds: float) -> None:
        """Set back the clocks of running matches that wait for players who watch here, as many as `seconds` allow."""
        matches = self._watching.waited_for() if self._credit else []
        done = 0

        async def one(match: str) -> None:
            nonlocal done
            with lasting(_log, "drain.credit"):
                async with self._slots:
                    credited = await self._set_back(match)
                    done += credited

        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(one(match) for match in matches))
        _log.info("drain.credited", matches=len(matches), credited=done, ms=self._credit)

    async def _set_back(self, match: str) -> bool:
        async with self._changing.turn(match):
            for _ in range(ATTEMPTS):
                loaded = await self._store.load(match, None, self._time.now())
                if loaded is None:
                    return False
                change = self._changing.begin(loaded.record)
                if not change.credit(self._credit):
                    return False
                if await self._changing.commit(change):
                    return True
        return False
