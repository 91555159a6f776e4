import pytest
from flask.testing import FlaskClient
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from support.fake_api import SERVICES, FakeApi

from croupier_gateway.routes import Binding, RouteInvalid, _binding, bindings

ALL = bindings()
OPEN = {"ListGames", "GetGame", "GetRules", "GetTime", "CreatePlayer"}
"""What needs no token; the service checks the others, so the token has to reach it."""


def address(binding: Binding) -> str:
    return binding.template.format(**{name: f"the-{name}" for name in binding.path_fields})


def call(client: FlaskClient, binding: Binding, **headers: str) -> int:
    headers = {"Accept": "text/event-stream" if binding.streams else "application/json", **headers}
    response = client.open(
        address(binding), method=binding.verb, headers=headers, json={} if binding.takes_body else None
    )
    assert response.data is not None
    return response.status_code


def test_every_annotated_rpc_has_a_route_and_only_the_bots_stream_has_none() -> None:
    annotated = {
        method.full_name
        for service in SERVICES
        for method in service.methods
        if method.GetOptions().HasExtension(annotations_pb2.http)
    }
    everything = {method.full_name for service in SERVICES for method in service.methods}
    assert {binding.method.full_name for binding in ALL} == annotated
    assert everything - annotated == {"croupier.v1.Bots.Play"}
    assert len(ALL) == len(annotated) == 21


@pytest.mark.parametrize("binding", ALL, ids=lambda binding: binding.method.name)
def test_an_annotated_rpc_is_reached_with_the_fields_of_its_address(
    client: FlaskClient, api: FakeApi, binding: Binding
) -> None:
    assert call(client, binding) == 200
    assert [recorded.method for recorded in api.calls] == [binding.method.name]
    for name in binding.path_fields:
        assert getattr(api.last.request, name) == f"the-{name}"


@pytest.mark.parametrize(
    "binding", [b for b in ALL if b.method.name not in OPEN], ids=lambda binding: binding.method.name
)
def test_the_token_of_a_closed_rpc_reaches_the_service(client: FlaskClient, api: FakeApi, binding: Binding) -> None:
    call(client, binding, Authorization="Bearer s3cret")
    assert api.last.metadata["authorization"] == "Bearer s3cret"


def test_the_addresses_are_those_of_the_design() -> None:
    assert {f"{binding.verb} {binding.template}" for binding in ALL} == {
        "GET /v1/games",
        "GET /v1/games/{game}",
        "GET /v1/games/{game}/rules",
        "GET /v1/time",
        "POST /v1/players",
        "GET /v1/players/{player}",
        "GET /v1/players/{player}/events",
        "POST /v1/matches",
        "GET /v1/matches",
        "GET /v1/matches/{match}",
        "POST /v1/matches/{match}:join",
        "POST /v1/matches/{match}:leave",
        "POST /v1/matches/{match}:addBot",
        "POST /v1/matches/{match}:start",
        "POST /v1/matches/{match}:act",
        "POST /v1/matches/{match}:resign",
        "GET /v1/matches/{match}/events",
        "POST /v1/matches/{match}/events:ticket",
        "GET /v1/matches/{match}/replay",
    }


@pytest.mark.parametrize(
    ("accept", "method"),
    [
        ("text/event-stream", "WatchMatch"),
        ("text/event-stream, */*;q=0.1", "WatchMatch"),
        ("application/json;q=0.5, text/event-stream", "WatchMatch"),
        ("application/json, text/event-stream;q=0.5", "ListEvents"),
        ("text/event-stream;q=0", "ListEvents"),
        ("application/json", "ListEvents"),
        ("*/*", "ListEvents"),
        ("text/*", "ListEvents"),
        ("", "ListEvents"),
    ],
)
def test_accept_picks_the_stream(client: FlaskClient, api: FakeApi, accept: str, method: str) -> None:
    for path, rpc in (
        ("/v1/matches/abcd/events", method),
        ("/v1/players/me/events", {"WatchMatch": "WatchPlayer", "ListEvents": "ListPlayerEvents"}[method]),
    ):
        response = client.get(path, headers={"Accept": accept})
        assert response.data is not None
        assert api.last.method == rpc
        assert "Accept" in response.vary


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/v1/matches/abcd:act", {"POST", "OPTIONS"}),
        ("POST", "/v1/matches/abcd", {"GET", "HEAD", "OPTIONS"}),
        ("DELETE", "/v1/matches", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("PUT", "/healthz", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_another_method_is_refused_with_those_that_are_allowed(
    client: FlaskClient, method: str, path: str, allow: set[str]
) -> None:
    response = client.open(path, method=method)
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == allow
    problem = response.get_json()
    assert problem["reason"] == "METHOD_NOT_ALLOWED"
    assert problem["metadata"]["allow"] == response.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    ["/v1", "/v1/games/", "//v1/games", "/v1/nothing", "/v1/matches/abcd:jump", "/v1/matches/ab%2Fcd", "/static/x"],
)
def test_nothing_is_at_other_addresses(client: FlaskClient, api: FakeApi, path: str) -> None:
    response = client.post(path, json={}) if path.endswith(":jump") else client.get(path)
    assert response.status_code == 404
    assert response.content_type == "application/problem+json"
    assert response.get_json()["reason"] == "NOT_FOUND"
    assert api.calls == []


def test_head_is_get_without_a_body(client: FlaskClient, api: FakeApi) -> None:
    response = client.head("/v1/games")
    assert (response.status_code, response.data) == (200, b"")
    assert int(response.headers["Content-Length"]) == len('{"games":[]}')
    assert api.last.method == "ListGames"


def test_options_names_the_methods(client: FlaskClient, api: FakeApi) -> None:
    response = client.options("/v1/matches")
    assert response.status_code == 200
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    assert api.calls == []


def _rule(fields: str, address: str = "", body: str = "", *, streaming: bool = False) -> Binding:
    """A binding of an rpc that takes the named text fields."""
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    message = file.message_type.add(name="M")
    for number, name in enumerate(fields.split(), 1):
        message.field.add(name=name, number=number, type="TYPE_STRING", label="LABEL_OPTIONAL")
    file.service.add(name="S").method.add(name="Do", input_type=".t.M", output_type=".t.M", client_streaming=streaming)
    pool = DescriptorPool()
    pool.Add(file)
    rule = annotations_pb2.google_dot_api_dot_http__pb2.HttpRule(get=address, body=body)
    return _binding(pool.FindServiceByName("t.S").methods[0], rule)


def test_what_the_gateway_cannot_do_is_found_at_start_up() -> None:
    assert _rule("a b", "/v1/{a}/x/{b}:go").path_fields == ("a", "b")
    for fields, template, body, streaming in [
        ("a", "/v1/{a=things/*}", "", False),
        ("a", "/v1/{b}", "", False),
        ("a", "v1/a", "", False),
        ("a", "/v1/a", "a", False),
        ("a", "/v1/a", "", True),
    ]:
        with pytest.raises(RouteInvalid):
            _rule(fields, template, body, streaming=streaming)
