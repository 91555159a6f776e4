"""The Flask application."""

import logging
import re
import secrets

from flask import Flask, Response, g, request
from flask_cors import CORS
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from croupier_gateway import answers, explorer, logs, metrics, pages, problems, transcode
from croupier_gateway.config import Settings
from croupier_gateway.problems import Problem
from croupier_gateway.requests import MAX_BODY_BYTES, is_over, present
from croupier_gateway.routes import bindings
from croupier_gateway.streams import CLOSE, Streams
from croupier_gateway.upstream import Upstream
from croupier_gateway.waiting import Admission, WaitingRoom

_LOG = logging.getLogger("croupier.gateway")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Gateway(Flask):
    """The application with what it is made of."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("croupier_gateway", static_folder=None)
        self.room = WaitingRoom(settings.waiting_limit)
        self.bodies = WaitingRoom(settings.body_limit)  # requests whose body is still to come
        metrics.look_at(lambda: len(self.room), settings.waiting_limit)
        self.bindings = bindings()
        self.upstream = Upstream(settings.grpc_target, self.bindings)
        self.streams = Streams(self.upstream, settings.stall / 1000)

    def serving(self, timeout: float) -> bool:
        """The service answers calls and streams, each within `timeout` seconds."""
        return self.upstream.serving(timeout) and self.streams.serving(timeout)

    def close(self) -> None:
        """Let go of the service."""
        self.streams.close()
        self.upstream.close()


class _Segment(BaseConverter):
    # One part of a path without a verb: `/v1/matches/x:jump` is nobody's address rather than a match named `x:jump`.
    regex = "[^/:]+"


def create_app(settings: Settings) -> Gateway:
    """The REST API over the service at `settings.grpc_target`. Nothing is connected before the first call."""
    app = Gateway(settings)
    app.url_map.converters["segment"] = _Segment
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    # Before CORS, whose own header then is on problems too: what is registered first runs last.
    app.after_request(_finish)
    app.after_request(answers.finish)
    app.before_request(_name_request)
    CORS(
        app,
        resources={r"/(v1/.*|openapi\.json|version)": {"origins": list(settings.cors_origins)}},
        methods=sorted({binding.verb for binding in app.bindings}),
        allow_headers=[
            "Accept-Language",
            "Authorization",
            "Content-Type",
            "If-None-Match",
            "Last-Event-ID",
            "X-Request-Id",
        ],
        expose_headers=["ETag", "Retry-After", "WWW-Authenticate", "X-Request-Id"],
        send_wildcard="*" in settings.cors_origins,
        max_age=600,
    )
    app.register_error_handler(Problem, _tell)
    app.register_error_handler(HTTPException, _tell_http)
    app.register_error_handler(Exception, _tell_fault)
    transcode.install(app, app.bindings, app.upstream, app.streams, app.room, app.bodies)
    pages.install(app, app.serving, settings.revision)
    explorer.install(app)
    app.wsgi_app = Admission(app.wsgi_app)  # type: ignore[method-assign]  # Flask's documented way to wrap it
    return app


def _name_request() -> None:
    asked = present()
    given = asked.headers.get("X-Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
    logs.note_route(asked.environ, asked.url_rule.rule if asked.url_rule else "", asked.view_args or {})


def _finish(response: Response) -> Response:
    if not is_over(present()):
        CLOSE.get()()
    response.headers.add("X-Request-Id", g.request_id)
    response.headers.add("X-Content-Type-Options", "nosniff")
    return response


def _tell(problem: Problem) -> Response:
    return problems.respond(problem, request)


def _tell_http(error: HTTPException) -> Response:
    return problems.respond(problems.from_http(error, MAX_BODY_BYTES), request)


def _tell_fault(error: Exception) -> Response:
    _LOG.error("a call failed", exc_info=error, extra={"request": g.request_id})
    return problems.respond(problems.internal(), request)
