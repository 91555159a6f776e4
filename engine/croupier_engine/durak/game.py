"""Durak as a Game: its parts put together."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from croupier_engine.durak import events, game_end, listing, model, rules
from croupier_engine.durak.model import Action, State, View
from croupier_engine.durak.options import Options
from croupier_engine.durak.profiles import PRESETS
from croupier_engine.durak.view import view
from croupier_engine.game import Awaiting, Command, Outcome, Preset, Seat, Step


class Durak:
    """Durak, for 2..8 players; the methods are those of the Game protocol."""

    name = rules.NAME
    seats = rules.SEATS
    rules_version = 1
    options: type[Options] = Options
    state: type[State] = State
    actions: Mapping[str, type[Any]] = MappingProxyType(
        {
            "lead": model.Lead,
            "beat": model.Beat,
            "transfer": model.Transfer,
            "take": model.Take,
            "throw": model.Throw,
            "pass": model.Pass,
            "claim": model.Claim,
        }
    )
    payloads: Mapping[str, type[Any]] = MappingProxyType(
        {
            "durak.dealer_drawn": events.DealerDrawn,
            "durak.dealt": events.Dealt,
            "durak.joker_turned": events.JokerTurned,
            "durak.trump_turned": events.TrumpTurned,
            "durak.first_attacker": events.FirstAttacker,
            "durak.led": events.Led,
            "durak.beaten": events.Beaten,
            "durak.transferred": events.Transferred,
            "durak.answered": events.Answered,
            "durak.thrown": events.Thrown,
            "durak.passed": events.Passed,
            "durak.take_declared": events.TakeDeclared,
            "durak.taken": events.Taken,
            "durak.bito": events.Bito,
            "durak.drew": events.Drew,
            "durak.went_out": events.WentOut,
            "durak.claimed": events.Claimed,
            "durak.epaulettes": events.Epaulettes,
            "durak.game_over": events.GameOver,
        }
    )
    presets: Mapping[str, Preset[Options]] = PRESETS

    def validate(self, options: Options, seats: int) -> None:
        """Raise InvalidOptions if it cannot be played so."""
        rules.validate(options, seats)

    def team(self, options: Options, seat: Seat) -> int | None:
        """Teams sit by turns [9]."""
        return seat % options.teams if options.teams else None

    def start(self, options: Options, seats: int, at: int) -> Step[State]:
        """The first state; `at` is of no account, since these rules have no timers."""
        return rules.start(options, seats)

    def awaiting(self, state: State) -> Awaiting | None:
        """What is waited for; None once the match is over."""
        return rules.awaiting(state)

    def choices(self, state: State, seat: Seat) -> Sequence[Action]:
        """The seat's legal actions; always listed."""
        return listing.choices(state, seat)

    def action_names(self, state: State, seat: Seat) -> tuple[str, ...]:
        """The kinds of its legal actions."""
        kinds = {type(choice) for choice in listing.choices(state, seat)}
        return tuple(name for name, kind in self.actions.items() if kind in kinds)

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
        """Games lost so far, by seat."""
        return state.series.losses

    def outcome(self, state: State) -> Outcome | None:
        """Places and games lost, once it is over."""
        return game_end.outcome(state)
