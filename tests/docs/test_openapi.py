"""The description of the API: valid, complete, and the same as the committed one."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import generate_docs
import openapi_promises
import pytest
from openapi_spec_validator import validate

from croupier.errors import CATALOGUE
from croupier_gateway.app import create_app
from croupier_gateway.config import Settings
from croupier_gateway.openapi import document
from croupier_gateway.openapi.schemas import _up_to
from croupier_gateway.routes import bindings
from croupier_service.auth import OPEN_METHODS

DOCS = Path(__file__).resolve().parents[2] / "docs"
DOCUMENT: dict[str, Any] = json.loads(json.dumps(document()))  # as it is sent
SCHEMAS = DOCUMENT["components"]["schemas"]
MATCH_EVENTS = DOCUMENT["paths"]["/v1/matches/{match}/events"]["get"]


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, verbs in DOCUMENT["paths"].items():
        for verb, operation in verbs.items():
            yield f"{verb.upper()} {path}", operation


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(each)


def test_it_is_valid() -> None:
    validate(DOCUMENT)


@pytest.mark.parametrize("name", generate_docs.pages())
def test_the_committed_pages_are_those_of_today(name: str) -> None:
    kept = (DOCS / name).read_text(encoding="utf-8")
    assert kept == generate_docs.pages()[name], "run `make docs`, and look at what has changed"


def test_no_promise_is_broken() -> None:
    entry, lines = openapi_promises.read((DOCS / generate_docs.PROMISES).read_text(encoding="utf-8"))
    now = openapi_promises.promises(DOCUMENT)
    assert openapi_promises.broken(lines, now) == []
    assert lines == now, "run `make docs`"
    changelog = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert openapi_promises.accounted(entry, changelog), "the promises were renewed for no entry of the changelog"


def test_every_address_that_answers_json_is_described() -> None:
    app = create_app(Settings())
    served: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<segment:(\w+)>", r"{\1}", rule.rule)
        if not path.startswith("/docs") and path not in ("/", "/openapi.json"):
            served.setdefault(path, set()).update((rule.methods or set()) - {"HEAD", "OPTIONS"})
    described = {path: {verb.upper() for verb in verbs} for path, verbs in DOCUMENT["paths"].items()}
    assert described == served


def test_what_needs_no_token_is_what_the_service_leaves_open() -> None:
    described = {operation["operationId"]: operation["security"] for _, operation in operations()}
    for binding in bindings():
        name = binding.method.name[0].lower() + binding.method.name[1:]
        if not binding.streams:
            assert (described[name] == []) == (binding.grpc_path in OPEN_METHODS), name


# Rules of style, as linters of OpenAPI have them.


def test_every_operation_is_described_whole() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    assert len(set(names)) == len(names)
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    assert all(tag["description"] for tag in DOCUMENT["tags"])
    for where, operation in operations():
        assert re.fullmatch(r"[a-z][A-Za-z]+", operation["operationId"]), where
        assert len(operation["tags"]) == 1, where
        assert set(operation["tags"]) <= tags, where
        assert 0 < len(operation["summary"]) < 140, where
        assert not operation["summary"].endswith("."), where
        assert operation["description"].endswith("."), where
        assert "Errors:" not in operation["description"], where
        assert "200" in operation["responses"], where
        for status, response in operation["responses"].items():
            assert "$ref" in response or response["description"], (where, status)


def test_every_path_parameter_is_described_and_none_else() -> None:
    for where, operation in operations():
        path = [each["name"] for each in operation.get("parameters", ()) if each.get("in") == "path"]
        assert path == re.findall(r"\{(\w+)\}", where), where
        assert all(each.get("$ref") or each["description"] for each in operation.get("parameters", ())), where


def test_every_schema_and_property_has_a_description() -> None:
    for name, schema in SCHEMAS.items():
        assert schema["description"], name
        for field, its in schema.get("properties", {}).items():
            assert its["description"], f"{name}.{field}"


def test_every_component_is_used_and_every_reference_leads_somewhere() -> None:
    used = {node["$ref"] for node in nodes(DOCUMENT) if "$ref" in node}
    there = {
        f"#/components/{kind}/{name}"
        for kind, each in DOCUMENT["components"].items()
        for name in each
        if kind != "securitySchemes"
    }
    assert used == there
    schemes = {name for _, operation in operations() for way in operation["security"] for name in way}
    assert schemes == set(DOCUMENT["components"]["securitySchemes"])


def test_every_text_that_is_taken_is_bounded() -> None:
    for name, schema in SCHEMAS.items():
        if schema.get("additionalProperties") is False:
            for field, its in schema["properties"].items():
                kinds = its.get("type", ())
                if "string" in kinds:
                    assert its.keys() & {"maxLength", "pattern", "enum"}, f"{name}.{field}"
                if "array" in kinds:
                    assert "maxItems" in its, f"{name}.{field}"
                if "integer" in kinds:
                    assert its.keys() >= {"minimum", "maximum"}, f"{name}.{field}"


def test_every_reason_of_the_proto_comments_is_in_the_catalogue_under_its_status() -> None:
    for where, operation in operations():
        for status, response in operation["responses"].items():
            for node in nodes(response):
                for reason in node.get("reason", {}).get("enum", ()):
                    assert CATALOGUE[reason].http == int(status), where


# What JSON Schema can say of the API's JSON.


def test_rules_of_fields_are_in_the_schemas() -> None:
    create = SCHEMAS["CreateMatchRequest"]
    assert create["required"] == ["game", "seats"]
    assert create["properties"]["matchId"]["pattern"] == "^([a-z0-9][a-z0-9-]{3,62})?$"
    assert create["properties"]["seats"] == {
        "type": "integer",
        "format": "int32",
        "minimum": 1,
        "maximum": 64,
        "description": "How many play.",
    }
    assert create["properties"]["options"]["anyOf"] == [
        {"$ref": "#/components/schemas/OptionsInput"},
        {"type": "null"},
    ]
    assert create["additionalProperties"] is False
    assert "additionalProperties" not in SCHEMAS["Match"], "an answer may grow"


def test_an_answer_has_its_fields_without_presence() -> None:
    seat = SCHEMAS["Seat"]
    assert seat["required"] == ["displayName", "bot", "present", "committed", "score", "epoch", "resigned"]
    assert SCHEMAS["ListEventsResponse"]["required"] == ["events", "next", "nextMark"]


def test_enums_are_names_with_their_meaning() -> None:
    visibility = SCHEMAS["Visibility"]
    assert visibility["enum"] == ["PUBLIC", "PRIVATE"]
    assert "- `PRIVATE`: Unlisted; joining takes the join code" in visibility["description"]


def test_of_a_choice_one_is_given() -> None:
    assert [way["required"] for way in SCHEMAS["ActRequest"]["oneOf"]] == [["action"], ["choice"]]
    games = [["sixNimmt"], ["durak"], ["freedomOfSpeech"]]
    assert [way["required"] for way in SCHEMAS["ActionInput"]["oneOf"]] == games
    assert [way.get("required") for way in SCHEMAS["OptionsInput"]["oneOf"]] == [*games, None]
    ways = SCHEMAS["Event"]["oneOf"]
    assert [way.get("required") for way in ways] == [["match"], *games, None]
    assert ways[4]["properties"] == {"match": False, "sixNimmt": False, "durak": False, "freedomOfSpeech": False}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("0s", True),
        ("9s", True),
        ("19.5s", True),
        ("29.999999999s", True),
        ("30s", True),
        ("30.000s", True),
        ("30.1s", False),
        ("31s", False),
        ("300s", False),
        ("030s", False),
        ("-1s", False),
        ("30", False),
    ],
)
def test_the_longest_duration_is_in_the_pattern(text: str, fits: bool) -> None:
    wait = next(each for each in MATCH_EVENTS["parameters"] if each.get("name") == "wait")
    assert bool(re.fullmatch(wait["schema"]["pattern"], text)) == fits


@pytest.mark.parametrize("most", [1, 9, 10, 30, 100, 907, 86_400, 2_592_000])
def test_no_number_is_left_out_or_let_in(most: int) -> None:
    pattern = re.compile(_up_to(most))
    numbers = {0, 1, 9, 10, 99, 100, 999, 1000, *range(max(0, most - 200), most + 200), most * 10}
    assert {each for each in numbers if pattern.fullmatch(str(each))} == {each for each in numbers if each <= most}


def test_events_come_as_json_and_as_a_stream() -> None:
    content = MATCH_EVENTS["responses"]["200"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/ListEventsResponse"}
    stream = content["text/event-stream"]
    assert set(stream["schema"]["contentSchema"]["properties"]) == {"snapshot", "event", "window", "end"}
    assert "- `snapshot`: The whole match." in stream["schema"]["description"]
    assert MATCH_EVENTS["security"] == [{"token": []}, {"ticket": []}]
    assert "ticket" not in [each.get("name") for each in MATCH_EVENTS["parameters"]]


def test_the_rules_refusals_are_named_with_an_act() -> None:
    act = DOCUMENT["paths"]["/v1/matches/{match}:act"]["post"]["responses"]
    problem = act["422"]["content"]["application/problem+json"]["schema"]["properties"]["reason"]["enum"]
    assert {"GAME_OVER", "CARD_NOT_HELD", "ROW_OUT_OF_RANGE"} <= set(problem)
    assert "TICK_EARLY" not in problem, "no client can tick"
