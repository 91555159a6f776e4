"""The gateway's own addresses beside the API: is it alive, is it ready, and where to go from here."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable

from flask import Flask, Response

from croupier_gateway import catalogues
from croupier_gateway.problems import ERRORS_PAGE, busy
from croupier_gateway.versions import API, VERSION

EVENTS_PAGE = "/docs/events"

_READY_SECONDS = 2.0

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:3rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.3rem 1rem .3rem 0}"
    "tr:target{background:#fe9}dl{margin:.3rem 0}dd{margin:0 0 .3rem 1.5rem}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def install(app: Flask, serving: Callable[[float], bool], revision: str) -> None:
    """Add the pages and the probes. `revision`: what this was built from; empty: nobody said."""

    @app.get("/healthz")
    def alive() -> Response:
        return _status("alive")

    @app.get("/readyz")
    def ready() -> Response:
        if not serving(_READY_SECONDS):
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
            '<li><a href="/docs">The API</a>, its <a href="/docs/errors">errors</a> and '
            '<a href="/docs/events">events</a></li></ul>',
        )

    @app.get(ERRORS_PAGE)
    def errors() -> Response:
        return _page(
            "Errors",
            "<p>An error is <code>application/problem+json</code>; its <code>reason</code> is one of these.</p>"
            + "".join(_section(f"Status {section.title}", section) for section in catalogues.errors()),
        )

    @app.get(EVENTS_PAGE)
    def events() -> Response:
        return _page(
            "Events",
            "<p>The <code>type</code> of an event names its payload, whose members are in lowerCamelCase: "
            '<code>six_nimmt.row_taken</code> comes with <code>"sixNimmt": {"rowTaken": {...}}</code>. '
            "A seat gets what it may know.</p>"
            + "".join(_section(section.title, section) for section in catalogues.events()),
        )


def _section(heading: str, section: catalogues.Section) -> str:
    rows = "".join(map(_row, section.entries))
    text = f"<p>{_marked(section.text)}</p>" if section.text else ""
    return f"<h2>{html.escape(heading)}</h2>{text}<table><tbody>{rows}</tbody></table>"


def _row(entry: catalogues.Entry) -> str:
    fields = "".join(
        f"<dt><code>{name}</code> {html.escape(kind)}</dt><dd>{_marked(text)}</dd>" for name, kind, text in entry.fields
    )
    more = f"<dl>{fields}</dl>" if fields else ""
    return f'<tr id="{entry.anchor}"><td><code>{entry.name}</code></td><td>{_marked(entry.text)}{more}</td></tr>'


def _marked(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


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
