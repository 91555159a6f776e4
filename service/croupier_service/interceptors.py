"""What every call goes through: a request id, the caller, the field rules, and errors made fit to be seen."""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from croupier.errors import CATALOGUE, DOMAIN
from croupier.locales import best_locale
from croupier.v1 import matches_pb2
from croupier_convert import ConvertError
from croupier_service import metrics
from croupier_service.auth import OPEN_METHODS, Authentication
from croupier_service.errors import Refused, StoreUnavailable, Unreadable, invalid, unavailable, unreadable
from croupier_service.flow import Behind, relay
from croupier_service.load import Load
from croupier_service.players import Caller
from croupier_service.queueing import Queue, nothing
from croupier_service.servicers import present
from croupier_service.touch import Touch
from croupier_service.validation import check

_log = structlog.get_logger()
_caller: ContextVar[Caller] = ContextVar("caller")
_received: ContextVar[int] = ContextVar("received")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# What may stand in a log as the id of a match; a token in the wrong place has another form.
_MATCH_ID = re.compile(r"[a-z0-9][a-z0-9-]{3,62}")
_DETAIL_BYTES = 4096  # trailers beyond 8 KB break a call, and base64 adds a third
_NO_RETRY = ("grpc-retry-pushback-ms", "-1")  # gRPC's own word to a client that retries by itself
_NOTHING: "grpc.RpcMethodHandler[bytes, bytes]" = grpc.unary_unary_rpc_method_handler(nothing)
_LOOPBACK = ("ipv4:127.", "ipv6:[::1]", "ipv6:%5B::1%5D", "unix")

Context = grpc.aio.ServicerContext[Any, Any]


def received() -> int:
    """When the present call arrived, before it waited for anything: server milliseconds."""
    return _received.get()


def caller() -> Caller:
    """The player that the present call comes from."""
    return _caller.get()


def address_of(context: Context, trusted: str) -> str:
    """Where a call comes from: the peer, or whom a trusted peer, the gateway, says it stands before.

    `trusted`: "loopback" for peers on this machine, "any" for all of them.
    """
    peer = (context.peer() or "unknown").rsplit(":", 1)[0]
    forwarded = dict(context.invocation_metadata() or ()).get("x-forwarded-for")
    if isinstance(forwarded, str) and forwarded and (trusted == "any" or peer.startswith(_LOOPBACK)):
        return forwarded.split(",")[-1].strip()[:64]
    return peer


def _metadata_of(context: Context) -> dict[str, str | bytes]:
    """What a call came with; of what is there twice, the first counts."""
    return dict(reversed(tuple(context.invocation_metadata() or ())))


def locale_of(context: Context) -> str:
    """The language of texts: the one kept here that the call likes best, else the caller's."""
    accepted = _metadata_of(context).get("accept-language")
    known = _caller.get(None)
    own = known.locale if known is not None else "en"
    return best_locale(accepted, own) if isinstance(accepted, str) else own


def text_of(refusal: Refused, locale: str) -> str:
    """What a refusal says, in a language."""
    return CATALOGUE[refusal.reason].text(locale, refusal.metadata)


def status_of(refusal: Refused, locale: str, now: int) -> Status:
    """A refusal as a gRPC status with its details; choices are left out of a window that is too large for trailers."""
    entry = CATALOGUE[refusal.reason]
    details = [_packed(ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=refusal.metadata))]
    if refusal.window is not None and refusal.game is not None:
        window = present.window(refusal.game, refusal.window, now)
        if window.ByteSize() > _DETAIL_BYTES:
            window.ClearField("choices")
        details.append(_packed(window))
    if refusal.retry_after is not None:
        delay = Duration()
        delay.FromMilliseconds(round(refusal.retry_after * 1000))
        details.append(_packed(RetryInfo(retry_delay=delay)))
    code: int = grpc.StatusCode[entry.code].value[0]
    return Status(code=code, message=text_of(refusal, locale), details=details)


def _packed(message: Any) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message, deterministic=True)  # the order of a map must tell nothing
    return packed


def _has(request: Any, field: str) -> bool:
    """Whether a request is a message that has such a field: to ask it for one that it has not is dear."""
    return isinstance(request, Message) and field in request.DESCRIPTOR.fields_by_name


def _waits(request: Any) -> bool:
    """It is a long poll. One that waits for no time at all is a call like others."""
    return _has(request, "wait") and present.milliseconds(request.wait) > 0


class _Unparsed:
    """Stands for a request whose bytes are not a message of the call's type."""


def _tolerant(deserializer: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """A fault of the caller that gRPC would answer without a reason; so it is told where all others are."""

    def parsed(data: bytes) -> Any:
        try:
            return deserializer(data)
        except DecodeError:
            return _Unparsed()

    return parsed


def _encoded(serializer: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """What is bytes already goes out as it is."""

    def encoded(answer: Any) -> bytes:
        return answer if isinstance(answer, bytes) else serializer(answer)

    return encoded


def check_parsed(request: Any) -> None:
    """INVALID_FIELD if the bytes were not a message of the call's type."""
    if isinstance(request, _Unparsed):
        raise invalid("request", "it is not a message of this call's type")


class Front(grpc.aio.ServerInterceptor):
    """Stands before every method."""

    def __init__(
        self,
        authentication: Authentication,
        now: Callable[[], int],
        queue: Queue,
        load: Load,
        waiting: Load,
        touch: Touch,
        stall: float,
    ) -> None:
        """`load`: of what is worked on; `waiting`: of streams and long polls.

        `stall`: seconds for which a reader may take nothing.
        """
        self._authentication = authentication
        self._now = now
        self._queue = queue
        self._load = load
        self._waiting = waiting
        self._touch = touch
        self._stall = stall
        self._calls: set[asyncio.Task[Any]] = set()
        self._answering: set[asyncio.Task[Any]] = set()  # those of one answer that have none yet
        self._given_up = False
        self._handlers: dict[str, Any] = {}  # of the methods that were called, wrapped
        self._log = _log.bind()  # else it would be bound anew for each line

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's handler, wrapped."""
        method = handler_call_details.method
        handler = self._handlers.get(method)
        if handler is None:
            handler = await continuation(handler_call_details)
            if handler is None or not method.startswith("/croupier.v1."):
                return handler  # health and reflection are open to all
            handler = self._handlers[method] = self._wrapped(method, handler)
        elif handler.unary_unary is not None:
            if self._queue.own(handler_call_details):
                return _NOTHING
            late = self._queue.take(method)
            if late is not None:
                return grpc.unary_unary_rpc_method_handler(self._turned_away(method, late))
        return handler

    def _wrapped(self, method: str, handler: Any) -> Any:
        codec = (_tolerant(handler.request_deserializer), _encoded(handler.response_serializer))
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(self._unary(method, handler.unary_unary), *codec)
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(self._stream(method, handler.unary_stream), *codec)
        return grpc.stream_stream_rpc_method_handler(self._stream(method, handler.stream_stream), *codec)

    async def idle(self) -> None:
        """Wait until every call has put its things away, which it still does after the server has let go of it."""
        while self._calls:
            await asyncio.wait(self._calls)

    def give_up(self) -> None:
        """Refuse the calls of one answer that are still under way as UNAVAILABLE: gRPC would end them without a reason.

        What they were to write may be written yet, as it may be whenever the store does not answer.
        """
        self._given_up = True
        for task in self._answering:
            task.cancel()

    def _unary(self, method: str, behavior: Callable[[Any, Context], Awaitable[Any]]) -> Callable[..., Any]:
        async def answered(request: Any, context: Context) -> Any:
            answer = await behavior(request, context)
            if isinstance(answer, matches_pb2.Match):
                structlog.contextvars.bind_contextvars(**_match_named(answer.id))
            return answer

        async def call(request: Any, context: Context) -> Any:
            return await self._call(method, context, request, answered, stream=False)

        return call

    def _turned_away(self, method: str, refusal: Refused) -> Callable[..., Any]:
        # As little as can be is done: the request is not even parsed, and there is no line in the log.
        async def call(_: bytes, context: Context) -> None:
            metrics.called(method, refusal.reason, 0.0, stream=False)
            status = _busy(refusal.metadata["limit"], refusal.retry_after or 0.0, locale_of(context))
            name = _name_of(_metadata_of(context))
            context.set_code(status.code)
            context.set_details(status.details)
            context.set_trailing_metadata((*status.trailing_metadata, ("x-request-id", name), _NO_RETRY))

        return call

    def _stream(self, method: str, behavior: Callable[[Any, Context], AsyncGenerator[Any, None]]) -> Callable[..., Any]:
        # Written to the context, not yielded: so a call that is cancelled while it writes still closes its generator.
        async def written(request: Any, context: Context) -> None:
            async with aclosing(behavior(request, context)) as responses:
                if not await relay(responses, context.write, self._stall):
                    raise Behind(True)

        async def call(request: Any, context: Context) -> None:
            with metrics.open_stream(method):
                await self._call(method, context, request, written, stream=True)

        return call

    async def _call(
        self,
        method: str,
        context: Context,
        request: Any,
        behavior: Callable[[Any, Context], Awaitable[Any]],
        *,
        stream: bool,
    ) -> Any:
        """What is before and after every call: the caller, the log line, the error made fit to be seen."""
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        _received.set(self._now())
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        began, outcome = time.monotonic(), "CANCELLED"
        try:
            # Whoever waits for what is to happen is no work, and has a bound of his own.
            with self._waiting if stream or _waits(request) else self._load:
                if not stream:
                    self._begin_answer(task)
                try:
                    await self._enter(method, context, request)
                    answer = await behavior(request, context)
                finally:
                    self._answering.discard(task)
        except Behind as behind:
            outcome = "BEHIND"
            if not behind.told:
                await self._abort(context, unavailable())
        except asyncio.CancelledError:
            if stream or not self._given_up:
                raise
            task.uncancel()
            refusal = unavailable()
            outcome = refusal.reason
            await self._abort(context, refusal)
        except Exception as fault:
            refusal = self._refusal(fault, method)
            outcome = refusal.reason
            await self._abort(context, refusal)
        else:
            outcome = "OK"
            return answer
        finally:
            seconds = time.monotonic() - began
            metrics.called(method, outcome, seconds, stream=stream)
            self._log.info("call", method=method, outcome=outcome, ms=round(seconds * 1000, 1))

    def _begin_answer(self, task: "asyncio.Task[Any]") -> None:
        if self._given_up:
            raise unavailable()
        self._answering.add(task)

    async def _enter(self, method: str, context: Context, request: Any) -> None:
        metadata = _metadata_of(context)
        name = _name_of(metadata)
        context.set_trailing_metadata((("x-request-id", name),))
        structlog.contextvars.bind_contextvars(
            request=name, **_match_named(request.match if _has(request, "match") else "")
        )
        if method not in OPEN_METHODS:
            header, ticket = metadata.get("authorization"), request.ticket if _has(request, "ticket") else ""
            if ticket and header is None:
                found = await self._authentication.redeem(ticket, request.match)
            else:
                found = await self._authentication.caller(header)
            _caller.set(found)
            structlog.contextvars.bind_contextvars(player=found.player)
        check_parsed(request)
        if isinstance(request, Message):
            check(request)

    def _refusal(self, fault: Exception, method: str) -> Refused:
        match fault:
            case Refused():
                return fault
            case ConvertError():
                return Refused(fault.reason, fault.details)
            case StoreUnavailable():
                _log.warning("store.unavailable", method=method, error=str(fault))
                self._touch.doubt()
                return unavailable()
            case Unreadable():
                _log.error("match.unreadable", method=method, match=fault.match, exc_info=fault)
                return unreadable(fault.match)
            case _:
                # Whatever it says may hold what a caller must not know, so it goes to the log alone.
                _log.error("fault", method=method, exc_info=fault)
                request = structlog.contextvars.get_contextvars().get("request", "?")
                return Refused("INTERNAL", {"request": str(request)})

    async def _abort(self, context: Context, refusal: Refused) -> None:
        status = status_of(refusal, locale_of(context), self._now())
        told = rpc_status.to_status(status)
        named = ("x-request-id", str(structlog.contextvars.get_contextvars().get("request", "?")))
        # A retry within the same second would only make it worse: the caller is told when to come again.
        busy = (_NO_RETRY,) if refusal.retry_after is not None else ()
        await context.abort(told.code, told.details, (*told.trailing_metadata, named, *busy))


@lru_cache(256)
def _busy(limit: str, retry: float, locale: str) -> grpc.Status:
    """What is told to calls that have waited for too long; made once for many of them."""
    refusal = Refused("OVERLOADED", {"limit": limit, "retry_after": f"{retry:g}"}, retry_after=retry)
    status: grpc.Status = rpc_status.to_status(status_of(refusal, locale, 0))
    return status


def _name_of(metadata: Mapping[str, str | bytes]) -> str:
    """The id of a call: the one it came with, if that is fit for a log, else a new one."""
    given = metadata.get("x-request-id")
    return given if isinstance(given, str) and _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _match_named(match: str) -> dict[str, str]:
    """Which match a call is about, for its lines in the log."""
    return {"match": match} if _MATCH_ID.fullmatch(match) else {}
