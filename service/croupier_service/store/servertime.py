"""The time that all replicas agree on: that of Redis."""

import time

from croupier_service.store.pipe import Pipe

_SAMPLES = 3


class ServerTime:
    """Redis' time, kept as an offset to this machine's own steady clock."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._offset = time.time() - time.monotonic()

    async def measure(self) -> None:
        """Measure the offset; called at the start and then every few seconds.

        Of a few answers the quickest counts: one that had to wait, here or there, says little about when it was made.
        """
        samples = [await self._sample() for _ in range(_SAMPLES)]
        self._offset = min(samples)[1]

    async def _sample(self) -> tuple[float, float]:
        before = time.monotonic()
        seconds, micros = await self._pipe.call("TIME")
        after = time.monotonic()
        return after - before, int(seconds) + int(micros) / 1e6 - (before + after) / 2

    def now(self) -> int:
        """Server milliseconds."""
        return int((time.monotonic() + self._offset) * 1000)
