"""Logs as JSON, one object a line, on stderr. Neither headers nor queries nor bodies nor addresses are ever in them."""

import json
import logging
import re
import sys
import time
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from gunicorn.glogging import Logger

from croupier_gateway import metrics, streams
from croupier_gateway.streams import Stream
from croupier_gateway.waiting import KEY

_LOGGERS = ("gunicorn.error", "gunicorn.access", "croupier.gateway", "asyncio", "grpc")
_ADDED = ("request", "match", "player", "method", "route", "status", "ms", "bytes", "client", "settings", "variables")
_ROUTE, _IDS = "croupier.route", "croupier.ids"
_PLACE = re.compile(r"<(?:[^<>:]*:)?(\w+)>")
# A token has another form, so that one in the wrong place is not taken for an id.
_ID = re.compile(r"[a-z0-9][a-z0-9-]{3,62}")


def note_route(environ: dict[str, Any], rule: str, path: Mapping[str, Any]) -> None:
    """Remember what a request is called in logs and metrics: its route, and the ids of match and player in it."""
    environ[_ROUTE] = _template(rule)
    environ[_IDS] = {
        name: path[name] for name in ("match", "player") if _ID.fullmatch(str(path.get(name, "me"))) is not None
    }


@cache
def _template(rule: str) -> str:
    return _PLACE.sub(r"{\1}", rule)


class JsonLines(logging.Formatter):
    """A record as one JSON object: time, level, logger, message, what was added to it, a traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _ADDED if hasattr(record, name)}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class JsonLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's logger, writing JSON lines."""

    def setup(self, cfg: Any) -> None:
        """Send the server's and the application's logs to stderr."""
        super().setup(cfg)
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.handlers = [handler]
            logger.propagate = False
            logger.setLevel(cfg.loglevel.upper())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """One answered call; of a stream, once it is over."""
        # A request that is no HTTP is logged too, and has neither method nor route; an address of nobody has no route.
        method, route = environ.get("REQUEST_METHOD") or "-", environ.get(_ROUTE) or "-"
        status, seconds = int(str(resp.status).split(None, 1)[0]), request_time.total_seconds()
        told = {
            "request": next((value for name, value in resp.headers if name.lower() == "x-request-id"), ""),
            **environ.get(_IDS, {}),
            "method": method,
            "route": route,
            "status": status,
            "client": environ.get("REMOTE_ADDR", ""),
        }
        stream: Stream | None = environ.get(streams.KEY)
        if stream is None:
            self._answered(told, seconds, resp.sent, waited=KEY in environ)
            return
        began, begun = time.monotonic() - seconds, resp.sent
        stream.when_over(lambda sent: self._answered(told, time.monotonic() - began, begun + sent, waited=True))

    def _answered(self, told: dict[str, Any], seconds: float, size: int, *, waited: bool) -> None:
        method, route = told["method"], told["route"]
        metrics.answered(method, route, told["status"], seconds, waited=waited)
        if self.access_log.isEnabledFor(logging.INFO):
            self.access_log.info("%s %s", method, route, extra={**told, "ms": round(seconds * 1000, 1), "bytes": size})
