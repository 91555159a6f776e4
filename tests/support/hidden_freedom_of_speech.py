"""Other truths of Freedom of Speech: other words that nobody has seen yet, and other lengths of a secret timer."""

from random import Random
from typing import Any

from support.playing import Match

from croupier_engine.errors import IllegalAction
from croupier_engine.freedom_of_speech.model import STEPS, Phase
from croupier_engine.freedom_of_speech.questions import sees_card
from croupier_engine.game import Command, Deal, Seat

_DECKS = (Phase.SHUFFLE, Phase.RESHUFFLE)


def another_freedom_of_speech(match: Match, viewer: Seat | None, dice: Random) -> list[Command[Any]]:
    """The cards of the deck, and the current one of a viewer who may not see it, change places."""
    commands = list(match.commands)
    for phases, change in ((_DECKS, _deck), ((Phase.TIMER,), _timer)):
        asked = [n for n, _ in enumerate(commands) if match.steps[n].state.phase in phases]
        if asked and isinstance(commands[asked[-1]], Deal):
            other = list(commands)
            other[asked[-1]] = change(match, asked[-1], viewer, dice)
            if _looks_the_same(match, other, viewer):
                commands = other
    return commands


def _deck(match: Match, number: int, viewer: Seat | None, dice: Random) -> Deal:
    """`number`: of the command that the deck came of."""
    deal, state = match.commands[number], match.state
    assert isinstance(deal, Deal)
    known = state.drawn - match.steps[number].state.drawn
    if state.current is not None and not sees_card(state, viewer):
        known -= 1
    hidden = list(deal.order[max(0, known) :])
    dice.shuffle(hidden)
    return Deal((*deal.order[: max(0, known)], *hidden), deal.at)


def _timer(match: Match, number: int, viewer: Seat | None, dice: Random) -> Deal:
    deal = match.commands[number]
    assert isinstance(deal, Deal)
    first = dice.randrange(STEPS)
    return Deal((first, *(step for step in deal.order if step != first)), deal.at)


def _looks_the_same(match: Match, commands: list[Command[Any]], viewer: Seat | None) -> bool:
    """Whether what was said about the cards, and when it was said, has the same effect."""
    other = Match(match.game, match.options, match.seats)
    for command, step in zip(commands, match.steps[1:], strict=True):
        try:
            other.do(command)
        except IllegalAction:
            return False
        if [(e.type, e.seen_by(viewer)) for e in other.steps[-1].events] != [
            (e.type, e.seen_by(viewer)) for e in step.events
        ]:
            return False
    return True
