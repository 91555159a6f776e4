"""`/openapi.json`, and `/docs`: Swagger UI over it. Everything comes from here; the page may not ask anybody else."""

import gzip
import json
from functools import cache
from hashlib import sha256
from importlib.resources import files

from flask import Flask, Response, request

from croupier_gateway.answers import tag, takes_gzip
from croupier_gateway.openapi import document

DOCUMENT = "/openapi.json"
PAGE = "/docs"

_ASSETS = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
_START = f"""\
window.addEventListener("load", () => {{
  SwaggerUIBundle({{
    url: "{DOCUMENT}",
    dom_id: "#explorer",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  }});
}});
"""
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # Swagger UI writes style attributes
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HTML = f"""\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Croupier: the API</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" type="image/png" href="{PAGE}/favicon-32x32.png">
<link rel="stylesheet" href="{PAGE}/swagger-ui.css"></head>
<body><nav class="swagger-ui"><div class="wrapper"><p>
<a href="/">Croupier</a>, <a href="{PAGE}/errors">errors</a>, <a href="{PAGE}/events">events</a>,
<a href="{DOCUMENT}">the description as JSON</a></p></div></nav>
<main id="explorer"><noscript>This page needs JavaScript; the description itself does not.</noscript></main>
<script src="{PAGE}/swagger-ui-bundle.js"></script><script src="{PAGE}/start.js"></script></body></html>
"""


def install(app: Flask) -> None:
    """Add the description and the page. The description is made here, once."""
    described = json.dumps(document(), ensure_ascii=False, separators=(",", ":"))

    @app.get(DOCUMENT)
    def describe() -> Response:
        return _kept(described.encode(), "application/json")

    @app.get(PAGE)
    def show() -> Response:
        response = _kept(_HTML.encode(), "text/html; charset=utf-8")
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    @app.get(f"{PAGE}/start.js")
    def start() -> Response:
        return _kept(_START.encode(), "text/javascript; charset=utf-8")

    for name in _ASSETS:
        app.add_url_rule(f"{PAGE}/{name}", endpoint=f"asset {name}", view_func=lambda name=name: _asset(name))


def _asset(name: str) -> Response:
    plain, packed = _read(name)
    # Packed once here, not at each answer: it is 1.7 MB.
    is_packed = takes_gzip(request)
    response = _kept(packed if is_packed else plain, _ASSETS[name])
    if is_packed and response.status_code == 200:
        response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    return response


@cache
def _read(name: str) -> tuple[bytes, bytes]:
    plain = (files("flask_swagger_ui") / "dist" / name).read_bytes()
    return plain, gzip.compress(plain, mtime=0)


def _kept(body: bytes, content_type: str) -> Response:
    """An answer that a client may keep, if it asks each time whether it is still the one."""
    response = Response(body, content_type=content_type)
    response.headers["Cache-Control"] = "public, no-cache"
    tag(response, sha256(body).hexdigest()[:32], request)
    return response
