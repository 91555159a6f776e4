"""The pages: what they show, and that they need nobody else."""

import gzip
import re

import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi

from croupier.errors import CATALOGUE
from croupier.v1 import matches_pb2, six_nimmt_pb2
from croupier_gateway.openapi import document

PAGES = ["/", "/docs", "/docs/errors", "/docs/events"]
ASSETS = ["/docs/start.js", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/favicon-32x32.png"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_load_nothing_from_elsewhere(client: FlaskClient, api: FakeApi, path: str) -> None:
    response = client.get(path)
    assert response.content_type == "text/html; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    # A page may ask this server, and nobody else; no script may stand in the page itself.
    allowed = {"'self'", "'none'", "data:", "'unsafe-inline'"}
    assert {word for words in policy.values() for word in words.split() if not word.startswith("'sha256-")} <= allowed
    assert "unsafe" not in policy.get("script-src", "")
    assert "data:" not in policy.get("script-src", "")
    assert "://" not in response.text
    assert not re.search(r"<script(?! src=)|\son\w+=", response.text)
    for link in re.findall(r'(?:href|src)="([^"]+)"', response.text):
        assert client.get(link).status_code == 200, link


def test_the_page_of_the_api_starts_swagger_ui_on_the_description(client: FlaskClient) -> None:
    text = client.get("/docs").text
    assert all(f'"{asset}"' in text for asset in ASSETS)
    start = client.get("/docs/start.js").text
    assert 'url: "/openapi.json"' in start
    assert "validatorUrl: null" in start, "its badge would ask a server on the internet"


def test_the_description_is_served(client: FlaskClient) -> None:
    response = client.get("/openapi.json")
    assert response.content_type == "application/json"
    assert response.get_json() == document()
    again = client.get("/openapi.json", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/openapi.json", headers={"Origin": "https://play.example"})
    assert other.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ASSETS)
def test_assets_are_packed_and_kept(client: FlaskClient, path: str) -> None:
    plain = client.get(path)
    assert (plain.status_code, "Content-Encoding" in plain.headers) == (200, False)
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    if "Content-Encoding" in packed.headers:
        assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.vary
    kept = client.get(path, headers={"If-None-Match": packed.headers["ETag"], "Accept-Encoding": "gzip"})
    assert (kept.status_code, kept.data) == (304, b"")
    assert "Content-Encoding" not in kept.headers


def test_every_error_is_on_its_page(client: FlaskClient) -> None:
    text = client.get("/docs/errors").text
    assert set(re.findall(r'<tr id="(\w+)">', text)) == set(CATALOGUE)
    assert "{max:" not in text


def test_every_event_is_on_its_page(client: FlaskClient) -> None:
    anchors = re.findall(r'<tr id="([\w.]+)">', client.get("/docs/events").text)
    assert len(set(anchors)) == len(anchors)
    for family, message in (("match", matches_pb2.MatchEvent), ("six_nimmt", six_nimmt_pb2.SixNimmtEvent)):
        assert {f"{family}.{field.name}" for field in message.DESCRIPTOR.fields} <= set(anchors)
    assert {"stream.snapshot", "stream.window", "stream.end", "feed.snapshot", "feed.event"} <= set(anchors)
    assert {"SixNimmtPlay", "Window", "Outcome"} <= set(anchors)
