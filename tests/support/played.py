"""Whole matches without a server: the service's own changes, made one after another, and the replay of what came."""

from random import Random
from typing import Any

from support.playing import Habits

from croupier.v1 import matches_pb2
from croupier_engine import dealing
from croupier_engine.clock import Limits
from croupier_engine.game import AnyGame, By
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.lifecycle import Created
from croupier_service.log import LogEntry
from croupier_service.players import RandomNames
from croupier_service.reading import replay_view
from croupier_service.record import Chair, Meta, Phase, Record, StandInTerms
from croupier_service.servicers import replay

START = 1_800_000_000_000
WINDOW = 60_000


def played_match(
    game: AnyGame, options: Any, seats: int, dice: Random, habits: Habits, away: float = 0.0
) -> matches_pb2.Replay:
    """The replay of a match that dice played; the same dice play the same match.

    `away`: the chance, per command, that a player goes, is stood in for, or comes back.
    """
    return replay.message(replay_view(*played_log(game, options, seats, dice, habits, away)))


def played_log(
    game: AnyGame, options: Any, seats: int, dice: Random, habits: Habits, away: float = 0.0
) -> tuple[Record, list[LogEntry]]:
    """Such a match itself, and its log."""
    record, log = opened(game, options, seats, dice, StandInTerms("careful", 30_000) if away else None)

    def made(change: Change) -> Record:
        log.append(change.entry)
        return change.record

    at = START
    while record.phase is Phase.RUNNING:
        at += dice.randrange(1, 5_000)
        awaiting = record.awaiting
        assert awaiting is not None
        if dice.random() < habits.late:
            at += WINDOW
        gone = game.view(record.state, None).resigned
        staying = [seat for seat in range(seats) if seat not in gone]
        if away and dice.random() < away:
            record = made(_come_or_go(record, dice.choice(staying), at, dice))
        change = Change(record, FairDealer(), at, name=RandomNames().change())
        if dice.random() < habits.resign:
            change.resign(dice.choice(staying))
        elif not change.fire(0, 0):
            seat = dice.choice(awaiting.must)
            by = By.PLAYER if record.meta.seats[seat].stand_in is None else By.STAND_IN
            change.act(seat, dice.choice(list(game.choices(record.state, seat) or ())), by)
        record = made(change)
    return record, log


def _come_or_go(record: Record, seat: int, at: int, dice: Random) -> Change:
    change, chair = Change(record, FairDealer(), at, name=RandomNames().change()), record.meta.seats[seat]
    if not chair.misses(chair.player or ""):
        change.miss(seat)
    elif chair.stand_in is None and dice.random() < 0.7:
        change.take_over(seat, f"b-{seat}", f"B{seat}")
    else:
        change.arrive(chair.player or "")
    return change


def opened(
    game: AnyGame, options: Any, seats: int, dice: Random, stand_in: StandInTerms | None = None
) -> tuple[Record, list[LogEntry]]:
    """A match that has just started, and its log."""
    seed = dice.randbytes(dealing.SEED_BYTES)
    given: dict[str, Any] = {
        "game": game.name,
        "rules_version": game.rules_version,
        "preset": "",
        "public": True,
        "join_code": "",
        "host": "p-0",
        "creator": "p-0",
        "fingerprint": "",
        "phase": Phase.OPEN,
        "seats": (Chair(),) * seats,
        "limits": Limits(WINDOW),
        "deal_scheme": dealing.SCHEME,
        "created_at": START,
        "expires_at": START + WINDOW,
        "stand_in": stand_in,
    }
    meta = Meta(**given)
    match = f"m-{dice.randrange(10**8)}"
    change = Change(Record(match, 0, 0, START, meta, options, seed), FairDealer(), START, name=RandomNames().change())
    change.tell(Created("p-0"))
    for seat in range(seats):
        change.sit(f"p-{seat}", f"P{seat}")
    change.start_if_full()
    return change.record, [change.entry]
