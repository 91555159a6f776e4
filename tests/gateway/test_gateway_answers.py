"""Tags, compression, what an answer depends on, and which version this is."""

import gzip
from importlib.metadata import version

import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi

from croupier.v1 import catalog_pb2, matches_pb2
from croupier_gateway.answers import is_tagged
from croupier_gateway.app import create_app
from croupier_gateway.config import Settings
from croupier_gateway.routes import bindings

MATCH = "/v1/matches/abcd"


def match(seconds: int = 1, sequence: int = 3, text: str = "") -> matches_pb2.Match:
    window = matches_pb2.Window(id="w1")
    window.remaining.FromSeconds(60 - seconds)
    window.deadline_time.FromSeconds(60)
    made = matches_pb2.Match(id="abcd", sequence=sequence, preset=text, you=matches_pb2.You(window=window))
    made.server_time.FromSeconds(seconds)
    return made


def answer(api: FakeApi, message: matches_pb2.Match) -> None:
    api.answers["GetMatch"] = lambda request, context: message


def test_single_resources_are_tagged() -> None:
    assert [binding.method.name for binding in bindings() if is_tagged(binding)] == [
        "GetGame",
        "GetRules",
        "GetMatch",
        "GetReplay",
        "GetPlayer",
    ]


def test_a_tag_names_what_lasts(client: FlaskClient, api: FakeApi) -> None:
    answer(api, match(seconds=1))
    first = client.get(MATCH)
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    assert first.get_json()["you"]["window"]["remaining"] == "59s"
    answer(api, match(seconds=20))
    assert client.get(MATCH).headers["ETag"] == tag, "only time has passed"
    answer(api, match(sequence=4))
    assert client.get(MATCH).headers["ETag"] != tag


@pytest.mark.parametrize("condition", ["{tag}", '"x", {tag}', "{strong}", "*"])
def test_what_the_client_has_is_not_sent_again(client: FlaskClient, api: FakeApi, condition: str) -> None:
    answer(api, match())
    first = client.get(MATCH)
    tag = first.headers["ETag"]
    named = condition.format(tag=tag, strong=tag.removeprefix("W/"))
    again = client.get(MATCH, headers={"If-None-Match": named, "Accept-Encoding": "gzip"})
    assert (again.status_code, again.data) == (304, b"")
    for header in ("ETag", "Cache-Control", "Vary"):
        assert again.headers[header] == first.headers[header]
    assert "Content-Type" not in again.headers
    assert "Content-Encoding" not in again.headers


def test_another_tag_gets_the_answer(client: FlaskClient, api: FakeApi) -> None:
    answer(api, match())
    assert client.get(MATCH, headers={"If-None-Match": 'W/"x"'}).status_code == 200
    answer(api, match(sequence=4))
    tag = client.get(MATCH).headers["ETag"]
    answer(api, match(sequence=5))
    assert client.get(MATCH, headers={"If-None-Match": tag}).get_json()["sequence"] == 5


def test_head_has_the_tag_too(client: FlaskClient, api: FakeApi) -> None:
    answer(api, match())
    assert client.head(MATCH).headers["ETag"] == client.get(MATCH).headers["ETag"]


@pytest.mark.parametrize("path", ["/v1/time", "/v1/games", "/v1/matches", "/v1/matches/abcd/events"])
def test_lists_and_the_time_have_no_tag(client: FlaskClient, path: str) -> None:
    response = client.get(path, headers={"If-None-Match": "*"})
    assert response.status_code == 200
    assert "ETag" not in response.headers


@pytest.mark.parametrize(
    ("accept", "compressed"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("*", True),
        ("deflate, gzip;q=0.5", True),
        ("gzip;q=0.5, identity", False),
        ("gzip;q=0, *", False),
        ("br", False),
        ("", False),
    ],
)
def test_long_answers_are_compressed_for_those_who_take_it(
    client: FlaskClient, api: FakeApi, accept: str, compressed: bool
) -> None:
    plain = client.get(MATCH).data
    answer(api, match(text="x" * 2000))
    plain = client.get(MATCH).data
    response = client.get(MATCH, headers={"Accept-Encoding": accept})
    assert (response.headers.get("Content-Encoding") == "gzip") == compressed
    assert (gzip.decompress(response.data) if compressed else response.data) == plain
    assert int(response.headers["Content-Length"]) == len(response.data)
    assert "Accept-Encoding" in response.vary


def test_short_answers_and_streams_stay_plain(client: FlaskClient, api: FakeApi) -> None:
    answer(api, match())
    short = client.get(MATCH, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers
    assert "Accept-Encoding" in short.vary
    long = matches_pb2.WatchMatchResponse(event=matches_pb2.Event(sequence=1, type="x" * 2000))
    api.answers["WatchMatch"] = lambda request, context: iter([long])
    stream = client.get(MATCH + "/events", headers={"Accept": "text/event-stream", "Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in stream.headers
    assert b"x" * 2000 in stream.data


def test_an_answer_says_what_it_depends_on(client: FlaskClient, api: FakeApi) -> None:
    common = {"accept-encoding", "accept-language", "authorization"}
    assert {name.lower() for name in client.get(MATCH).vary} == common
    assert {name.lower() for name in client.get("/v1/nothing").vary} == common
    assert {name.lower() for name in client.get(MATCH + "/events").vary} == {*common, "accept"}
    assert {name.lower() for name in client.get("/docs").vary} == {"accept-encoding"}
    stream = client.get(MATCH + "/events", headers={"Accept": "text/event-stream"})
    assert {name.lower() for name in stream.vary} == {"accept", "accept-language", "authorization"}


def test_rules_in_two_languages_have_two_tags(client: FlaskClient, api: FakeApi) -> None:
    def rules(request: catalog_pb2.GetRulesRequest, context: object) -> catalog_pb2.Rules:
        return catalog_pb2.Rules(game=request.game, locale=request.locale, text="...")

    api.answers["GetRules"] = rules
    tags = {client.get(f"/v1/games/six_nimmt/rules?locale={each}").headers["ETag"] for each in ("en", "uk")}
    assert len(tags) == 2


def test_browsers_may_ask_with_a_tag_and_read_it(client: FlaskClient) -> None:
    asked = {"Origin": "https://play.example", "Access-Control-Request-Method": "GET"}
    preflight = client.options(MATCH, headers={**asked, "Access-Control-Request-Headers": "if-none-match"})
    assert preflight.headers["Access-Control-Allow-Headers"].lower() == "if-none-match"
    assert "ETag" in client.get(MATCH, headers=asked).headers["Access-Control-Expose-Headers"]


def test_the_version_is_told(client: FlaskClient) -> None:
    assert client.get("/version").get_json() == {"version": version("croupier"), "api": "v1"}
    built = create_app(Settings(revision="0123abc")).test_client()
    assert built.get("/version").get_json()["revision"] == "0123abc"
