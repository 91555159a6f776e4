"""Options of a game from the command line: NAME=VALUE, each told by name if it is wrong."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from croupier.v1 import games_pb2
from croupier_cli.problem import Problem
from croupier_engine.freedom_of_speech.words import parsed

_DURATION = "google.protobuf.Duration"


def read_options(game: str, given: Sequence[str]) -> games_pb2.Options:
    """The options of a new table. Raises Problem, which names the option and what it takes."""
    options = games_pb2.Options()
    known = cast(Descriptor, games_pb2.Options.DESCRIPTOR.fields_by_name[game].message_type)
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise Problem(f"--option takes NAME=VALUE, not {text}; `croupier rules {game}` lists the options")
        field = known.fields_by_name.get(name) or known.fields_by_camelcase_name.get(name)
        if field is None:
            raise Problem(f"--option: there is no {name}; there is {', '.join(known.fields_by_name)}")
        try:
            # Into a message of its own: a list that is given twice is not one long list.
            one = json_format.ParseDict({game: {field.name: _value(field, value)}}, games_pb2.Options())
        except json_format.ParseError:
            _refuse(field)
        if field.is_repeated:
            getattr(options, game).ClearField(field.name)
        options.MergeFrom(one)
    return options


def _value(field: FieldDescriptor, text: str) -> Any:
    """The JSON that a text stands for; json_format looks closer."""
    if field.enum_type is not None:
        if text.upper() not in field.enum_type.values_by_name:
            _refuse(field)
        return text.upper()
    if field.message_type is not None and field.message_type.full_name == _DURATION:
        return text
    if field.is_repeated and text.startswith("@"):
        return _words(Path(text[1:]))
    try:
        value = json.loads(text)
    except ValueError:
        _refuse(field)
    if field.is_repeated:
        if not isinstance(value, list) or not all(isinstance(each, dict | str) for each in value):
            _refuse(field)
        return [{"word": each} if isinstance(each, str) else each for each in value]
    if isinstance(value, bool) is not (field.cpp_type == FieldDescriptor.CPPTYPE_BOOL):
        _refuse(field)
    return value


def _words(file: Path) -> list[dict[str, Any]]:
    """A list of words, a card a line: `word`, or `word | alias, alias`."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise Problem(f"{file}: cannot be read ({reason})") from None
    return [{"word": each.word, "aliases": each.aliases} for each in parsed(lines)]


def _refuse(field: FieldDescriptor) -> NoReturn:
    if field.enum_type is not None:
        what = f"one of {', '.join(value.name for value in field.enum_type.values if value.number)}"
    elif field.is_repeated:
        what = "@FILE with a card a line, `word | alias, alias`, or a list in JSON"
    elif field.message_type is not None:
        what = "a duration in seconds such as 20s"
    else:
        what = "true or false" if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL else "a whole number"
    raise Problem(f"--option {field.name}: not {what}")
