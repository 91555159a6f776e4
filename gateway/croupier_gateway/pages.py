"""The gateway's own addresses beside the API: is it alive, is it ready, and where to go from here."""

import base64
import hashlib
import html
import json

from flask import Flask, Response

from croupier.errors import CATALOGUE
from croupier_gateway.problems import ERRORS_PAGE, busy
from croupier_gateway.upstream import Upstream
from croupier_gateway.versions import API, VERSION

_READY_SECONDS = 2.0

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:3rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.3rem 1rem .3rem 0}"
    "tr:target{background:#fe9}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def install(app: Flask, upstream: Upstream, revision: str) -> None:
    """Add the pages and the probes. `revision`: what this was built from; empty: nobody said."""

    @app.get("/healthz")
    def alive() -> Response:
        return _status("alive")

    @app.get("/readyz")
    def ready() -> Response:
        if not upstream.serving(_READY_SECONDS):
            raise busy("UNAVAILABLE")
        return _status("ready")

    @app.get("/version")
    def tell_version() -> Response:
        known = {"version": VERSION, "api": API, **({"revision": revision} if revision else {})}
        return _json(json.dumps(known))

    @app.get("/")
    def home() -> Response:
        return _page(
            "Croupier",
            "<p>Card games as a service: it deals, enforces the rules, keeps time and score, never shows a hand.</p>"
            '<ul><li><a href="/v1/games">The games that are played here</a></li>'
            '<li><a href="/docs">The API</a></li></ul>',
        )

    @app.get("/docs")
    def docs() -> Response:
        return _page(
            "The API",
            "<p>JSON over HTTP below <code>/v1</code>; the same services speak gRPC. <code>POST /v1/players</code> "
            "answers a token; send it as <code>Authorization: Bearer &lt;token&gt;</code>. Follow a match by "
            "<code>GET /v1/matches/{match}/events</code>, as a stream with <code>Accept: text/event-stream</code>.</p>"
            f'<ul><li><a href="/v1/games">Games, options and presets</a></li>'
            f'<li><a href="{ERRORS_PAGE}">What can be refused, and why</a></li></ul>',
        )

    @app.get(ERRORS_PAGE)
    def errors() -> Response:
        rows = "".join(
            f'<tr id="{reason}"><td><code>{reason}</code></td><td>{entry.http}</td>'
            f"<td>{html.escape(entry.outline('en'))}</td></tr>"
            for reason, entry in CATALOGUE.items()
        )
        return _page(
            "Errors",
            "<p>An error is <code>application/problem+json</code>; its <code>reason</code> is one of these.</p>"
            f"<table><thead><tr><th>Reason</th><th>Status</th><th>Text</th></tr></thead><tbody>{rows}</tbody></table>",
        )


def _status(word: str) -> Response:
    return _json(json.dumps({"status": word}))


def _json(text: str) -> Response:
    response = Response(text, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _page(heading: str, body: str) -> Response:
    response = Response(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{heading}</h1>{body}</body></html>",
        content_type="text/html; charset=utf-8",
    )
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
