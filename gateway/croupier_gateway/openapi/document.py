"""The whole document."""

from collections.abc import Sequence
from typing import Any

from croupier.errors import CATALOGUE
from croupier.v1.matches_pb2 import Window
from croupier_gateway.openapi.comments import comments
from croupier_gateway.openapi.operations import ALIKE, operation, refusal, shared_name
from croupier_gateway.openapi.own import OWN_PATHS
from croupier_gateway.openapi.schemas import Schemas
from croupier_gateway.routes import TICKET, Binding, bindings
from croupier_gateway.versions import VERSION

_ABOUT = """\
Card games as a service. The same services speak gRPC; this is their REST side.

- Names are in lowerCamelCase; those of the proto files, such as `request_id`, are taken too. What is absent stands in
  no answer; everything else does, zeros and empty lists too.
- Nothing unknown is taken: a member, a parameter or a value that is not described here is refused by its name.
- `X-Request-Id` names a call in logs. It is taken over from the request, or made, and comes back in every answer.
- Error texts are in the language of `Accept-Language` (en, ru, uk), else in the player's.
- An answer of more than 1 kB is compressed for those who accept gzip.
"""


def document(routes: Sequence[Binding] | None = None) -> dict[str, Any]:
    """The API as OpenAPI 3.1; by default with every route there is."""
    routes = bindings() if routes is None else routes
    unary = [binding for binding in routes if not binding.streams]
    schemas = Schemas(
        taken=[binding.method.input_type for binding in unary if binding.takes_body],
        answered=[binding.method.output_type for binding in routes],
    )
    places: dict[str, dict[str, list[Binding]]] = {}
    for binding in routes:
        places.setdefault(binding.template, {}).setdefault(binding.verb.lower(), []).append(binding)
    paths = {
        template: {verb: operation(here, routes, schemas) for verb, here in verbs.items()}
        for template, verbs in places.items()
    }
    window = schemas.answered(Window.DESCRIPTOR)
    services = {binding.method.containing_service.name: binding.service for binding in routes}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Croupier",
            "version": VERSION,
            "summary": "Card games as a service.",
            "description": _ABOUT,
            "contact": {"name": "The Croupier project"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "Where this document came from."}],
        "tags": [
            *({"name": name, "description": comments()[full]} for name, full in services.items()),
            {"name": "Server", "description": "About the server itself. Open to all, without a token."},
        ],
        "paths": {**paths, **OWN_PATHS},
        "components": {
            "schemas": {**dict(sorted(schemas.components.items())), "Problem": _problem(window)},
            "parameters": _PARAMETERS,
            "headers": _HEADERS,
            "responses": {
                "NotModified": {
                    "description": "The caller has it already: `If-None-Match` named its present tag.",
                    "headers": {
                        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
                        "ETag": {"$ref": "#/components/headers/ETag"},
                    },
                },
                **{shared_name(reason): refusal(status, [reason]) for status, reason in ALIKE.items()},
            },
            "securitySchemes": _SECURITY,
        },
    }


_PARAMETERS = {
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The `ETag` of the answer that the caller has: if nothing but time has passed, 304 comes back.",
        "schema": {"type": "string"},
    },
    "LastEventId": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "With `text/event-stream`: the `id` of the last event that was got. It wins over `after`.",
        "schema": {"type": "string"},
    },
}

_HEADERS = {
    "RequestId": {
        "description": "Names this call in logs: the request's own `X-Request-Id`, or one that was made.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "ETag": {
        "description": "A weak tag of the answer, without what changes by the mere passing of time.",
        "required": True,
        "schema": {"type": "string", "pattern": '^W/"[0-9a-f]{32}"$'},
    },
    "RetryAfter": {
        "description": "Whole seconds to wait.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
}

_SECURITY = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token that `POST /v1/players` answered.",
    },
    TICKET: {
        "type": "apiKey",
        "in": "query",
        "name": TICKET,
        "description": "A ticket of `POST /v1/matches/{match}/events:ticket`, good for one stream, for clients that "
        "cannot send headers, such as a browser's EventSource.",
    },
}


def _problem(window: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "description": "Why a call was refused (RFC 9457).",
        "properties": {
            "type": {**text, "format": "uri-reference", "description": "Where the reason is described."},
            "title": {**text, "description": "The reason as a heading."},
            "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
            "detail": {**text, "description": "What happened and what to do, for people."},
            "reason": {**text, "description": "What a program looks at.", "examples": list(CATALOGUE)[:1]},
            "metadata": {
                "type": "object",
                "additionalProperties": text,
                "description": "The values in the text, by name.",
            },
            "requestId": {**text, "description": "The call's `X-Request-Id`."},
            "window": {**window, "description": "The window that is open now, where the match has one."},
            "retryAfter": {"type": "integer", "minimum": 1, "description": "Seconds to wait before the next try."},
        },
        "required": ["type", "title", "status", "detail", "reason", "metadata", "requestId"],
    }
