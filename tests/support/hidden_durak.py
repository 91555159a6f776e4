"""Durak: other truths that a viewer could not tell from the real one.

What a viewer was told of cards stays where it is: his own, those that lay on the table or were shown. All others change
places, but nobody is dealt a trump lower than the one that settled who leads, nor any if it was told so.
Sealed answers that were not opened are made anew, and passes ahead that were never called up did not happen.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct
from support.playing import Match

from croupier_engine.cards import is_card, pack, suit, value
from croupier_engine.durak import events
from croupier_engine.durak.model import HAND, Pass, Phase, State, Throw
from croupier_engine.durak.questions import ahead, is_sealed, lowest_trump
from croupier_engine.game import Act, Command, Credit, Deal, Seat

_ABOVE_ALL = 99


def another_durak(match: Match, viewer: Seat | None, dice: Random) -> list[Command[Any]]:
    """Commands of another match that looks the same to the viewer."""
    other = Match(match.game, match.options, match.seats)
    for number, command in enumerate(match.commands):
        state: State = match.steps[number].state
        if isinstance(command, Deal) and state.phase is Phase.DEAL:
            other.do(_deal(match, number, command, viewer, dice))
        elif isinstance(command, Act) and command.seat != viewer and _is_ahead(match, number):
            other.do(command if _is_called_up(match, number) else Credit(0, command.at))
        elif isinstance(command, Act) and command.seat != viewer and _is_sealed_throw(state, command):
            other.do(_answer(match, number, command, other, dice))
        else:
            other.do(command)
    return other.commands


# Which cards the viewer knows, and how the others may lie.


def _deal(match: Match, number: int, deal: Deal, viewer: Seat | None, dice: Random) -> Deal:
    state: State = match.steps[number + 1].state
    cards = pack(match.options.deck)
    dealt = [cards[index] for index in deal.order]
    steps = list(_same_deal(match, number))
    seen = {card for step in steps for event in step.events for card in _named(event.seen_by(viewer))}
    in_hands = HAND * sum(map(bool, state.hands))
    lows = _too_low(steps, seen, dealt)
    hidden = [place for place, card in enumerate(dealt) if card not in seen]
    below = [place for place in hidden if place >= in_hands]
    dice.shuffle(below)
    order = dict(zip(below, lows, strict=False))
    rest = [card for card in dealt if card not in seen and card not in lows]
    dice.shuffle(rest)
    order.update(zip([place for place in hidden if place not in order], rest, strict=True))
    return Deal(tuple([cards.index(order.get(place, card)) for place, card in enumerate(dealt)]), deal.at)


def _same_deal(match: Match, number: int) -> Iterator[Any]:
    """The steps that these cards were played in."""
    yield match.steps[number + 1]
    for later in range(number + 1, len(match.commands)):
        if match.steps[later].state.phase is Phase.DEAL:
            return
        yield match.steps[later + 1]


def _named(payload: object) -> Iterator[str]:
    """All cards in what was told."""
    for name in payload.__struct_fields__ if isinstance(payload, Struct) else ():
        told = getattr(payload, name)
        yield from (card for card in (told if isinstance(told, tuple) else (told,)) if is_card(card))


def _too_low(steps: list[Any], seen: set[str], dealt: list[str]) -> list[str]:
    """Cards that nobody can have been dealt, since the lowest trump was shown, or that there is none."""
    for step in steps:
        for event in step.events:
            if isinstance(event.public, events.FirstAttacker):
                state: State = step.state
                shown = event.public.card
                bound = value(shown) if shown is not None else -1 if lowest_trump(state) else _ABOVE_ALL
                return [
                    card for card in dealt if card not in seen and suit(card) == state.trump and value(card) < bound
                ]
    return []


# What nobody was told of.


def _is_ahead(match: Match, number: int) -> bool:
    """Whether this command passed ahead: nothing was told of it."""
    return bool(match.steps[number + 1].state.bout.ahead) and not match.steps[number + 1].events


def _is_called_up(match: Match, number: int) -> bool:
    """Whether the pass was shown when its turn came."""
    seat = match.commands[number].seat  # type: ignore[union-attr]
    for before, step in zip(match.steps[number + 1 :], match.steps[number + 2 :], strict=False):
        if ahead(before.state.bout, seat) is None:
            return False
        if any(isinstance(event.public, events.Passed) and event.public.seat == seat for event in step.events):
            return True
    return False


def _is_sealed_throw(state: State, act: Act[Any]) -> bool:
    return is_sealed(state) and isinstance(act.action, Throw | Pass)


def _answer(match: Match, number: int, act: Act[Any], other: Match, dice: Random) -> Act[Any]:
    """What was shown of a sealed answer, or anything if it was not opened."""
    window = match.game.awaiting(match.steps[number].state)
    for step in match.steps[number + 1 :]:
        for event in step.events:
            if isinstance(event.public, events.Thrown) and event.public.seat == act.seat:
                return Act(act.seat, Throw(event.public.cards), act.at, act.by)
            if isinstance(event.public, events.Passed) and event.public.seat == act.seat:
                return Act(act.seat, Pass(), act.at, act.by)
        following = match.game.awaiting(step.state)
        if following is None or window is None or following.window != window.window:
            break
    choices = [choice for choice in match.game.choices(other.state, act.seat) or () if isinstance(choice, Throw | Pass)]
    return Act(act.seat, dice.choice(choices), act.at, act.by)
