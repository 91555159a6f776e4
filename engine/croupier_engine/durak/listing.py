"""Durak: all that a seat may do, and what the clock does for it."""

from collections.abc import Callable, Iterator, Sequence

from croupier_engine.cards import rank, suit
from croupier_engine.durak.model import Action, Beat, Cards, Claim, Lead, Pass, Phase, State, Take, Throw, Transfer
from croupier_engine.durak.questions import (
    actor,
    ahead,
    beats,
    claims_are_open,
    has_five,
    is_active,
    is_sealed,
    is_seat,
    leads_one,
    matching_table,
    may_throw,
    may_transfer,
    room,
    same_rank_sets,
    throws_are_open,
    throws_one,
    transfer_target,
    transfers_one,
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
            listed += _sets(Lead, state.hands[seat], room(state), leads_one(state))
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
        yield from _sets(Transfer, fitting, room(state, transfer_target(state)), transfers_one(state))
    yield Take()


def _throws(state: State, seat: Seat) -> Iterator[Action]:
    yield from _sets(Throw, matching_table(state, state.hands[seat]), room(state), throws_one(state, seat))


def _sets(act: Callable[[Cards], Action], cards: Sequence[str], most: int, single: bool) -> Iterator[Action]:
    """An act with each set of one rank of some cards, or each with one card."""
    return map(act, same_rank_sets(cards, min(1, most) if single else most))


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
