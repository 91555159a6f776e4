"""Reading the logs straight from Redis, and playing them again with the rules and the clocks alone."""

from collections.abc import Iterable, Iterator

import redis

from chaos.clocks import Clocks
from chaos.history import Acted, Asked, Fired, Log
from croupier_engine.game import Act, Credit
from croupier_engine.six_nimmt.model import ChooseRow, Commit
from croupier_service.lifecycle import Credited, Returned, Started, StoodIn, TimedOut
from croupier_service.log import LogEntry, decode_entry
from croupier_service.record import Phase, Record
from croupier_service.store.keys import SHARDS, ShardKeys, shard_of
from croupier_service.stored import from_fields


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
            kept: list[bytes] = client.lrange(keys.log(match), 0, -1)
            yield match, to_log(record, [decode_entry(record.game, place, data) for place, data in enumerate(kept, 1)])


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
    game, limits, state = record.game, record.meta.limits, None
    owners: tuple[str, ...] = ()
    playing: list[tuple[str, int]] = []  # by seat: who plays for it, and in which epoch
    clocks = Clocks(limits.window, limits.bank, limits.increment, 0)
    for entry in entries:
        for step in entry.steps:
            for event in step.events:
                log.events.append(event.type)
                log.times.append(entry.at)
                match event.public:
                    case Started(players):
                        owners, playing = players, [(player, 0) for player in players]
                        state = game.start(record.options, len(players), entry.at).state
                        clocks = Clocks(limits.window, limits.bank, limits.increment, len(players))
                    case StoodIn(seat, player, _, epoch):
                        playing[seat] = player, epoch
                    case Returned(seat, epoch):
                        playing[seat] = owners[seat], epoch
                    case Credited(ms):
                        credited = clocks.credit(ms)
                        log.asked += [Asked(record.id, clocks.asked[seat][0], seat, end) for seat, end in credited]
                    case TimedOut(seats):
                        late = clocks.deadlines(seats)
                        log.fired += [Fired(clocks.asked[seat][0], seat, end, entry.at) for seat, end in late]
            if step.command is None or isinstance(step.command, Credit):
                continue
            if isinstance(step.command, Act):
                awaiting = game.awaiting(state)
                assert awaiting is not None, "nobody acts after the end"
                act = step.command
                received = entry.at if entry.received is None else entry.received
                player, epoch = playing[act.seat]
                log.acts.append(
                    Acted(
                        awaiting.window,
                        act.seat,
                        name_of(act.action),
                        act.by,
                        entry.last,
                        received,
                        clocks.deadline(act.seat),
                        player,
                        player == owners[act.seat],
                        epoch,
                    )
                )
            state = game.apply(state, step.command).state
        if state is not None:
            awaiting = game.awaiting(state)
            window, must = ("", ()) if awaiting is None else (awaiting.window, awaiting.must)
            begun = clocks.change(window, must, entry.at, entry.received)
            log.asked += [Asked(record.id, window, seat, end) for seat, end in begun]
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
