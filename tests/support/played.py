"""Whole matches without a server: the service's own changes, made one after another, and the replay of what came."""

from random import Random
from typing import Any

from support.playing import Habits

from croupier.v1 import matches_pb2
from croupier_engine import dealing
from croupier_engine.clock import Limits
from croupier_engine.game import AnyGame, By, Command
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.lifecycle import Created
from croupier_service.players import RandomNames
from croupier_service.reading import ReplayView
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
    record, log = opened(game, options, seats, dice, StandInTerms("careful", 30_000) if away else None)
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
            record = noted(_come_or_go(record, dice.choice(staying), at, dice), log)
        change = Change(record, FairDealer(), at, name=RandomNames().change())
        if dice.random() < habits.resign:
            change.resign(dice.choice(staying))
        elif not change.fire(0, 0):
            seat = dice.choice(awaiting.must)
            by = By.PLAYER if record.meta.seats[seat].stand_in is None else By.STAND_IN
            change.act(seat, dice.choice(list(game.choices(record.state, seat) or ())), by)
        record = noted(change, log)
    return replay.message(view(record, log))


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
) -> tuple[Record, list[tuple[int, Command[Any]]]]:
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
    log: list[tuple[int, Command[Any]]] = []
    return noted(change, log), log


def noted(change: Change, log: list[tuple[int, Command[Any]]]) -> Record:
    """Put a change's commands into the log, each with the number of the last event, and answer the record after it."""
    entry = change.entry
    sequence = entry.first
    for step in entry.steps:
        sequence += len(step.events)
        if step.command is not None:
            log.append((sequence, step.command))
    return change.record


def view(record: Record, log: list[tuple[int, Command[Any]]]) -> ReplayView:
    """What the service would answer."""
    meta = record.meta
    assert meta.outcome is not None
    return ReplayView(
        match=record.id,
        game=meta.game,
        rules_version=meta.rules_version,
        options=record.options,
        seats=record.players,
        commitment=record.commitment,
        seed=record.seed,
        deal_scheme=meta.deal_scheme,
        started_at=meta.started_at,
        stand_in=meta.stand_in,
        outcome=meta.outcome,
        log=log,
    )
