"""Durak: lots, deals, trump and the first attacker. Numbers in brackets: docs/rules/durak.md."""

from croupier_engine.cards import JOKER, SUITS, pack, rank, sort, suit
from croupier_engine.durak import bout, events
from croupier_engine.durak.game_end import to_deal
from croupier_engine.durak.model import HAND, Cards, Phase, State
from croupier_engine.durak.move import Move
from croupier_engine.durak.options import FirstAttackerNext, TrumpIfNoTalon
from croupier_engine.durak.questions import active, clockwise, lowest_trump
from croupier_engine.game import By, Seat


def chance(state: State) -> int:
    """The size of the permutation that is wanted."""
    match state.phase:
        case Phase.LOT:
            return len(state.hands)
        case Phase.DEAL:
            return state.options.deck
        case Phase.TURN:
            return len(state.talon) - 1  # places for the joker below the card that is turned up next
        case Phase.SUIT:
            return len(SUITS)
        case _:
            return 0


def answer(move: Move, order: tuple[int, ...]) -> None:
    """The dealer's answer to what is asked."""
    match move.state.phase:
        case Phase.LOT:
            move.series(dealer=order[0])
            move.tell("dealer_drawn", events.DealerDrawn(order[0]))
            to_deal(move)
        case Phase.DEAL:
            _deal(move, order)
        case Phase.TURN:
            _put_joker_back(move, order[0])
        case _:
            _settle_trump(move, SUITS[order[0]], None)


def _deal(move: Move, order: tuple[int, ...]) -> None:
    """Six each, one at a time, clockwise from the dealer's left; the next card is turned up [2.1, 2.2]."""
    state, series = move.state, move.state.series
    cards = pack(state.options.deck)
    shuffled = tuple([cards[index] for index in order])
    seats = [s for s in clockwise(state, series.dealer + 1) if s in active(state)]
    hands: list[Cards] = [()] * len(state.hands)
    for turn, seat in enumerate(seats):
        hands[seat] = sort(shuffled[turn : HAND * len(seats) : len(seats)])
    rest = shuffled[HAND * len(seats) :]
    sizes = tuple(map(len, hands))
    move.set(hands=tuple(hands), dealt=tuple(hands), talon=(*rest[1:], *rest[:1]))
    public = events.Dealt(series.game, series.redeals, series.dealer, sizes, len(rest), ())
    private: dict[Seat, object] = {
        seat: events.Dealt(series.game, series.redeals, series.dealer, sizes, len(rest), hands[seat]) for seat in seats
    }
    move.tell("dealt", public, private)
    if rest:
        _turn_up(move)
    elif state.options.trump_if_no_talon is TrumpIfNoTalon.RANDOM_SUIT:
        move.set(phase=Phase.SUIT)
    else:
        last = shuffled[-1]
        _settle_trump(move, suit(last), last)


def _turn_up(move: Move) -> None:
    """The card under the talon is trump, unless it is a joker [1.3]."""
    card = move.state.talon[-1]
    if rank(card) == JOKER:
        move.tell("joker_turned", events.JokerTurned(card))
        move.ask(Phase.TURN)
    else:
        _settle_trump(move, suit(card), card)


def _put_joker_back(move: Move, place: int) -> None:
    """The joker goes back at a random place of the talon, and the next card is turned up [1.3]."""
    *rest, joker = move.state.talon
    following, others = rest[0], rest[1:]
    move.set(talon=(*others[:place], joker, *others[place:], following))
    _turn_up(move)


def _settle_trump(move: Move, trump: str, card: str | None) -> None:
    move.set(trump=trump, shown=card)
    move.tell("trump_turned", events.TrumpTurned(trump, card))
    seat, shown = first_attacker(move.state)
    move.tell("first_attacker", events.FirstAttacker(seat, shown))
    bout.begin(move, seat, 1)


def first_attacker(state: State) -> tuple[Seat, str | None]:
    """Who leads first, and the lowest trump if it says so [3]."""
    series, rule = state.series, state.options.first_attacker_next
    if not state.options.teams and series.fool is not None:
        around = [seat for seat in clockwise(state, series.fool + 1) if seat in active(state)]
        match rule:
            case FirstAttackerNext.FROM_UNDER_FOOL:
                return around[0], None
            case FirstAttackerNext.UNDER_FOOL:
                others = [seat for seat in around if seat != series.fool]
                return others[-1], None
            case FirstAttackerNext.WINNER if series.winner is not None and series.winner in around:
                return series.winner, None
            case _:
                pass
    lowest = lowest_trump(state)
    if lowest is not None:
        return lowest[1], lowest[0]
    return next(seat for seat in clockwise(state, series.dealer + 1) if seat in active(state)), None


def claim(move: Move, seat: Seat, by: By) -> None:
    """The hand as it was dealt is shown, all cards go back, and the same dealer deals anew [2.4]."""
    move.tell("claimed", events.Claimed(seat, move.state.dealt[seat], by))
    move.series(redeals=move.state.series.redeals + 1)
    to_deal(move)
