"""Logs as JSON, one object a line, on stderr. Neither headers nor queries nor bodies are ever in them."""

import json
import logging
import sys
import time
from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger

_LOGGERS = ("gunicorn.error", "gunicorn.access", "croupier.gateway")


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
        for name in ("access", "requestId"):
            if hasattr(record, name):
                line[name] = getattr(record, name)
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
            logger.setLevel(logging.INFO)

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """One answered call; of a stream, once it is over."""
        # A request that is no HTTP is logged too, and has no path. WSGI texts are bytes in disguise.
        path = environ.get("PATH_INFO", "").encode("latin-1", "replace").decode("utf-8", "replace")
        self.access_log.info(
            "%s %s",
            environ.get("REQUEST_METHOD") or "-",
            path or "-",
            extra={
                "access": {
                    "status": int(str(resp.status).split(None, 1)[0]),
                    "milliseconds": round(request_time.total_seconds() * 1000, 1),
                    "bytes": resp.sent,
                    "client": environ.get("REMOTE_ADDR", ""),
                },
                "requestId": next((value for name, value in resp.headers if name.lower() == "x-request-id"), ""),
            },
        )
