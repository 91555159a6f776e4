"""What is measured, for Prometheus. Labels are methods, reasons and names of games: never ids, names or cards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Thread
from typing import TypeVar
from wsgiref.simple_server import WSGIServer

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics, start_http_server

_CALL_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_STORE_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_LATE_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.4, 0.5, 1, 2.5, 5, 10, 60)

_calls = Counter("croupier_calls", "Calls that have ended; of a stream, its end.", ["method", "reason"])
_seconds = Histogram(
    "croupier_call_seconds", "How long calls took; waiting of long polls included.", ["method"], buckets=_CALL_BUCKETS
)
_streams = Gauge("croupier_streams_open", "Streams that are open.", ["method"])
_opened = Counter("croupier_matches_opened", "Matches opened by this process.", ["game"])
_finished = Counter("croupier_matches_finished", "Matches ended by this process.", ["game", "state"])
_commits = Counter("croupier_commits", "Changes of matches that were written.", ["game"])
_lost = Counter("croupier_commits_lost", "Changes that somebody else was faster than; each is tried again.", ["game"])
_answers = Counter("croupier_play_answers", "Acts and other requests on Play streams that were answered.", ["reason"])
_late = Histogram(
    "croupier_deadline_lateness_seconds",
    "From a deadline to the clock's commit, the grace included; its count is the number of deadlines fired.",
    ["game"],
    buckets=_LATE_BUCKETS,
)
_store = Histogram(
    "croupier_store_seconds", "From sending a batch of commands to Redis until its answers.", buckets=_STORE_BUCKETS
)
_commands = Counter("croupier_store_commands", "Commands sent to Redis.")
_failures = Counter("croupier_store_failures", "Batches of commands that Redis did not answer.")
_feeds = Gauge("croupier_feeds", "Matches that are watched here.")
_sessions = Gauge("croupier_play_sessions", "Players with a Play stream here.")
_under_way = Gauge("croupier_calls_under_way", "Calls and acts that are being worked on; waiting left out.")
_waiting = Gauge("croupier_calls_waiting", "Streams and long polls that are open.")
_leads = Gauge("croupier_shards_led", "Shards whose deadlines this process fires.")


_Metric = TypeVar("_Metric", Counter, Histogram)


@cache
def _labelled(metric: _Metric, *labels: str) -> _Metric:
    """A metric with its labels, which are few: to look them up takes prometheus_client as long as to count."""
    return metric.labels(*labels)


def called(method: str, reason: str, seconds: float, *, stream: bool) -> None:
    """A call has ended: OK, CANCELLED, or the reason that it was refused for. How long a stream lasted says nothing."""
    _labelled(_calls, method, reason).inc()
    if not stream:
        _labelled(_seconds, method).observe(seconds)


def answered_on_stream(reason: str) -> None:
    """A request on a Play stream was answered: OK, or the reason that it was refused for."""
    _labelled(_answers, reason).inc()


@contextmanager
def open_stream(method: str) -> Iterator[None]:
    """Count a stream while it is open."""
    gauge = _streams.labels(method)
    gauge.inc()
    try:
        yield
    finally:
        gauge.dec()


def committed(game: str, *, opened: bool, ended: str) -> None:
    """A change was written; `ended` is the state that it ended the match in, or empty."""
    _labelled(_commits, game).inc()
    if opened:
        _opened.labels(game).inc()
    if ended:
        _finished.labels(game, ended).inc()


def lost_race(game: str) -> None:
    """A change was not written, since somebody else was faster."""
    _lost.labels(game).inc()


def fired(game: str, milliseconds: int) -> None:
    """The clock has acted, so long after the deadline."""
    _late.labels(game).observe(milliseconds / 1000)


def answered(commands: int, seconds: float) -> None:
    """Redis has answered a batch."""
    _commands.inc(commands)
    _store.observe(seconds)


def unanswered(commands: int) -> None:
    """Redis has not answered a batch."""
    _commands.inc(commands)
    _failures.inc()


def look_at(
    feeds: Callable[[], int],
    sessions: Callable[[], int],
    leads: Callable[[], int],
    under_way: Callable[[], int],
    waiting: Callable[[], int],
) -> None:
    """Have these counted whenever somebody asks; of several services in a process, the last one started."""
    for gauge, count in (
        (_feeds, feeds),
        (_sessions, sessions),
        (_leads, leads),
        (_under_way, under_way),
        (_waiting, waiting),
    ):
        gauge.set_function(count)


class Exporter:
    """`GET /metrics` on an address of its own; OSError if it is not to be had."""

    def __init__(self, host: str, port: int) -> None:
        # A time of birth beside each number would double what is read.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._server: WSGIServer
        self._thread: Thread
        self._server, self._thread = start_http_server(port, host)

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
