"""What a run measured, from its history, its logs and the times of its faults. Times are milliseconds."""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from chaos.history import History, Logs, Seen

_LATER = ("UNAVAILABLE", "OVERLOADED", "GOING_DOWN")  # refusals after which an act is sent again
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
    back = _back(history, faults)
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


def _back(history: History, faults: Faults) -> list[float]:
    """From Redis' answering again until a player is served: his act that waits for it is answered for good.

    One who has sent nothing is served once his stream says that it is fresh, or tells something. How long players
    think, or wait for others who do, is left out by that.
    """
    settled: dict[str, float] = {}  # by request: when it was answered for good
    for answer in history.answers:
        if answer.applied or answer.reason not in _LATER:
            settled.setdefault(answer.request, answer.at)
    acts: dict[str, dict[str, float]] = defaultdict(dict)  # by player and request: when it was sent first
    for sent in history.sent:
        acts[sent.player].setdefault(sent.request, sent.at)
    signs: dict[str, list[float]] = defaultdict(list)
    away: dict[str, list[float]] = defaultdict(list)
    for stream in history.streams:
        if stream.why == "away" and stream.closed is not None:
            away[stream.player].append(stream.closed)
        welcomed = [] if stream.welcomed is None else [stream.welcomed]
        signs[stream.player] += [
            *welcomed,
            *stream.fresh,
            *(item.at for item in stream.items if isinstance(item, Seen)),
        ]
    took = []
    for player, times in signs.items():
        times.sort()
        for at in faults.redis_back:
            waiting = [
                settled[request]
                for request, sent in acts[player].items()
                if at - _LATEST < sent < at < settled.get(request, 0.0)
            ]
            index = bisect_left(times, at)
            served = max(waiting) if waiting else times[index] if index < len(times) else None
            if served is None or index == 0 or served - at >= _LATEST:
                continue
            if not any(times[index - 1] <= left <= served for left in away[player]):  # else he was not there
                took.append(served - at)
    return took
