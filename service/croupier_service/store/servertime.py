"""The time that all replicas agree on: that of Redis."""

import time

from croupier_service.store.pipe import Pipe


class ServerTime:
    """Redis' time, kept as an offset to this machine's own steady clock."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._offset = time.time() - time.monotonic()

    async def measure(self) -> None:
        """Measure the offset; called at the start and then every few seconds."""
        before = time.monotonic()
        seconds, micros = await self._pipe.call("TIME")
        middle = (before + time.monotonic()) / 2
        self._offset = int(seconds) + int(micros) / 1e6 - middle

    def now(self) -> int:
        """Server milliseconds."""
        return int((time.monotonic() + self._offset) * 1000)
