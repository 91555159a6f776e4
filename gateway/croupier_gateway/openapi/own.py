"""The gateway's own addresses that answer JSON, which no proto file describes."""

from typing import Any

from croupier_gateway.openapi.operations import refusal

_STATUS = {"ok": "200", "busy": "503"}
_REQUEST_ID = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}


def _answer(description: str, required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"description": description, "headers": _REQUEST_ID, "content": {"application/json": {"schema": schema}}}


def _get(name: str, summary: str, **responses: dict[str, Any]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": name,
            "tags": ["Server"],
            "summary": summary,
            "description": f"{summary}.",
            "security": [],
            "responses": {status: responses[word] for word, status in _STATUS.items() if word in responses},
        }
    }


def _state(word: str) -> dict[str, Any]:
    return {"status": {"type": "string", "const": word, "description": "The word for it."}}


OWN_PATHS: dict[str, Any] = {
    "/version": _get(
        "getVersion",
        "Which version this is",
        ok=_answer(
            "The version.",
            ["version", "api"],
            {
                "version": {"type": "string", "description": "Of the distribution."},
                "api": {"type": "string", "description": "Of the API."},
                "revision": {"type": "string", "description": "What it was built from; absent if nobody said."},
            },
        ),
    ),
    "/healthz": _get("isAlive", "Whether the process lives", ok=_answer("It lives.", ["status"], _state("alive"))),
    "/readyz": _get(
        "isReady",
        "Whether the service behind it serves",
        ok=_answer("It serves.", ["status"], _state("ready")),
        busy=refusal(503, ["UNAVAILABLE"]),
    ),
}
