"""What belongs to an answer beside its words: a tag to ask again with, compression, what it depends on."""

import gzip
from hashlib import sha256

from flask import Request, Response
from google.protobuf.message import Message

from croupier_gateway.requests import present
from croupier_gateway.routes import Binding
from croupier_gateway.versions import VERSION

_PASSING = frozenset({"server_time", "remaining"})
"""Fields whose values change by the mere passing of time."""

_LEAST_BYTES = 1000
"""Below that, compression saves no packet."""
_LEVEL = 5
_TEXTS = ("text/", "application/json", "application/problem+json", "image/svg+xml")


def is_tagged(binding: Binding) -> bool:
    """Whether the answers of an rpc have a tag: it gets one resource, and that is more than the time."""
    fields = {field.name for field in binding.method.output_type.fields}
    return binding.verb == "GET" and binding.method.name.startswith("Get") and not fields <= _PASSING


def tag_of(message: Message) -> str:
    """The same for the same resource, whenever it was asked for: a hash of all but what passes with time."""
    lasting: Message = type(message)()
    lasting.CopyFrom(message)
    _forget_passing(lasting)
    # Another version may print the same message in another way.
    return sha256(VERSION.encode() + b"\0" + lasting.SerializeToString(deterministic=True)).hexdigest()[:32]


def tag(response: Response, etag: str, asked: Request) -> None:
    """Give an answer a weak tag; empty it, with 304, if the client named that tag in `If-None-Match`."""
    response.set_etag(etag, weak=True)
    if asked.if_none_match.star_tag or asked.if_none_match.contains_weak(etag):
        response.status_code = 304
        response.set_data(b"")
        response.headers.pop("Content-Type")


def depends(response: Response, names: str) -> None:
    """Say which headers of the request an answer depends on besides those that it names already."""
    named = response.headers.get("Vary")
    response.headers["Vary"] = f"{named}, {names}" if named else names


def finish(response: Response) -> Response:
    """Compress what is worth it for a client that takes it, and say what the answer depends on. Streams stay plain."""
    asked = present()
    names = ["Accept-Language, Authorization"] if asked.path.startswith("/v1/") else []
    plain = response.is_streamed or not (response.mimetype or "text/").startswith(_TEXTS)
    if not plain:
        names.append("Accept-Encoding")
    if names:
        depends(response, ", ".join(names))
    if plain:
        return response
    body = response.get_data()
    if len(body) >= _LEAST_BYTES and "Content-Encoding" not in response.headers and takes_gzip(asked):
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def takes_gzip(asked: Request) -> bool:
    """The client takes gzip, and likes it no less than plain text."""
    wanted = {name.lower(): quality for name, quality in asked.accept_encodings}
    quality = wanted.get("gzip", wanted.get("*", 0))
    return quality > 0 and quality >= wanted.get("identity", 0)


def _forget_passing(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name in _PASSING:
            message.ClearField(field.name)
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for each in value if field.is_repeated else (value,):
                _forget_passing(each)
