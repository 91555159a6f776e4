"""Replays as files: the JSON that `GET /v1/matches/{match}/replay` and `croupier replay --save` give."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf import json_format

from croupier.v1 import matches_pb2
from croupier_cli.problem import Problem
from croupier_convert import ConvertError, options_from_proto
from croupier_convert.commands import command_from_proto
from croupier_engine import dealing
from croupier_engine.errors import IllegalAction, InvalidOptions
from croupier_engine.game import AnyGame, Command, Step
from croupier_engine.registry import UnknownGame, game_of
from croupier_engine.replay import replay


class Wrong(Exception):  # noqa: N818 - what a replay is, where it is not what was played
    """A replay is not what was played. `where` names the step, such as `log[12], sequence 48`; `what` says why."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


class Played(NamedTuple):
    """A command of the log, its index there, and what it led to. The start of a game has no entry; its number is -1."""

    number: int
    entry: matches_pb2.LogEntry | None
    command: Command[Any] | None
    step: Step[Any]


def read_replay(path: Path, match: str | None = None) -> matches_pb2.Replay:
    """The replay in a file, or the one of a match among many. Raises Problem as `parse_replay` does, and for none."""
    found: list[matches_pb2.Replay] = []
    for name, text in replay_texts(path):
        if match is not None and match not in text:
            continue
        message = parse_replay(name, text)
        if match in (None, message.match):
            found.append(message)
        if match is not None and found:
            break
        if len(found) > 1:
            raise Problem(
                f"{path} holds the replays of many matches; choose one with --match, such as {found[0].match}"
            )
    if not found:
        raise Problem(f"{path} holds no replay" + (f" of {match}" if match else ""))
    return found[0]


def replay_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Each replay in a file as JSON, with a name to tell it by: the only one, or line by line of an export."""
    try:
        with path.open(encoding="utf-8") as file:
            first = file.readline()
            if not (first.startswith("{") and first.rstrip().endswith("}")):
                yield str(path), first + file.read()
                return
            held: str | None = first
            for number, line in enumerate(file, 2):
                if line.strip():
                    if held is not None:
                        yield f"{path}, line 1", held
                        held = None
                    yield f"{path}, line {number}", line
            if held is not None:
                yield str(path), held
    except OSError as problem:
        raise Problem(f"{path} cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError:
        raise Problem(f"{path} is no replay: it is not UTF-8") from None


def parse_replay(name: str, text: str) -> matches_pb2.Replay:
    """A replay, called `name`, from JSON. Raises Problem for what is none, or one that this version cannot play."""
    try:
        message = json_format.Parse(text, matches_pb2.Replay())
    except (json_format.ParseError, RecursionError, ValueError, TypeError, AttributeError) as problem:
        raise Problem(f"{name} is no replay: {' '.join(str(problem).split())[:200]}") from None
    if not message.game:
        raise Problem(f"{name} is no replay: it names no game")
    check_known(message, name)
    return message


def check_known(message: matches_pb2.Replay, name: str) -> None:
    """Raise Problem for a replay, called `name`, of rules or deals that this version does not know."""
    try:
        game_of(message.game, message.rules_version)
    except UnknownGame as unknown:
        raise Problem(f"{name} is a replay of {unknown}, which this croupier does not know") from None
    if message.deal_scheme != dealing.SCHEME:
        raise Problem(f"{name} was dealt by scheme {message.deal_scheme}; this croupier knows {dealing.SCHEME}")


def save_replay(message: matches_pb2.Replay, path: Path) -> None:
    """Write a replay. Raises Problem if it cannot be written."""
    try:
        path.write_text(json_format.MessageToJson(message, always_print_fields_with_no_presence=True) + "\n", "utf-8")
    except OSError as problem:
        raise Problem(f"{path} cannot be written ({problem.strerror})") from None


def game_and_options(message: matches_pb2.Replay) -> tuple[AnyGame, Any]:
    """What was played, and how. Raises Wrong for options that no match can have had."""
    game = game_of(message.game, message.rules_version)
    try:
        options = options_from_proto(game, message.options, game.options())
        game.validate(options, len(message.seats))
    except (ConvertError, InvalidOptions) as refused:
        where = "seats" if refused.reason in ("SEATS_INVALID", "DECK_SEATS_INVALID") else "options"
        raise Wrong(where, f"it cannot be played so: {told(refused.reason, refused.details)}") from None
    return game, options


def play(message: matches_pb2.Replay) -> Iterator[Played]:
    """Play a log again: the start, then every command. Raises Wrong at the first that the rules refuse."""
    game, options = game_and_options(message)
    commands: list[Command[Any]] = []
    steps = replay(game, options, len(message.seats), message.start_time.ToMilliseconds(), _noted(message, commands))
    yield Played(-1, None, None, next(steps))
    for index, entry in enumerate(message.log):
        try:
            step = next(steps)
        except (ConvertError, IllegalAction) as refused:
            why = told(refused.reason, refused.details)
            raise Wrong(place(index, entry), f"the rules refuse it: {why}") from None
        yield Played(index, entry, commands[index], step)


def _noted(message: matches_pb2.Replay, into: list[Command[Any]]) -> Iterator[Command[Any]]:
    for entry in message.log:
        into.append(command_from_proto(message.game, entry))
        yield into[-1]


def place(index: int, entry: matches_pb2.LogEntry) -> str:
    """Where in the log: its index from 0, and the sequence that stands there."""
    return f"log[{index}], sequence {entry.sequence}"


def told(reason: str, details: Mapping[str, str]) -> str:
    """A refusal in short: CARD_NOT_HELD (card 14)."""
    inside = ", ".join(f"{name} {value}" for name, value in details.items())
    return f"{reason} ({inside})" if inside else reason
