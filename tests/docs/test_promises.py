"""What breaks the clients of the REST API, and what it takes to do so all the same."""

import copy
from collections.abc import Callable
from typing import Any

import openapi_promises
import pytest
from openapi_promises import broken, promises, renewed, written

from croupier_gateway.openapi import document

DOCUMENT = document()
BEFORE = promises(DOCUMENT)
ACT, EVENTS = "/v1/matches/{match}:act", "/v1/matches/{match}/events"

Change = Callable[[Any], object]


def after(change: Change) -> dict[str, Any]:
    changed = copy.deepcopy(DOCUMENT)
    change(changed)
    return changed


def schema(its: Any, name: str) -> Any:
    return its["components"]["schemas"][name]


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (lambda its: its["paths"].pop(ACT), "gone: "),
        (lambda its: its["paths"]["/v1/matches"].pop("get"), "gone: GET /v1/matches"),
        (lambda its: its["paths"]["/v1/games"]["get"].update(security=[{"token": []}]), "gone: GET /v1/games needs no"),
        (lambda its: its["paths"][EVENTS]["get"]["parameters"].pop(1), f"gone: GET {EVENTS} query after"),
        (
            lambda its: its["paths"][EVENTS]["get"]["responses"]["200"]["content"].pop("text/event-stream"),
            f"gone: GET {EVENTS} answers 200 text/event-stream",
        ),
        (lambda its: schema(its, "Match")["required"].remove("sequence"), "gone: Match answers sequence"),
        (lambda its: schema(its, "Match")["properties"].pop("host"), "gone: Match answers host"),
        (
            lambda its: schema(its, "Match")["properties"]["sequence"].update(type="string"),
            "gone: Match answers sequence: integer",
        ),
        (lambda its: schema(its, "WindowKind")["enum"].remove("DRAFT"), "gone: WindowKind has DRAFT"),
        (lambda its: schema(its, "ActRequest")["properties"].pop("after"), "gone: ActRequest takes after"),
        (lambda its: schema(its, "ActRequest")["required"].append("requestId"), "new: ActRequest needs requestId"),
    ],
)
def test_this_breaks_somebody(change: Change, first: str) -> None:
    faults = broken(BEFORE, promises(after(change)))
    assert faults
    assert faults[0].startswith(first)


@pytest.mark.parametrize(
    "change",
    [
        lambda its: its["paths"].update({"/v1/more": its["paths"]["/v1/games"]}),
        lambda its: schema(its, "Match")["properties"].update(mood={"type": "string"}),
        lambda its: schema(its, "ActRequest")["properties"].update(mood={"type": "string"}),
        lambda its: schema(its, "WindowKind")["enum"].append("LEAD"),
        lambda its: schema(its, "CreateMatchRequest")["required"].remove("seats"),
        lambda its: schema(its, "Match").update(description="Other words."),
    ],
)
def test_this_breaks_nobody(change: Change) -> None:
    assert broken(BEFORE, promises(after(change))) == []


CHANGELOG = """# Changelog

## [Unreleased]

### API

- Match.host is gone; use
  Match.seats.

### Fixed

- Something else.

## [0.1.0]

### API

- An old one.
"""
WITHOUT_HOST = after(lambda its: schema(its, "Match")["properties"].pop("host"))


def test_a_broken_promise_needs_an_entry_in_the_changelog_and_each_its_own() -> None:
    kept = written("", BEFORE)
    assert renewed(kept, WITHOUT_HOST, "# Changelog\n") == (kept, ["gone: Match answers host: string always"])
    text, faults = renewed(kept, WITHOUT_HOST, CHANGELOG)
    assert faults == []
    entry, lines = openapi_promises.read(text)
    assert (entry, lines) == ("Match.host is gone; use Match.seats.", promises(WITHOUT_HOST))
    again = copy.deepcopy(WITHOUT_HOST)
    schema(again, "Match")["properties"].pop("preset")
    assert renewed(text, again, CHANGELOG)[1] == ["gone: Match answers preset: string always"]


def test_additions_are_kept_without_an_entry() -> None:
    text, faults = renewed(written("", promises(WITHOUT_HOST)), DOCUMENT, "# Changelog\n")
    assert (openapi_promises.read(text)[1], faults) == (BEFORE, [])


def test_a_renewed_list_names_an_entry_that_is_there() -> None:
    assert openapi_promises.accounted("Match.host is gone; use Match.seats.", CHANGELOG)
    assert openapi_promises.accounted("nothing so far", CHANGELOG)
    assert not openapi_promises.accounted("Something else.", CHANGELOG)
