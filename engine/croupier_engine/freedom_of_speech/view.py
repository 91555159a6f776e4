"""Freedom of Speech: what a viewer may know. A whitelist: each field is put in by hand [7]."""

from croupier_engine.freedom_of_speech.model import CLOSED, Closed, OpenClue, Phase, State, View
from croupier_engine.freedom_of_speech.questions import giver, is_seat, may_flag, scores, sees_card, word
from croupier_engine.game import Seat


def view(state: State, viewer: Seat | None) -> View:
    """All that a seat may know; None, or a number that is no seat, sees what a spectator does."""
    own = viewer if is_seat(state, viewer) else None
    return View(
        round=state.round,
        running=state.phase in (Phase.CLUE, Phase.RESHUFFLE),
        team=state.team,
        giver=giver(state),
        scores=scores(state),
        deck_size=len(state.deck),
        dead_size=len(state.dead),
        drawn=state.drawn,
        word=word(state, state.current) if state.current is not None and sees_card(state, own) else None,
        talk=state.talk,
        open_clues=_open_clues(state, own),
        closed=_closed(state),
        forfeits=state.forfeits,
        rules=state.rules,
        caught=state.caught,
        sudden=state.sudden,
        resigned=state.resigned,
    )


def _open_clues(state: State, own: Seat | None) -> tuple[OpenClue, ...]:
    seat = None if own in state.resigned else own
    return tuple(
        OpenClue(
            clue.number,
            clue.seat,
            clue.flags,
            clue.at + state.options.flag_duration,
            seat is not None and may_flag(state, seat, clue),
        )
        for clue in state.open_clues
    )


def _closed(state: State) -> tuple[Closed, ...]:
    piles = (*enumerate(state.piles), (None, state.dead))
    return tuple(Closed(word(state, card).word, team) for team, pile in piles for card in pile[-CLOSED:])
