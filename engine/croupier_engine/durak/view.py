"""Durak: what a viewer may know. A whitelist: each field is put in by hand [10]."""

from croupier_engine.durak.model import Bout, Phase, State, View
from croupier_engine.durak.options import DiscardView
from croupier_engine.durak.questions import actor, ahead, is_seat, room
from croupier_engine.game import Seat

_PLAYED = (Phase.LEAD, Phase.DEFEND, Phase.THROW)


def view(state: State, viewer: Seat | None) -> View:
    """All that a seat may know; None, or a number that is no seat, sees what a spectator does."""
    own = viewer if is_seat(state, viewer) else None
    bout, series = state.bout, state.series
    played = state.phase in _PLAYED
    if not played:  # nothing of a bout that is over lies there any more
        bout = Bout(bout.number, bout.leader, bout.principal, bout.defender)
    answer = None if own is None or not bout.answers else bout.answers[own]
    return View(
        game=series.game,
        redeals=series.redeals,
        bout=bout.number,
        dealer=series.dealer,
        trump_suit=state.trump,
        trump_card=state.shown if state.shown in state.talon else None,
        talon_size=len(state.talon),
        discard_size=len(state.discard),
        discard=state.discard if state.options.discard_view is DiscardView.OPEN else (),
        hand=() if own is None else state.hands[own],
        hand_sizes=tuple(map(len, state.hands)),
        table=bout.table,
        leader=bout.leader,
        principal=bout.principal,
        defender=bout.defender,
        defending=actor(state, bout.defender),
        attacking=actor(state, bout.principal),
        taking=bout.taking,
        room=room(state) if played else 0,
        passed=bout.passed,
        passed_ahead=own is not None and ahead(bout, own) is not None,
        answer=None if answer is None else answer.cards,
        out=tuple(seat for seat, _ in series.out),
        fool=series.fool,
        losses=series.losses,
        resigned=series.resigned,
    )
