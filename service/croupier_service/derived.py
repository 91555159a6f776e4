"""What follows from a record and is kept beside it, for lists and for the clock: whatever is lost can be made again."""

from croupier_service.record import Phase, Record

# The deadline follows from it too (Record.next_deadline), and the chairs that are guarded (stored.guard_field).


def listed(record: Record) -> int | None:
    """Where it stands among the open matches, server ms; None if it does not."""
    return record.meta.created_at if record.phase is Phase.OPEN and record.meta.public else None


def live(record: Record) -> dict[str, int]:
    """Whose it is as long as it is not done, and since when, server ms."""
    if record.phase.done:
        return {}
    meta = record.meta
    since = {meta.host: meta.created_at}
    since |= {chair.player: chair.sat_at or meta.created_at for chair in meta.seats if chair.player is not None}
    return since | {chair.stand_in.player: chair.since for chair in meta.seats if chair.stand_in is not None}


def past(record: Record) -> dict[str, int]:
    """In whose past it is, and where there, server ms."""
    if not record.phase.done:
        return {}
    return dict.fromkeys((*record.players, record.meta.host), record.meta.created_at)


def hosting(record: Record) -> dict[str, int]:
    """Whose limit of open tables it counts against, and until when, server ms."""
    return {record.meta.host: record.meta.expires_at} if record.phase is Phase.OPEN else {}


def booked(record: Record) -> list[str]:
    """The bots that are booked for it."""
    if record.phase.done:
        return []
    seats = record.meta.seats
    return [*(chair.player for chair in seats if chair.bot and chair.player is not None), *record.stand_ins]
