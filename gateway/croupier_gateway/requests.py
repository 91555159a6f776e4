"""From an HTTP request to the request message of an rpc.

Names may be in lowerCamelCase or as in the proto. What does not fit is refused with the name of the field.
"""

import json
import re
import socket
from collections.abc import Container, Iterable, Mapping
from typing import Any, NoReturn, cast
from urllib.parse import parse_qsl

import flask
from flask import Request
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import RequestEntityTooLarge

from croupier_gateway.problems import Problem
from croupier_gateway.routes import Binding
from croupier_gateway.streams import CLOSE
from croupier_gateway.waiting import WaitingRoom

MAX_BODY_BYTES = 256 * 1024
BODY_SECONDS = 10.0
"""A body has come as a whole by then: one that drips would hold a thread for as long as it likes."""
_MAX_DEPTH = 32
_MAX_PARAMETERS = 100

_LEAF_MESSAGES = ("google.protobuf.Duration", "google.protobuf.Timestamp")
"""Messages that are one string in JSON."""

_DURATION = re.compile(r"(0|[1-9]\d{0,11})(\.\d{1,9})?s", re.ASCII)

_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: "a whole number of 32 bits",
    FieldDescriptor.CPPTYPE_INT64: "a whole number of 64 bits",
    FieldDescriptor.CPPTYPE_UINT32: "a whole number of 32 bits, not negative",
    FieldDescriptor.CPPTYPE_UINT64: "a whole number of 64 bits, not negative",
}


def present() -> Request:
    """The request that this thread answers, itself: Flask's `request` looks for it anew at every touch."""
    found: Request = cast(Any, flask.request)._get_current_object()
    return found


def is_over(request: Request) -> bool:
    """Nothing of a request is still to come. What has come of a body that nobody wanted is read here, without waiting:
    the server would wait for the rest of it, for as long as it drips."""
    environ = request.environ
    connection, body = environ.get("gunicorn.socket"), environ["wsgi.input"]
    if connection is None or not ("CONTENT_LENGTH" in environ or "HTTP_TRANSFER_ENCODING" in environ):
        return True
    if body.failed:
        return False
    connection.setblocking(False)
    try:
        return len(body.read(MAX_BODY_BYTES)) < MAX_BODY_BYTES
    except Exception:  # it would have to wait, or it is malformed
        return False
    finally:
        connection.setblocking(True)


def read(
    request: Request, binding: Binding, path: Mapping[str, str], bodies: WaitingRoom, passing: Container[str] = ()
) -> Message:
    """The request message of a call. Raises Problem: INVALID_FIELD, MALFORMED_JSON, UNSUPPORTED_MEDIA_TYPE.

    Parameters in `passing` are passed over. A body over MAX_BODY_BYTES raises werkzeug's RequestEntityTooLarge, one
    that does not come within BODY_SECONDS is cut off, and of those still to come `bodies` has a bounded number.
    """
    message = binding.request_class()
    if binding.takes_body:
        _fill(message, _json_object(_body(request, bodies)), "")
        for name, _ in _query(request):
            _refuse(name, "this call takes no query parameters")
    else:
        asked = binding.method.input_type
        query = [
            one
            for name, text in _query(request)
            if name not in passing
            for one in _cursor(asked.fields_by_name, name, text)
        ]
        _fill(message, _query_members(asked, binding.path_fields, query), "")
    for name, value in path.items():
        if getattr(message, name) not in ("", value):
            _refuse(message.DESCRIPTOR.fields_by_name[name].json_name, "it differs from the address")
        setattr(message, name, value)
    return message


def resume_after(message: Message, last_event_id: str) -> None:
    """Set the cursor of a stream from `Last-Event-ID`, which is the same as `after` and wins over it."""
    field = message.DESCRIPTOR.fields_by_name.get("after")
    if field is not None and last_event_id:
        try:
            is_text = field.cpp_type == FieldDescriptor.CPPTYPE_STRING
            members = dict(_cursor(message.DESCRIPTOR.fields_by_name, "after", last_event_id))
            if "mark" in message.DESCRIPTOR.fields_by_name:
                message.ClearField("mark")
            json_format.ParseDict(members if is_text else members | {"after": _number(members["after"])}, message)
        except (json_format.ParseError, ValueError):
            _refuse("Last-Event-ID", "not the id of an event of this stream")


def _cursor(fields: Container[str], name: str, text: str) -> list[tuple[str, str]]:
    """A parameter as it is; the id of a match's event is a cursor of two: `13:Xy0_aBcD` is `after` and `mark`."""
    if name != "after" or "mark" not in fields or ":" not in text:
        return [(name, text)]
    number, _, mark = text.partition(":")
    return [("after", number), ("mark", mark)]


def _body(request: Request, bodies: WaitingRoom) -> bytes:
    # One byte more than allowed: of a body in chunks, werkzeug cuts off what is over its limit and says nothing.
    request.max_content_length = MAX_BODY_BYTES + 1
    connection, close = request.environ.get("gunicorn.socket"), CLOSE.get()

    def cut() -> None:
        close()
        if connection:
            connection.shutdown(socket.SHUT_RD)

    with bodies.within(request.environ, BODY_SECONDS, cut):
        try:
            body = request.get_data(cache=False)
        except ParseException:  # gunicorn's, of a body in chunks
            _malformed("it broke off")
    if len(body) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    if not body:
        return b"{}"
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or encoding != "identity" or charset not in ("utf-8", "utf8"):
        raise Problem("UNSUPPORTED_MEDIA_TYPE")
    return body


def _json_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_members, parse_constant=_no_constant)
    except UnicodeDecodeError:
        _malformed("it is not UTF-8")
    except RecursionError:
        _malformed("it is nested too deeply")
    except json.JSONDecodeError as error:
        _malformed(f"{error.msg} at line {error.lineno}, column {error.colno}")
    except ValueError as error:  # of the two hooks, or a number with thousands of digits
        _malformed(str(error) if isinstance(error, _MalformedError) else "a number is too long")
    if not isinstance(value, dict):
        _malformed("it is not an object")
    _check_depth(value)
    return value


class _MalformedError(ValueError):
    """What the JSON reader itself would let pass."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise _MalformedError(f"the member {_shown(name)} is there twice")
        members[name] = value
    return members


def _no_constant(name: str) -> NoReturn:
    raise _MalformedError(f"{name} is not JSON")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for each in level
            if isinstance(each, (dict, list))
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    _malformed("it is nested too deeply")


def _query(request: Request) -> list[tuple[str, str]]:
    # Not request.args: it hides bytes that are not UTF-8 and names that are there twice.
    try:
        text = request.environ.get("QUERY_STRING", "").encode("latin-1").decode("utf-8")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS)
    except UnicodeError:
        _refuse("query", "it is not UTF-8")
    except ValueError:
        _refuse("query", f"it has more than {_MAX_PARAMETERS} parameters")


def _query_members(
    descriptor: Descriptor, path_fields: Iterable[str], parameters: list[tuple[str, str]]
) -> Mapping[str, Any]:
    members: dict[str, Any] = {}
    for name, text in parameters:
        field = _field(descriptor, name)
        if field is None or field.name in path_fields or _is_structure(field):
            _refuse(name, "this call has no such parameter")
        value = _typed(field, name, text)
        if field.is_repeated:
            members.setdefault(field.json_name, []).append(value)
        elif field.json_name in members:
            _refuse(name, "it is given twice")
        else:
            members[field.json_name] = value
    return members


def _typed(field: FieldDescriptor, name: str, text: str) -> str | int | bool:
    """The JSON value that a parameter's text stands for."""
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if text not in ("true", "false"):
            _refuse(name, _expected(field))
        return text == "true"
    if field.cpp_type in _INTEGERS:
        try:
            return _number(text)
        except ValueError:
            _refuse(name, _expected(field))
    return text


def _number(text: str) -> int:
    # int() alone takes blanks, underscores and the digits of all scripts.
    if re.fullmatch(r"-?\d{1,20}", text, re.ASCII) is None:
        raise ValueError(text)
    return int(text)


def _fill(message: Message, members: Mapping[str, Any], path: str) -> None:
    """Set a message's fields. Structure is checked here, so that a fault has a name; values are read by json_format."""
    given: set[str] = set()
    for name, value in members.items():
        where = f"{path}{name}"
        field = _field(cast(Descriptor, message.DESCRIPTOR), name)
        if field is None:
            _refuse(where, f"there is no such field{_hint(cast(Descriptor, message.DESCRIPTOR), name, path)}")
        if field.name in given:
            _refuse(where, "it is given twice")
        given.add(field.name)
        if value is None:
            continue
        if field.containing_oneof is not None:
            other = message.WhichOneof(field.containing_oneof.name)
            if other is not None:
                _refuse(where, f"only one of it and {message.DESCRIPTOR.fields_by_name[other].json_name} can be given")
        if not _is_structure(field):
            _fill_leaf(message, field, value, where)
        elif not field.is_repeated:
            child = getattr(message, field.name)
            child.SetInParent()
            _fill(child, _object(value, where), f"{where}.")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                at = f"{where}[{index}]"
                _fill(getattr(message, field.name).add(), _object(item, at), f"{at}.")
        else:
            _refuse(where, "not a list")


def _hint(descriptor: Descriptor, name: str, path: str) -> str:
    """Where a field of that name is, if it is one level deeper, as the options of a game."""
    deeper = [field for field in descriptor.fields if _is_structure(field) and not field.is_repeated]
    places = [f"{path}{field.json_name}" for field in deeper if _field(cast(Descriptor, field.message_type), name)]
    return f"; {' and '.join(places)} can have it" if places else ""


def _fill_leaf(message: Message, field: FieldDescriptor, value: Any, where: str) -> None:
    each = value if field.is_repeated and isinstance(value, list) else [value]
    if not all(_fits(field, one) for one in each):
        _refuse(where, _expected(field))
    try:
        if not field.is_repeated and type(value) is _AS_IT_IS.get(field.cpp_type):
            setattr(message, field.name, value)
        else:
            json_format.ParseDict({field.json_name: value}, message)
    except (json_format.ParseError, ValueError, TypeError, AttributeError):
        # What it says of Python types and their names is of no use to a client.
        _refuse(where, _expected(field))


_AS_IT_IS = dict.fromkeys(_INTEGERS, int) | {
    FieldDescriptor.CPPTYPE_BOOL: bool,
    FieldDescriptor.CPPTYPE_STRING: str,
}
"""Values of one type that are in JSON what they are in a message, save for bytes, which no request has."""


def _fits(field: FieldDescriptor, value: Any) -> bool:
    """What the API says of its JSON, where json_format takes more: numbers in quotes, enums by number, `1_0s`."""
    if field.enum_type is not None:
        return isinstance(value, str) and value.isascii() and value in field.enum_type.values_by_name
    if field.cpp_type in _INTEGERS:
        return type(value) is int or (type(value) is float and value.is_integer())
    if field.message_type is not None and field.message_type.full_name == "google.protobuf.Duration":
        return isinstance(value, str) and _DURATION.fullmatch(value) is not None
    return True


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse(where, "not an object")
    return value


def _field(descriptor: Descriptor, name: str) -> FieldDescriptor | None:
    if not name.isascii():  # half a character is a fault for a descriptor, not an unknown name
        return None
    return descriptor.fields_by_camelcase_name.get(name) or descriptor.fields_by_name.get(name)


def _is_structure(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and kind.full_name not in _LEAF_MESSAGES and not kind.GetOptions().map_entry


def _expected(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        what = "one of " + ", ".join(value.name for value in field.enum_type.values if value.number)
    elif field.message_type is not None and field.message_type.full_name == "google.protobuf.Duration":
        what = "a duration in seconds such as 20s"
    elif field.message_type is not None and field.message_type.full_name == "google.protobuf.Timestamp":
        what = "a time such as 2030-01-31T12:00:00Z"
    elif field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        what = "true or false"
    elif field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        what = "text"
    else:
        what = _INTEGERS.get(field.cpp_type, "a value of this field's type")
    return f"not a list, each {what}" if field.is_repeated else f"not {what}"


def _shown(name: str) -> str:
    """A client's own name, fit for a message: short, and without half characters, which UTF-8 cannot hold."""
    return name[:100].encode("utf-8", "replace").decode("utf-8")


def _refuse(field: str, problem: str) -> NoReturn:
    raise Problem("INVALID_FIELD", {"field": _shown(field), "problem": problem})


def _malformed(problem: str) -> NoReturn:
    raise Problem("MALFORMED_JSON", {"problem": problem})
