"""One match, played by bots in this process, who are told what a server would tell them."""

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from croupier.errors import CATALOGUE
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot, Choice
from croupier_bots.bot import checked
from croupier_bots.errors import ChoiceInvalid
from croupier_convert import (
    ConvertError,
    action_from_proto,
    action_name,
    action_to_proto,
    options_to_proto,
    set_payload,
    view_to_proto,
)
from croupier_engine.dealing import permutation
from croupier_engine.errors import IllegalAction
from croupier_engine.game import Act, AnyGame, Awaiting, Deal, Event, Outcome, Seat, Step


@dataclass(frozen=True, slots=True)
class Fault:
    """A bot that failed: to answer, so that a random legal choice was played instead, or on what it was told."""

    seat: Seat
    kind: str  # of window; or `seated`, `events`, `over`
    problem: str


@dataclass(frozen=True, slots=True)
class Played:
    """A match to its end. `events` are the engine's, in order."""

    outcome: Outcome
    events: tuple[Event, ...]
    faults: tuple[Fault, ...]


def play_match(game: AnyGame, options: Any, bots: Sequence[Bot], seed: bytes, name: str = "arena") -> Played:
    """Play one match; `bots` by seat, each made for this match, with its `random` set.

    `seed` and `name` settle every shuffle, as they do on a server where `name` is the match's id. Seats that may act
    but need not are asked first, in the order of seats, and may decline; they are asked again in a window only if
    what they can do there has changed. Raises InvalidOptions.
    """
    return _Table(game, options, bots, seed, name).play()


class _Table:
    def __init__(self, game: AnyGame, options: Any, bots: Sequence[Bot], seed: bytes, name: str) -> None:
        self._game, self._options, self._bots, self._seed, self._name = game, options, bots, seed, name
        self._chance = random.Random(seed)  # noqa: S311 - play, not secrets
        self._sequence = 0
        self._at = 0  # ms; each command takes one
        self._deals = 0
        self._news: list[list[matches_pb2.Event]] = [[] for _ in bots]
        self._events: list[Event] = []
        self._faults: list[Fault] = []
        self._declined: dict[Seat, tuple[str, Sequence[Any]]] = {}  # window and choices, by seat

    def play(self) -> Played:
        step = self._game.start(self._options, len(self._bots), self._at)
        self._seat()
        self._note(step)
        while (awaiting := self._game.awaiting(step.state)) is not None:
            self._at += 1
            if awaiting.chance:
                order = permutation(self._seed, self._name, self._deals, awaiting.chance)
                self._deals += 1
                step = self._game.apply(step.state, Deal(order, self._at))
            else:
                step = self._ask_all(step.state, awaiting)
            self._note(step)
        outcome = self._game.outcome(step.state)
        assert outcome is not None
        message = matches_pb2.Outcome(places=outcome.places, scores=outcome.scores)
        for seat, bot in enumerate(self._bots):
            self._tell(seat)
            self._hook(seat, "over", partial(bot.over, message))
        return Played(outcome, tuple(self._events), tuple(self._faults))

    def _seat(self) -> None:
        names = [f"{type(bot).__name__}-{seat}" for seat, bot in enumerate(self._bots)]
        for seat, bot in enumerate(self._bots):
            match = matches_pb2.Match(
                id=self._name,
                game=self._game.name,
                state=matches_pb2.MatchState.OPEN,
                options=options_to_proto(self._game.name, self._options),
                rules_version=self._game.rules_version,
                seats=[matches_pb2.Seat(player=player, display_name=player, bot=True) for player in names],
                you=matches_pb2.You(seat=seat),
            )
            self._hook(seat, "seated", partial(bot.seated, match))
        self._sequence += 1
        for news in self._news:
            event = matches_pb2.Event(sequence=self._sequence, type="match.started")
            event.match.started.players.extend(names)
            news.append(event)

    def _note(self, step: Step[Any]) -> None:
        for event in step.events:
            self._sequence += 1
            self._events.append(event)
            for seat, news in enumerate(self._news):
                seen = matches_pb2.Event(sequence=self._sequence, type=event.type)
                seen.time.FromMilliseconds(self._at)
                set_payload(seen, self._game.name, event.seen_by(seat))
                news.append(seen)

    def _tell(self, seat: Seat) -> None:
        news, self._news[seat] = self._news[seat], []
        if news:
            self._hook(seat, "events", partial(self._bots[seat].events, news))

    def _hook(self, seat: Seat, kind: str, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as problem:  # whatever a bot raises is its fault and must not end the run
            self._faults.append(Fault(seat, kind, f"{type(problem).__name__}: {problem}"))

    def _ask_all(self, state: Any, awaiting: Awaiting) -> Step[Any]:
        """The first act of a window: of a seat that may act, in the order of seats, or else of the first that must."""
        for seat in awaiting.may:
            asked = (awaiting.window, self._game.choices(state, seat) or ())
            if not asked[1] or self._declined.get(seat) == asked:
                continue
            step = self._ask(state, awaiting, seat)
            if step is not None:
                return step
            self._declined[seat] = asked
        step = self._ask(state, awaiting, awaiting.must[0])
        assert step is not None, "a seat that must act cannot decline"
        return step

    def _ask(self, state: Any, awaiting: Awaiting, seat: Seat) -> Step[Any] | None:
        """What a bot answers; None if it declines."""
        self._tell(seat)
        legal = self._game.choices(state, seat)
        window = self._window(awaiting, legal)
        view = view_to_proto(self._game.name, self._game.view(state, seat))
        try:
            choice = checked(_settle(self._bots[seat].choose(view, window)), must=seat in awaiting.must)
            if choice is None:
                return None
            return self._game.apply(state, Act(seat, self._action(choice, legal), self._at))
        except (IllegalAction, ConvertError) as refusal:
            text = CATALOGUE[refusal.reason].text("en", refusal.details)
            self._fault(seat, awaiting, f"{refusal.reason}: {text}")
        except ChoiceInvalid as problem:
            self._fault(seat, awaiting, str(problem))
        except Exception as problem:  # whatever a bot raises is its fault and must not end the run
            self._fault(seat, awaiting, f"{type(problem).__name__}: {problem}")
        instead = self._chance.choice(legal) if legal else self._game.default(state, seat)
        return self._game.apply(state, Act(seat, instead, self._at))

    def _window(self, awaiting: Awaiting, legal: Sequence[Any] | None) -> matches_pb2.Window:
        actions = dict.fromkeys(action_name(self._game, action) for action in legal or ())
        return matches_pb2.Window(
            id=awaiting.window,
            kind=matches_pb2.WindowKind.Value.Value(awaiting.kind),
            must=awaiting.must,
            may=awaiting.may,
            actions=actions,
            choices=[action_to_proto(self._game.name, action) for action in legal or ()],
        )

    def _action(self, choice: Choice, legal: Sequence[Any] | None) -> Any:
        if isinstance(choice, games_pb2.Action):
            return action_from_proto(self._game.name, choice)
        if not 0 <= choice < len(legal or ()):
            raise ConvertError("CHOICE_OUT_OF_RANGE", {"choice": str(choice), "choices": str(len(legal or ()))})
        return (legal or ())[choice]

    def _fault(self, seat: Seat, awaiting: Awaiting, problem: str) -> None:
        self._faults.append(Fault(seat, awaiting.kind, problem))


def _settle(choice: Choice | Awaitable[Choice | None] | None) -> Choice | None:
    if not inspect.isawaitable(choice):
        return choice
    return asyncio.run(_await(choice))


async def _await(choice: Awaitable[Choice | None]) -> Choice | None:
    return await choice
