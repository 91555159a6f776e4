"""What is measured, for Prometheus. Labels are methods, routes of the API and statuses: never what stands in them."""

import errno
import socket
from collections.abc import Callable
from functools import cache

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics, start_http_server

from croupier_gateway.config import SettingsInvalid

_BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

_requests = Counter("croupier_gateway_requests", "Requests that were answered.", ["method", "route", "status"])
_seconds = Histogram(
    "croupier_gateway_request_seconds",
    "How long answers took; streams and long polls are left out.",
    ["method", "route"],
    buckets=_BUCKETS,
)
_waiting = Gauge("croupier_gateway_waiting_calls", "Streams and long polls in progress.")
_places = Gauge("croupier_gateway_waiting_limit", "Most streams and long polls at a time.")

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def answered(method: str, route: str, status: int, seconds: float, *, waited: bool) -> None:
    """A request was answered; `route` is the template of its address, never the address."""
    known = method if method in _METHODS else "other"
    _requests_of(known, route, status).inc()
    if not waited:
        _seconds_of(known, route).observe(seconds)


@cache
def _requests_of(method: str, route: str, status: int) -> Counter:
    return _requests.labels(method, route, str(status))


@cache
def _seconds_of(method: str, route: str) -> Histogram:
    return _seconds.labels(method, route)


def look_at(waiting: Callable[[], int], limit: int) -> None:
    """Have the waiting calls counted whenever somebody asks."""
    _waiting.set_function(waiting)
    _places.set(limit)


def check(host: str, port: int) -> None:
    """See that metrics can be served there; 0: they are not. Raises SettingsInvalid."""
    if not port:
        return
    try:
        socket.create_server((host, port), family=_family(host)).close()
    except OSError as problem:
        why = "is in use" if problem.errno == errno.EADDRINUSE else f"cannot be listened on ({problem.strerror})"
        told = f"{host}:{port} {why}; set CROUPIER_METRICS_PORT to another port, or to 0 for no metrics."
        raise SettingsInvalid([told]) from None


def serve(host: str, port: int) -> None:
    """Answer `GET /metrics` on an address of its own, from a thread. OSError if it is not to be had."""
    # A time of birth beside each number would double what is read.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    start_http_server(port, host)


def _family(host: str) -> socket.AddressFamily:
    return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
