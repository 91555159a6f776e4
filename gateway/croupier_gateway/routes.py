"""The REST routes, read from the http annotations of the services' descriptors. Nobody writes a route by hand."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass

from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import croupier.v1

TICKET = "ticket"

_PLACE = re.compile(r"\{([a-z_]+)\}")
_TEMPLATE = re.compile(r"(/(?:[A-Za-z0-9_.\-]+|\{[a-z_]+\}))+(:[A-Za-z]+)?")


class RouteInvalid(Exception):  # noqa: N818 - it is about a route
    """An annotation asks for something that the gateway does not do; found at start-up, never while serving."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One rpc at one address."""

    method: MethodDescriptor
    verb: str
    """The HTTP method."""
    template: str
    """The address as annotated, such as `/v1/matches/{match}:act`."""
    path_fields: tuple[str, ...]
    """Fields of the request whose values stand in the address."""
    takes_body: bool
    """The rest of the request is the body; otherwise it is the query."""

    @property
    def service(self) -> str:
        """Full name of the service, such as `croupier.v1.Matches`."""
        return str(self.method.containing_service.full_name)

    @property
    def grpc_path(self) -> str:
        """The name on the wire, such as `/croupier.v1.Matches/Act`."""
        return f"/{self.service}/{self.method.name}"

    @property
    def rule(self) -> str:
        """The address as a Flask rule. A value never holds a `/`, and never a `:`, which starts a verb."""
        return _PLACE.sub(r"<segment:\1>", self.template)

    @property
    def streams(self) -> bool:
        """The answer is a stream."""
        return bool(self.method.server_streaming)

    @property
    def takes_ticket(self) -> bool:
        """A ticket in the query may take the place of the token."""
        return TICKET in self.method.input_type.fields_by_name

    @property
    def request_class(self) -> type[Message]:
        """What the rpc takes."""
        return GetMessageClass(self.method.input_type)

    @property
    def response_class(self) -> type[Message]:
        """What the rpc answers, once or again and again."""
        return GetMessageClass(self.method.output_type)


def services() -> Iterator[ServiceDescriptor]:
    """Every service of `proto/croupier/v1`, in the order of file and service name."""
    for module in sorted(info.name for info in pkgutil.iter_modules(croupier.v1.__path__)):
        if module.endswith("_pb2"):
            file = importlib.import_module(f"croupier.v1.{module}").DESCRIPTOR
            yield from (service for _, service in sorted(file.services_by_name.items()))


def bindings() -> tuple[Binding, ...]:
    """Every annotated rpc with its address. Raises RouteInvalid."""
    found: list[Binding] = []
    taken: set[tuple[str, str, bool]] = set()
    for service in services():
        for method in service.methods:
            options = method.GetOptions()
            if not options.HasExtension(annotations_pb2.http):
                continue
            rule = options.Extensions[annotations_pb2.http]
            for binding in (_binding(method, each) for each in (rule, *rule.additional_bindings)):
                key = (binding.verb, _PLACE.sub("{}", binding.template), binding.streams)
                if key in taken:
                    raise RouteInvalid(f"{method.full_name}: {binding.verb} {binding.template} is taken")
                taken.add(key)
                found.append(binding)
    return tuple(found)


def _binding(method: MethodDescriptor, rule: http_pb2.HttpRule) -> Binding:
    verb = rule.WhichOneof("pattern")
    if verb not in ("get", "put", "post", "delete", "patch"):
        raise RouteInvalid(f"{method.full_name}: the method {verb} is not supported")
    template: str = getattr(rule, verb)
    if _TEMPLATE.fullmatch(template) is None:
        raise RouteInvalid(f"{method.full_name}: the address {template} is not supported")
    if rule.body not in ("", "*") or rule.response_body:
        raise RouteInvalid(f"{method.full_name}: a body is the whole message, or there is none")
    if method.client_streaming:
        raise RouteInvalid(f"{method.full_name}: a stream of requests does not fit into REST")
    path_fields = tuple(_PLACE.findall(template))
    for name in path_fields:
        field = method.input_type.fields_by_name.get(name)
        if field is None or field.type != FieldDescriptor.TYPE_STRING or field.is_repeated:
            raise RouteInvalid(f"{method.full_name}: {name} in the address is no text field of the request")
    return Binding(
        method=method, verb=verb.upper(), template=template, path_fields=path_fields, takes_body=rule.body == "*"
    )
