"""What every call goes through: a request id, the caller, the field rules, and errors made fit to be seen."""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from croupier.errors import CATALOGUE, DOMAIN
from croupier.locales import best_locale
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


def locale_of(context: Context) -> str:
    """The language of texts: the one kept here that the call likes best, else the caller's."""
    accepted = dict(context.invocation_metadata() or ()).get("accept-language")
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


def _waits(request: Any) -> bool:
    """It is a long poll. One that waits for no time at all is a call like others."""
    wait = getattr(request, "wait", None)
    return isinstance(wait, Duration) and present.milliseconds(wait) > 0


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
        self._unary_methods: set[str] = set()  # those that were called

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's handler, wrapped."""
        method = handler_call_details.method
        if method in self._unary_methods:
            if self._queue.own(handler_call_details):
                return grpc.unary_unary_rpc_method_handler(nothing)
            late = self._queue.take(method)
            if late is not None:
                return grpc.unary_unary_rpc_method_handler(self._turned_away(method, late))
        handler = await continuation(handler_call_details)
        if handler is None or not method.startswith("/croupier.v1."):
            return handler  # health and reflection are open to all
        codec = (_tolerant(handler.request_deserializer), _encoded(handler.response_serializer))
        if handler.unary_unary is not None:
            self._unary_methods.add(method)
            return grpc.unary_unary_rpc_method_handler(self._unary(method, handler.unary_unary), *codec)
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(self._stream(method, handler.unary_stream, True), *codec)
        if handler.stream_stream is not None:
            return grpc.stream_stream_rpc_method_handler(self._stream(method, handler.stream_stream, False), *codec)
        return handler

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
        async def call(request: Any, context: Context) -> Any:
            async with self._call(method, context, request, stream=False):
                answer = await behavior(request, context)
                if answer.DESCRIPTOR.name == "Match":
                    _name_match(answer.id)
                return answer

        return call

    def _turned_away(self, method: str, refusal: Refused) -> Callable[..., Any]:
        # As little as can be is done: the request is not even parsed, and there is no line in the log.
        async def call(_: bytes, context: Context) -> None:
            metrics.called(method, refusal.reason, 0.0, stream=False)
            status = _busy(refusal.metadata["limit"], refusal.retry_after or 0.0, locale_of(context))
            given = dict(context.invocation_metadata() or ()).get("x-request-id", "")
            name = str(given) if isinstance(given, str) and _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
            context.set_code(status.code)
            context.set_details(status.details)
            context.set_trailing_metadata((*status.trailing_metadata, ("x-request-id", name), _NO_RETRY))

        return call

    def _stream(
        self, method: str, behavior: Callable[[Any, Context], AsyncGenerator[Any, None]], one_request: bool
    ) -> Callable[..., Any]:
        # Written to the context, not yielded: so a call that is cancelled while it writes still closes its generator.
        async def call(request: Any, context: Context) -> None:
            checked = request if one_request else None
            with metrics.open_stream(method):
                async with (
                    self._call(method, context, checked, stream=True),
                    aclosing(behavior(request, context)) as responses,
                ):
                    if not await relay(responses, context.write, self._stall):
                        raise Behind(True)

        return call

    @asynccontextmanager
    async def _call(self, method: str, context: Context, request: Any, *, stream: bool) -> AsyncIterator[None]:
        """What is before and after every call: the caller, the log line, the error made fit to be seen."""
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        _received.set(self._now())
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        began, outcome = time.monotonic(), "CANCELLED"
        try:
            # Whoever waits for what is to happen is no work, and has a bound of his own.
            load = self._waiting if stream or _waits(request) else self._load
            with load.one(), nullcontext() if stream else self._until_given_up(task):
                await self._enter(method, context, request)
                yield
            outcome = "OK"
        except Behind as behind:
            outcome = "BEHIND"
            if not behind.told:
                await self._abort(context, unavailable())
        except Exception as fault:
            refusal = self._refusal(fault, method)
            outcome = refusal.reason
            await self._abort(context, refusal)
        finally:
            seconds = time.monotonic() - began
            metrics.called(method, outcome, seconds, stream=stream)
            _log.info("call", method=method, outcome=outcome, ms=round(seconds * 1000, 1))

    @contextmanager
    def _until_given_up(self, task: "asyncio.Task[Any]") -> Iterator[None]:
        if self._given_up:
            raise unavailable()
        self._answering.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            task.uncancel()
            raise unavailable() from None
        finally:
            self._answering.discard(task)

    async def _enter(self, method: str, context: Context, request: Any) -> None:
        metadata = _name_call(context)
        _name_match(getattr(request, "match", ""))
        if method not in OPEN_METHODS:
            found = await self._found(metadata, request)
            _caller.set(found)
            structlog.contextvars.bind_contextvars(player=found.player)
        if request is not None:
            check_parsed(request)
            check(request)

    async def _found(self, metadata: list[tuple[str, str | bytes]], request: Any) -> Caller:
        """The caller by token, or by the ticket of a request that takes one."""
        ticket = getattr(request, "ticket", "")
        if ticket and not any(key == "authorization" for key, _ in metadata):
            return await self._authentication.redeem(ticket, request.match)
        return await self._authentication.caller(metadata)

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


def _name_call(context: Context) -> list[tuple[str, str | bytes]]:
    """Have the lines and the answer of this call tell its id; all that it came with."""
    metadata = list(context.invocation_metadata() or ())
    given = next((value for key, value in metadata if key == "x-request-id"), "")
    sane = isinstance(given, str) and _REQUEST_ID.fullmatch(given)
    name = str(given) if sane else secrets.token_hex(8)
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request=name)
    context.set_trailing_metadata((("x-request-id", name),))
    return metadata


def _name_match(match: object) -> None:
    """Have the lines of this call tell which match it is about."""
    if isinstance(match, str) and _MATCH_ID.fullmatch(match):
        structlog.contextvars.bind_contextvars(match=match)
