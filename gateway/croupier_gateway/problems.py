"""Errors as `application/problem+json` (RFC 9457), from the gateway itself and from the service."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import cast

import grpc
from flask import Request, Response, g
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from werkzeug.exceptions import HTTPException

from croupier.errors import CATALOGUE, DOMAIN
from croupier.locales import best_locale
from croupier.v1.matches_pb2 import Window
from croupier_gateway.printing import members

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1
"""What a busy or unreachable server asks for, where the service named no time."""

ERRORS_PAGE = "/docs/errors"

_STATUS_KEY = "grpc-status-details-bin"

_REASON_OF_CODE = {
    grpc.StatusCode.UNAVAILABLE: "UNAVAILABLE",
    # A grpc.aio server that sheds a burst cancels calls.
    grpc.StatusCode.CANCELLED: "UNAVAILABLE",
    grpc.StatusCode.DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
    grpc.StatusCode.UNAUTHENTICATED: "UNAUTHENTICATED",
}

_HTTP_OF_CODE = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.FAILED_PRECONDITION: 422,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


@dataclass(eq=False)
class Problem(Exception):  # noqa: N818 - the RFC's word
    """A call is refused for a reason of the catalogue."""

    reason: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    detail: str = ""
    """The service's text in the caller's language; empty: the catalogue's."""
    status: int = 0
    """0: the catalogue's."""
    window: Window | None = None
    """The window that is open now, where the service sent one."""
    retry_after: int | None = None
    """Whole seconds; None: nothing was said about it."""
    allow: str = ""
    """Methods that the address takes, with METHOD_NOT_ALLOWED."""

    def __str__(self) -> str:
        return f"{self.reason} {dict(self.metadata)}"


def busy(reason: str, **metadata: str) -> Problem:
    """A refusal that is worth a second try soon."""
    return Problem(reason, {**metadata, "retry_after": str(RETRY_SECONDS)}, retry_after=RETRY_SECONDS)


def internal() -> Problem:
    """A fault of ours: the request's id and nothing else."""
    return Problem("INTERNAL", {"request": g.request_id})


def from_rpc(error: grpc.RpcError) -> Problem:
    """What the service said, or what it means that it said nothing."""
    code = error.code()
    status = _rich_status(error)
    info = error_details_pb2.ErrorInfo()
    if status is None or not any(detail.Unpack(info) for detail in status.details) or info.domain != DOMAIN:
        reason = _REASON_OF_CODE.get(code)
        if reason is None:
            return internal()
        return busy(reason) if reason == "UNAVAILABLE" else Problem(reason)
    window, pause = Window(), error_details_pb2.RetryInfo()
    has_window = any(detail.Unpack(window) for detail in status.details)
    retry_after = None
    if any(detail.Unpack(pause) for detail in status.details):
        retry_after = max(1, math.ceil(pause.retry_delay.seconds + pause.retry_delay.nanos / 1e9))
    known = CATALOGUE.get(info.reason)
    http = known.http if known else _HTTP_OF_CODE.get(code, 500)
    if retry_after is None and http in (429, 503):
        retry_after = RETRY_SECONDS
    return Problem(
        reason=info.reason,
        metadata=dict(sorted(info.metadata.items())),
        detail=status.message,
        status=http,
        window=window if has_window else None,
        retry_after=retry_after,
    )


def from_http(error: HTTPException, max_body_bytes: int) -> Problem:
    """What Flask itself refuses."""
    if error.code == 404:
        return Problem("NOT_FOUND")
    if error.code == 405:
        allow = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
        return Problem("METHOD_NOT_ALLOWED", {"allow": allow}, allow=allow)
    if error.code == 413:
        return Problem("BODY_TOO_LARGE", {"limit": str(max_body_bytes)})
    if error.code == 400:
        return Problem("MALFORMED_JSON", {"problem": "it broke off"})
    return internal()


def respond(problem: Problem, request: Request) -> Response:
    """The answer that tells a problem."""
    entry = CATALOGUE.get(problem.reason)
    locale = best_locale(request.headers.get("Accept-Language", ""))
    status = problem.status or (entry.http if entry else 500)
    body: dict[str, object] = {
        "type": f"{ERRORS_PAGE}#{problem.reason}" if entry else "about:blank",
        "title": title(problem.reason) if entry else HTTPStatus(status).phrase,
        "status": status,
        "detail": problem.detail or (entry.text(locale, problem.metadata) if entry else ""),
        "reason": problem.reason,
        "metadata": dict(problem.metadata),
        "requestId": g.request_id,
    }
    if problem.window is not None:
        body["window"] = members(problem.window)
    if problem.retry_after is not None:
        body["retryAfter"] = problem.retry_after
    response = Response(json.dumps(body, ensure_ascii=False), status=status, content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.allow:
        response.headers["Allow"] = problem.allow
    return response


def title(reason: str) -> str:
    """A reason as a heading, the same wherever it occurs."""
    return reason.replace("_", " ").capitalize()


def _rich_status(error: grpc.RpcError) -> status_pb2.Status | None:
    # Of a call they are named tuples, of a stream mere tuples.
    for key, value in cast(Iterable[tuple[str, bytes]], error.trailing_metadata() or ()):
        if key == _STATUS_KEY:
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                return None
    return None
