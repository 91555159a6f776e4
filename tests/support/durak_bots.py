"""The house's bot for Durak in positions that are written down."""

import random
from collections.abc import Sequence

from support.durak import GAME

from croupier.v1 import matches_pb2
from croupier_bots.brains.durak import Careful
from croupier_convert import action_to_proto, options_to_proto, set_payload, view_to_proto
from croupier_engine import cards
from croupier_engine.durak.model import Action, State
from croupier_engine.durak.questions import on_table


class Knowing:
    """A careful bot dropped into a position, told the discard beforehand."""

    def __init__(self, state: State, seat: int) -> None:
        self._seat, self._bot = seat, Careful()
        self._bot.random = random.Random(1)
        match = matches_pb2.Match(options=options_to_proto("durak", state.options), you=matches_pb2.You(seat=seat))
        self._bot.seated(match)
        gone = (
            set(cards.pack(state.options.deck))
            - {card for hand in state.hands for card in hand}
            - set(on_table(state.bout))
        )
        event = matches_pb2.Event()
        event.durak.bito.cards.extend(sorted(gone))
        self._bot.events([event])

    def hear(self, events: Sequence[object]) -> None:
        told = []
        for event in events:
            message = matches_pb2.Event()
            set_payload(message, "durak", event.seen_by(self._seat))  # type: ignore[attr-defined]
            told.append(message)
        self._bot.events(told)

    def act(self, state: State, kind: str) -> Action:
        listed = GAME.choices(state, self._seat) or ()
        window = matches_pb2.Window(
            kind=matches_pb2.WindowKind.Value.Value(kind),
            must=[self._seat],
            choices=[action_to_proto("durak", choice) for choice in listed],
        )
        chosen = self._bot.choose(view_to_proto("durak", GAME.view(state, self._seat)), window)
        assert isinstance(chosen, int), "where nobody sits who could claim, it answers at once"
        action: Action = listed[chosen]
        return action
