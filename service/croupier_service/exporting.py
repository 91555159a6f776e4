"""All matches that are over, one after another, for whoever may read the store itself."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from croupier_service.errors import StoreUnavailable, Unreadable, reason_of
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


async def finished(store: MatchStore, wanted: Wanted, unread: dict[str, str]) -> AsyncGenerator[ReplayView, None]:
    """Each match once that was over when this began; one that is over later may be among them.

    `unread` gets the ids of those that this version cannot read, and why.
    """
    seen: set[str] = set()
    async for ids in store.ids():
        fresh = [match for match in dict.fromkeys(ids) if match not in seen]
        seen.update(fresh)
        for begin in range(0, len(fresh), _BATCH):
            unreadable: dict[str, Unreadable] = {}
            found = await store.readable(fresh[begin : begin + _BATCH], None, 0, unreadable)
            unread |= {match: problem.why for match, problem in unreadable.items()}
            for record in [loaded.record for loaded in found if loaded is not None]:
                if not wanted.admits(record):
                    continue
                try:
                    entries = await store.entries(record, 0)
                    # Without its last entry its time has just run out.
                    view = replay_view(record, entries) if entries and entries[-1].version == record.version else None
                except StoreUnavailable:
                    raise
                except Unreadable as problem:
                    unread[record.id] = problem.why
                    continue
                except Exception as problem:  # whatever is wrong with one, the others are written
                    unread[record.id] = reason_of(problem)
                    continue
                if view is not None:
                    yield view
