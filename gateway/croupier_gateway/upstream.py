"""The gRPC side: a channel for calls and one for streams, made when needed, since gRPC does not survive a fork."""

import json
import os
import random
import threading
import uuid
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc

from croupier.targets import KEEPALIVE, grpc_target
from croupier_gateway.routes import Binding

if TYPE_CHECKING:
    from grpc import _CallFuture

Metadata = tuple[tuple[str, str | bytes], ...]

_MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Replays of long matches are larger than gRPC's own 4 MiB."""

_MAX_TRAILER_BYTES = 64 * 1024

_PAUSES = (0.1, 0.2, 0.4)
"""Seconds before a call is sent again for which no replica was there; as often, and no more."""

_PUSHBACK = "grpc-retry-pushback-ms"


class Upstream:
    """Calls to the service at one target, which may be several replicas; raises TargetInvalid."""

    def __init__(self, target: str, bindings: Iterable[Binding]) -> None:
        self._target = grpc_target(target)
        self._options = _options_of_calls(bindings)
        self._lock = threading.Lock()
        self._pid = 0
        self._channel: grpc.Channel | None = None
        self._calls: dict[str, Any] = {}
        self._streaming: grpc.aio.Channel | None = None
        self._stream_calls: dict[str, Any] = {}

    def unary(self, binding: Binding, message: Message, metadata: Metadata, timeout: float) -> Message:
        """Make a call with one answer, within `timeout` seconds; it may arrive twice. Raises grpc.RpcError."""
        answer: Message = self._call(binding)(_named(message), metadata=metadata, timeout=timeout)
        return answer

    def begin(self, binding: Binding, message: Message, metadata: Metadata, timeout: float) -> "_CallFuture[Message]":
        """Start such a call, so that it can be ended before; it costs a change of threads."""
        call: _CallFuture[Message] = self._call(binding).future(_named(message), metadata=metadata, timeout=timeout)
        return call

    def stream(self, binding: Binding, message: Message, metadata: Metadata) -> Any:
        """Start a call with a stream of answers, without a time limit, in the loop that all streams run in; it arrives
        once: see `may_be_repeated`."""
        channel = self._streams()
        call = self._stream_calls.get(binding.grpc_path)
        if call is None:
            call = self._stream_calls[binding.grpc_path] = _made(channel.unary_stream, binding)
        return call(message, metadata=metadata)

    async def serves_streams(self, within: float) -> bool:
        """As `serving`, of the channel for streams, in `within` seconds, in the loop that they run in."""
        check = health_pb2_grpc.HealthStub(self._streams()).Check
        try:
            answer = await check(health_pb2.HealthCheckRequest(), timeout=within)
        except grpc.RpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def close_streams(self) -> None:
        """End all streams, in the loop that they run in."""
        if self._streaming is not None:
            await self._streaming.close()
            self._streaming = None
            self._stream_calls.clear()

    def serving(self, timeout: float) -> bool:
        """The service answers within `timeout` seconds that it serves."""
        try:
            check = health_pb2_grpc.HealthStub(self._connected()).Check
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    def close(self) -> None:
        """Close this process's channel for calls."""
        with self._lock:
            if self._channel is not None and self._pid == os.getpid():
                self._channel.close()
            self._channel = None

    def _streams(self) -> grpc.aio.Channel:
        if self._streaming is None:
            self._streaming = grpc.aio.insecure_channel(self._target, options=_options_of_streams())
        return self._streaming

    def _connected(self) -> grpc.Channel:
        with self._lock:
            if self._channel is None or self._pid != os.getpid():
                self._channel = grpc.insecure_channel(self._target, options=self._options)
                self._pid, self._calls = os.getpid(), {}
            return self._channel

    def _call(self, binding: Binding) -> Any:
        channel = self._connected()
        call = self._calls.get(binding.grpc_path)
        if call is None:
            call = self._calls[binding.grpc_path] = _made(channel.unary_unary, binding)
        return call


def _named(message: Message) -> Message:
    # A change without a request id gets one: where a replica died in the middle of it, another answers what was done.
    if "request_id" in message.DESCRIPTOR.fields_by_name and not message.request_id:  # type: ignore[attr-defined]
        message.request_id = uuid.uuid4().hex  # type: ignore[attr-defined]
    return message


def _made(make: Any, binding: Binding) -> Any:
    return make(
        binding.grpc_path,
        request_serializer=binding.request_class.SerializeToString,
        response_deserializer=binding.response_class.FromString,
    )


def pauses() -> Iterator[float]:
    """Seconds before each repetition of a stream's call, more or less by chance, as gRPC has them for other calls."""
    return (pause * random.uniform(0.5, 1.5) for pause in _PAUSES)  # noqa: S311 - jitter


def may_be_repeated(error: grpc.RpcError) -> bool:
    """Whether a stream that has said nothing yet may begin at another replica; else it is left to the client.

    UNAVAILABLE stands here for a replica that is gone; one that is there and cannot do its work tells that a retry is
    of no use.
    """
    told = dict(cast(Any, error.trailing_metadata() or ()))
    return error.code() is grpc.StatusCode.UNAVAILABLE and _PUSHBACK not in told


def _options_of_calls(bindings: Iterable[Binding]) -> list[tuple[str, Any]]:
    # gRPC sends them again by itself: reads, and changes with a request id.
    repeatable = [
        {"service": binding.service, "method": binding.method.name}
        for binding in bindings
        if not binding.streams and (binding.verb == "GET" or "request_id" in binding.method.input_type.fields_by_name)
    ]
    retry = {
        "maxAttempts": len(_PAUSES) + 1,
        "initialBackoff": f"{_PAUSES[0]}s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        # A replica that goes down cancels what it has not begun.
        "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
    }
    return _options(
        methodConfig=[{"name": repeatable, "retryPolicy": retry}],
        # When all of them fail, it is left to the clients.
        retryThrottling={"maxTokens": 1000, "tokenRatio": 1},
    )


def _options_of_streams() -> list[tuple[str, Any]]:
    # Streams gRPC must not send again: one whose replica goes before the first message, and for which no other is there
    # at the last attempt, would never end. Its status is known by then, but the message that it waits for never comes,
    # and no cancel helps.
    return [*_options(), ("grpc.enable_retries", 0)]


def _options(**service_config: Any) -> list[tuple[str, Any]]:
    return [
        ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}], **service_config})),
        ("grpc.max_receive_message_length", _MAX_ANSWER_BYTES),
        # An error carries its window and its text, in any alphabet, in its trailers.
        ("grpc.max_metadata_size", _MAX_TRAILER_BYTES),
        ("grpc.absolute_max_metadata_size", _MAX_TRAILER_BYTES),
        *KEEPALIVE,
        # After an outage the service is found again soon: the defaults wait up to 2 minutes.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # And so is a replica that has come in place of another, under the same name.
        ("grpc.dns_min_time_between_resolutions_ms", 2_000),
    ]
