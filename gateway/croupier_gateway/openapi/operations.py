"""Each address with its methods: what it takes, what it answers, why it refuses."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from croupier.errors import CATALOGUE
from croupier.plain import CONTROLS
from croupier_gateway.answers import is_tagged
from croupier_gateway.openapi.comments import comments, told
from croupier_gateway.openapi.examples import EXAMPLES
from croupier_gateway.openapi.schemas import Schema, Schemas, rules_of
from croupier_gateway.problems import MEDIA_TYPE
from croupier_gateway.routes import TICKET, Binding

Operation = dict[str, Any]

_OPEN = re.compile(r"\b(without a|needs no) token\b", re.IGNORECASE)
_MADE = {"CreateMatch": ("match", "/id"), "CreatePlayer": ("player", "/player/id")}
"""Where the id of a new resource is in the answer to its creation, and what addresses call it."""

_STATUS = {
    400: "The request is not what this call takes.",
    401: "Nobody knows the token.",
    403: "The caller may not do this.",
    404: "It is not there, or not for this caller.",
    409: "It conflicts with how things stand.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The rules say no.",
    429: "Too many; `retryAfter` says when to come back.",
    500: "A fault of the server.",
    503: "Not now; send the same again after `retryAfter` seconds.",
    504: "No answer came in time; send the same again.",
}


ALIKE = {
    401: "UNAUTHENTICATED",
    413: "BODY_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    500: "INTERNAL",
    504: "DEADLINE_EXCEEDED",
}
"""Statuses that have one reason wherever they occur."""


def operation(here: list[Binding], everything: Iterable[Binding], schemas: Schemas) -> Operation:
    """What one method does at one address; `here` are its rpcs, a stream and its long poll or one alone."""
    unary = next((binding for binding in here if not binding.streams), here[0])
    stream = next((binding for binding in here if binding.streams), None)
    name = unary.method.name
    summary, _, more = told(unary.method.full_name).text.partition(". ")
    paragraphs = [f"{summary.rstrip('.')}. {more}".strip()]
    if stream is not None and stream is not unary:
        paragraphs.append(f"As `text/event-stream`: {told(stream.method.full_name).text}")
    links = _links(name, everything)
    made: Operation = {
        "operationId": name[0].lower() + name[1:],
        "tags": [unary.method.containing_service.name],
        "summary": summary.rstrip("."),
        "description": "\n\n".join(paragraphs),
        "security": security(here),
    }
    parameters = _parameters(here, schemas)
    if parameters:
        made["parameters"] = parameters
    if unary.takes_body:
        made["requestBody"] = _body(unary, schemas)
    content: Operation = {}
    if not unary.streams:
        content["application/json"] = {"schema": schemas.answered(unary.method.output_type), **_shown(name, "answers")}
    if stream is not None:
        content["text/event-stream"] = _events(stream, schemas)
    made["responses"] = {
        "200": {"description": comments()[unary.method.output_type.full_name], "headers": _headers(unary)}
        | {"content": content, **({"links": links} if links else {})},
        **({"304": {"$ref": "#/components/responses/NotModified"}} if is_tagged(unary) else {}),
        **_refusals(here),
    }
    return made


def security(here: list[Binding]) -> list[dict[str, list[str]]]:
    """What a caller must show: nothing, a token, or a token or a ticket."""
    if all(_is_open(binding) for binding in here):
        return []
    ways: list[dict[str, list[str]]] = [{"token": []}]
    if any(binding.takes_ticket for binding in here):
        ways.append({TICKET: []})
    return ways


def _is_open(binding: Binding) -> bool:
    words = (comments()[binding.service], told(binding.method.full_name).text)
    return any(_OPEN.search(text) for text in words)


def _parameters(here: list[Binding], schemas: Schemas) -> list[Schema]:
    parameters: dict[str, Schema] = {}
    for binding in here:
        for field in binding.method.input_type.fields:
            is_path = field.name in binding.path_fields
            if is_path or (not binding.takes_body and field.name != TICKET):
                parameters.setdefault(field.name, _parameter(field, schemas, is_path=is_path))
    for name, parameter in parameters.items():
        holders = [binding for binding in here if name in binding.method.input_type.fields_by_name]
        if not all(binding in holders for binding in here):
            parameter["description"] += " Only with `application/json`."
    shared = [*(["IfNoneMatch"] if any(map(is_tagged, here)) else []), *(["LastEventId"] if _streams(here) else [])]
    return [*parameters.values(), *({"$ref": f"#/components/parameters/{name}"} for name in shared)]


def _streams(here: list[Binding]) -> bool:
    return any(binding.streams for binding in here)


def _parameter(field: FieldDescriptor, schemas: Schemas, *, is_path: bool) -> Schema:
    schema = schemas.parameter(field)
    if is_path and not rules_of(field).pattern:
        schema["pattern"] = f"^[^/:{CONTROLS}]+$"
    return {
        "name": field.name if is_path else field.json_name,
        "in": "path" if is_path else "query",
        "required": is_path or rules_of(field).required,
        "description": comments()[field.full_name],
        "schema": schema,
    }


def _body(binding: Binding, schemas: Schemas) -> Operation:
    schema = schemas.taken(binding.method.input_type, without=binding.path_fields)
    needed = any(
        rules_of(field).required for field in binding.method.input_type.fields if field.name not in binding.path_fields
    )
    return {
        "description": comments()[binding.method.input_type.full_name],
        "required": needed,
        "content": {"application/json": {"schema": schema, **_shown(binding.method.name, "requests")}},
    }


def _shown(name: str, what: str) -> Operation:
    shown: Mapping[str, Any] = EXAMPLES.get(name, {}).get(what, {})
    if not shown:
        return {}
    return {"examples": {key: {"summary": each["summary"], "value": each["value"]} for key, each in shown.items()}}


def _events(stream: Binding, schemas: Schemas) -> Operation:
    """The stream's content: text, and what the data of each event is, by its name."""
    lines, kinds = [], {}
    for field in stream.method.output_type.oneofs[0].fields:
        text = comments()[field.full_name]
        if field.name == "heartbeat":
            lines.append(f"- a comment: {text}")
        else:
            data = cast(Descriptor, field.message_type)
            kinds[field.json_name] = {**schemas.answered(data), "description": text}
            lines.append(f"- `{field.json_name}`: {text} Its data is `{data.name}`.")
    text = "Server-sent events. The `id` of each is what to resume with, as `Last-Event-ID` or as `after`.\n\n"
    events = {"type": "object", "description": "The data of an event, by the event's name.", "properties": kinds}
    return {
        "schema": {
            "type": "string",
            "description": text + "\n".join(lines),
            "contentMediaType": "text/event-stream",
            "contentSchema": events,
        }
    }


def _headers(binding: Binding) -> Operation:
    tag = {"ETag": {"$ref": "#/components/headers/ETag"}} if is_tagged(binding) else {}
    return {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}, **tag}


def _links(name: str, everything: Iterable[Binding]) -> Operation:
    if name not in _MADE:
        return {}
    place, pointer = _MADE[name]
    return {
        each.method.name: {
            "operationId": each.method.name[0].lower() + each.method.name[1:],
            "parameters": {place: f"$response.body#{pointer}"},
        }
        for each in everything
        if each.path_fields == (place,) and not each.streams
    }


def _refusals(here: list[Binding]) -> Operation:
    """Each status with the reasons that it can have."""
    by_status: dict[int, list[str]] = {}
    for reason in _reasons(here):
        by_status.setdefault(CATALOGUE[reason].http, []).append(reason)
    return {str(status): _refusal(status, reasons) for status, reasons in sorted(by_status.items())}


def _reasons(here: list[Binding]) -> list[str]:
    common = ["INVALID_FIELD"]
    if any(binding.takes_body for binding in here):
        common += ["MALFORMED_JSON", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]
    if any("request_id" in binding.method.input_type.fields_by_name for binding in here):
        common += ["REQUEST_ID_REUSED", "CONTENDED"]
    if security(here):
        common.append("UNAUTHENTICATED")
    if any(binding.path_fields for binding in here):
        common.append("NOT_FOUND")
    if any("match" in binding.path_fields for binding in here):
        common.append("MATCH_UNREADABLE")
    if _streams(here):
        common.append("OVERLOADED")
    common += ["INTERNAL", "UNAVAILABLE", "GOING_DOWN", "DEADLINE_EXCEEDED"]
    own = [reason for binding in here for reason in told(binding.method.full_name).reasons]
    return list(dict.fromkeys([*own, *common]))


def _refusal(status: int, reasons: list[str]) -> Operation:
    if [ALIKE.get(status)] == reasons:
        return {"$ref": f"#/components/responses/{shared_name(reasons[0])}"}
    return refusal(status, reasons)


def shared_name(reason: str) -> str:
    """What the response for a reason that many operations share is called."""
    return reason.title().replace("_", "")


def refusal(status: int, reasons: list[str]) -> Operation:
    """The response of one status, with the reasons that it can have."""
    lines = [f"- `{reason}`: {CATALOGUE[reason].outline('en')}" for reason in reasons]
    schema = {"$ref": "#/components/schemas/Problem", "properties": {"reason": {"enum": reasons}}}
    return {
        "description": "\n".join([_STATUS[status], "", *lines]),
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
        | ({"Retry-After": {"$ref": "#/components/headers/RetryAfter"}} if status in (429, 503) else {}),
        "content": {MEDIA_TYPE: {"schema": schema}},
    }
