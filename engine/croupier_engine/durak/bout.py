"""Durak: the bout, from the lead to the draw. Each act is legal by now; numbers in brackets: docs/rules/durak.md."""

from croupier_engine.durak import events, game_end
from croupier_engine.durak.model import HAND, Answer, Bout, Cards, Phase
from croupier_engine.durak.move import Move
from croupier_engine.durak.options import ThrowOrder
from croupier_engine.durak.questions import (
    actor,
    ahead,
    clockwise,
    is_active,
    may_throw,
    next_place,
    on_table,
    room,
    throwers,
    throws_one,
    transfer_target,
    unbeaten,
)
from croupier_engine.game import By, Seat


def begin(move: Move, leader: Seat, number: int) -> None:
    """A bout begins: its leader attacks the place on his left [4]."""
    state = move.state
    move.set(bout=Bout(number, leader, leader, next_place(state, leader), token=actor(state, leader)))
    if number > 1 and state.dealt:
        move.set(dealt=())
    move.ask(Phase.LEAD)


def lead(move: Move, seat: Seat, cards: Cards, by: By) -> None:
    """The first cards of a bout."""
    move.lay(seat, cards)
    move.tell("led", events.Led(seat, cards, actor(move.state, move.state.bout.defender), by))
    move.ask(Phase.DEFEND)


def beat(move: Move, seat: Seat, attack: str, card: str, by: By) -> None:
    """An attack card is beaten; the question stays the same until all are [5]."""
    move.cover(seat, attack, card)
    move.tell("beaten", events.Beaten(seat, attack, card, by))
    if not unbeaten(move.state.bout):
        _to_throwers(move)


def take(move: Move, seat: Seat, by: By) -> None:
    """The defender gives up [5]."""
    move.tell("take_declared", events.TakeDeclared(seat, by))
    move.bout(taking=True)
    if move.state.options.throw_after_take:
        _to_throwers(move)
    else:
        _end(move)


def transfer(move: Move, seat: Seat, cards: Cards, by: By) -> None:
    """The attack goes on to the next place, and whoever passed it on throws in first [7]."""
    target, place = transfer_target(move.state), move.state.bout.defender
    assert target is not None, "a legal transfer has a target"
    move.lay(seat, cards)
    move.bout(principal=place, defender=target, token=seat)
    move.tell("transferred", events.Transferred(seat, cards, actor(move.state, target), by))
    move.ask(Phase.DEFEND)


def throw(move: Move, seat: Seat, cards: Cards, by: By) -> None:
    """Cards are thrown in; the turn stays with whoever threw them, or goes on [7]."""
    move.lay(seat, cards)
    move.tell("thrown", events.Thrown(seat, cards, by))
    if move.state.phase is Phase.THROW:
        move.bout(token=seat + 1 if throws_one(move.state, seat) else seat)
    _after_throw(move)


def _after_throw(move: Move) -> None:
    if move.state.bout.taking:
        _to_throwers(move)
    else:
        move.ask(Phase.DEFEND)


def answer(move: Move, seat: Seat, cards: Cards, by: By) -> None:
    """A sealed answer, () for a pass; the last one opens all [7]."""
    answers = list(move.state.bout.answers)
    answers[seat] = Answer(cards, by)
    move.bout(answers=tuple(answers))
    move.tell("answered", events.Answered(seat, None, by), {seat: events.Answered(seat, cards, by)})
    seats = throwers(move.state)
    if any(answers[other] is None for other in seats):
        return
    move.bout(answers=())
    thrown = False
    for other in seats:
        given = answers[other]
        assert given is not None, "all have answered"
        fits = given.cards[: room(move.state)]  # what is too much goes back to the hand
        if fits:
            move.lay(other, fits)
            move.tell("thrown", events.Thrown(other, fits, given.by))
            thrown = True
        else:
            move.tell("passed", events.Passed(other, given.by))
    if thrown:
        _after_throw(move)
    else:
        _end(move)


def pass_now(move: Move, seat: Seat, by: By) -> None:
    """The holder of the turn throws nothing in."""
    move.tell("passed", events.Passed(seat, by))
    move.bout(passed=(*move.state.bout.passed, seat), token=seat + 1)
    _hand_turn_on(move)


def pass_ahead(move: Move, seat: Seat, by: By) -> None:
    """A seat will not throw when its turn comes: nobody hears of it before [7]."""
    move.bout(ahead=tuple(sorted((*move.state.bout.ahead, (seat, by)))))


def _to_throwers(move: Move) -> None:
    """All is beaten, or the defender takes: whoever may, throws in, as long as there is room [5]."""
    state = move.state
    if not room(state):
        _end(move)
    elif state.options.throw_order is ThrowOrder.FREE and throwers(state):
        move.bout(answers=(None,) * len(state.hands))
        move.ask(Phase.THROW)
    else:
        _hand_turn_on(move)


def _hand_turn_on(move: Move) -> None:
    """The turn to throw in goes clockwise to the next who has not passed; when all have, the bout ends [7]."""
    state = move.state
    for seat in clockwise(state, state.bout.token):
        if seat in state.bout.passed or not may_throw(state, seat):
            continue
        by = ahead(state.bout, seat)
        if by is None:
            move.bout(token=seat)
            move.ask(Phase.THROW)
            return
        move.tell("passed", events.Passed(seat, by))
        move.bout(passed=(*state.bout.passed, seat))
    _end(move)


def _end(move: Move) -> None:
    """The cards go where they belong, all draw, and the next bout begins unless the game is over [8]."""
    bout, options = move.state.bout, move.state.options
    defender, table = actor(move.state, bout.defender), bout.table
    cards = tuple(on_table(bout))
    if bout.taking:
        move.give(defender, cards)
        move.tell("taken", events.Taken(defender, cards))
    else:
        move.set(discard=(*move.state.discard, *cards))
        move.tell("bito", events.Bito(cards))
    move.bout(table=(), ahead=(), passed=(), answers=())
    _draw(move)
    game_end.mark_out(move)
    if game_end.is_over(move.state):
        game_end.settle(move, table)
        return
    if bout.number >= options.max_bouts:
        game_end.settle_draw(move)
        return
    state = move.state
    stays = options.teams > 0 or is_active(state, bout.defender)
    leader = bout.defender if not bout.taking and stays else next_place(state, bout.defender)
    begin(move, leader, bout.number + 1)


def _draw(move: Move) -> None:
    """Up to six each: the leader, then clockwise, the defender last, by the roles of the bout that ended [8.3]."""
    bout = move.state.bout
    order = [seat for seat in clockwise(move.state, bout.leader) if seat != bout.defender]
    for seat in (*order, bout.defender):
        talon = move.state.talon
        count = min(HAND - len(move.state.hands[seat]), len(talon))
        if count <= 0 or not is_active(move.state, seat):
            continue
        drawn = talon[:count]
        move.set(talon=talon[count:])
        move.give(seat, drawn)
        # The trump card lies open until it is drawn, so everybody sees who gets it.
        open_cards = drawn[-1:] if count == len(talon) and move.state.shown == drawn[-1] else ()
        move.tell("drew", events.Drew(seat, count, open_cards), {seat: events.Drew(seat, count, drawn)})
