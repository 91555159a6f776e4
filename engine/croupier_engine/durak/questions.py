"""Durak: the rules as questions about a state. Nothing here changes anything; numbers in brackets: docs/rules/durak.md.

A seat is a player. A place is where he sits: in teams the places go on taking turns when a player has gone out, and a
team-mate plays for his place [9].
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from croupier_engine.cards import JOKER, rank, suit, value
from croupier_engine.durak.model import REDEALS, SIX, Bout, Cards, Phase, State
from croupier_engine.durak.options import (
    Kind,
    LeadSize,
    Limit,
    LimitFirstScope,
    Options,
    Permission,
    Redeal,
    RedealUntil,
    ThrowBatch,
    Throwers,
    ThrowMatch,
    ThrowOrder,
    ThrowTiming,
    TransferFirstBout,
)
from croupier_engine.errors import IllegalAction, Reason, option_name
from croupier_engine.game import By, Seat

_FIVE = 5


def beats(card: str, attack: str, trump: str) -> bool:
    """Whether a card beats another [1.2, 1.3]."""
    if rank(attack) == JOKER:
        return False
    if rank(card) == JOKER:
        return True
    if suit(card) == suit(attack):
        return value(card) > value(attack)
    return suit(card) == trump


# Who is there.


def is_seat(state: State, seat: object) -> bool:
    """Whether there is such a seat."""
    return type(seat) is int and 0 <= seat < len(state.hands)


def clockwise(state: State, first: Seat) -> tuple[Seat, ...]:
    """All seats, from one on; one past the last is the first again."""
    seats = len(state.hands)
    return _round(seats, first % seats)


@cache
def _round(seats: int, first: Seat) -> tuple[Seat, ...]:
    return (*range(first, seats), *range(first))


def is_active(state: State, seat: Seat) -> bool:
    """Whether a seat plays in this game and has not gone out of it [4]."""
    series = state.series
    for gone, _ in series.out:
        if gone == seat:
            return False
    return seat not in series.resigned


def active(state: State) -> list[Seat]:
    """The seats that are in the game, ascending."""
    series, seats = state.series, range(len(state.hands))
    gone = {*series.resigned, *[seat for seat, _ in series.out]}
    return [seat for seat in seats if seat not in gone]


def are_allies(options: Options, one: Seat, other: Seat) -> bool:
    """Whether two places belong to one team."""
    return options.teams > 0 and one % options.teams == other % options.teams


def actor(state: State, place: Seat) -> Seat:
    """Who plays for a place: its own player, or in teams, when he has gone out, his next team-mate [9]."""
    if not state.options.teams or is_active(state, place):
        return place
    return next(
        (seat for seat in clockwise(state, place) if are_allies(state.options, seat, place) and is_active(state, seat)),
        place,
    )


def next_place(state: State, place: Seat) -> Seat:
    """The place that is attacked from here: the next on the left, in teams also one whose player is out [4, 9]."""
    seats = clockwise(state, place + 1)
    if state.options.teams:
        return seats[0]
    return next((seat for seat in seats if is_active(state, seat)), place)


# How much may lie on the table.


def unbeaten(bout: Bout) -> list[str]:
    """The attack cards that nothing lies on."""
    return [pair.attack for pair in bout.table if pair.cover is None]


def table_limit(state: State) -> int | None:
    """How many attack cards a bout may have; None: as many as the defender has cards for [6]."""
    options = state.options
    limit = options.table_limit if state.talon else options.limit_after_talon_empty
    if not state.talon and limit is Limit.HAND:
        return None
    if options.limit_first and _is_first(state):
        return SIX if state.bout.taking else options.limit_first
    return None if limit is Limit.HAND else SIX


def _is_first(state: State) -> bool:
    if state.options.limit_first_scope is LimitFirstScope.FIRST_BOUT:
        return state.bout.number == 1
    return not state.discard


def room(state: State, defender: Seat | None = None) -> int:
    """How many more attack cards may be laid before a place, that of the present defender unless one is named [6]."""
    bout = state.bout
    hand = len(state.hands[actor(state, bout.defender if defender is None else defender)])
    by_hand = hand - len(unbeaten(bout))
    limit = table_limit(state)
    return max(0, by_hand if limit is None else min(by_hand, limit - len(bout.table)))


def refuse_beyond(state: State, count: int, defender: Seat | None = None) -> None:
    """CAP_REACHED, and which cap, if so many more attack cards are too many."""
    if count <= room(state, defender):
        return
    bout = state.bout
    hand = len(state.hands[actor(state, bout.defender if defender is None else defender)])
    if count + len(unbeaten(bout)) > hand:
        raise IllegalAction(Reason.CAP_REACHED, {"cap": "hand", "limit": str(hand)})
    raise IllegalAction(Reason.CAP_REACHED, {"cap": "table", "limit": str(table_limit(state))})


# Throwing in.


def may_throw(state: State, seat: Seat) -> bool:
    """Whether a seat may throw in when its turn comes; all know who may, since it asks for no card [7]."""
    options, bout = state.options, state.bout
    if options.kind is Kind.PROSTOY or not state.hands[seat] or not is_active(state, seat):
        return False
    if seat == actor(state, bout.defender) or (options.teams and are_allies(options, seat, bout.defender)):
        return False
    if options.throwers is Throwers.ALL or seat == actor(state, bout.principal):
        return True
    return options.throwers is Throwers.NEIGHBOURS and seat == actor(state, next_place(state, bout.defender))


def throwers(state: State) -> list[Seat]:
    """Who may throw in, the attacker first, then clockwise [7]."""
    return [seat for seat in clockwise(state, actor(state, state.bout.principal)) if may_throw(state, seat)]


def ahead(bout: Bout, seat: Seat) -> By | None:
    """Who chose that a seat passes as soon as its turn comes; None if nobody did [7]."""
    return next((by for other, by in bout.ahead if other == seat), None)


def matching_table(state: State, cards: Sequence[str]) -> list[str]:
    """Those of some cards that may be thrown to the ones that lie there [7]."""
    lie = on_table(state.bout)
    ranks = {rank(card) for card in lie}
    if state.options.throw_match is ThrowMatch.RANK:
        return [card for card in cards if rank(card) in ranks]
    suits = {suit(card) for card in lie} - {""}
    return [card for card in cards if rank(card) in ranks or suit(card) in suits]


def on_table(bout: Bout) -> list[str]:
    """All cards on the table, attack and cover in turn."""
    return [card for pair in bout.table for card in (pair.attack, pair.cover) if card is not None]


def throws_are_open(state: State) -> bool:
    """Whether it is time to throw in: all is beaten or given up, or the defender beats and that will do [7]."""
    anytime = state.options.throw_timing is ThrowTiming.ANYTIME
    return state.phase is Phase.THROW or (anytime and state.phase is Phase.DEFEND)


def is_sealed(state: State) -> bool:
    """Whether all throw in at once."""
    return state.phase is Phase.THROW and state.options.throw_order is ThrowOrder.FREE


# Passing the attack on.


def transfer_target(state: State) -> Seat | None:
    """The place that an attack would be passed on to; None if there is nobody but the defender himself [7]."""
    bout = state.bout
    for place in clockwise(state, bout.defender + 1)[:-1]:
        if is_active(state, place) and (state.talon or state.hands[place]):
            return place
    return None


def refuse_transfer(state: State) -> None:
    """Why no card at all could pass this attack on [7]."""
    options, bout = state.options, state.bout
    if options.kind is not Kind.PEREVODNOY:
        raise IllegalAction(Reason.TRANSFER_NOT_ALLOWED, {"option": option_name("kind")})
    if bout.number == 1 and (
        options.transfer_first_bout is TransferFirstBout.FORBIDDEN
        or (options.transfer_first_bout is TransferFirstBout.FORBIDDEN_FIRST_GAME and state.series.game == 1)
    ):
        raise IllegalAction(Reason.TRANSFER_NOT_ALLOWED, {"option": option_name("transfer_first_bout")})
    if not options.transfer_after_beat and any(pair.cover is not None for pair in bout.table):
        raise IllegalAction(Reason.TRANSFER_AFTER_BEAT)
    if options.transfer_with_trump_on_table is Permission.FORBIDDEN and any(
        suit(card) == state.trump for card in on_table(bout)
    ):
        raise IllegalAction(Reason.TRANSFER_NOT_ALLOWED, {"option": option_name("transfer_with_trump_on_table")})
    if len({rank(card) for card in unbeaten(bout)}) != 1:
        raise IllegalAction(Reason.TRANSFER_MIXED)
    if transfer_target(state) is None:
        raise IllegalAction(Reason.TRANSFER_NO_TARGET)


def may_transfer(state: State) -> bool:
    """Whether the right card could pass this attack on."""
    try:
        refuse_transfer(state)
    except IllegalAction:
        return False
    return True


def refuse_claim(state: State, seat: Seat) -> None:
    """Why a seat cannot ask for a new deal [2.4]."""
    if state.options.redeal is Redeal.OFF:
        raise IllegalAction(Reason.CLAIM_NOT_ALLOWED, {"option": option_name("redeal")})
    if state.series.redeals >= REDEALS:
        raise IllegalAction(Reason.CLAIMS_USED_UP, {"most": str(REDEALS)})
    if not claims_are_open(state):
        raise IllegalAction(Reason.CLAIM_TOO_LATE)
    if not has_five(state.dealt[seat]):
        raise IllegalAction(Reason.CLAIM_WITHOUT_FIVE)


def claims_are_open(state: State) -> bool:
    """Whether a new deal may be asked for, by whoever has the cards for it."""
    options = state.options
    if options.redeal is Redeal.OFF or state.series.redeals >= REDEALS or state.bout.number != 1:
        return False
    if state.phase is Phase.LEAD:
        return True
    return options.redeal_until is RedealUntil.FIRST_BOUT and state.phase in (Phase.DEFEND, Phase.THROW)


def has_five(hand: Cards) -> bool:
    """Five or more cards of a suit; a joker is of none."""
    suits = [suit(card) for card in hand]
    return any(suits.count(one) >= _FIVE for one in set(suits) - {""})


# What can be laid together.


def same_rank_sets(cards: Sequence[str], most: int) -> Iterator[Cards]:
    """All sets of one rank of at most so many cards, in the order of `cards`, which are sorted."""
    groups: dict[str, list[str]] = {}
    for card in cards:
        groups.setdefault(rank(card), []).append(card)
    for group in groups.values():
        for size in range(1, min(most, len(group)) + 1):
            yield from combinations(group, size)


def leads_one(state: State) -> bool:
    """Whether a lead is of one card at most [7]."""
    return state.options.lead_size is LeadSize.SINGLE


def transfers_one(state: State) -> bool:
    """Whether an attack is passed on with one card at most [7]."""
    return not state.options.transfer_multi


def throws_one(state: State, seat: Seat) -> bool:
    """Whether a seat throws in one card at most, before the turn goes on if there is one [7]."""
    return state.options.throw_batch is ThrowBatch.ONE and seat != actor(state, state.bout.principal)


def lowest_trump(state: State) -> tuple[str, Seat] | None:
    """The lowest trump in all hands and who holds it [3.1]."""
    held = [(card, seat) for seat in active(state) for card in state.hands[seat] if suit(card) == state.trump]
    return min(held, key=lambda one: value(one[0]), default=None)
