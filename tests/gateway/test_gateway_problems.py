import re
import time
from typing import Any

import grpc
import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi, refuse

from croupier.errors import CATALOGUE
from croupier.v1 import matches_pb2
from croupier_gateway.app import create_app
from croupier_gateway.config import Settings

CODES = {code.name: code for code in grpc.StatusCode}


def refusing(api: FakeApi, *args: Any, **kwargs: Any) -> None:
    api.answers["Act"] = lambda request, context: refuse(context, *args, **kwargs)


def act(client: FlaskClient, **headers: str) -> Any:
    return client.post("/v1/matches/abcd:act", json={}, headers=headers)


@pytest.mark.parametrize("reason", CATALOGUE)
def test_every_reason_has_its_status_and_the_services_text(client: FlaskClient, api: FakeApi, reason: str) -> None:
    entry = CATALOGUE[reason]
    refusing(api, CODES[entry.code], reason, "Карти 14 немає.", metadata={"card": "14"})
    response = act(client)
    assert response.status_code == entry.http
    assert response.content_type == "application/problem+json"
    body = response.get_json()
    assert body["type"] == f"/docs/errors#{reason}"
    assert body["title"]
    assert body["status"] == entry.http
    assert body["detail"] == "Карти 14 немає."
    assert body["reason"] == reason
    assert body["metadata"] == {"card": "14"}
    assert body["requestId"] == response.headers["X-Request-Id"]
    assert ("Retry-After" in response.headers) == (entry.http in (429, 503))
    assert (response.headers.get("WWW-Authenticate") == "Bearer") == (entry.http == 401)
    assert "window" not in body


def test_the_type_of_a_problem_is_a_place_on_a_page(client: FlaskClient, api: FakeApi) -> None:
    refusing(api, grpc.StatusCode.ABORTED, "STALE_WINDOW")
    page, anchor = act(client).get_json()["type"].split("#")
    assert f'id="{anchor}"' in client.get(page).text


def test_the_current_window_travels_with_a_refusal(client: FlaskClient, api: FakeApi) -> None:
    window = matches_pb2.Window(id="w2", kind=matches_pb2.WindowKind.CHOOSE, must=[0, 2])
    refusing(api, grpc.StatusCode.ABORTED, "STALE_WINDOW", metadata={"window": "w1"}, window=window)
    response = act(client)
    assert response.status_code == 409
    body = response.get_json()
    assert body["window"] == {
        "id": "w2",
        "kind": "CHOOSE",
        "must": [0, 2],
        "may": [],
        "actions": [],
        "choices": [],
        "epoch": 0,
    }


def test_a_large_window_still_fits(client: FlaskClient, api: FakeApi) -> None:
    window = matches_pb2.Window(id="w2", actions=["x" * 100] * 120)
    refusing(api, grpc.StatusCode.ABORTED, "STALE_WINDOW", "довгий текст " * 40, window=window)
    assert len(act(client).get_json()["window"]["actions"]) == 120


@pytest.mark.parametrize(("milliseconds", "seconds"), [(1, 1), (1000, 1), (1001, 2), (30_000, 30)])
def test_the_retry_time_is_rounded_up(client: FlaskClient, api: FakeApi, milliseconds: int, seconds: int) -> None:
    refusing(
        api,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "RATE_LIMITED",
        metadata={"limit": "players"},
        retry_milliseconds=milliseconds,
    )
    response = act(client)
    assert response.status_code == 429
    assert response.headers["Retry-After"] == str(seconds)
    assert response.get_json()["retryAfter"] == seconds
    assert response.get_json()["metadata"]["limit"] == "players"


def test_a_reason_that_is_newer_than_the_gateway_keeps_the_codes_status(client: FlaskClient, api: FakeApi) -> None:
    refusing(api, grpc.StatusCode.FAILED_PRECONDITION, "TRUMP_NOT_CHOSEN", "Choose a trump.")
    response = act(client)
    body = response.get_json()
    assert (response.status_code, body["reason"], body["detail"]) == (422, "TRUMP_NOT_CHOSEN", "Choose a trump.")
    assert body["type"] == "about:blank"


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.NOT_FOUND,
    ],
)
def test_a_fault_without_a_reason_is_internal_and_tells_nothing(
    client: FlaskClient, api: FakeApi, code: grpc.StatusCode
) -> None:
    api.answers["Act"] = lambda request, context: context.abort(code, "KeyError: 'hand of seat 3' in /srv/x.py")
    response = act(client, **{"X-Request-Id": "req-1"})
    assert response.status_code == 500
    body = response.get_json()
    assert body == {
        "type": "/docs/errors#INTERNAL",
        "title": "Internal",
        "status": 500,
        "detail": CATALOGUE["INTERNAL"].en.format(request="req-1"),
        "reason": "INTERNAL",
        "metadata": {"request": "req-1"},
        "requestId": "req-1",
    }


def test_details_that_are_not_ours_are_not_passed_on(client: FlaskClient, api: FakeApi) -> None:
    def garbled(request: Any, context: Any) -> None:
        context.set_trailing_metadata((("grpc-status-details-bin", b"\xff\xff"),))
        context.abort(grpc.StatusCode.INTERNAL, "x")

    api.answers["Act"] = garbled
    assert act(client).get_json()["reason"] == "INTERNAL"


def test_a_shed_call_may_be_sent_again(client: FlaskClient, api: FakeApi) -> None:
    api.answers["Act"] = lambda request, context: context.abort(grpc.StatusCode.CANCELLED, "")
    response = act(client)
    assert (response.status_code, response.get_json()["reason"]) == (503, "UNAVAILABLE")


def test_an_unreachable_service_is_unavailable(api: FakeApi) -> None:
    app = create_app(Settings(grpc_target="127.0.0.1:1"))
    client = app.test_client()
    for response in (act(client), client.get("/v1/games"), client.get("/readyz")):
        assert response.status_code == 503
        assert response.headers["Retry-After"] == "1"
        body = response.get_json()
        assert (body["reason"], body["retryAfter"]) == ("UNAVAILABLE", 1)
        assert "1 s" in body["detail"]
    assert client.get("/healthz").status_code == 200
    app.upstream.close()


def test_a_silent_service_is_a_deadline(client: FlaskClient, api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_gateway.transcode.UNARY_SECONDS", 0.2)
    api.answers["Act"] = lambda request, context: time.sleep(1)
    response = act(client)
    assert (response.status_code, response.get_json()["reason"]) == (504, "DEADLINE_EXCEEDED")


def test_a_long_poll_has_its_wait_and_then_some(client: FlaskClient, api: FakeApi) -> None:
    left: list[float] = []
    api.answers["ListEvents"] = lambda request, context: left.append(context.time_remaining())
    client.get("/v1/matches/abcd/events")
    client.get("/v1/matches/abcd/events?wait=20s")
    client.get("/v1/matches/abcd/events?wait=315576000000s")
    assert left == pytest.approx([10, 30, 70], abs=1)


def test_reads_are_tried_again_and_so_is_a_change_with_its_request_id(client: FlaskClient, api: FakeApi) -> None:
    """As when a replica dies: another one may answer."""

    def down(request: Any, context: Any) -> None:
        context.abort(grpc.StatusCode.UNAVAILABLE, "")

    api.answers.update(GetMatch=down, Act=down, CreatePlayer=down)
    assert client.get("/v1/matches/abcd").status_code == 503
    assert [call.method for call in api.calls] == ["GetMatch"] * 4
    assert act(client).status_code == 503
    assert [call.method for call in api.calls[4:]] == ["Act"] * 4
    assert len({call.request.request_id for call in api.calls[4:]}) == 1
    assert api.last.request.request_id
    assert client.post("/v1/players", json={}).status_code == 503
    assert [call.method for call in api.calls[8:]] == ["CreatePlayer"], "it has no request id"


def test_what_a_replica_that_goes_down_has_cancelled_is_asked_of_another(client: FlaskClient, api: FakeApi) -> None:
    def going(request: Any, context: Any) -> Any:
        if len(api.calls) < 3:
            context.abort(grpc.StatusCode.CANCELLED, "Cancelling all calls")
        return matches_pb2.Match(id="abcd")

    api.answers.update(GetMatch=going)
    assert client.get("/v1/matches/abcd").status_code == 200
    assert [call.method for call in api.calls] == ["GetMatch"] * 3


def test_what_the_service_itself_refuses_for_now_is_left_to_the_client(client: FlaskClient, api: FakeApi) -> None:
    def busy(request: Any, context: Any) -> None:
        context.set_trailing_metadata((("grpc-retry-pushback-ms", "-1"),))
        context.abort(grpc.StatusCode.UNAVAILABLE, "")

    api.answers.update(GetMatch=busy)
    assert client.get("/v1/matches/abcd").status_code == 503
    assert [call.method for call in api.calls] == ["GetMatch"]


@pytest.mark.parametrize(
    ("accept", "text"),
    [
        ("uk-UA,ru;q=0.5", CATALOGUE["NOT_FOUND"].uk),
        ("ru", CATALOGUE["NOT_FOUND"].ru),
        ("de, en;q=0.5", CATALOGUE["NOT_FOUND"].en),
        ("de", CATALOGUE["NOT_FOUND"].en),
        (";;;", CATALOGUE["NOT_FOUND"].en),
    ],
)
def test_the_gateways_own_errors_follow_accept_language(client: FlaskClient, accept: str, text: str) -> None:
    assert client.get("/v1/nothing", headers={"Accept-Language": accept}).get_json()["detail"] == text


def test_the_service_is_told_who_calls(client: FlaskClient, api: FakeApi) -> None:
    client.get(
        "/v1/time",
        headers={"Accept-Language": "uk", "X-Request-Id": "abc.1-2_3", "Authorization": "Bearer t"},
        environ_base={"REMOTE_ADDR": "203.0.113.7"},
    )
    metadata = api.last.metadata
    assert metadata["authorization"] == "Bearer t"
    assert metadata["accept-language"] == "uk"
    assert metadata["x-request-id"] == "abc.1-2_3"
    assert metadata["x-forwarded-for"] == "203.0.113.7"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "../..", 'a"', "ключ"])
def test_a_request_id_that_is_not_sane_is_replaced(client: FlaskClient, api: FakeApi, given: str) -> None:
    response = client.get("/v1/time", headers={"X-Request-Id": given})
    made = response.headers["X-Request-Id"]
    assert re.fullmatch("[0-9a-f]{32}", made)
    assert api.last.metadata["x-request-id"] == made


def test_a_sane_request_id_comes_back_everywhere(client: FlaskClient) -> None:
    for path in ("/v1/time", "/v1/nothing", "/healthz", "/version", "/", "/v1/matches?x=1"):
        assert client.get(path, headers={"X-Request-Id": "mine"}).headers["X-Request-Id"] == "mine"


@pytest.mark.parametrize("token", ["Bearer \x7f", "Bearer ключ", "Bearer " + "x" * 3000])
def test_a_token_that_grpc_cannot_carry_is_no_token(client: FlaskClient, api: FakeApi, token: str) -> None:
    response = client.get("/v1/matches", headers={"Authorization": token})
    assert (response.status_code, response.get_json()["reason"]) == (401, "UNAUTHENTICATED")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert api.calls == []


def test_a_fault_of_the_gateway_is_told_without_its_cause(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr("croupier_gateway.transcode.read", broken)
    client.application.testing = False
    response = client.get("/v1/time")
    assert (response.status_code, response.get_json()["reason"]) == (500, "INTERNAL")
    assert "secret" not in response.text
    assert [record.message for record in caplog.records] == ["a call failed"]


def test_browsers_of_other_origins_may_call(client: FlaskClient) -> None:
    response = client.options(
        "/v1/matches/abcd:act",
        headers={
            "Origin": "https://play.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type, last-event-id, x-request-id",
        },
    )
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in response.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip() for name in response.headers["Access-Control-Allow-Headers"].lower().split(",")}
    assert allowed == {"authorization", "content-type", "last-event-id", "x-request-id"}
    refused = client.get("/v1/matches?x=1", headers={"Origin": "https://play.example"})
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-Id" in refused.headers["Access-Control-Expose-Headers"]
    assert "Retry-After" in refused.headers["Access-Control-Expose-Headers"]


def test_origins_can_be_listed(api: FakeApi) -> None:
    app = create_app(Settings(grpc_target=api.target, cors_origins=("https://a.example", "https://b.example")))
    client = app.test_client()
    allowed = client.get("/v1/time", headers={"Origin": "https://a.example"})
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "Origin" in allowed.headers["Vary"]
    other = client.get("/v1/time", headers={"Origin": "https://c.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    app.upstream.close()


def test_ready_follows_the_services_health(client: FlaskClient, api: FakeApi) -> None:
    assert client.get("/readyz").get_json() == {"status": "ready"}
    api.serve(False)
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").get_json() == {"status": "alive"}
    api.serve(True)
    assert client.get("/readyz").status_code == 200
