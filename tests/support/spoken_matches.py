"""What has to be true of every match of Freedom of Speech that is over."""

from collections.abc import Iterable, Sequence

from support.replays import check_replay

from croupier.v1 import freedom_of_speech_pb2, matches_pb2
from croupier_convert import options_from_proto
from croupier_convert.commands import command_from_proto
from croupier_engine.freedom_of_speech.model import Phase, State
from croupier_engine.freedom_of_speech.words import words_of
from croupier_engine.game import Act, Resign, Tick
from croupier_engine.registry import GAMES
from croupier_engine.replay import replay

GAME = GAMES["freedom_of_speech"]


def told(events: Iterable[matches_pb2.Event], kind: str) -> list[freedom_of_speech_pb2.FreedomOfSpeechEvent]:
    """Events of a kind, such as `buzzed`."""
    return [event.freedom_of_speech for event in events if event.type == f"freedom_of_speech.{kind}"]


def check_match(events: Sequence[matches_pb2.Event], message: matches_pb2.Replay, commitment: str) -> list[State]:
    """Scores and places follow from the events, every timer ends once, no card is lost; the states of the replay."""
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    check_replay(message, commitment)
    scores = [0, 0]
    for event in events:
        what = event.freedom_of_speech
        match event.type.removeprefix("freedom_of_speech."):
            case "scored":
                scores[what.scored.team] += 1
                assert list(what.scored.scores) == scores
            case "skipped":
                scores[what.skipped.giver % 2] -= 1
                assert list(what.skipped.scores) == scores
            case "taken_back":
                scores[what.taken_back.team] -= 1
                assert list(what.taken_back.scores) == scores
            case "ended":
                assert list(what.ended.scores) == scores
    seats = len(message.seats)
    assert list(message.outcome.scores) == [scores[seat % 2] for seat in range(seats)]
    if scores[0] == scores[1]:
        assert list(message.outcome.places) == [1] * seats
    else:
        best = int(scores[1] > scores[0])
        assert list(message.outcome.places) == [
            1 if seat % 2 == best else 1 + len(range(best, seats, 2)) for seat in range(seats)
        ]
    check_timers(events)
    states = _states(message)
    _check_buzzes(events, message, states)
    for state in states:
        if state.phase not in (Phase.LOT, Phase.SHUFFLE):
            open_card = () if state.current is None else (state.current,)
            cards = (*state.deck, *state.piles[0], *state.piles[1], *state.dead, *open_card)
            assert sorted(cards) == list(range(len(words_of(state.options)))), "a card is lost"
    return states


def check_timers(events: Iterable[matches_pb2.Event]) -> None:
    """Each timer that was started ended once: by its buzz, a foul, enough cards, or the end of the match."""
    running: int | None = None
    started: list[int] = []
    for event in events:
        what = event.freedom_of_speech
        match event.type.removeprefix("freedom_of_speech."):
            case "started":
                assert running is None, "a timer was started while one ran"
                running = what.started.round
                started.append(running)
            case "buzzed":
                assert running == what.buzzed.round, "a buzz came twice, or of another timer"
                running = None
            case "ready" | "ended":
                running = None  # also after a foul, and when a team has enough
    assert started == list(range(1, len(started) + 1))


def _states(message: matches_pb2.Replay) -> list[State]:
    options = options_from_proto(GAME, message.options, GAME.options())
    commands = [command_from_proto(message.game, entry) for entry in message.log]
    start = message.start_time.ToMilliseconds()
    return [step.state for step in replay(GAME, options, len(message.seats), start, commands)]


def _check_buzzes(events: Sequence[matches_pb2.Event], message: matches_pb2.Replay, states: Sequence[State]) -> None:
    """Every buzz came once and none early, and nothing that came after its timer took its place."""
    fired = 0
    for entry, before, after in zip(message.log, states, states[1:], strict=False):
        command = command_from_proto(message.game, entry)
        if before.phase is not Phase.CLUE or before.deadline is None:
            continue
        if isinstance(command, Tick):
            fired += 1
            assert command.at >= before.deadline
        elif isinstance(command, Act | Resign) and command.at >= before.deadline:
            buzzed = isinstance(command, Resign) and after.phase is not Phase.CLUE
            flagged = isinstance(command, Act) and entry.act.action.freedom_of_speech.HasField("flag")
            assert buzzed or (after.phase, after.deadline) == (Phase.CLUE, before.deadline)
            assert flagged or isinstance(command, Resign)
            fired += buzzed
    assert fired == len(told(events, "buzzed"))
