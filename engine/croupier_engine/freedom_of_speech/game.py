"""Freedom of Speech as a Game: its parts put together."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from croupier_engine.freedom_of_speech import events, model, rules
from croupier_engine.freedom_of_speech.model import TEAMS, Action, State, View
from croupier_engine.freedom_of_speech.options import Options, TurnMode
from croupier_engine.freedom_of_speech.questions import scores, team_of
from croupier_engine.freedom_of_speech.view import view
from croupier_engine.game import Awaiting, Command, Outcome, Preset, Seat, Step

_PRESETS = {
    "hot_potato": Preset(Options(), (4, 6, 8)),
    "team_relay": Preset(Options(turn_mode=TurnMode.TEAM_RELAY), (4, 6, 8)),
    "solo": Preset(Options(turn_mode=TurnMode.SOLO), (4, 6, 8)),
    "bomb": Preset(Options(timer_min_duration=45_000, timer_max_duration=75_000), (4, 6, 8)),
    "short": Preset(Options(turn_mode=TurnMode.TEAM_RELAY, win_at=7, equal_turns=True), (4,)),
}


class FreedomOfSpeech:
    """Freedom of Speech, for two teams of 2..5; the methods are those of the Game protocol."""

    name = rules.NAME
    seats = rules.SEATS
    rules_version = 1
    options: type[Options] = Options
    state: type[State] = State
    actions: Mapping[str, type[Any]] = MappingProxyType(
        {
            "start": model.Start,
            "clue": model.Clue,
            "guess": model.Guess,
            "accept": model.Accept,
            "skip": model.Skip,
            "flag": model.Flag,
            "write_rule": model.WriteRule,
        }
    )
    payloads: Mapping[str, type[Any]] = MappingProxyType(
        {
            "freedom_of_speech.team_drawn": events.TeamDrawn,
            "freedom_of_speech.shuffled": events.Shuffled,
            "freedom_of_speech.ready": events.Ready,
            "freedom_of_speech.started": events.Started,
            "freedom_of_speech.drawn": events.Drawn,
            "freedom_of_speech.clue_given": events.ClueGiven,
            "freedom_of_speech.guessed": events.Guessed,
            "freedom_of_speech.scored": events.Scored,
            "freedom_of_speech.skipped": events.Skipped,
            "freedom_of_speech.flagged": events.Flagged,
            "freedom_of_speech.fouled": events.Fouled,
            "freedom_of_speech.taken_back": events.TakenBack,
            "freedom_of_speech.buzzed": events.Buzzed,
            "freedom_of_speech.dropped": events.Dropped,
            "freedom_of_speech.forfeited": events.Forfeited,
            "freedom_of_speech.rule_written": events.RuleWritten,
            "freedom_of_speech.sudden_death": events.SuddenDeath,
            "freedom_of_speech.ended": events.Ended,
        }
    )
    presets: Mapping[str, Preset[Options]] = MappingProxyType(_PRESETS)

    def validate(self, options: Options, seats: int) -> None:
        """Raise InvalidOptions if it cannot be played so."""
        rules.validate(options, seats)

    def shown_options(self, options: Options) -> Options:
        """A list of one's own stays secret."""
        return replace(options, words=())

    def team(self, options: Options, seat: Seat) -> int | None:
        """Teams sit by turns [1.1]."""
        return team_of(seat)

    def start(self, options: Options, seats: int, at: int) -> Step[State]:
        """The first state; no timer runs before the first turn."""
        return rules.start(options, seats)

    def awaiting(self, state: State) -> Awaiting | None:
        """What is waited for; None once the match is over."""
        return rules.awaiting(state)

    def choices(self, state: State, seat: Seat) -> Sequence[Action] | None:
        """The seat's legal actions; None where texts are wanted."""
        return rules.choices(state, seat)

    def action_names(self, state: State, seat: Seat) -> tuple[str, ...]:
        """The kinds of its legal actions."""
        return rules.action_names(state, seat)

    def default(self, state: State, seat: Seat) -> Action:
        """What the clock plays."""
        return rules.default(state, seat)

    def apply(self, state: State, command: Command[Action]) -> Step[State]:
        """The next state, or IllegalAction."""
        return rules.apply(state, command)

    def view(self, state: State, viewer: Seat | None) -> View:
        """What the viewer may know."""
        return view(state, viewer)

    def scores(self, state: State) -> tuple[int, ...]:
        """Cards that a seat's team has won."""
        return tuple(scores(state)[team_of(seat)] for seat in range(state.seats))

    def outcome(self, state: State) -> Outcome | None:
        """The winners share the first place, the others the next; after a draw all share the first."""
        if state.phase is not model.Phase.OVER:
            return None
        second = 1 + len(range(state.winner or 0, state.seats, TEAMS))
        lost = (state.winner is not None and team_of(seat) != state.winner for seat in range(state.seats))
        return Outcome(tuple(second if behind else 1 for behind in lost), self.scores(state))
