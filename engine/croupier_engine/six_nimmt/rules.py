"""6 nimmt!: who is asked what, what is legal, and how it ends. Numbers in brackets: docs/rules/six_nimmt.md."""

from collections.abc import Sequence
from typing import assert_never

from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, invalid_option
from croupier_engine.game import Act, Awaiting, Command, Credit, Deal, Outcome, Resign, Seat, Step, Tick
from croupier_engine.six_nimmt import placing
from croupier_engine.six_nimmt.deck import deck_size
from croupier_engine.six_nimmt.model import (
    ROWS,
    Action,
    Cards,
    ChooseRow,
    ChooseSide,
    Commit,
    EndCheck,
    EndMode,
    Options,
    Phase,
    Pick,
    Placement,
    ProChoice,
    Side,
    State,
)
from croupier_engine.six_nimmt.table import Table, drafter

NAME = "six_nimmt"
SEATS = range(2, 11)  # [2.1]
MAX_CREDIT = 1000
MAX_DEALS = 100

_TYPES: dict[str, type] = {
    "cards": Cards,
    "placement": Placement,
    "recommit": bool,
    "end_mode": EndMode,
    "end_check": EndCheck,
    "start_credit": int,
    "deals": int,
    "pro_choice": ProChoice,
}

_EXPECTED = {Phase.DRAFT: "pick", Phase.CHOOSE: "commit", Phase.CHOOSE_ROW: "row", Phase.CHOOSE_SIDE: "side"}


def validate(options: Options, seats: int) -> None:
    """Raise InvalidOptions for an option out of range or a number of seats other than 2..10."""
    if type(seats) is not int or seats not in SEATS:
        details = {"game": NAME, "min": str(SEATS[0]), "max": str(SEATS[-1]), "seats": str(seats)}
        raise InvalidOptions(Reason.SEATS_INVALID, details)
    for name in options.__struct_fields__:
        value = getattr(options, name)
        if type(value) is not _TYPES[name]:
            raise invalid_option(name, f"{value!r} is not one of its values")
    for name, number, limit in (
        ("start_credit", options.start_credit, MAX_CREDIT),
        ("deals", options.deals, MAX_DEALS),
    ):
        if not 1 <= number <= limit:
            raise invalid_option(name, f"{number} is not in 1..{limit}")


def start(options: Options, seats: int) -> Step[State]:
    """The table before the first deal, or with the pool of the first draft laid open."""
    validate(options, seats)
    table = Table.set(options, seats)
    table.call_deal()
    return table.step()


def awaiting(state: State) -> Awaiting | None:
    """What is waited for. Windows: d1.deal, d1.pick.5, d2.t7.choose, d2.t7.row.43, d2.t7.side.22."""
    match state.phase:
        case Phase.OVER:
            return None
        case Phase.DEAL:
            size = deck_size(state.options, len(state.hands))
            return Awaiting(f"d{state.deal + 1}.deal", state.phase.value, chance=size)
        case Phase.DRAFT:
            picks = sum(map(len, state.hands))
            seat = drafter(state.deal, picks, len(state.hands))
            return Awaiting(f"d{state.deal}.pick.{picks + 1}", state.phase.value, must=(seat,))
        case Phase.CHOOSE:
            done = tuple([seat for seat, card in enumerate(state.chosen) if card is not None])
            return Awaiting(
                f"d{state.deal}.t{state.trick}.choose",
                state.phase.value,
                must=tuple([seat for seat, card in enumerate(state.chosen) if card is None]),
                may=tuple([seat for seat in done if seat not in state.resigned]) if state.options.recommit else (),
                done=done,
            )
        case Phase.CHOOSE_ROW | Phase.CHOOSE_SIDE:
            play = state.plays[state.laid]
            what = "row" if state.phase is Phase.CHOOSE_ROW else "side"
            return Awaiting(f"d{state.deal}.t{state.trick}.{what}.{play.card}", state.phase.value, must=(play.seat,))
        case _:
            assert_never(state.phase)


def choices(state: State, seat: Seat) -> Sequence[Action]:
    """All legal actions of a seat: cards ascending, rows 0..3, LEFT before RIGHT; empty if it is not asked."""
    if _refusal(state, seat) is not None:
        return ()
    match state.phase:
        case Phase.DRAFT:
            return [Pick(card) for card in state.pool]
        case Phase.CHOOSE:
            return [Commit(card) for card in state.hands[seat]]
        case Phase.CHOOSE_ROW:
            return [ChooseRow(row) for row in range(ROWS)]
        case _:
            return [ChooseSide(Side.LEFT), ChooseSide(Side.RIGHT)]


def default(state: State, seat: Seat) -> Action:
    """What is played for a seat that ran out of time [4]; IllegalAction for one that is not asked."""
    refusal = _refusal(state, seat)
    if refusal is not None:
        raise IllegalAction(refusal)
    match state.phase:
        case Phase.DRAFT:
            return Pick(state.pool[0])
        case Phase.CHOOSE:
            return Commit(state.hands[seat][0])
        case Phase.CHOOSE_ROW:
            return ChooseRow(placing.cheapest_row(state.rows))
        case _:
            two = placing.ends(state.rows, state.plays[state.laid].card, state.options)
            return ChooseSide(placing.cheaper_side(state.rows, two))


def apply(state: State, command: Command[Action]) -> Step[State]:
    """The next state, or IllegalAction; a refused command has touched only a copy."""
    if state.phase is Phase.OVER:
        raise IllegalAction(Reason.GAME_OVER)
    match command:
        case Act():
            return _act(state, command)
        case Resign(seat):
            if not _is_seat(state, seat):
                raise IllegalAction(Reason.NOT_ASKED)
            if seat in state.resigned:
                raise IllegalAction(Reason.ALREADY_RESIGNED)
            table = Table.of(state)
            table.resign(seat)
            return table.step()
        case Deal(order):
            return _deal(state, order)
        case Tick():
            raise IllegalAction(Reason.TICK_EARLY)  # these rules have no timers of their own
        case Credit():
            return Step(state)
        case _:
            assert_never(command)


def _is_seat(state: State, seat: Seat) -> bool:
    return type(seat) is int and 0 <= seat < len(state.hands)


def _refusal(state: State, seat: Seat) -> Reason | None:
    """Why this seat cannot act now."""
    if not _is_seat(state, seat):
        return Reason.NOT_ASKED
    if seat in state.resigned:
        return Reason.ALREADY_RESIGNED
    match state.phase:
        case Phase.CHOOSE:
            if state.chosen[seat] is not None and not state.options.recommit:
                return Reason.ALREADY_COMMITTED
            return None
        case Phase.DRAFT:
            asked = drafter(state.deal, sum(map(len, state.hands)), len(state.hands))
        case Phase.CHOOSE_ROW | Phase.CHOOSE_SIDE:
            asked = state.plays[state.laid].seat
        case _:
            return Reason.NOT_ASKED
    return None if seat == asked else Reason.NOT_ASKED


def _act(state: State, act: Act[Action]) -> Step[State]:
    seat, by = act.seat, act.by
    refusal = _refusal(state, seat)
    if refusal is not None:
        raise IllegalAction(refusal)
    table = Table.of(state)
    match act.action:
        case Commit(card) if state.phase is Phase.CHOOSE:
            if type(card) is not int or card not in state.hands[seat]:
                raise IllegalAction(Reason.CARD_NOT_HELD, {"card": str(card)})
            table.commit(seat, card, by)
        case Pick(card) if state.phase is Phase.DRAFT:
            if type(card) is not int or card not in state.pool:
                raise IllegalAction(Reason.CARD_NOT_OFFERED, {"card": str(card)})
            table.pick(seat, card, by)
        case ChooseRow(row) if state.phase is Phase.CHOOSE_ROW:
            if type(row) is not int or not 0 <= row < ROWS:
                raise IllegalAction(Reason.ROW_OUT_OF_RANGE, {"row": str(row)})
            table.choose_row(row, by)
        case ChooseSide(side) if state.phase is Phase.CHOOSE_SIDE:
            if type(side) is not Side:
                raise IllegalAction(Reason.SIDE_INVALID)
            table.choose_side(side, by)
        case _:
            raise IllegalAction(Reason.WRONG_ACTION, {"expected": _EXPECTED[state.phase]})
    return table.step()


def _deal(state: State, order: tuple[int, ...]) -> Step[State]:
    if state.phase is not Phase.DEAL:
        raise IllegalAction(Reason.DEAL_NOT_ASKED)
    size = deck_size(state.options, len(state.hands))
    if len(order) != size or any(type(index) is not int for index in order) or sorted(order) != list(range(size)):
        raise IllegalAction(Reason.DEAL_INVALID, {"size": str(size)})
    table = Table.of(state)
    table.deal_out(order)
    return table.step()


def outcome(state: State) -> Outcome | None:
    """Places by score, shared on a tie [5.6]; seats that gave up come last, the first to go at the very end [9]."""
    if state.phase is not Phase.OVER:
        return None
    seats = range(len(state.scores))
    staying = [state.scores[seat] for seat in seats if seat not in state.resigned]
    places = [
        len(seats) - state.resigned.index(seat)
        if seat in state.resigned
        else 1 + sum(score > state.scores[seat] for score in staying)
        for seat in seats
    ]
    return Outcome(tuple(places), state.scores)
