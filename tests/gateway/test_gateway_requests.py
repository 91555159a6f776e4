import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fake_api import FakeApi
from werkzeug.test import TestResponse

from croupier.v1 import matches_pb2, players_pb2, six_nimmt_pb2
from croupier_gateway.requests import MAX_BODY_BYTES

ACT = "/v1/matches/abcd:act"


def problem(response: TestResponse, status: int, reason: str) -> dict[str, str]:
    body = response.get_json()
    assert response.content_type == "application/problem+json"
    assert (response.status_code, body["status"], body["reason"]) == (status, status, reason)
    assert body["requestId"] == response.headers["X-Request-Id"]
    metadata: dict[str, str] = body["metadata"]
    assert "?" not in body["detail"], "every blank of the text is filled"
    return metadata


def post(
    client: FlaskClient, body: str | bytes, path: str = ACT, content_type: str = "application/json"
) -> TestResponse:
    return client.post(path, data=body, content_type=content_type)


def test_a_body_becomes_the_request(client: FlaskClient, api: FakeApi) -> None:
    post(
        client,
        json.dumps(
            {
                "requestId": "r1",
                "match_id": "my-match",
                "game": "six_nimmt",
                "seats": 4,
                "options": {"sixNimmt": {"cards": "TACTIC", "placement": "NORMAL"}},
                "visibility": "PRIVATE",
                "bots": [{"level": "careful"}, {"player": "p1"}],
                "clock": {"windowDuration": "1.5s"},
                "preset": None,
                "spectate": True,
            }
        ),
        "/v1/matches",
    )
    expected = matches_pb2.CreateMatchRequest(
        request_id="r1",
        match_id="my-match",
        game="six_nimmt",
        seats=4,
        visibility=matches_pb2.Visibility.PRIVATE,
        bots=[matches_pb2.BotRequest(level="careful"), matches_pb2.BotRequest(player="p1")],
        spectate=True,
    )
    expected.options.six_nimmt.cards = six_nimmt_pb2.SixNimmtCards.TACTIC
    expected.options.six_nimmt.placement = six_nimmt_pb2.SixNimmtPlacement.NORMAL
    expected.clock.window_duration.FromMilliseconds(1500)
    assert api.last.request == expected


def _named(request: Any) -> Any:
    """With the request id replaced that the gateway has made up."""
    assert re.fullmatch("[0-9a-f]{32}", request.request_id)
    request.request_id = "made up"
    return request


def test_presence_is_kept(client: FlaskClient, api: FakeApi) -> None:
    post(client, '{"seat": 0}', "/v1/matches/abcd:join")
    assert api.last.request.HasField("seat")
    post(client, '{"seat": null}', "/v1/matches/abcd:join")
    assert not api.last.request.HasField("seat")
    post(client, '{"choice": 0}')
    assert api.last.request.WhichOneof("what") == "choice"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_an_empty_body_is_an_empty_object(client: FlaskClient, api: FakeApi, content_type: str) -> None:
    assert post(client, b"", "/v1/matches/abcd:leave", content_type).status_code == 200
    assert _named(api.last.request) == matches_pb2.LeaveMatchRequest(match="abcd", request_id="made up")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"no",
        b"{} {}",
        b"[]",
        b"null",
        b'"text"',
        b"7",
        b'{"window": "w", "window": "w"}',
        b'{"action": {"sixNimmt": {}, "sixNimmt": {}}}',
        b'{"choice": NaN}',
        b'{"choice": -Infinity}',
        b'{"choice": ' + b"1" * 5000 + b"}",
        b'{"window": "\xff"}',
        '{"window": "w"}'.encode("utf-16"),
        b'\xef\xbb\xbf{"window": "w"}',
        b"[" * 100_000,
        b'{"a":' * 40_000 + b"1" + b"}" * 40_000,
        b'{"window": ' + b"[" * 40 + b"]" * 40 + b"}",
    ],
)
def test_what_is_not_one_json_object_is_malformed(client: FlaskClient, api: FakeApi, body: bytes) -> None:
    assert problem(post(client, body), 400, "MALFORMED_JSON")["problem"]
    assert api.calls == []


@pytest.mark.parametrize(
    ("path", "body", "field", "said"),
    [
        (ACT, {"windw": "w"}, "windw", "no such field"),
        (ACT, {"action": {"chess": {}}}, "action.chess", "no such field"),
        (ACT, {"action": {"sixNimmt": {"commit": {"card": "x"}}}}, "action.sixNimmt.commit.card", "whole number"),
        (ACT, {"action": {"sixNimmt": {"commit": {"card": 2**31}}}}, "action.sixNimmt.commit.card", "32 bits"),
        (ACT, {"action": {"sixNimmt": {"commit": {"card": 1.5}}}}, "action.sixNimmt.commit.card", "whole number"),
        (ACT, {"action": {"sixNimmt": {"commit": {"card": True}}}}, "action.sixNimmt.commit.card", "whole number"),
        (ACT, {"action": {"sixNimmt": {"commit": {"card": [1]}}}}, "action.sixNimmt.commit.card", "whole number"),
        (ACT, {"action": {"sixNimmt": {"commit": 14}}}, "action.sixNimmt.commit", "not an object"),
        (ACT, {"action": []}, "action", "not an object"),
        (ACT, {"action": ""}, "action", "not an object"),
        (ACT, {"action": {"sixNimmt": {"commit": {}, "pick": {}}}}, "action.sixNimmt.pick", "commit"),
        (ACT, {"choice": 1, "action": {}}, "action", "choice"),
        (ACT, {"action": {"sixNimmt": {}, "durak": {}}}, "action.durak", "only one of it and sixNimmt"),
        (ACT, {"window": 7}, "window", "not text"),
        (ACT, {"window": "\ud800"}, "window", "not text"),
        (ACT, {"requestId": "a", "request_id": "a"}, "request_id", "twice"),
        (ACT, {"match": "other"}, "match", "differs from the address"),
        ("/v1/matches", {"seats": "four"}, "seats", "whole number"),
        ("/v1/matches", {"spectate": "yes"}, "spectate", "true or false"),
        ("/v1/matches", {"visibility": "SECRET"}, "visibility", "one of PUBLIC, PRIVATE"),
        ("/v1/matches", {"visibility": "\ud800"}, "visibility", "one of PUBLIC, PRIVATE"),
        ("/v1/matches", {"visibility": 1}, "visibility", "one of PUBLIC, PRIVATE"),
        ("/v1/matches", {"visibility": "1"}, "visibility", "one of PUBLIC, PRIVATE"),
        ("/v1/matches", {"seats": "4"}, "seats", "whole number"),
        ("/v1/matches", {"visibility": ["PUBLIC"]}, "visibility", "one of PUBLIC, PRIVATE"),
        ("/v1/matches", {"options": {"sixNimmt": {"cards": "TAROT"}}}, "options.sixNimmt.cards", "one of STANDARD"),
        ("/v1/matches", {"clock": {"windowDuration": "20"}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"clock": {"windowDuration": 20}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"clock": {"windowDuration": "1e30s"}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"clock": {"windowDuration": "1_0s"}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"clock": {"windowDuration": "-1s"}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"clock": {"windowDuration": "01s"}}, "clock.windowDuration", "duration"),
        ("/v1/matches", {"bots": {"level": "careful"}}, "bots", "not a list"),
        ("/v1/matches", {"bots": [{"level": "careful"}, None]}, "bots[1]", "not an object"),
        ("/v1/matches", {"bots": [{"levl": "careful"}]}, "bots[0].levl", "no such field"),
        ("/v1/matches", {"options": {"judge": "GIVER"}}, "options.judge", "options.freedomOfSpeech can have it"),
        ("/v1/matches", {"[croupier.v1.rules]": 1}, "[croupier.v1.rules]", "no such field"),
        ("/v1/matches", {"\udfff": 1}, "?", "no such field"),
    ],
)
def test_a_bad_field_is_named(
    client: FlaskClient, api: FakeApi, path: str, body: dict[str, Any], field: str, said: str
) -> None:
    response = client.post(path, data=json.dumps(body), content_type="application/json")
    refused = response.get_json()
    assert (response.status_code, refused["reason"]) == (400, "INVALID_FIELD")
    assert refused["metadata"]["field"] == field
    assert said in refused["metadata"]["problem"]
    assert api.calls == []


def test_the_address_may_be_repeated_in_the_body(client: FlaskClient, api: FakeApi) -> None:
    assert post(client, '{"match": "abcd", "window": "w"}').status_code == 200
    assert _named(api.last.request) == matches_pb2.ActRequest(match="abcd", window="w", request_id="made up")


@pytest.mark.parametrize(
    ("content_type", "headers"),
    [
        ("text/plain", {}),
        ("application/x-www-form-urlencoded", {}),
        ("multipart/form-data; boundary=x", {}),
        ("application/json; charset=latin-1", {}),
        ("application/json", {"Content-Encoding": "gzip"}),
        ("", {}),
    ],
)
def test_a_body_must_be_plain_json(
    client: FlaskClient, api: FakeApi, content_type: str, headers: dict[str, str]
) -> None:
    response = client.post(ACT, data=b"{}", content_type=content_type, headers=headers)
    problem(response, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert api.calls == []


@pytest.mark.parametrize("content_type", ["application/json; charset=UTF-8", "Application/JSON"])
def test_json_may_say_that_it_is_utf_8(client: FlaskClient, api: FakeApi, content_type: str) -> None:
    body = '{"displayName": "Ганна"}'.encode()
    assert post(client, body, "/v1/players", content_type).status_code == 200
    assert api.last.request.display_name == "Ганна"


def test_a_body_has_256_kib_at_most(client: FlaskClient, api: FakeApi) -> None:
    frame = len('{"window":""}')
    assert post(client, '{"window":"' + "w" * (MAX_BODY_BYTES - frame) + '"}').status_code == 200
    response = post(client, '{"window":"' + "w" * (MAX_BODY_BYTES - frame + 1) + '"}')
    assert problem(response, 413, "BODY_TOO_LARGE")["limit"] == "262144"
    assert len(api.calls) == 1


def test_query_parameters_are_typed_and_have_two_spellings(client: FlaskClient, api: FakeApi) -> None:
    client.get("/v1/matches?player=me&state=RUNNING&pageSize=5&page_token=t%2B1&game=six_nimmt")
    assert api.last.request == matches_pb2.ListMatchesRequest(
        player="me", state=matches_pb2.MatchState.RUNNING, page_size=5, page_token="t+1", game="six_nimmt"
    )
    client.get("/v1/matches/abcd/events?after=0&wait=0.5s&page_size=10")
    expected = matches_pb2.ListEventsRequest(match="abcd", after=0, page_size=10)
    expected.wait.FromMilliseconds(500)
    assert api.last.request == expected
    assert api.last.request.HasField("after")


@pytest.mark.parametrize(
    ("path", "field", "said"),
    [
        ("/v1/matches?sate=RUNNING", "sate", "no such parameter"),
        ("/v1/games?x", "x", "no such parameter"),
        ("/v1/matches/abcd?match=abcd", "match", "no such parameter"),
        ("/v1/matches?state=STARTED", "state", "one of OPEN, RUNNING, OVER, ABANDONED"),
        ("/v1/matches?state=2", "state", "one of OPEN"),
        ("/v1/matches?state=", "state", "one of OPEN"),
        ("/v1/matches?pageSize=ten", "pageSize", "whole number"),
        ("/v1/matches?pageSize=", "pageSize", "whole number"),
        ("/v1/matches?pageSize=1_0", "pageSize", "whole number"),
        ("/v1/matches?pageSize=%D9%A1", "pageSize", "whole number"),
        ("/v1/matches?pageSize=4294967296", "pageSize", "32 bits"),
        ("/v1/matches?pageSize=1&page_size=2", "page_size", "twice"),
        ("/v1/matches?game=a&game=a", "game", "twice"),
        ("/v1/matches?player=%FF", "query", "UTF-8"),
        ("/v1/matches?" + "&".join(["player=a"] * 101), "query", "more than 100"),
        ("/v1/matches/abcd/events?wait=20", "wait", "duration"),
        ("/v1/matches/abcd/events?wait=twenty", "wait", "duration"),
        ("/v1/matches/abcd/events?after=last", "after", "whole number"),
    ],
)
def test_a_bad_parameter_is_named(client: FlaskClient, api: FakeApi, path: str, field: str, said: str) -> None:
    metadata = problem(client.get(path), 400, "INVALID_FIELD")
    assert metadata["field"] == field
    assert said in metadata["problem"]
    assert api.calls == []


def test_raw_bytes_in_a_query_are_no_crash(client: FlaskClient) -> None:
    response = client.get("/v1/matches", environ_overrides={"QUERY_STRING": "player=\xff"})
    assert problem(response, 400, "INVALID_FIELD")["field"] == "query"


def test_a_call_with_a_body_takes_no_query(client: FlaskClient, api: FakeApi) -> None:
    assert problem(client.post(ACT + "?window=w", json={}), 400, "INVALID_FIELD")["field"] == "window"
    assert api.calls == []


def test_an_answer_is_printed_whole(client: FlaskClient, api: FakeApi) -> None:
    api.answers["JoinMatch"] = lambda request, context: matches_pb2.Match(
        id="abcd",
        state=matches_pb2.MatchState.RUNNING,
        seats=[matches_pb2.Seat(display_name="Ганна"), matches_pb2.Seat(player="p", team=0)],
        you=matches_pb2.You(seat=0, window=matches_pb2.Window(id="w", must=[0])),
    )
    response = client.post("/v1/matches/abcd:join", json={})
    assert response.content_type == "application/json"
    assert "Ганна".encode() in response.data
    body = response.get_json()
    assert body["state"] == "RUNNING"
    assert body["sequence"] == 0, "fields without presence are always there"
    assert body["visibility"] == "VISIBILITY_UNSPECIFIED"
    assert body["you"]["seat"] == 0
    assert body["you"]["window"]["must"] == [0]
    assert body["you"]["window"]["may"] == body["you"]["window"]["choices"] == []
    assert "view" not in body["you"]
    assert "player" not in body["seats"][0], "fields with presence are there when they are set"
    assert (body["seats"][1]["player"], body["seats"][1]["team"]) == ("p", 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["action", "sixNimmt", "commit", "card", "choice", "window", "after", "clock", "windowDuration", "bots"]
            )
            | st.text(max_size=3),
            children,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(value=JSON, path=st.sampled_from([ACT, "/v1/matches", "/v1/matches/abcd:join", "/v1/players"]))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_taken_or_refused_with_a_reason(client: FlaskClient, value: Any, path: str) -> None:
    response = client.post(path, data=json.dumps(value), content_type="application/json")
    assert response.status_code in (200, 400)
    if response.status_code == 400:
        assert response.get_json()["reason"] in ("INVALID_FIELD", "MALFORMED_JSON")


@given(body=st.binary(max_size=60))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_taken_or_refused_with_a_reason(client: FlaskClient, body: bytes) -> None:
    assert post(client, body, "/v1/players").status_code in (200, 400)


def test_a_player_is_created_without_a_token(client: FlaskClient, api: FakeApi) -> None:
    api.answers["CreatePlayer"] = lambda request, context: players_pb2.CreatePlayerResponse(token="t")
    assert client.post("/v1/players", json={"displayName": "Ann"}).get_json() == {"token": "t"}
    assert "authorization" not in api.last.metadata


def test_a_member_twice_among_very_many_is_found_as_quickly_as_it_is_read(client: FlaskClient) -> None:
    members = ",".join(f'"m{n}":0' for n in range(20_000))
    body = "{" + members + ',"zz":1,"zz":2}'
    assert len(body) < MAX_BODY_BYTES
    assert "zz" in problem(post(client, body), 400, "MALFORMED_JSON")["problem"]
