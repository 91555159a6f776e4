"""Durak: what may be played, who is asked what, and what a command does. Numbers: docs/rules/durak.md."""

from typing import Any, assert_never, get_type_hints

from croupier_engine.durak import acts, dealing, game_end
from croupier_engine.durak.listing import harmless
from croupier_engine.durak.model import HAND, Action, Bout, Phase, Series, State
from croupier_engine.durak.move import Move
from croupier_engine.durak.options import Kind, Options
from croupier_engine.durak.questions import (
    active,
    actor,
    claims_are_open,
    is_active,
    is_sealed,
    is_seat,
    room,
    throwers,
    throws_are_open,
)
from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, invalid_option
from croupier_engine.game import Act, Awaiting, Command, Credit, Deal, Resign, Seat, Step, Tick

NAME = "durak"
SEATS = range(2, 9)
TEAM_SEATS = (4, 6)
DECKS = (36, 52, 54)
_CHANCE = "DEAL"
_WORDS = {phase: phase.value.lower() for phase in Phase}  # in the names of windows

_TYPES: dict[str, Any] = get_type_hints(Options)
_RANGES: dict[str, tuple[int, ...] | range] = {
    "deck": DECKS,
    "teams": (0, 2),
    "games": range(1, game_end.MAX_GAMES + 1),
    "until_losses": range(game_end.MAX_GAMES + 1),
    "limit_first": (0, 5),
    "max_bouts": range(1, 10_001),
}


def validate(options: Options, seats: int) -> None:
    """Raise InvalidOptions for an option out of range, or a number of seats that the pack is too small for [1.1, 9]."""
    for name in options.__struct_fields__:
        value = getattr(options, name)
        if type(value) is not _TYPES[name]:
            raise invalid_option(name, f"{value!r} is not one of its values")
        allowed = _RANGES.get(name)
        if allowed is not None and value not in allowed:
            values = f"{allowed[0]}..{allowed[-1]}" if isinstance(allowed, range) else ", ".join(map(str, allowed))
            raise invalid_option(name, f"{value} is not one of {values}")
    most = min(SEATS[-1], options.deck // HAND)
    if type(seats) is not int or not SEATS[0] <= seats <= most:
        told = {"game": NAME, "deck": str(options.deck), "min": str(SEATS[0]), "max": str(most), "seats": str(seats)}
        raise InvalidOptions(Reason.DECK_SEATS_INVALID, told)
    if options.teams and seats not in TEAM_SEATS:
        raise invalid_option("teams", f"{options.teams} teams of two or of three players cannot be made of {seats}")
    if options.teams and options.kind is Kind.PEREVODNOY:
        raise invalid_option("kind", "PEREVODNOY is not played in teams")


def start(options: Options, seats: int) -> Step[State]:
    """The table before the lot for the first dealer."""
    validate(options, seats)
    nothing = (0,) * seats
    return Step(
        State(
            options=options,
            phase=Phase.LOT,
            hands=((),) * seats,
            dealt=(),
            talon=(),
            trump="",
            shown=None,
            discard=(),
            bout=Bout(),
            series=Series(game=1, dealer=0, losses=nothing, points=nothing),
        )
    )


def awaiting(state: State) -> Awaiting | None:
    """What is waited for. Windows: lot, g1.0.deal, g1.0.b3.lead1, g1.0.b3.defend2: game, redeals, bout, question."""
    bout, series = state.bout, state.series
    deal = f"g{series.game}.{series.redeals}"
    may: list[Seat] = []
    done: list[Seat] = []
    match state.phase:
        case Phase.LEAD:
            must = [actor(state, bout.leader)]
        case Phase.DEFEND:
            must = [actor(state, bout.defender)]
            may = throwers(state) if throws_are_open(state) and room(state) else []
        case Phase.THROW if is_sealed(state):
            asked = sorted(throwers(state))
            must = [seat for seat in asked if bout.answers[seat] is None]
            done = [seat for seat in asked if bout.answers[seat] is not None]
        case Phase.THROW:
            must = [bout.token]
            may = throwers(state)
        case Phase.DEAL | Phase.TURN | Phase.SUIT:
            turned = str(bout.questions) if state.phase is Phase.TURN else ""
            window = f"{deal}.{_WORDS[state.phase]}{turned}"
            return Awaiting(window, _CHANCE, chance=dealing.chance(state))
        case Phase.LOT:
            return Awaiting("lot", _CHANCE, chance=dealing.chance(state))
        case Phase.OVER:
            return None
        case _:
            assert_never(state.phase)
    if claims_are_open(state):
        may = active(state)
    return Awaiting(
        f"{deal}.b{bout.number}.{_WORDS[state.phase]}{bout.questions}",
        state.phase.value,
        must=tuple(must),
        may=tuple(sorted([seat for seat in may if seat not in must])),
        done=tuple(done),
    )


def default(state: State, seat: Seat) -> Action:
    """What is played for a seat of `must` that ran out of time; IllegalAction for another."""
    asked = awaiting(state)
    if asked is None or not is_seat(state, seat) or seat not in asked.must:
        raise IllegalAction(Reason.NOT_ASKED)
    return harmless(state, seat)


def apply(state: State, command: Command[Action]) -> Step[State]:
    """The next state, or IllegalAction."""
    if state.phase is Phase.OVER:
        raise IllegalAction(Reason.GAME_OVER)
    move = Move(state)
    match command:
        case Act():
            _act(move, command)
        case Resign(seat):
            _resign(move, seat)
        case Deal(order):
            size = dealing.chance(state)
            if not size:
                raise IllegalAction(Reason.DEAL_NOT_ASKED)
            if any(type(index) is not int for index in order) or sorted(order) != list(range(size)):
                raise IllegalAction(Reason.DEAL_INVALID, {"size": str(size)})
            dealing.answer(move, order)
        case Tick():
            raise IllegalAction(Reason.TICK_EARLY)  # these rules have no timers of their own
        case Credit():
            pass
        case _:
            assert_never(command)
    return move.step()


def _act(move: Move, act: Act[Action]) -> None:
    state, seat = move.state, act.seat
    if not is_seat(state, seat):
        raise IllegalAction(Reason.NOT_ASKED)
    if seat in state.series.resigned:
        raise IllegalAction(Reason.ALREADY_RESIGNED)
    if not is_active(state, seat):
        raise IllegalAction(Reason.NOT_ASKED)
    acts.act(move, seat, act.action, act.by)


def _resign(move: Move, seat: Seat) -> None:
    """Who gives up is the fool and ends the game; one who is out of it already only leaves the series [10]."""
    state = move.state
    if not is_seat(state, seat):
        raise IllegalAction(Reason.NOT_ASKED)
    if seat in state.series.resigned:
        raise IllegalAction(Reason.ALREADY_RESIGNED)
    was_active = is_active(state, seat)
    series = state.series
    move.series(resigned=(*series.resigned, seat), left=series.left if was_active else (*series.left, seat))
    if was_active:
        game_end.settle_resigned(move, seat)
