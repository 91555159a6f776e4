"""Freedom of Speech: the rules as questions about a state."""

from croupier_engine.freedom_of_speech.model import TEAMS, Card, Given, Phase, State, Team
from croupier_engine.freedom_of_speech.options import ForfeitMode, Judge, Word
from croupier_engine.freedom_of_speech.words import words_of
from croupier_engine.game import Seat


def is_seat(state: State, seat: object) -> bool:
    """A seat of this match."""
    return type(seat) is int and 0 <= seat < state.seats


def team_of(seat: Seat) -> Team:
    """Teams sit by turns [1.1]."""
    return seat % TEAMS


def other(team: Team) -> Team:
    """The opponents."""
    return 1 - team


def members(state: State, team: Team) -> tuple[Seat, ...]:
    """Who plays for a team still, in the order of its rotation."""
    return tuple(seat for seat in range(team, state.seats, TEAMS) if seat not in state.resigned)


def giver(state: State) -> Seat:
    """Whose turn it is to give [1.1]: the next of his team's own rotation who has not given up."""
    seats = range(state.team, state.seats, TEAMS)
    rotation = (seats[(state.places[state.team] + step) % len(seats)] for step in range(len(seats)))
    return next(seat for seat in rotation if seat not in state.resigned)  # a team that is empty has lost long ago


def guessers(state: State) -> tuple[Seat, ...]:
    """His team-mates."""
    gives = giver(state)
    return tuple(seat for seat in members(state, state.team) if seat != gives)


def sees_card(state: State, viewer: Seat | None) -> bool:
    """Who may see the current card [7]."""
    if viewer is None or state.current is None:
        return False
    if team_of(viewer) == state.team:
        return viewer == giver(state)
    return state.options.opponents_see_card


def word(state: State, card: Card) -> Word:
    """What stands on a card."""
    return words_of(state.options)[card]


def scores(state: State) -> tuple[int, int]:
    """Cards won, by team."""
    return len(state.piles[0]), len(state.piles[1])


def turn(state: State) -> int:
    """The number of the present turn, from 0."""
    return sum(state.turns)


def is_due(state: State, at: int) -> bool:
    """The timer has run out; from then on what it decides is the buzz's [5]."""
    return state.phase is Phase.CLUE and state.deadline is not None and at >= state.deadline


def may_skip(state: State) -> bool:
    """Only a team that owns a card can give one up [3.6]."""
    return bool(state.piles[state.team])


def giver_acts(state: State) -> list[str]:
    """What the giver may do about his card, besides flagging as a referee."""
    accepts = state.options.judge is Judge.GIVER
    return ["clue", *(["accept"] if accepts else []), *(["skip"] if may_skip(state) else [])]


def may_flag(state: State, seat: Seat, clue: Given) -> bool:
    """Opponents, each once; the referee in his own team, too [6.3]."""
    opposes = team_of(seat) != team_of(clue.seat) or (seat == state.options.referee and seat != clue.seat)
    return opposes and seat not in clue.flags


def may_write_rule(state: State, seat: Seat) -> bool:
    """Opponents of a team that was caught, until the next timer starts [4.6]."""
    asked = state.phase is Phase.READY and state.options.forfeit_mode is ForfeitMode.RULE
    return asked and state.caught is not None and team_of(seat) != state.caught


def is_upheld(state: State, clue: Given) -> bool:
    """More than half of the opponents say so, or the referee [6.3]."""
    opponents = members(state, other(team_of(clue.seat)))
    flags = [seat for seat in clue.flags if seat in opponents]
    return state.options.referee in clue.flags or 2 * len(flags) > len(opponents)
