"""Other truths that a viewer could not tell from the real one: per game, how to think them up.

Given a match as far as it was played, and a viewer, `ANOTHER[game.name]` makes commands of another match in which
everything that the viewer may know is the same, and what he may not know is thrown anew by dice.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from support.hidden_durak import another_durak
from support.playing import Match

from croupier_engine.game import Act, Command, Deal, Resign, Seat
from croupier_engine.six_nimmt.model import HAND, Commit, Revealed

Another = Callable[[Match, Seat | None, Random], list[Command[Any]]]


UNSEEN = Commit(-1)


def another_six_nimmt(match: Match, viewer: Seat | None, dice: Random) -> list[Command[Any]]:
    """Cards neither shown nor held by the viewer change places; so do sealed choices."""
    resigned = {command.seat for command in match.commands if isinstance(command, Resign)}
    shown = _shown(match)
    commands: list[Command[Any]] = []
    for number, command in enumerate(match.commands):
        deal = match.steps[number].state.deal
        if isinstance(command, Deal):
            commands.append(_deal(match.seats, command, {viewer, *resigned}, shown[deal + 1], dice))
        elif isinstance(command, Act) and command.seat != viewer and _is_unseen(command.action, shown[deal]):
            commands.append(Act(command.seat, UNSEEN, command.at, command.by))
        else:
            commands.append(command)
    return _choose_unseen(match, commands, dice)


def _shown(match: Match) -> dict[int, set[int]]:
    """The cards revealed in each deal."""
    shown: dict[int, set[int]] = {}
    for step in match.steps:
        deal = shown.setdefault(step.state.deal, set())
        for event in step.events:
            if isinstance(event.public, Revealed):
                deal.update(play.card for play in event.public.plays)
    return shown


def _is_unseen(action: object, shown: set[int]) -> bool:
    """Whether this choice lies face down still, or was changed before anybody saw it."""
    return isinstance(action, Commit) and action.card not in shown


def _deal(seats: int, deal: Deal, known: set[Seat | None], shown: set[int], dice: Random) -> Deal:
    rows = range(HAND * seats, HAND * seats + 4)
    places = [
        place
        for place, index in enumerate(deal.order)
        if place not in rows and place // HAND not in known and index + 1 not in shown
    ]
    moved = [deal.order[place] for place in places]
    dice.shuffle(moved)
    order = list(deal.order)
    for place, index in zip(places, moved, strict=True):
        order[place] = index
    return Deal(tuple(order), deal.at)


def _choose_unseen(match: Match, commands: list[Command[Any]], dice: Random) -> list[Command[Any]]:
    """Fill in other cards for the choices that nobody saw, from the hands as they now are."""
    other = Match(match.game, match.options, match.seats)
    for command in commands:
        if isinstance(command, Act) and command.action is UNSEEN:
            choices = match.game.choices(other.state, command.seat)
            assert choices is not None
            command = Act(command.seat, dice.choice(choices), command.at, command.by)
        other.do(command)
    return other.commands


ANOTHER: Mapping[str, Another] = {"six_nimmt": another_six_nimmt, "durak": another_durak}
