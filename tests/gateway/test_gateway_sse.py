"""Server-sent events: how they are written, and what a client may resume behind."""

import json
import re
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi, refuse

from croupier.v1 import matches_pb2, players_pb2
from croupier_gateway.sse import Told

Message = matches_pb2.WatchMatchResponse
EVENTS = "/v1/matches/abcd/events"


def snapshot(sequence: int, reason: str = "") -> Message:
    return Message(snapshot=matches_pb2.Snapshot(match=matches_pb2.Match(id="abcd", sequence=sequence), reason=reason))


def event(sequence: int) -> Message:
    return Message(event=matches_pb2.Event(sequence=sequence, type="match.joined"))


def window(sequence: int, name: str = "w") -> Message:
    you = matches_pb2.You(window=matches_pb2.Window(id=name))
    return Message(window=matches_pb2.WindowUpdate(sequence=sequence, you=you))


def end(sequence: int) -> Message:
    return Message(end=matches_pb2.StreamEnd(reason="OVER", sequence=sequence))


def heartbeat(sequence: int) -> Message:
    return Message(heartbeat=matches_pb2.Heartbeat(sequence=sequence))


def ids(told: Told, *messages: Message) -> list[int | None]:
    """The ids that these messages get, in order; None for a message without one."""
    found: list[int | None] = []
    for message in messages:
        marked = [line for line in told.frame(message).splitlines() if line.startswith("id: ")]
        found.append(int(marked[0].removeprefix("id: ")) if marked else None)
    return found


def watching(api: FakeApi, *messages: Message) -> None:
    api.answers["WatchMatch"] = lambda request, context: iter(messages)


def watch(client: FlaskClient, query: str = "", **headers: str) -> Any:
    return client.get(EVENTS + query, headers={"Accept": "text/event-stream", **headers})


def test_a_stream_is_written_as_agreed(client: FlaskClient, api: FakeApi) -> None:
    watching(api, snapshot(3), event(4), window(4), heartbeat(4), end(4))
    response = watch(client)
    assert response.status_code == 200
    assert response.content_type == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache, no-transform"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert "Content-Length" not in response.headers
    assert response.text.endswith("\n\n")
    blocks = response.text.removesuffix("\n\n").split("\n\n")
    assert re.match(r"retry: \d+\nevent: snapshot\nid: 3\ndata: {", blocks[0])
    assert [block.splitlines()[:-1] for block in blocks[1:3]] == [["event: event", "id: 4"], ["event: window", "id: 4"]]
    assert blocks[3] == ": heartbeat 4"
    assert blocks[4] == 'event: end\nid: 4\ndata: {"reason":"OVER","sequence":4}'


def test_the_data_of_an_event_is_that_of_the_long_poll(client: FlaskClient, api: FakeApi) -> None:
    happened = matches_pb2.Event(sequence=1, type="match.joined")
    happened.match.joined.display_name = "Ганна\nІ \u2028 \r\n."
    happened.time.FromSeconds(1)
    watching(api, Message(event=happened))
    api.answers["ListEvents"] = lambda request, context: matches_pb2.ListEventsResponse(events=[happened], next=1)
    data = watch(client, "?after=0").text.split("data: ")[1]
    assert data.endswith("\n\n")
    line = data.removesuffix("\n\n")
    assert "\n" not in line
    assert "\r" not in line
    polled = client.get(EVENTS + "?after=0").text
    assert json.loads(line) == json.loads(polled)["events"][0]
    assert line in polled


def test_the_cursor_is_passed_on_and_the_header_wins(client: FlaskClient, api: FakeApi) -> None:
    watch(client)
    assert not api.last.request.HasField("after")
    watch(client, "?after=0")
    assert api.last.request == matches_pb2.WatchMatchRequest(match="abcd", after=0)
    assert api.last.request.HasField("after")
    watch(client, **{"Last-Event-ID": "12"})
    assert api.last.request.after == 12
    watch(client, "?after=3", **{"Last-Event-ID": "12"})
    assert api.last.request.after == 12
    watch(client, "?after=3", **{"Last-Event-ID": ""})
    assert api.last.request.after == 3
    both = matches_pb2.WatchMatchRequest(match="abcd", after=12, mark="x-_9")
    for query, headers in (
        ("", {"Last-Event-ID": "12:x-_9"}),
        ("?after=12:x-_9", {}),
        ("?after=12&mark=x-_9", {}),
        ("?after=3:y", {"Last-Event-ID": "12:x-_9"}),
    ):
        watch(client, query, **headers)
        assert api.last.request == both
    watch(client, "?after=3:y", **{"Last-Event-ID": "12"})
    assert api.last.request == matches_pb2.WatchMatchRequest(match="abcd", after=12)


@pytest.mark.parametrize("cursor", ["x", "x:1", ":", "1.5", "-", "99999999999", "1 2", "١"])
def test_a_made_up_cursor_is_refused(client: FlaskClient, api: FakeApi, cursor: str) -> None:
    response = watch(client, **{"Last-Event-ID": cursor})
    assert (response.status_code, response.get_json()["reason"]) == (400, "INVALID_FIELD")
    assert response.get_json()["metadata"]["field"] == "Last-Event-ID"
    assert api.calls == []


def test_a_stream_has_no_wait(client: FlaskClient, api: FakeApi) -> None:
    response = watch(client, "?wait=20s")
    assert (response.status_code, response.get_json()["metadata"]["field"]) == (400, "wait")


def test_a_refusal_before_the_first_message_is_a_problem(client: FlaskClient, api: FakeApi) -> None:
    api.answers["WatchMatch"] = lambda request, context: refuse(
        context, grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND", "no", metadata={"match": "abcd"}
    )
    response = watch(client)
    assert response.status_code == 404
    assert response.content_type == "application/problem+json"
    assert response.get_json()["reason"] == "MATCH_NOT_FOUND"


def test_a_fault_in_mid_stream_ends_it_without_a_word(client: FlaskClient, api: FakeApi) -> None:
    def dying(request: Any, context: Any) -> Iterator[Message]:
        yield event(1)
        context.abort(grpc.StatusCode.UNAVAILABLE, "")

    api.answers["WatchMatch"] = dying
    response = watch(client)
    assert response.status_code == 200
    assert response.text.count("\n\n") == 1


def test_a_stream_without_messages_ends_at_once(client: FlaskClient, api: FakeApi) -> None:
    assert re.fullmatch(r"retry: \d+\n\n", watch(client).text)


def test_clients_do_not_all_come_back_at_once(client: FlaskClient, api: FakeApi) -> None:
    watching(api, end(4))
    told = {int(watch(client).text.split()[1]) for _ in range(20)}
    assert len(told) > 1
    assert told <= set(range(500, 3001))


def test_head_of_a_stream_leaves_nothing_behind(client: FlaskClient, api: FakeApi) -> None:
    watching(api, snapshot(1), event(2))
    response = client.head(EVENTS, headers={"Accept": "text/event-stream"})
    assert (response.status_code, response.data) == (200, b"")
    assert response.content_type == "text/event-stream; charset=utf-8"


def test_in_order_every_message_has_its_own_sequence_as_id() -> None:
    messages = (snapshot(3), window(3), event(4), event(5), window(5), end(5))
    assert ids(Told(""), *messages) == [3, 3, 4, 5, 5, 5]


def test_a_window_ahead_of_its_events_does_not_skip_them() -> None:
    """A client that is cut off after the window resumes behind 4 and gets 5 and 6."""
    assert ids(Told("4"), window(6), event(5), window(6), event(6), window(6)) == [4, 5, 5, 6, 6]
    assert ids(Told(""), snapshot(2), end(4)) == [2, 2]


def test_a_late_window_does_not_turn_the_cursor_back() -> None:
    assert ids(Told("4"), event(5), event(6), window(5)) == [5, 6, 6]


def test_a_snapshot_on_a_resumed_stream_sets_the_cursor() -> None:
    assert ids(Told("900"), snapshot(7, "CURSOR_INVALID"), window(7), event(8)) == [7, 7, 8]


def test_an_event_s_mark_is_part_of_the_id() -> None:
    first, second = snapshot(3), event(4)
    first.snapshot.match.mark, second.event.mark = "x-_9", "y"
    told = Told("1:w")
    written = [told.frame(message).splitlines()[1] for message in (window(3), first, window(4), second, end(4))]
    assert written == ["id: 1:w", "id: 3:x-_9", "id: 3:x-_9", "id: 4:y", "id: 4:y"]
    assert told.go_away() == 'event: end\nid: 4:y\ndata: {"reason":"GO_AWAY","sequence":4}\n\n'


def test_without_a_cursor_there_is_no_id() -> None:
    assert ids(Told(""), window(4), heartbeat(4), event(1)) == [None, None, 1]


def test_a_stale_heartbeat_is_an_event_with_the_cursor_as_id() -> None:
    stale = Message(heartbeat=matches_pb2.Heartbeat(sequence=4, stale=True))
    kind, cursor, data = Told("4").frame(stale).splitlines()[:3]
    assert (kind, cursor) == ("event: heartbeat", "id: 4")
    assert json.loads(data.removeprefix("data: ")) == {"sequence": 4, "stale": True}
    feed = News(heartbeat=matches_pb2.Heartbeat(stale=True), next="c1")
    assert Told("c0").frame(feed).startswith("event: heartbeat\nid: c1\n")


FEED = "/v1/players/me/events"
News = players_pb2.WatchPlayerResponse


def news(match: str, cursor: str) -> News:
    kind = players_pb2.PlayerEventType.YOUR_TURN
    return News(event=players_pb2.PlayerEvent(type=kind, match=match, sequence=7), next=cursor)


def test_the_home_feed_resumes_with_what_the_service_named(client: FlaskClient, api: FakeApi) -> None:
    api.answers["WatchPlayer"] = lambda request, context: iter(
        [
            News(snapshot=players_pb2.PlayerSnapshot(), next="c0=_-"),
            news("m-1", "c1"),
            News(heartbeat=matches_pb2.Heartbeat(), next="c1"),
            News(end=matches_pb2.StreamEnd(reason="GO_AWAY"), next="c2"),
        ]
    )
    response = client.get(FEED, headers={"Accept": "text/event-stream"})
    blocks = response.text.removesuffix("\n\n").split("\n\n")
    assert blocks[0].splitlines()[1:3] == ["event: snapshot", "id: c0=_-"]
    assert blocks[1].splitlines()[:2] == ["event: event", "id: c1"]
    data = json.loads(blocks[1].split("data: ")[1])
    assert (data["type"], data["match"], data["sequence"]) == ("YOUR_TURN", "m-1", 7)
    assert "next" not in data
    assert blocks[2] == ": heartbeat"
    assert blocks[3] == 'event: end\nid: c2\ndata: {"reason":"GO_AWAY","sequence":0}'


def test_the_cursor_of_the_home_feed_is_text(client: FlaskClient, api: FakeApi) -> None:
    cursor = "x" * 8000
    for query, headers in (
        ("", {"Last-Event-ID": cursor}),
        (f"?after={cursor}", {}),
        ("?after=old", {"Last-Event-ID": cursor}),
    ):
        client.get(FEED + query, headers={"Accept": "text/event-stream", **headers})
        assert api.last.request == players_pb2.WatchPlayerRequest(player="me", after=cursor)
    client.get(f"{FEED}?after=c1&wait=2s")
    expected = players_pb2.ListPlayerEventsRequest(player="me", after="c1")
    expected.wait.FromSeconds(2)
    assert api.last.request == expected


def test_a_stopping_gateway_ends_the_home_feed_with_its_cursor() -> None:
    told = Told("c0")
    assert told.go_away() == 'event: end\nid: c0\ndata: {"reason":"GO_AWAY","sequence":0}\n\n'
    told.frame(news("m-1", "c1"))
    assert "id: c1\n" in told.go_away()


def test_a_ticket_takes_the_place_of_a_token(client: FlaskClient, api: FakeApi) -> None:
    watch(client, "?ticket=t1&after=2")
    assert api.last.request == matches_pb2.WatchMatchRequest(match="abcd", after=2, ticket="t1")
    assert "authorization" not in api.last.metadata
    # The same address as JSON has no use for it; without a token that call is nobody's.
    client.get(EVENTS + "?ticket=t1&after=2")
    assert api.last.request == matches_pb2.ListEventsRequest(match="abcd", after=2)
    assert client.get("/v1/matches/abcd?ticket=t1").status_code == 400
