"""A game's commands as the entries of a replay's log, and back."""

from typing import Any, assert_never

from google.protobuf.timestamp_pb2 import Timestamp

import croupier_convert
from croupier.v1 import matches_pb2
from croupier_engine.game import Act, Command, Credit, Deal, Resign, Tick


def command_to_proto(name: str, sequence: int, command: Command[Any]) -> matches_pb2.LogEntry:
    """A command of the game `name`; `sequence` is the number of the last event after it."""
    at = Timestamp(seconds=command.at // 1000, nanos=command.at % 1000 * 1_000_000)
    entry = matches_pb2.LogEntry(sequence=sequence, at=at)
    match command:
        case Act(seat, action, _, by):
            entry.act.seat = seat
            entry.act.action.CopyFrom(croupier_convert.action_to_proto(name, action))
            entry.act.by = croupier_convert.by_to_proto(by)
        case Resign(seat, _):
            entry.resign.seat = seat
        case Deal(order, _):
            entry.deal.order.extend(order)
        case Tick():
            entry.tick.SetInParent()
        case Credit(ms, _):
            entry.credit.ms = ms
        case _:
            assert_never(command)
    return entry


def command_from_proto(name: str, entry: matches_pb2.LogEntry) -> Command[Any]:
    """The command; ConvertError INVALID_FIELD if the entry holds none."""
    at = entry.at.seconds * 1000 + entry.at.nanos // 1_000_000
    match entry.WhichOneof("command"):
        case "act":
            action = croupier_convert.action_from_proto(name, entry.act.action)
            return Act(entry.act.seat, action, at, croupier_convert.by_from_proto(entry.act.by))
        case "resign":
            return Resign(entry.resign.seat, at)
        case "deal":
            return Deal(tuple(entry.deal.order), at)
        case "tick":
            return Tick(at)
        case "credit":
            return Credit(entry.credit.ms, at)
        case _:
            raise croupier_convert.ConvertError(
                "INVALID_FIELD", {"field": "log", "problem": "an entry holds no command"}
            )
