"""From a route to the rpc behind it, and back."""

import re
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import cast

import grpc
from flask import Flask, Request, Response, g
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from croupier_gateway import answers, sse
from croupier_gateway.printing import to_json
from croupier_gateway.problems import Problem, busy, from_rpc
from croupier_gateway.requests import present, read, resume_after
from croupier_gateway.routes import TICKET, Binding
from croupier_gateway.streams import Streams
from croupier_gateway.upstream import Metadata, Upstream
from croupier_gateway.waiting import Waiting, WaitingRoom, keep, problem_of

UNARY_SECONDS = 10.0
FIRST_MESSAGE_SECONDS = 20.0
"""The service has this long to begin a stream; it sends a heartbeat at least every 10 s."""
_LONGEST_WAIT_SECONDS = 60.0
"""Of a long poll. The service has its own, smaller limit; this one keeps absurd numbers out of deadlines."""

_STREAM = "text/event-stream"
_TOKEN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?")
_LANGUAGES = re.compile(r"[A-Za-z0-9,;=.*_\- ]{1,256}")

View = Callable[..., Response]


def install(
    app: Flask,
    bindings: tuple[Binding, ...],
    upstream: Upstream,
    streams: Streams,
    room: WaitingRoom,
    bodies: WaitingRoom,
) -> None:
    """Add a route for each address. Where one address has two rpcs, the request's `Accept` picks the stream."""
    addresses: dict[tuple[str, str], list[Binding]] = {}
    for binding in bindings:
        addresses.setdefault((binding.verb, binding.rule), []).append(binding)
    for (verb, rule), here in addresses.items():
        app.add_url_rule(
            rule, endpoint=f"{verb} {rule}", view_func=_view(here, upstream, streams, room, bodies), methods=[verb]
        )


def _view(here: list[Binding], upstream: Upstream, streams: Streams, room: WaitingRoom, bodies: WaitingRoom) -> View:
    streaming = next((binding for binding in here if binding.streams), None)
    unary = next((binding for binding in here if not binding.streams), None)

    # A ticket says who calls, as a token does: beside the stream that it is for, it is no unknown parameter.
    passing = (TICKET,) if streaming is not None and streaming.takes_ticket else ()

    def view(**path: str) -> Response:
        asked = present()
        if streaming is not None and (unary is None or wants_stream(asked)):
            response = _stream(asked, streaming, path, streams, room, bodies)
        else:
            response = _unary(asked, cast(Binding, unary), path, passing, upstream, room, bodies)
        if streaming is not None and unary is not None:
            answers.depends(response, "Accept")
        return response

    return view


def wants_stream(asked: Request) -> bool:
    """`text/event-stream` is named, and JSON is not liked better. A wildcard is no wish for a stream."""
    named = {kind.split(";")[0].strip().lower(): quality for kind, quality in asked.accept_mimetypes}
    return named.get(_STREAM, 0) > 0 and named[_STREAM] >= named.get("application/json", 0)


def _unary(
    asked: Request,
    binding: Binding,
    path: dict[str, str],
    passing: tuple[str, ...],
    upstream: Upstream,
    room: WaitingRoom,
    bodies: WaitingRoom,
) -> Response:
    message = read(asked, binding, path, bodies, passing)
    metadata = caller_metadata(asked)
    wait = _wait_seconds(message)
    try:
        if wait:
            answer = _awaited(upstream, binding, message, metadata, wait, room.enter(asked.environ))
        else:
            answer = upstream.unary(binding, message, metadata, timeout=UNARY_SECONDS)
    except grpc.RpcError as error:
        raise from_rpc(error) from None
    response = Response(to_json(answer), content_type="application/json")
    # Views are for one caller, and of one moment.
    response.headers["Cache-Control"] = "private, no-cache"
    if answers.is_tagged(binding):
        answers.tag(response, answers.tag_of(answer), asked)
    return response


def _awaited(
    upstream: Upstream, binding: Binding, message: Message, metadata: Metadata, wait: float, waiting: Waiting
) -> Message:
    """The answer of a call that waits for so many seconds, and can be ended before."""
    call = upstream.begin(binding, message, metadata, timeout=UNARY_SECONDS + wait)
    waiting.attach(call.cancel)
    try:
        return call.result()
    except grpc.FutureCancelledError:
        raise _cut(waiting) from None


def _stream(
    asked: Request, binding: Binding, path: dict[str, str], streams: Streams, room: WaitingRoom, bodies: WaitingRoom
) -> Response:
    message = read(asked, binding, path, bodies)
    resume_after(message, asked.headers.get("Last-Event-ID", "").strip())
    metadata = caller_metadata(asked)
    waiting = room.enter(asked.environ)
    stream = streams.open(binding, message, metadata)
    waiting.attach(stream.stop, first_within=FIRST_MESSAGE_SECONDS)
    # The status is sent before the first byte of the body, so the first message, or the refusal, is awaited here.
    try:
        stream.first()
    except CancelledError:
        raise _cut(waiting) from None
    except grpc.RpcError as error:
        raise from_rpc(error) from None
    waiting.spoke()
    if asked.method == "HEAD":  # nobody reads a body, nor closes it
        waiting.leave()
        return Response(headers=sse.HEADERS)
    return Response(stream.body(asked.environ, partial(keep, asked.environ)), headers=sse.HEADERS)


def _cut(waiting: Waiting) -> Problem:
    return busy("UNAVAILABLE") if waiting.cut is None else problem_of(waiting.cut)


def _wait_seconds(message: Message) -> float:
    """How long a long poll wants to wait; 0 for any other call."""
    wait = getattr(message, "wait", None)
    if not isinstance(wait, Duration):
        return 0.0
    return min(max(wait.seconds + wait.nanos / 1e9, 0.0), _LONGEST_WAIT_SECONDS)


def caller_metadata(asked: Request) -> Metadata:
    """What the service is told of the caller. Raises Problem: UNAUTHENTICATED for a header that gRPC cannot carry."""
    metadata: list[tuple[str, str | bytes]] = [("x-request-id", g.request_id)]
    authorization = asked.headers.get("Authorization", "").strip()
    if authorization:
        if _TOKEN.fullmatch(authorization) is None:
            raise Problem("UNAUTHENTICATED")
        metadata.append(("authorization", authorization))
    languages = asked.headers.get("Accept-Language", "").strip()
    if _LANGUAGES.fullmatch(languages) is not None:
        metadata.append(("accept-language", languages))
    if asked.remote_addr:
        metadata.append(("x-forwarded-for", asked.remote_addr))
    return tuple(metadata)
