"""Logs: one JSON object a line on standard error, with the request's and the player's ids, without secrets."""

import logging
import sys

import structlog


def configure(level: str) -> None:
    """Set the logs up for this process."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            # The names that the gateway's lines have, too.
            structlog.processors.EventRenamer("message"),
            # Local variables hold hands and seeds: they stay out.
            structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
