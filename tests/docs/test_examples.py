"""The examples of the description are true: each request is sent, each answer has the shape of a real one."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from support.house import House, running_house
from support.processes import eventually
from support.rest import RestPlayer

from croupier_gateway.openapi.examples import EXAMPLES
from croupier_gateway.routes import bindings

UNARY = {binding.method.name: binding for binding in bindings() if not binding.streams}
REQUESTS = [(rpc, name) for rpc, each in EXAMPLES.items() for name in each.get("requests", ())]
ANSWERS = [(rpc, name) for rpc, each in EXAMPLES.items() for name in each.get("answers", ())]

# What an answer has, or an event is, by the fall of the cards and by who is quicker.
AT_TIMES = {"window", "deadlineTime", "chosen", "card", "committed", "revealed", "placed", "rowTaken", "commit", "row"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("examples") / "data") as house:
        yield house


def request(rpc: str, name: str) -> Any:
    return copy.deepcopy(EXAMPLES[rpc]["requests"][name]["value"])


def shape(value: Any) -> Any:
    """The names of the members, and in lists those of all items together; of values only the kind."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [merged([shape(each) for each in value])] if value else []
    return re.sub("int|float", "number", type(value).__name__)


def merged(shapes: list[Any]) -> Any:
    if not all(isinstance(each, dict) for each in shapes):
        return shapes[0]
    names = dict.fromkeys(name for each in shapes for name in each)
    return {name: merged([each[name] for each in shapes if name in each]) for name in names}


def test_every_answer_is_of_its_message() -> None:
    for rpc, name in ANSWERS:
        ParseDict(EXAMPLES[rpc]["answers"][name]["value"], UNARY[rpc].response_class())


def test_every_request_is_of_its_message() -> None:
    for rpc, name in REQUESTS:
        message: Message = UNARY[rpc].request_class()
        ParseDict(request(rpc, name), message)


def test_they_are_a_story(house: House) -> None:
    """Ann makes herself known, opens both tables, a friend and a bot join one, and she plays at the other."""
    ann = RestPlayer(house.web)
    made = ann.call("POST", "/v1/players", request("CreatePlayer", "guest"))
    ann.token = made["token"]
    match = ann.call("POST", "/v1/matches", request("CreateMatch", "againstBots"))
    table = ann.call("POST", "/v1/matches", request("CreateMatch", "forFriends"))
    home = ann.call("GET", "/v1/players/me/events")
    friend, asked = RestPlayer(house.web), request("JoinMatch", "byCode")
    friend.call("POST", f"/v1/matches/{table['id']}:join", {**asked, "joinCode": table["joinCode"]})
    full = ann.call("POST", f"/v1/matches/{table['id']}:addBot", request("AddBot", "careful"))
    assert full["state"] == "RUNNING"
    ticket = ann.call("POST", f"/v1/matches/{match['id']}/events:ticket", {})
    # The cards are others than in the example.
    window = match["you"]["window"]
    act = {**request("Act", "action"), "window": window["id"], "action": window["choices"][0]}
    acted = ann.call("POST", f"/v1/matches/{match['id']}:act", act)
    assert eventually(lambda: bool(ann.get(match["id"])["you"]["window"]["choices"]))
    again = {**request("Act", "choice"), "window": ann.get(match["id"])["you"]["window"]["id"]}
    ann.call("POST", f"/v1/matches/{match['id']}:act", again)
    real = {
        "CreatePlayer": made,
        "CreateMatch": match,
        "Act": acted,
        "ListEvents": ann.events(match["id"], match["sequence"]),
        "ListPlayerEvents": home,
        "CreateEventsTicket": ticket,
    }
    assert {rpc for rpc, _ in ANSWERS} == set(real)
    for rpc, name in ANSWERS:
        shown = shape(EXAMPLES[rpc]["answers"][name]["value"])
        assert_like(shown, shape(real[rpc]), rpc)


def assert_like(shown: Any, real: Any, where: str) -> None:
    """What always is in an answer is in both; what is there only at times may be in one alone."""
    if isinstance(shown, dict) and isinstance(real, dict):
        assert shown.keys() ^ real.keys() <= AT_TIMES, (where, shown.keys() ^ real.keys())
        for name in shown.keys() & real.keys():
            assert_like(shown[name], real[name], f"{where}.{name}")
    elif isinstance(shown, list) and isinstance(real, list):
        if shown and real:
            assert_like(shown[0], real[0], f"{where}[]")
    else:
        assert shown == real, where
