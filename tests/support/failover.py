"""A store that loses writes, as in a failover to a copy that did not have them yet."""

from typing import Any

from croupier_service.bootstrap import Service


class Copy:
    """A match's record and log as they are now; `fail_over` puts them back as they were then."""

    def __init__(self, service: Service, match: str) -> None:
        keys = service._store.matches._keys(match)
        self._pipe = service._store.pipe
        self._kept: dict[str, Any] = dict.fromkeys((keys.match(match), keys.log(match)))

    async def take(self) -> None:
        for key in self._kept:
            self._kept[key] = await self._pipe.call("DUMP", key)

    async def fail_over(self) -> None:
        for key, kept in self._kept.items():
            await self._pipe.call("RESTORE", key, 0, kept, "REPLACE")


async def copied(service: Service, match: str) -> Copy:
    """A copy of a match."""
    copy = Copy(service, match)
    await copy.take()
    return copy
