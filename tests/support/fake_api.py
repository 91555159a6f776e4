"""A service that answers what a test tells it to: every rpc of the API on a real gRPC server, recorded."""

from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from croupier.v1 import bots_pb2, catalog_pb2, matches_pb2, players_pb2

SERVICES = [
    service
    for file in (bots_pb2, catalog_pb2, matches_pb2, players_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
]

Answer = Callable[[Any, Any], Any]
"""From a request and its context to a message, or an iterator of messages for a stream."""


@dataclass
class Recorded:
    """One call that arrived."""

    method: str
    request: Any
    metadata: dict[str, str | bytes]


@dataclass
class FakeApi:
    """Answers every rpc with an empty message, or an empty stream, unless `answers` has something for its name."""

    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[Recorded] = field(default_factory=list)
    target: str = ""
    health: Any = None

    @property
    def last(self) -> Recorded:
        """The newest call."""
        return self.calls[-1]

    def serve(self, serving: bool) -> None:
        """Say over gRPC health that the service serves, or that it does not."""
        status = health_pb2.HealthCheckResponse
        self.health.set("", status.SERVING if serving else status.NOT_SERVING)

    def handle(self, name: str, streams: bool, output: type[Message]) -> Answer:
        """What the server does for one rpc."""

        def note(request: Any, context: Any) -> Any:
            self.calls.append(Recorded(name, request, dict(context.invocation_metadata())))
            return self.answers[name](request, context) if name in self.answers else None

        def one(request: Any, context: Any) -> Any:
            return note(request, context) or output()

        def many(request: Any, context: Any) -> Any:
            yield from note(request, context) or ()

        return many if streams else one


@contextmanager
def running_api(port: int = 0, threads: int = 64) -> Iterator[FakeApi]:
    """The fake on a free port of 127.0.0.1."""
    api = FakeApi()
    server = grpc.server(
        futures.ThreadPoolExecutor(threads),
        # Two servers on one port would share its connections. As the service it lets peers ask whether it is there.
        options=[("grpc.so_reuseport", 0), ("grpc.http2.max_ping_strikes", 0)],
    )
    for service in SERVICES:
        handlers = {}
        for method in service.methods:
            if method.client_streaming:
                continue
            output = GetMessageClass(method.output_type)
            make = (
                grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
            )
            handlers[method.name] = make(
                api.handle(method.name, method.server_streaming, output),
                request_deserializer=GetMessageClass(method.input_type).FromString,
                response_serializer=output.SerializeToString,
            )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
    api.health = health.HealthServicer()
    api.serve(True)
    health_pb2_grpc.add_HealthServicer_to_server(api.health, server)
    api.target = f"127.0.0.1:{server.add_insecure_port(f'127.0.0.1:{port}')}"
    server.start()
    try:
        yield api
    finally:
        server.stop(0).wait()


def refuse(
    context: Any,
    code: grpc.StatusCode,
    reason: str,
    message: str = "",
    *,
    metadata: dict[str, str] | None = None,
    window: matches_pb2.Window | None = None,
    retry_milliseconds: int | None = None,
) -> None:
    """End a call as the service does: with the reason, and what else there is, in the status details."""
    details: list[Message] = [error_details_pb2.ErrorInfo(reason=reason, domain="croupier", metadata=metadata or {})]
    if window is not None:
        details.append(window)
    if retry_milliseconds is not None:
        delay = Duration()
        delay.FromMilliseconds(retry_milliseconds)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, message)
