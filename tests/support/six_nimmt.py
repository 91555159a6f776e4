"""6 nimmt! positions for tests, written down instead of played up to."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest
from msgspec.structs import replace

from croupier_engine.errors import IllegalAction, Reason
from croupier_engine.game import Act, By, Command, Deal, Event, Step
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.game import SixNimmt
from croupier_engine.six_nimmt.model import Action, Commit, Options, Payload, Phase, Placement, State

GAME = SixNimmt()
PROFESSIONAL = Options(placement=Placement.PROFESSIONAL)

P = TypeVar("P")


def position(
    rows: Iterable[Sequence[int]],
    hands: Sequence[Sequence[int]],
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    trick: int = 10,
    scores: Sequence[int] | None = None,
    resigned: Sequence[int] = (),
) -> State:
    """A table where all seats choose their card for a trick, the tenth unless said."""
    seats = len(hands)
    return State(
        options=options,
        phase=Phase.CHOOSE,
        deal=1,
        trick=trick,
        rows=tuple(map(tuple, rows)),
        hands=tuple(tuple(hand) for hand in hands),
        pool=(),
        chosen=(None,) * seats,
        plays=(),
        laid=0,
        scores=(options.start_credit,) * seats if scores is None else tuple(scores),
        bulls=(0,) * seats,
        resigned=tuple(resigned),
    )


def play(state: State, *cards: int) -> Step[State]:
    """Every seat, in order, commits its card; the step of the last one."""
    step = Step(state)
    for seat, card in enumerate(cards):
        step = act(step.state, seat, Commit(card))
    return step


def last_trick(rows: Iterable[Sequence[int]], *cards: int, options: Options = Options()) -> Step[State]:  # noqa: B008
    """The cards, one a seat, are played as the tenth trick on these rows."""
    return play(position(rows, [(card,) for card in cards], options), *cards)


def act(state: State, seat: int, action: Action, by: By = By.PLAYER) -> Step[State]:
    return rules.apply(state, Act(seat, action, 0, by))


def refused(state: State, command: Command[Action]) -> tuple[Reason, dict[str, str]]:
    """Why the command is refused; nothing may have changed."""
    before = replace(state)
    with pytest.raises(IllegalAction) as refusal:
        rules.apply(state, command)
    assert state == before
    return refusal.value.reason, refusal.value.details


def stacked(hands: Sequence[Sequence[int]], rows: Sequence[int], size: int = 104) -> Deal:
    """A deal that gives these hands and rows; cards not named follow in ascending order."""
    named = [card for hand in hands for card in hand] + list(rows)
    rest = [card for card in range(1, size + 1) if card not in set(named)]
    return Deal(tuple(card - 1 for card in named + rest), 0)


def dealt(options: Options, seats: int) -> State:
    """After a first deal without a shuffle: seat 0 has 1..10, seat 1 has 11..20, and so on."""
    state = rules.start(options, seats).state
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    return rules.apply(state, Deal(tuple(range(awaiting.chance)), 0)).state


def told(events: Iterable[Event], kind: type[P]) -> list[P]:
    """The public payloads of one class."""
    return [event.public for event in events if isinstance(event.public, kind)]


def payloads(events: Iterable[Event]) -> list[Payload]:
    """All public payloads, in order."""
    kinds = tuple(GAME.payloads.values())
    found = [event.public for event in events]
    assert all(isinstance(payload, kinds) for payload in found)
    return found  # type: ignore[return-value]
