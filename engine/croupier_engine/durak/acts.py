"""Durak: whether an act is legal, and what it does. Each check is a rule; numbers in brackets: docs/rules/durak.md."""

from croupier_engine.cards import rank, sort
from croupier_engine.durak import bout, dealing
from croupier_engine.durak.listing import choices
from croupier_engine.durak.model import Action, Beat, Cards, Claim, Lead, Pass, Phase, State, Take, Throw, Transfer
from croupier_engine.durak.move import Move
from croupier_engine.durak.options import Kind
from croupier_engine.durak.questions import (
    actor,
    ahead,
    are_allies,
    beats,
    is_sealed,
    leads_one,
    matching_table,
    may_throw,
    refuse_beyond,
    refuse_claim,
    refuse_transfer,
    throws_are_open,
    throws_one,
    transfer_target,
    transfers_one,
)
from croupier_engine.errors import IllegalAction, Reason, option_name
from croupier_engine.game import By, Seat


def act(move: Move, seat: Seat, action: Action, by: By) -> None:
    """Do what a seat wants, or IllegalAction."""
    state = move.state
    match action:
        case Lead(cards):
            _refuse_others(state, seat, Phase.LEAD, actor(state, state.bout.leader))
            bout.lead(move, seat, legal_lead(state, seat, cards), by)
        case Beat(attack, card):
            _refuse_others(state, seat, Phase.DEFEND, actor(state, state.bout.defender))
            refuse_beat(state, seat, attack, card)
            bout.beat(move, seat, attack, card, by)
        case Take():
            _refuse_others(state, seat, Phase.DEFEND, actor(state, state.bout.defender))
            bout.take(move, seat, by)
        case Transfer(cards):
            _refuse_others(state, seat, Phase.DEFEND, actor(state, state.bout.defender))
            bout.transfer(move, seat, legal_transfer(state, seat, cards), by)
        case Throw(cards):
            given = legal_throw(state, seat, cards)
            if is_sealed(state):
                bout.answer(move, seat, given, by)
            else:
                bout.throw(move, seat, given, by)
        case Pass():
            _pass(move, seat, by)
        case Claim():
            refuse_claim(state, seat)
            dealing.claim(move, seat, by)
        case _:
            raise _not_now(state, seat)


def _refuse_others(state: State, seat: Seat, phase: Phase, asked: Seat) -> None:
    """Whether this phase, and in it this seat, is asked."""
    if state.phase is not phase or seat != asked:
        raise _not_now(state, seat)


def _not_now(state: State, seat: Seat) -> IllegalAction:
    """Other acts are open to this seat now, or none."""
    offered = dict.fromkeys(type(choice).__name__.lower() for choice in choices(state, seat))
    if offered:
        return IllegalAction(Reason.WRONG_ACTION, {"expected": ", ".join(offered)})
    return IllegalAction(Reason.NOT_ASKED)


# Cards that are laid together.


def _named(card: object) -> str:
    """What was given for a card: a word as it is; of anything else its kind, since not all can be written."""
    return card if type(card) is str else type(card).__name__


def _held(state: State, seat: Seat, cards: object) -> Cards:
    """Cards of one rank from a hand, sorted; or IllegalAction."""
    if not isinstance(cards, tuple) or not cards:
        raise IllegalAction(Reason.CARD_MISSING)
    for card in cards:
        _refuse_empty(card)
        if type(card) is not str or card not in state.hands[seat]:
            raise IllegalAction(Reason.CARD_NOT_HELD, {"card": _named(card)})
    twice = next((card for card in cards if cards.count(card) > 1), None)
    if twice is not None:
        raise IllegalAction(Reason.CARD_TWICE, {"card": twice})
    if len({rank(card) for card in cards}) > 1:
        raise IllegalAction(Reason.RANK_MISMATCH)
    return sort(cards)


def _refuse_empty(card: object) -> None:
    """Whether there is a card at all where one must be."""
    if type(card) is str and not card.strip():
        raise IllegalAction(Reason.CARD_MISSING)


def _refuse_more_than_one(cards: Cards, option: str) -> None:
    if len(cards) > 1:
        raise IllegalAction(Reason.ONE_CARD_ONLY, {"option": option_name(option)})


def legal_lead(state: State, seat: Seat, cards: object) -> Cards:
    """The cards of a lead [5, 6, 7]."""
    held = _held(state, seat, cards)
    if leads_one(state):
        _refuse_more_than_one(held, "lead_size")
    refuse_beyond(state, len(held))
    return held


def refuse_beat(state: State, seat: Seat, attack: object, card: object) -> None:
    """Whether a card of the defender's beats that attack card [1.2, 5]."""
    _refuse_empty(card)
    _refuse_empty(attack)
    if type(card) is not str or card not in state.hands[seat]:
        raise IllegalAction(Reason.CARD_NOT_HELD, {"card": _named(card)})
    pair = next((pair for pair in state.bout.table if pair.attack == attack), None)
    if pair is None:
        raise IllegalAction(Reason.CARD_NOT_ON_TABLE, {"card": _named(attack)})
    if pair.cover is not None:
        raise IllegalAction(Reason.BEATEN_ALREADY, {"card": pair.attack, "by": pair.cover})
    if not beats(card, pair.attack, state.trump):
        raise IllegalAction(Reason.DOES_NOT_BEAT, {"card": card, "attack": pair.attack})


def legal_transfer(state: State, seat: Seat, cards: object) -> Cards:
    """The cards that pass an attack on [7]."""
    refuse_transfer(state)
    held = _held(state, seat, cards)
    attack = next(pair.attack for pair in state.bout.table if pair.cover is None)
    if rank(held[0]) != rank(attack):
        raise IllegalAction(Reason.TRANSFER_MISMATCH, {"card": held[0], "attack": attack})
    if transfers_one(state):
        _refuse_more_than_one(held, "transfer_multi")
    target = transfer_target(state)
    assert target is not None, "there is somebody to pass it on to"
    try:
        refuse_beyond(state, len(held), target)
    except IllegalAction as refused:
        if refused.details["cap"] == "table":
            raise
        hand = str(len(state.hands[target]))
        raise IllegalAction(Reason.TRANSFER_HAND_TOO_SMALL, {"seat": str(target), "hand": hand}) from None
    return held


def legal_throw(state: State, seat: Seat, cards: object) -> Cards:
    """The cards that a seat throws in [7]."""
    _refuse_thrower(state, seat)
    held = _held(state, seat, cards)
    matching = matching_table(state, held)
    other = next((card for card in held if card not in matching), None)
    if other is not None:
        details = {"card": other, "option": option_name("throw_match"), "value": state.options.throw_match.value}
        raise IllegalAction(Reason.THROW_MISMATCH, details)
    if throws_one(state, seat):
        _refuse_more_than_one(held, "throw_batch")
    refuse_beyond(state, len(held))
    return held


def _refuse_thrower(state: State, seat: Seat) -> None:
    """Whether a seat may throw in at all, and now [7]."""
    table, options = state.bout, state.options
    if options.kind is Kind.PROSTOY:
        raise IllegalAction(Reason.THROW_NOT_ALLOWED, {"option": option_name("kind")})
    if not throws_are_open(state):
        raise _not_now(state, seat)
    if seat == actor(state, table.defender):
        raise _not_now(state, seat)
    if are_allies(options, seat, table.defender):
        raise IllegalAction(Reason.THROW_AT_TEAM_MATE)
    if not may_throw(state, seat):
        raise IllegalAction(Reason.THROW_NOT_ALLOWED, {"option": option_name("throwers")})
    if is_sealed(state):
        if table.answers[seat] is not None:
            raise IllegalAction(Reason.ALREADY_COMMITTED)
    elif state.phase is Phase.THROW and seat != table.token:
        raise IllegalAction(Reason.NOT_YOUR_TURN)


def _pass(move: Move, seat: Seat, by: By) -> None:
    state, table = move.state, move.state.bout
    if state.phase is not Phase.THROW:
        raise _not_now(state, seat)
    if not may_throw(state, seat):
        raise IllegalAction(Reason.NOT_ASKED)
    if is_sealed(state):
        if table.answers[seat] is not None:
            raise IllegalAction(Reason.ALREADY_COMMITTED)
        bout.answer(move, seat, (), by)
    elif seat == table.token:
        bout.pass_now(move, seat, by)
    elif ahead(table, seat) is not None:
        raise IllegalAction(Reason.ALREADY_COMMITTED)
    else:
        bout.pass_ahead(move, seat, by)
