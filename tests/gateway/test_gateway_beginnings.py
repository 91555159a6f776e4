"""How streams begin where a replica goes before it has said anything."""

import threading
from typing import Any

import grpc
import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi, refuse
from support.vanishing import WAYS, vanishing_service

from croupier.v1 import matches_pb2
from croupier_gateway.app import create_app
from croupier_gateway.config import Settings

EVENTS = "/v1/matches/abcd/events"
STREAM = {"Accept": "text/event-stream"}


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_whose_service_is_gone_is_refused_and_does_not_hang(way: str) -> None:
    with vanishing_service(WAYS[way]) as target:
        app = create_app(Settings(grpc_target=target))
        told: list[str] = []

        def watch() -> None:
            told.append(app.test_client().get(EVENTS, headers=STREAM, buffered=True).get_json()["reason"])

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        thread.join(10)
        assert told == ["UNAVAILABLE"]
        assert len(app.room) == 0
        app.close()


def test_a_stream_begins_at_another_replica(client: FlaskClient, api: FakeApi) -> None:
    def watch(request: Any, context: Any) -> Any:
        if len(api.calls) < 4:
            context.abort(grpc.StatusCode.UNAVAILABLE, "")
        return [matches_pb2.WatchMatchResponse(end=matches_pb2.StreamEnd(reason="OVER", sequence=7))]

    api.answers["WatchMatch"] = watch
    response = client.get(EVENTS + "?after=3", headers=STREAM)
    assert response.status_code == 200
    assert "event: end" in response.text
    assert [(call.method, call.request.after) for call in api.calls] == [("WatchMatch", 3)] * 4


def test_a_stream_is_left_to_the_client_when_nobody_takes_it(client: FlaskClient, api: FakeApi) -> None:
    api.answers["WatchMatch"] = lambda request, context: context.abort(grpc.StatusCode.UNAVAILABLE, "")
    response = client.get(EVENTS, headers=STREAM)
    assert (response.status_code, response.get_json()["reason"]) == (503, "UNAVAILABLE")
    assert len(api.calls) == 4


def test_a_ticket_that_was_spent_in_vain_is_not_held_against_the_client(client: FlaskClient, api: FakeApi) -> None:
    def watch(request: Any, context: Any) -> None:
        if len(api.calls) > 1:
            refuse(context, grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
        context.abort(grpc.StatusCode.UNAVAILABLE, "it goes when it has taken the ticket")

    api.answers["WatchMatch"] = watch
    response = client.get(EVENTS + "?ticket=t", headers=STREAM)
    assert (response.status_code, response.get_json()["reason"]) == (503, "UNAVAILABLE")
    assert len(api.calls) == 2
    response = client.get(EVENTS + "?ticket=t", headers=STREAM)
    assert (response.status_code, response.get_json()["reason"]) == (401, "UNAUTHENTICATED")


def test_a_stream_that_the_service_itself_refuses_for_now_is_left_to_the_client(
    client: FlaskClient, api: FakeApi
) -> None:
    def busy(request: Any, context: Any) -> None:
        context.set_trailing_metadata((("grpc-retry-pushback-ms", "-1"),))
        context.abort(grpc.StatusCode.UNAVAILABLE, "")

    api.answers["WatchMatch"] = busy
    assert client.get(EVENTS, headers=STREAM).status_code == 503
    assert len(api.calls) == 1


def test_what_has_begun_is_not_begun_again(client: FlaskClient, api: FakeApi) -> None:
    def watch(request: Any, context: Any) -> Any:
        yield matches_pb2.WatchMatchResponse(event=matches_pb2.Event(sequence=4))
        context.abort(grpc.StatusCode.UNAVAILABLE, "")

    api.answers["WatchMatch"] = watch
    assert client.get(EVENTS, headers=STREAM).text.count("event: ") == 1
    assert len(api.calls) == 1
