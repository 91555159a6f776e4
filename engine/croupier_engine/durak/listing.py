"""Durak: all that a seat may do, and what the clock does for it."""

from collections.abc import Iterator

from croupier_engine.cards import rank, suit
from croupier_engine.durak.model import Action, Beat, Claim, Lead, Pass, Phase, State, Take, Throw, Transfer
from croupier_engine.durak.options import ThrowBatch
from croupier_engine.durak.questions import (
    actor,
    ahead,
    beats,
    claims_are_open,
    has_five,
    is_active,
    is_sealed,
    is_seat,
    matching_table,
    may_throw,
    may_transfer,
    most_to_lead,
    room,
    same_rank_sets,
    throws_are_open,
    transfer_target,
    unbeaten,
)
from croupier_engine.game import Seat


def choices(state: State, seat: Seat) -> list[Action]:
    """The legal acts of a seat, in a stable order; none for one that is not in the game, or no seat."""
    if not is_seat(state, seat) or not is_active(state, seat):
        return []
    listed: list[Action] = []
    match state.phase:
        case Phase.LEAD if seat == actor(state, state.bout.leader):
            listed += [Lead(cards) for cards in same_rank_sets(state.hands[seat], most_to_lead(state))]
        case Phase.DEFEND if seat == actor(state, state.bout.defender):
            listed += _defences(state, seat)
        case Phase.DEFEND if throws_are_open(state) and may_throw(state, seat):
            listed += _throws(state, seat)
        case Phase.THROW if may_throw(state, seat):
            listed += _answers(state, seat)
        case _:
            pass
    if claims_are_open(state) and has_five(state.dealt[seat]):
        listed.append(Claim())
    return listed


def _defences(state: State, seat: Seat) -> Iterator[Action]:
    hand, open_cards = state.hands[seat], unbeaten(state.bout)
    for attack in open_cards:
        yield from (Beat(attack, card) for card in hand if beats(card, attack, state.trump))
    if may_transfer(state):
        fitting = [card for card in hand if rank(card) == rank(open_cards[0])]
        most = room(state, transfer_target(state))
        yield from map(Transfer, same_rank_sets(fitting, most if state.options.transfer_multi else min(1, most)))
    yield Take()


def _throws(state: State, seat: Seat) -> Iterator[Action]:
    fitting = matching_table(state, state.hands[seat])
    one_each = state.options.throw_batch is ThrowBatch.ONE and seat != actor(state, state.bout.principal)
    yield from map(Throw, same_rank_sets(fitting, min(1, room(state)) if one_each else room(state)))


def _answers(state: State, seat: Seat) -> Iterator[Action]:
    bout = state.bout
    if is_sealed(state):
        if bout.answers[seat] is None:
            yield from _throws(state, seat)
            yield Pass()
    elif seat == bout.token:
        yield from _throws(state, seat)
        yield Pass()
    elif ahead(bout, seat) is None:
        yield Pass()


def harmless(state: State, seat: Seat) -> Action:
    """What the clock plays [10]: lead the lowest card, a trump if there is nothing else; take; throw nothing in."""
    match state.phase:
        case Phase.LEAD:
            hand = state.hands[seat]
            plain = [card for card in hand if suit(card) not in (state.trump, "")]
            trumps = [card for card in hand if suit(card) == state.trump]
            return Lead((*plain, *trumps, *hand)[:1])
        case Phase.DEFEND:
            return Take()
        case _:
            return Pass()
