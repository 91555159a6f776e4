"""What a run measured, from its history, its logs and the times of its faults. Times are milliseconds."""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from chaos.history import History, Logs, Seen

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
    """From Redis' answering again until a player has an act acknowledged or hears of something new."""
    moments: dict[str, list[float]] = defaultdict(list)
    players = {sent.request: sent.player for sent in history.sent}
    away: dict[str, list[float]] = defaultdict(list)
    for stream in history.streams:
        if stream.why == "away" and stream.closed is not None:
            away[stream.player].append(stream.closed)
    for answer in history.answers:
        if answer.applied and answer.request in players:
            moments[players[answer.request]].append(answer.at)
    for stream in history.streams:
        moments[stream.player] += [item.at for item in stream.items if isinstance(item, Seen)]
    took = []
    for player, times in moments.items():
        times.sort()
        for at in faults.redis_back:
            index = bisect_left(times, at)
            before = times[index - 1] if index else 0.0
            if any(before <= left <= times[min(index, len(times) - 1)] for left in away[player]):
                continue  # he was not there to hear of it
            if index < len(times) and index > 0 and times[index] - at < _LATEST:
                took.append(times[index] - at)
    return took
