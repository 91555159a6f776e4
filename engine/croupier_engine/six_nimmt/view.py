"""6 nimmt!: what a viewer may know. A whitelist: each field is put in by hand [5.7]."""

from croupier_engine.game import Seat
from croupier_engine.six_nimmt.model import Cards, State, View


def view(state: State, viewer: Seat | None) -> View:
    """All that a seat may know; None, or a number that is no seat, sees what a spectator does."""
    own = viewer if viewer is not None and 0 <= viewer < len(state.hands) else None
    return View(
        deal=state.deal,
        trick=state.trick,
        rows=state.rows,
        hand=() if own is None else state.hands[own],
        hands=state.hands if state.options.cards is Cards.LOGIC else (),
        hand_sizes=tuple(map(len, state.hands)),
        pool=state.pool,
        chosen=None if own is None else state.chosen[own],
        plays=state.plays,
        waiting=state.plays[state.laid :],
        scores=state.scores,
        bulls=state.bulls,
        resigned=state.resigned,
    )
