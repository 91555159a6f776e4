"""Reading the logs straight from Redis, and playing them again with the rules and the clocks alone."""

from collections.abc import Iterable, Iterator

import redis

from chaos.history import Acted, Fired, Log
from croupier_engine.clock import Clock
from croupier_engine.game import Act, Credit
from croupier_engine.six_nimmt.model import ChooseRow, Commit
from croupier_service.lifecycle import Credited, Started, TimedOut
from croupier_service.log import LogEntry, decode_entry
from croupier_service.record import Phase, Record, from_fields
from croupier_service.store.keys import SHARDS, ShardKeys, shard_of


def read_logs(port: int, matches: Iterable[str]) -> Iterator[tuple[str, Log | None]]:
    """The log of each match, None of one that is not there. Logs must not have been compacted."""
    with redis.Redis(port=port, socket_timeout=20) as client:
        shards = int(client.get(SHARDS) or 0)
        for match in matches:
            keys = ShardKeys(shard_of(match, shards))
            fields = client.hgetall(keys.match(match))
            if not fields:
                yield match, None
                continue
            record = from_fields(match, fields)
            entries: list[tuple[bytes, dict[bytes, bytes]]] = client.xrange(keys.log(match))
            yield (
                match,
                to_log(
                    record,
                    [
                        decode_entry(record.game, int(name.split(b"-")[0]), kept[b"n"].decode(), kept[b"e"])
                        for name, kept in entries
                    ],
                ),
            )


def to_log(record: Record, entries: list[LogEntry]) -> Log:
    """What happened by a log, with the deadlines that its own times make."""
    log = Log(
        record.id,
        record.phase is Phase.OVER,
        [entry.version for entry in entries],
        [e.first for e in entries],
        [],
        [],
        [],
    )
    game, state, clock = record.game, None, None
    for entry in entries:
        for step in entry.steps:
            for event in step.events:
                log.events.append(event.type)
                match event.public:
                    case Started(players):
                        state = game.start(record.options, len(players), entry.at).state
                        clock = Clock.start(record.meta.limits, len(players))
                    case Credited(ms) if clock is not None:
                        clock = clock.credit(ms)
                    case TimedOut(seats) if clock is not None and clock.window is not None:
                        late = [(seat, clock.deadline(seat)) for seat in seats]
                        log.fired += [Fired(clock.window, s, d, entry.at) for s, d in late if d is not None]
            if step.command is None or isinstance(step.command, Credit):
                continue
            if isinstance(step.command, Act):
                awaiting = game.awaiting(state)
                assert awaiting is not None, "nobody acts after the end"
                act = step.command
                log.acts.append(Acted(awaiting.window, act.seat, name_of(act.action), act.by, entry.last))
            state = game.apply(state, step.command).state
        if clock is not None:
            clock = clock.follow(game.awaiting(state), entry.at)
    return log


def name_of(action: object) -> str:
    """An action of 6 nimmt! as the clients write it down."""
    match action:
        case Commit(card):
            return f"commit {card}"
        case ChooseRow(row):
            return f"row {row}"
        case _:
            return repr(action)
