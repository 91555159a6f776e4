"""A replay in card notation: every command, and below it what it led to."""

from collections.abc import Iterator

from croupier.v1 import matches_pb2
from croupier_cli.replay_file import Played, play
from croupier_cli.tables import TABLES
from croupier_engine.game import Act, By, Credit, Deal, Resign
from croupier_engine.registry import game_of


def notation(message: matches_pb2.Replay) -> Iterator[str]:
    """The lines of a replay, one after another as they are played. Raises Wrong where the rules refuse."""
    table, game = TABLES[message.game], game_of(message.game, message.rules_version)
    yield f"{message.match}: {message.game}, {len(message.seats)} seats, rules version {message.rules_version}"
    for seat, player in enumerate(message.seats):
        yield f"seat {seat}: {player}"
    last: Played | None = None
    for last in play(message):
        if last.entry is not None:
            after = (last.entry.at.ToMilliseconds() - message.start_time.ToMilliseconds()) / 1000
            yield f"> log[{last.number}] {after:.1f} s: {command_text(message.game, last)}"
        for event in last.step.events:
            yield f"* {table.notation(event.public)}"
    assert last is not None, "a game has a start"
    outcome = game.outcome(last.step.state)
    if outcome is not None:
        yield f"= places {' '.join(map(str, outcome.places))}, scores {' '.join(map(str, outcome.scores))}"


def command_text(game: str, played: Played) -> str:
    """A command in card notation: 2 commit 14."""
    match played.command:
        case Act(seat, action, _, by):
            played_by = "" if by is By.PLAYER else f" ({by.value.lower().replace('_', '-')})"
            return f"{seat} {TABLES[game].act(action)}{played_by}"
        case Resign(seat, _):
            return f"{seat} gives up"
        case Deal(order, _):
            return f"the dealer shuffles {len(order)} cards"
        case Credit(ms, _):
            return f"the clocks are set back by {ms / 1000:g} s"
        case None:
            return "the start"
        case other:
            return type(other).__name__.lower()
