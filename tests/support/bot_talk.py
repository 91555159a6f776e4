"""A bot's session without a network, and a bot that keeps what it is told."""

from collections.abc import Iterable, Sequence

from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_bots import Bot, Choice
from croupier_bots.session import Ask, Effect, Session


class Lowest(Bot):
    """Plays the first choice and keeps what it is told."""

    games = {"six_nimmt": ("lowest",)}  # noqa: RUF012 - as authors write it

    def __init__(self) -> None:
        self.told: list[object] = []

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0

    def seated(self, match: matches_pb2.Match) -> None:
        self.told.append(("seated", match.sequence))

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        self.told.extend(event.sequence for event in events)

    def over(self, outcome: matches_pb2.Outcome | None) -> None:
        self.told.append(("over", outcome and list(outcome.places)))


class Talk:
    """A session and the bots that it made."""

    def __init__(self, kind: type[Bot] = Lowest) -> None:
        self.bots: list[Bot] = []
        self.session = Session(self._make, {"six_nimmt": ("lowest",)}, capacity=7, seed=1)
        self._kind = kind
        self.session.hello()

    def _make(self, match: matches_pb2.Match) -> Bot:
        self.bots.append(self._kind())
        return self.bots[-1]

    def hear(self, *messages: bots_pb2.TableMessage) -> list[Effect]:
        return [effect for message in messages for effect in self.session.receive(message)]

    def acts(self, *messages: bots_pb2.TableMessage, choice: Choice = 0) -> list[bots_pb2.PlayAct]:
        """What is played when these messages come and every question is answered so."""
        return self.answer(self.hear(*messages), choice)

    def answer(self, effects: Iterable[Effect], choice: Choice = 0) -> list[bots_pb2.PlayAct]:
        acts: list[bots_pb2.PlayAct] = []
        for effect in effects:
            if isinstance(effect, Ask):
                acts += self.answer(self.session.decide(effect.match, effect.window.id, choice))
            elif isinstance(effect, bots_pb2.PlayerMessage) and effect.HasField("act"):
                acts.append(effect.act)
        return acts
