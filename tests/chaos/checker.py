"""The checker: a history and the logs in, findings out. It reads nothing and waits for nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from chaos.history import Acted, Answer, Dismissed, Done, History, Log, Logs, Seated, Seen, Sent, Stream

# Refusals after which it is open whether the act was applied, or will be when it is sent again.
OPEN_ENDED = frozenset({"UNAVAILABLE", "CONTENDED", "OVERLOADED", "GOING_DOWN", "INTERNAL", "RATE_LIMITED"})

LOST = "lost"  # an acknowledged act is not in the log, or an event was told that the log does not have
DOUBLED = "doubled"  # an act is in the log twice
DENIED = "denied"  # an act was refused for good, and is in the log
MISPLACED = "misplaced"  # an act was acknowledged at another place than it has in the log
MISATTRIBUTED = "misattributed"  # an act is said to be a player's own, and a bot stood in for him, or the reverse
USURPED = "usurped"  # an act counted for a seat that others played for by then, or that another had since had
GAP = "gap"  # a stream left an event out
REPEAT = "repeat"  # a stream told an event twice
DISORDER = "disorder"  # two streams, or a stream and the log, disagree about what has a number
EARLY = "early"  # the clock played before the deadline and its grace
REFIRED = "refired"  # the clock played twice for a seat in a window
LATE = "late"  # an act counted that came in when the seat's time was up
BACKDATED = "backdated"  # an act counted as of a time at which nobody had sent it yet
MISTIMED = "mistimed"  # a player was told another end of his time than he has
BROKEN = "broken"  # a log whose versions or numbers do not follow each other
UNREADABLE = "unreadable"  # a match that nobody can read any more
UNFINISHED = "unfinished"  # a match that did not come to its end
KINDS = (
    *(LOST, DOUBLED, DENIED, MISPLACED, MISATTRIBUTED, USURPED),
    *(GAP, REPEAT, DISORDER),
    *(EARLY, REFIRED, LATE, BACKDATED, MISTIMED),
    *(BROKEN, UNREADABLE, UNFINISHED),
)
_Act: TypeAlias = tuple[str, str, int, str]  # match, window, seat, action
_CLOCKS_APART = 250  # ms by which two clocks of one machine may seem to differ, measured over a busy line


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be: one of KINDS, where, and what."""

    kind: str
    match: str
    text: str


def check(history: History, logs: Logs, grace: int) -> list[Finding]:
    """All that is wrong; `grace`: milliseconds that the clock waits after a deadline."""
    told: dict[tuple[str, int], str] = {}
    seen: dict[tuple[str, str, int], bytes] = {}
    found = [Finding(UNREADABLE, match, "cannot be read") for match in history.unreadable]
    found += [Finding(UNFINISHED, match, "is not over") for match in history.unfinished]
    for log in logs.values():
        found += _check_log(log, grace)
    for stream in history.streams:
        found += _check_stream(stream, logs)
        found += _check_agreement(stream, logs, told, seen)
    for match, acts in history.replays.items():
        if match in logs and acts != len(logs[match].acts):
            found.append(Finding(BROKEN, match, f"a replay of {acts} acts, where the log has {len(logs[match].acts)}"))
    found += _check_acts(history, logs)
    found += _check_told_deadlines(history, logs, grace)
    return found


def acknowledged(history: History) -> int:
    """How many acts were acknowledged."""
    return len({answer.request for answer in history.answers if answer.applied})


def _check_log(log: Log, grace: int) -> Iterator[Finding]:
    if log.versions != list(range(1, len(log.versions) + 1)):
        yield Finding(BROKEN, log.match, f"versions {log.versions}")
    if log.firsts != sorted(log.firsts) or (log.firsts and (log.firsts[0] != 0 or log.firsts[-1] > len(log.events))):
        yield Finding(BROKEN, log.match, f"numbers {log.firsts} of {len(log.events)} events")
    players: Counter[tuple[str, int, str, str, int]] = Counter()
    clock: Counter[tuple[str, int]] = Counter()
    for act in log.acts:
        if act.by == "CLOCK":
            clock[act.window, act.seat] += 1
            continue
        players[act.window, act.seat, act.action, act.player, act.epoch] += 1
        if act.own != (act.by == "PLAYER"):
            yield Finding(MISATTRIBUTED, log.match, f"{act.window} seat {act.seat}: {act.by}")
    for (window, seat, action, _, _), count in players.items():
        if count > 1:
            yield Finding(DOUBLED, log.match, f"{window} seat {seat}: {action}, {count} times")
    fired = Counter((firing.window, firing.seat) for firing in log.fired)
    for (window, seat), count in (fired | clock).items():
        if count > 1:
            yield Finding(REFIRED, log.match, f"{window} seat {seat}: {count} times")
    for act in log.acts:
        if act.by != "CLOCK" and act.deadline is not None and act.received > act.deadline:
            yield Finding(LATE, log.match, f"{act.window} seat {act.seat}: by {act.received - act.deadline} ms")
    for firing in log.fired:
        if firing.at < firing.deadline + grace:
            short = firing.deadline + grace - firing.at
            yield Finding(EARLY, log.match, f"{firing.window} seat {firing.seat}: {short} ms")


def _check_stream(stream: Stream, logs: Logs) -> Iterator[Finding]:
    """From where it resumed, or from a whole match on, every number comes once and in order, up to the last."""
    cursors = dict(stream.resume)
    for item in stream.items:
        cursor = cursors.get(item.match)
        match item:
            case Seated(match, sequence):
                if cursor is not None and sequence != cursor:
                    kind, word = (GAP, "whole") if sequence > cursor else (REPEAT, "rewound")
                    yield Finding(kind, match, f"{stream.name}: {word} as of {sequence} after {cursor}")
                cursors[match] = sequence
            case Seen(match, sequence):
                if cursor is None:
                    yield Finding(GAP, match, f"{stream.name}: begins with {sequence}")
                elif sequence > cursor + 1:
                    yield Finding(GAP, match, f"{stream.name}: {sequence} after {cursor}")
                elif sequence <= cursor:
                    yield Finding(REPEAT, match, f"{stream.name}: {sequence} after {cursor}")
                cursors[match] = max(sequence, cursor or 0)
            case Dismissed(match):
                cursors.pop(match, None)
            case Done(match):
                log = logs.get(match)
                if log is not None and cursor != len(log.events):
                    yield Finding(GAP, match, f"{stream.name}: ends after {cursor} of {len(log.events)}")


def _check_agreement(
    stream: Stream, logs: Logs, told: dict[tuple[str, int], str], seen: dict[tuple[str, str, int], bytes]
) -> Iterator[Finding]:
    """What has a number is the same in all streams and in the log; to one viewer, to the byte."""
    for item in stream.items:
        if not isinstance(item, Seen):
            continue
        where = f"{stream.name}: {item.sequence} {item.type}"
        log = logs.get(item.match)
        if log is not None and item.sequence > len(log.events):
            yield Finding(LOST, item.match, f"{where}, but the log ends with {len(log.events)}")
        elif log is not None and log.events[item.sequence - 1] != item.type:
            yield Finding(DISORDER, item.match, f"{where}, in the log {log.events[item.sequence - 1]}")
        if told.setdefault((item.match, item.sequence), item.type) != item.type:
            yield Finding(DISORDER, item.match, f"{where}, elsewhere {told[item.match, item.sequence]}")
        if seen.setdefault((stream.player, item.match, item.sequence), item.told) != item.told:
            yield Finding(DISORDER, item.match, f"{where}, told otherwise before")


def _check_acts(history: History, logs: Logs) -> Iterator[Finding]:
    kept: dict[_Act, list[Acted]] = defaultdict(list)
    for log in logs.values():
        for act in log.acts:
            if act.by != "CLOCK":
                kept[log.match, act.window, act.seat, act.action].append(act)
    answers: dict[str, list[Answer]] = defaultdict(list)
    for answer in history.answers:
        answers[answer.request].append(answer)
    requests: dict[str, list[Sent]] = defaultdict(list)
    first: dict[tuple[_Act, str, int], float] = {}
    for sent in history.sent:
        requests[sent.request].append(sent)
        whose = (_act(sent), sent.player, sent.epoch)
        first[whose] = min(sent.at, first.get(whose, sent.at))
    for key, acts in kept.items():
        for act in acts:
            where, began = f"{act.window} seat {act.seat}: {act.action}", first.get((key, act.player, act.epoch))
            if began is None:
                yield Finding(USURPED, key[0], f"{where}, not sent by {act.player} in epoch {act.epoch}")
            elif act.received and act.received < began - _CLOCKS_APART:
                yield Finding(BACKDATED, key[0], f"{where}, by {began - act.received:.0f} ms")
    for request, copies in requests.items():
        sent = copies[0]
        if sent.match not in logs:
            continue  # unreadable, and told as such
        acts = kept.get(_act(sent), [])
        own = next((act for act in acts if (act.player, act.epoch) == (sent.player, sent.epoch)), None)
        what = f"{sent.window} seat {sent.seat}: {sent.action} ({request})"
        applied = [answer for answer in answers[request] if answer.applied]
        if applied and own is None:
            yield Finding(USURPED if acts else LOST, sent.match, what)
        if own is not None:
            reason = _denied(copies, answers[request])
            if reason is not None:
                yield Finding(DENIED, sent.match, f"{what}: {reason}")
            places = {answer.sequence for answer in applied} - {own.sequence}
            if places:
                yield Finding(MISPLACED, sent.match, f"{what}: said {sorted(places)}, is at {own.sequence}")


def _act(sent: Sent) -> _Act:
    return sent.match, sent.window, sent.seat, sent.action


def _denied(copies: list[Sent], answers: list[Answer]) -> str | None:
    """Why a request that is in the log was refused for good; None if no answer says so about all of its copies.

    Of copies that are under way together each has an answer of its own: the late one may hear that it is too late while
    the one in time is applied. But once an answer has come, a copy sent after it hears the same; and where every copy
    has its answer, one of them tells that it was applied.
    """
    applied = [answer.at for answer in answers if answer.applied]
    later = max(copy.at for copy in copies)
    for answer in answers:
        if answer.applied or answer.reason in OPEN_ENDED:
            continue
        settled = len(answers) >= len(copies) and all(a.applied or a.reason not in OPEN_ENDED for a in answers)
        if (settled and not applied) or (applied and min(applied) < later < answer.at):
            return answer.reason
    return None


def _check_told_deadlines(history: History, logs: Logs, grace: int) -> Iterator[Finding]:
    """Not only by the log's own account: no earlier than the players were told, and told as the log has it."""
    told: dict[tuple[str, str, int], int] = {}
    for asked in history.asked:
        key = (asked.match, asked.window, asked.seat)
        told[key] = max(asked.deadline, told.get(key, 0))  # a credit moves it on, nothing moves it back
    ruled: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for log in logs.values():
        for asked in log.asked:
            ruled[asked.match, asked.window, asked.seat].add(asked.deadline)
    for asked in history.asked:
        ends = ruled.get((asked.match, asked.window, asked.seat))
        if ends is not None and asked.deadline not in ends:
            off = asked.deadline - max(ends)
            yield Finding(MISTIMED, asked.match, f"{asked.window} seat {asked.seat}: told {off} ms off")
    for log in logs.values():
        for firing in log.fired:
            deadline = told.get((log.match, firing.window, firing.seat))
            # Told to the millisecond.
            if deadline is not None and firing.at < deadline + grace - 1:
                short = deadline + grace - firing.at
                yield Finding(EARLY, log.match, f"{firing.window} seat {firing.seat}: told otherwise, {short} ms")
