"""Tables for schemathesis to play at, so that it reaches more than 404, and a check of our own.

Loaded into the process of `schemathesis run` with FUZZ_WEB, the gateway's address, and FUZZ_TOKEN, a player's token.
"""

import itertools
import json
import os
import urllib.error
import urllib.request
from typing import Any

import schemathesis
from schemathesis.core.failures import Failure

WEB, TOKEN = os.environ["FUZZ_WEB"], os.environ["FUZZ_TOKEN"]
AGAINST_BOTS = {"game": "six_nimmt", "seats": 3, "bots": [{"level": "random"}] * 2}
MALFORMED = ("INVALID_FIELD", "MALFORMED_JSON")

# What no schema can say: a request that fits and is called malformed all the same, by operation and field.
BEYOND_SCHEMAS = {
    ("createMatch", "bots"): "no more than there are seats",
    ("createMatch", "clock.windowDuration"): "at least 10 ms",
    ("listMatches", "player"): "`me`, or none",
    ("listMatches", "state"): "of others, only OPEN ones",
    ("listMatches", "yourTurn"): "of the caller's matches only",
    ("listPlayerEvents", "player"): "the caller's own feed only",
}

_turn = itertools.count()
_matches: list[str] = []
_running: list[str] = []


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Two calls of three that fit their schemas are about a table that is there; nobody waits long."""
    if case.query and "wait" in case.query:
        case.query["wait"] = "0.01s"
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or next(_turn) % 3 == 0:
        return
    place = case.path_parameters or {}
    if "game" in place:
        place["game"] = "six_nimmt"
    if "player" in place:
        place["player"] = "me"
    if isinstance(case.body, dict) and "game" in case.body:
        case.body["game"] = "six_nimmt"
    if "match" not in place:
        return
    body = case.body if isinstance(case.body, dict) else {}
    if case.path.endswith(":join"):
        place["match"] = _table_of_another()
        body.pop("seat", None)
    elif case.path.endswith(":act"):
        place["match"] = _answer_a_window(body)
    else:
        place["match"] = _a_match()


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Remember the tables that were opened on the way."""
    if case.operation.definition.raw.get("operationId") == "createMatch" and response.status_code == 200:
        _matches.append(response.json()["id"])


@schemathesis.check
def what_fits_is_never_called_malformed(ctx: Any, response: Any, case: Any) -> None:
    """A request that fits its schema may be refused, but not as malformed."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    problem = response.json()
    name = case.operation.definition.raw["operationId"]
    field = problem["metadata"].get("field", "").split("[")[0]
    if problem["reason"] in MALFORMED and (name, field) not in BEYOND_SCHEMAS:
        raise Failure(
            operation=case.operation.label, title="What fits is called malformed", message=json.dumps(problem)
        )


def _a_match() -> str:
    """One of the tables that are there; now and then a new one, against bots."""
    if not _matches or next(_turn) % 20 == 0:
        opened = _call("POST", "/v1/matches", AGAINST_BOTS)
        if opened is not None:
            _matches.append(opened["id"])
    recent = _matches[-5:]
    return recent[next(_turn) % len(recent)]


def _table_of_another() -> str:
    """A table with a free seat, which somebody else has opened."""
    host = _call("POST", "/v1/players", {})
    opened: str = _call("POST", "/v1/matches", {"game": "six_nimmt", "seats": 2}, host["token"])["id"]
    return opened


def _answer_a_window(body: dict[str, Any]) -> str:
    """A match that asks the player, with its window and one of its choices in the body of an act."""
    match = _call("GET", f"/v1/matches/{_running[-1]}") if _running else None
    if match is None or not match["you"].get("window", {}).get("choices"):
        match = _call("POST", "/v1/matches", AGAINST_BOTS)
        _running.append(match["id"])
    window = match["you"]["window"]
    body |= {"window": window["id"], "after": 0}
    if "choice" in body:
        body["choice"] = 0
    else:
        body["action"] = window["choices"][0]
    return str(match["id"])


def _call(method: str, path: str, body: object = None, token: str = TOKEN) -> Any:
    request = urllib.request.Request(WEB + path, method=method)
    request.add_header("authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError:
        return None
