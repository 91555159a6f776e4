"""All matches that are over, one after another, for whoever may read the store itself."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from croupier_service.reading import ReplayView, replay_view
from croupier_service.record import Phase, Record
from croupier_service.store.matches import MatchStore

_BATCH = 50  # records held at a time


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches: of a game (empty: any) that ended at `since` or later and before `until`, server ms."""

    game: str = ""
    since: int | None = None
    until: int | None = None

    def admits(self, record: Record) -> bool:
        """Whether it is one of them."""
        return (
            record.phase is Phase.OVER
            and self.game in ("", record.meta.game)
            and (self.since is None or record.at >= self.since)
            and (self.until is None or record.at < self.until)
        )


async def finished(store: MatchStore, wanted: Wanted) -> AsyncGenerator[ReplayView, None]:
    """Each match once that was over when this began; one that is over later may be among them."""
    seen: set[str] = set()
    async for ids in store.ids():
        fresh = [match for match in dict.fromkeys(ids) if match not in seen]
        seen.update(fresh)
        for begin in range(0, len(fresh), _BATCH):
            for loaded in await store.load_all(fresh[begin : begin + _BATCH], None, 0):
                if loaded is None or not wanted.admits(loaded.record):
                    continue
                entries = await store.entries(loaded.record, 0)
                if entries and entries[-1].version == loaded.record.version:  # else its time has just run out
                    yield replay_view(loaded.record, entries)
