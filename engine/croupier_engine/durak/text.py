"""Durak: card notation for logs. Cards are themselves, a beaten one is 6S/9S, hidden ones are ?."""

from collections.abc import Iterable
from typing import assert_never

from croupier_engine.durak import events
from croupier_engine.durak.events import Payload
from croupier_engine.durak.model import Action, Beat, Claim, Lead, Pair, Pass, Take, Throw, Transfer
from croupier_engine.game import By


def table(pairs: Iterable[Pair]) -> str:
    """6S/9S 6H."""
    return " ".join(pair.attack if pair.cover is None else f"{pair.attack}/{pair.cover}" for pair in pairs)


def action(chosen: Action) -> str:
    """lead 6S 6H, beat 6S 9S, transfer 6C, throw 9C, take, pass, claim."""
    match chosen:
        case Lead(cards) | Transfer(cards) | Throw(cards):
            return f"{type(chosen).__name__.lower()} {' '.join(cards)}"
        case Beat(attack, card):
            return f"beat {attack} {card}"
        case Take() | Pass() | Claim():
            return type(chosen).__name__.lower()
        case _:
            assert_never(chosen)


def event(payload: Payload) -> str:
    """What happened, in one line, as the one who was told it."""
    match payload:
        case events.DealerDrawn(dealer):
            return f"{dealer} deals first"
        case events.Dealt():
            hand = f" hand {' '.join(payload.hand)}" if payload.hand else ""
            redeal = f", redeal {payload.redeals}" if payload.redeals else ""
            return f"game {payload.game}{redeal}: {payload.dealer} deals, talon {payload.talon_size}{hand}"
        case events.JokerTurned(card):
            return f"{card} turned up, goes back"
        case events.TrumpTurned(suit, card):
            return f"trump {suit if card is None else card}"
        case events.FirstAttacker(seat, card):
            return f"{seat} attacks first" + ("" if card is None else f", {card}")
        case events.Led(seat, cards, defender, by):
            return f"{seat} leads {' '.join(cards)} to {defender}{_made_by(by)}"
        case events.Beaten(seat, attack, card, by):
            return f"{seat} beats {attack} with {card}{_made_by(by)}"
        case events.Transferred(seat, cards, defender, by):
            return f"{seat} transfers {' '.join(cards)} to {defender}{_made_by(by)}"
        case events.Answered(seat, cards, by):
            return f"{seat} answers {'?' if cards is None else ' '.join(cards) or 'pass'}{_made_by(by)}"
        case events.Thrown(seat, cards, by):
            return f"{seat} throws {' '.join(cards)}{_made_by(by)}"
        case events.Passed(seat, by):
            return f"{seat} passes{_made_by(by)}"
        case events.TakeDeclared(seat, by):
            return f"{seat} will take{_made_by(by)}"
        case events.Taken(seat, cards):
            return f"{seat} takes {' '.join(cards)}"
        case events.Bito(cards):
            return f"bito {' '.join(cards)}"
        case events.Drew(seat, count, cards):
            return f"{seat} draws {count}" + (f": {' '.join(cards)}" if cards else "")
        case events.WentOut(seat, place):
            return f"{seat} is out, place {place}"
        case events.Claimed(seat, hand, by):
            return f"{seat} claims a redeal with {' '.join(hand)}{_made_by(by)}"
        case events.Epaulettes(fool, seat, cards):
            return f"epaulettes for {fool} from {seat}: {' '.join(cards)}"
        case events.GameOver(game, losers, places, losses):
            who = "draw" if not losers else f"lost by {' '.join(map(str, losers))}"
            return f"game {game}: {who}; places {' '.join(map(str, places))}; losses {' '.join(map(str, losses))}"
        case _:
            assert_never(payload)


def _made_by(by: By) -> str:
    return "" if by is By.PLAYER else f" ({by.value.lower()})"
