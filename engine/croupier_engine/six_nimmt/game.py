"""6 nimmt! as a Game: its parts put together."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from croupier_engine.game import Awaiting, Command, Outcome, Preset, Seat, Step
from croupier_engine.six_nimmt import model, rules
from croupier_engine.six_nimmt.model import Action, Cards, EndMode, Options, State, View
from croupier_engine.six_nimmt.view import view


class SixNimmt:
    """6 nimmt!, for 2..10 players; the methods are those of the Game protocol."""

    name = rules.NAME
    seats = rules.SEATS
    rules_version = 1
    options: type[Options] = Options
    state: type[State] = State
    actions: Mapping[str, type[Any]] = MappingProxyType(
        {"pick": model.Pick, "commit": model.Commit, "row": model.ChooseRow, "side": model.ChooseSide}
    )
    payloads: Mapping[str, type[Any]] = MappingProxyType(
        {
            "six_nimmt.dealt": model.Dealt,
            "six_nimmt.picked": model.Picked,
            "six_nimmt.rows_laid": model.RowsLaid,
            "six_nimmt.committed": model.Committed,
            "six_nimmt.revealed": model.Revealed,
            "six_nimmt.placed": model.Placed,
            "six_nimmt.row_taken": model.RowTaken,
            "six_nimmt.deal_scored": model.DealScored,
        }
    )
    presets: Mapping[str, Preset[Options]] = MappingProxyType(
        {
            "full_match": Preset(Options(), tuple(rules.SEATS)),
            "single_deal": Preset(Options(end_mode=EndMode.FIXED_DEALS, deals=1), tuple(rules.SEATS)),
            "beginner": Preset(Options(), tuple(rules.SEATS)),
            "luck": Preset(Options(), tuple(range(5, 11))),
            "strategy": Preset(Options(cards=Cards.TACTIC), tuple(range(4, 7))),
        }
    )

    def validate(self, options: Options, seats: int) -> None:
        """Raise InvalidOptions if it cannot be played so."""
        rules.validate(options, seats)

    def team(self, options: Options, seat: Seat) -> int | None:
        """None: all play for themselves."""
        return None

    def start(self, options: Options, seats: int, at: int) -> Step[State]:
        """The first state; `at` is of no account, since these rules have no timers."""
        return rules.start(options, seats)

    def awaiting(self, state: State) -> Awaiting | None:
        """What is waited for; None once the game is over."""
        return rules.awaiting(state)

    def choices(self, state: State, seat: Seat) -> Sequence[Action]:
        """The seat's legal actions; always listed."""
        return rules.choices(state, seat)

    def action_names(self, state: State, seat: Seat) -> tuple[str, ...]:
        """At most one: each kind of window takes one kind of action."""
        return tuple(
            name for name, kind in self.actions.items() if any(type(c) is kind for c in self.choices(state, seat))
        )

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
        """Running scores, by seat: the credit left."""
        return state.scores

    def outcome(self, state: State) -> Outcome | None:
        """Places and scores, once it is over."""
        return rules.outcome(state)
