"""What a run measured, from its history, its logs and the times of its faults. Times are milliseconds."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from chaos.checker import OPEN_ENDED
from chaos.history import History, Logs, Seen, Stream

_LATEST = 60_000  # what took longer has to do with something else


@dataclass
class Faults:
    """When what was done."""

    killed: list[tuple[int, float]] = field(default_factory=list)  # replica, ms
    redis_back: list[float] = field(default_factory=list)  # ms
    paused: int = 0
    lines: int = 0


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of them lies; 0 of none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1) if ordered else 0.0


def figures(history: History, logs: Logs, faults: Faults, grace: int) -> dict[str, float | int]:
    """All of them."""
    late = [float(fired.at - fired.deadline - grace) for log in logs.values() for fired in log.fired]
    resumed = _resumed(history, faults)
    back = _back(history, logs, faults)
    return {
        "matches": len(logs),
        "over": sum(log.over for log in logs.values()),
        "stood_in": sum(log.events.count("match.stood_in") for log in logs.values()),
        "acts_of_stand_ins": sum(act.by == "STAND_IN" for log in logs.values() for act in log.acts),
        "acts": sum(len(log.acts) for log in logs.values()),
        "unanswered": len({sent.request for sent in history.sent} - {answer.request for answer in history.answers}),
        "streams": len(history.streams),
        "replaced": sum(stream.why == "replaced" for stream in history.streams),
        "events": sum(len(stream.items) for stream in history.streams),
        "kills": len(faults.killed),
        "redis_kills": len(faults.redis_back),
        "pauses": faults.paused,
        "broken_lines": faults.lines,
        "deadlines": len(late),
        "lateness_p50_ms": percentile(late, 0.5),
        "lateness_p99_ms": percentile(late, 0.99),
        "resume_p50_ms": percentile(resumed, 0.5),
        "resume_p99_ms": percentile(resumed, 0.99),
        "redis_back_p50_ms": percentile(back, 0.5),
        "redis_back_p99_ms": percentile(back, 0.99),
    }


def _resumed(history: History, faults: Faults) -> list[float]:
    """From a replica's death until a stream that it carried is welcomed elsewhere."""
    by_player = defaultdict(list)
    for stream in history.streams:
        by_player[stream.player].append(stream)
    took = []
    for replica, at in faults.killed:
        for streams in by_player.values():
            for number, stream in enumerate(streams):
                carried = stream.welcomed is not None and stream.welcomed < at <= (stream.closed or at)
                if stream.replica == replica and carried:
                    later = [other.welcomed for other in streams[number + 1 :] if other.welcomed is not None]
                    if later and later[0] - at < _LATEST:
                        took.append(later[0] - at)
    return took


def _back(history: History, logs: Logs, faults: Faults) -> list[float]:
    """From Redis' answering again until a player is served: his act that waits for it is answered for good.

    One who waits for nothing is served by his next event; how long others took until they made it is not counted.
    """
    settled: dict[str, float] = {}  # by request: when it was answered for good
    for answer in history.answers:
        if answer.applied or answer.reason not in OPEN_ENDED:
            settled.setdefault(answer.request, answer.at)
    acts: dict[str, dict[str, float]] = defaultdict(dict)  # by player and request: when it was sent first
    for sent in history.sent:
        acts[sent.player].setdefault(sent.request, sent.at)
    seen: dict[str, list[Seen]] = defaultdict(list)
    for stream in history.streams:
        seen[stream.player] += [item for item in stream.items if isinstance(item, Seen)]
    streams: dict[str, list[Stream]] = defaultdict(list)
    for stream in history.streams:
        streams[stream.player].append(stream)
    took = []
    for player, items in seen.items():
        for at in faults.redis_back:
            waiting = [
                settled[request]
                for request, sent in acts[player].items()
                if at - _LATEST < sent < at < settled.get(request, 0.0)
            ]
            first = min((item for item in items if item.at >= at), key=lambda item: item.at, default=None)
            if waiting:
                begun, served = at, max(waiting)
            elif first is not None:
                begun, served = max(at, logs[first.match].times[first.sequence - 1]), first.at
            else:
                continue
            if served - begun < _LATEST and (waiting or not _was_away(streams[player], at, served)):
                took.append(max(0.0, served - begun))
    return took


def _was_away(streams: list[Stream], since: float, until: float) -> bool:
    """Whether he had left by himself at some time in between; he comes back when he likes."""
    return any(
        one.why == "away" and one.closed is not None and one.closed <= until and then.opened >= since
        for one, then in pairwise(streams)
    )
