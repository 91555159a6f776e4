"""Durak: who is out, who is the fool, and what follows: the next game of the series, or the end. [8.4..8.7, 9, 10]"""

from croupier_engine.cards import pack, rank
from croupier_engine.durak import events
from croupier_engine.durak.model import Bout, Pair, Phase, State
from croupier_engine.durak.move import Move
from croupier_engine.durak.options import Pogony
from croupier_engine.durak.questions import active, clockwise
from croupier_engine.game import Outcome, Seat

MAX_GAMES = 100
_EPAULETTES = 2


def mark_out(move: Move) -> None:
    """Who has no cards when the talon has none is out; in one bout, by the moment of his last card [8.4, 8.6]."""
    state = move.state
    if state.talon:
        return
    empty = [seat for seat in active(state) if not state.hands[seat]]
    if not empty:
        return
    empty.sort(key=state.bout.laid.index)
    before, drawn = len(state.series.out), len(empty) == len(active(state))
    gone = [(seat, before + 1 if drawn else before + index + 1) for index, seat in enumerate(empty)]
    move.series(out=(*state.series.out, *gone))
    for seat, place in gone:
        move.tell("went_out", events.WentOut(seat, place))


def is_over(state: State) -> bool:
    """Whether at most one player, or one team, still has cards [8.5, 9]."""
    left = active(state)
    if state.options.teams:
        return len({seat % state.options.teams for seat in left}) < state.options.teams
    return len(left) <= 1


def settle(move: Move, table: tuple[Pair, ...]) -> None:
    """A game has been played to its end: the one who is left is the fool; nobody: it is a draw [8.5, 9].

    `table` is what lay there at last.
    """
    left = active(move.state)
    losers = tuple(left)
    if left and move.state.options.teams:
        losers = _team(move.state, left[0])
    if left and not move.state.options.teams:
        _epaulettes(move, left[0], table)
    _finish(move, losers)


def settle_draw(move: Move) -> None:
    """So many bouts without an end are a draw [8.7]."""
    _finish(move, ())


def settle_resigned(move: Move, seat: Seat) -> None:
    """Whoever gives up is the fool, and in teams his team has lost [10]."""
    _finish(move, _team(move.state, seat) if move.state.options.teams else (seat,))


def _team(state: State, seat: Seat) -> tuple[Seat, ...]:
    teams = state.options.teams
    return tuple([other for other in range(len(state.hands)) if other % teams == seat % teams])


def _epaulettes(move: Move, fool: Seat, table: tuple[Pair, ...]) -> None:
    """The fool had to take, and what was laid last were two cards of the lowest rank, somebody's last [10.3]."""
    state, bout = move.state, move.state.bout
    if state.options.pogony is Pogony.OFF or not bout.taking or bout.defender != fool:
        return
    seat, cards = table[-1].seat, tuple([pair.attack for pair in table[-bout.last :]])
    lowest = rank(pack(state.options.deck)[0])
    if len(cards) == _EPAULETTES and rank(cards[0]) == lowest and not state.hands[seat]:
        move.tell("epaulettes", events.Epaulettes(fool, seat, cards))


def _finish(move: Move, losers: tuple[Seat, ...]) -> None:
    state = move.state
    places = game_places(state, losers)
    losses = tuple([count + (seat in losers) for seat, count in enumerate(state.series.losses)])
    points = tuple([total + place for total, place in zip(state.series.points, places, strict=True)])
    first = [seat for seat, place in enumerate(places) if place == 1]
    alone = bool(losers) and not state.options.teams
    move.tell("game_over", events.GameOver(state.series.game, losers, places, losses))
    move.series(
        losses=losses,
        points=points,
        fool=losers[0] if alone else None,
        winner=first[0] if alone and len(first) == 1 else None,
    )
    if _is_played_out(move.state):
        move.set(phase=Phase.OVER)
        return
    move.series(left=())  # whoever left this game misses more than it
    if _too_few_stay(move.state):
        move.set(phase=Phase.OVER)
    else:
        _next_game(move)


def game_places(state: State, losers: tuple[Seat, ...]) -> tuple[int, ...]:
    """Places in a game by seat, from 1: as they went out, the losers last [8.6]; 0 for who was not dealt in."""
    out = dict(state.series.out)
    absent = [seat for seat in state.series.resigned if seat not in out and seat not in losers]
    dealt_in = [seat for seat in range(len(state.hands)) if seat not in absent]
    if state.options.teams:
        worst = 1 + len(dealt_in) - len(losers)
        return tuple([0 if seat in absent else worst if seat in losers else 1 for seat in range(len(state.hands))])
    last = len(dealt_in)
    shared = 1 + len(out)  # of those who were still playing when the game ended
    return tuple(
        [0 if seat in absent else last if seat in losers else out.get(seat, shared) for seat in range(len(state.hands))]
    )


def _too_few_stay(state: State) -> bool:
    """Whether those who gave up leave no series to play; teams cannot spare anybody [10.2]."""
    resigned = state.series.resigned
    return bool(resigned) and (state.options.teams > 0 or len(state.hands) - len(resigned) <= 2)


def _is_played_out(state: State) -> bool:
    """Whether all games of the match have been played, whoever gave up [8.8]."""
    series, options = state.series, state.options
    if options.until_losses:
        return max(series.losses) >= options.until_losses or series.game >= MAX_GAMES
    return series.game >= options.games


def _next_game(move: Move) -> None:
    """The fool deals; after a draw, and in teams, the next on the dealer's left [2.1]."""
    state, series = move.state, move.state.series
    first = series.fool if series.fool is not None else (series.dealer + 1) % len(state.hands)
    dealer = next(seat for seat in clockwise(state, first) if seat not in series.resigned)
    move.series(game=series.game + 1, dealer=dealer, redeals=0, out=())
    to_deal(move)


def to_deal(move: Move) -> None:
    """All cards back: the pack is wanted anew."""
    state = move.state
    nothing: tuple[tuple[str, ...], ...] = ((),) * len(state.hands)
    move.set(phase=Phase.DEAL, hands=nothing, dealt=(), talon=(), trump="", shown=None, discard=(), bout=Bout())


def outcome(state: State) -> Outcome | None:
    """Places of the match by losses, then by the sum of places [8.8].

    Who gave up comes last, the first at the very end, and in teams his team behind the other [10.2].
    """
    if state.phase is not Phase.OVER:
        return None
    series = state.series
    gone = [seat for seat in series.resigned if seat not in series.left]
    behind = _team(state, gone[0]) if gone and state.options.teams else ()
    seats = range(len(state.hands))
    rank_of = {seat: (seat in behind, series.losses[seat], series.points[seat]) for seat in seats if seat not in gone}
    places = [
        len(seats) - gone.index(seat) if seat in gone else 1 + sum(other < rank_of[seat] for other in rank_of.values())
        for seat in seats
    ]
    return Outcome(tuple(places), series.losses)
