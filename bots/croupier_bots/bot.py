"""What a bot author writes: a subclass of `Bot` with one method."""

import operator
import random
from collections.abc import Awaitable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from croupier.v1 import games_pb2, matches_pb2
from croupier_bots.errors import ChoiceInvalid

Choice: TypeAlias = games_pb2.Action | int
"""An action, or the index of one among the window's `choices`."""


class Bot:
    """A player of one match; every match gets a bot of its own, so what it remembers it keeps in `self`.

    `games` is what it offers to play: the game's name -> the levels it is asked for by. `random` is where its chance
    comes from: set before `seated`, and seeded where play must be repeatable.
    """

    games: ClassVar[Mapping[str, Sequence[str]]] = {}
    random: random.Random

    def choose(
        self, view: games_pb2.View, window: matches_pb2.Window
    ) -> Choice | Awaitable[Choice] | Awaitable[Choice | None] | None:
        """Answer a window: one of `window.choices`, or its index, or any other action of the game.

        A seat that only may act, which is one of `window.may`, declines with None; nothing is sent then.

        A plain method runs between the messages of all matches of this process, so it should answer in milliseconds.
        One that takes longer is `async def` and awaits, say, `asyncio.to_thread`; other matches go on meanwhile.
        """
        raise NotImplementedError

    def seated(self, match: matches_pb2.Match) -> None:
        """The match, whole, as the bot may see it; again if events were lost on the way."""

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        """What happened since, each event once and in order."""

    def over(self, outcome: matches_pb2.Outcome | None) -> None:
        """The match is done; None if it was abandoned, or if the player is back for whom the bot stood in."""


def checked(choice: object, must: bool = True) -> Choice | None:
    """What `choose` returned, if it is an action or an index of any whole-number type, or None where it need not act.

    `must`: its seat is one that has to answer. Raises ChoiceInvalid.
    """
    if isinstance(choice, games_pb2.Action) or (choice is None and not must):
        return choice
    if isinstance(choice, bool) or not hasattr(choice, "__index__"):
        what = "None" if choice is None else type(choice).__name__
        raise ChoiceInvalid(f"choose must return an index or an Action, not {what}")
    index = operator.index(choice)
    if not -(2**31) <= index < 2**31:  # what a message has room for
        raise ChoiceInvalid(f"choose must return an index of window.choices, not {index}")
    return index
