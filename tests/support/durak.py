"""Durak positions for tests, written down instead of played up to. Cards in words: "6S 7S TH"."""

from collections.abc import Sequence
from typing import TypeVar

import pytest
from msgspec.structs import replace

from croupier_engine.cards import pack, sort
from croupier_engine.durak.game import Durak
from croupier_engine.durak.model import (
    Action,
    Beat,
    Bout,
    Claim,
    Lead,
    Pass,
    Phase,
    Series,
    State,
    Take,
    Throw,
    Transfer,
)
from croupier_engine.durak.options import Options
from croupier_engine.errors import IllegalAction, Reason
from croupier_engine.game import Act, By, Command, Deal, Event, Step

GAME = Durak()

P = TypeVar("P")


def cards(words: str) -> tuple[str, ...]:
    """The cards of "6S 7S TH"."""
    return tuple(words.split())


def position(
    hands: Sequence[str],
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    leader: int = 0,
    talon: str = "",
    trump: str = "H",
    discard: str = "",
    bout: int = 2,
    game: int = 1,
    out: Sequence[int] = (),
    resigned: Sequence[int] = (),
    redeals: int = 0,
) -> State:
    """A table where `leader` has to lead to the next on his left; the last card of the talon is the trump card.

    A seat of `out` has gone out of this game. In the first bout the hands are as they were dealt.
    """
    seats = len(hands)
    held = tuple(sort(cards(hand)) for hand in hands)
    series = Series(
        game=game,
        dealer=seats - 1,
        losses=(0,) * seats,
        points=(0,) * seats,
        redeals=redeals,
        out=tuple((seat, place) for place, seat in enumerate(out, 1)),
        resigned=tuple(resigned),
    )
    stack = cards(talon)
    gone = {*out, *resigned}
    after = [(leader + step) % seats for step in range(1, seats + 1)]
    defender = after[0] if options.teams else next(seat for seat in after if seat not in gone)
    return State(
        options=options,
        phase=Phase.LEAD,
        hands=held,
        dealt=held if bout == 1 else (),
        talon=stack,
        trump=trump,
        shown=stack[-1] if stack else None,
        discard=cards(discard),
        bout=Bout(bout, leader, leader, defender, token=leader, questions=1),
        series=series,
    )


def act(state: State, seat: int, action: Action, by: By = By.PLAYER) -> Step[State]:
    return GAME.apply(state, Act(seat, action, 0, by))


def script(state: State, *lines: str) -> Step[State]:
    """Acts in words, "0 lead 6S 6H", "1 beat 6S 9S", "2 pass", one after another; the step of the last one."""
    step = Step(state)
    for line in lines:
        seat, action = said(line)
        step = act(step.state, seat, action)
    return step


def said(line: str) -> tuple[int, Action]:
    """A seat and what it does, from words."""
    seat, verb, *held = line.split()
    match verb:
        case "lead":
            return int(seat), Lead(tuple(held))
        case "beat":
            return int(seat), Beat(*held)
        case "transfer":
            return int(seat), Transfer(tuple(held))
        case "throw":
            return int(seat), Throw(tuple(held))
        case "take":
            return int(seat), Take()
        case "pass":
            return int(seat), Pass()
        case "claim":
            return int(seat), Claim()
        case _:
            raise ValueError(line)


def asked(state: State) -> tuple[str, tuple[int, ...]]:
    """The kind of question, and who must answer."""
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    return awaiting.kind, awaiting.must


def refused(state: State, line: str) -> Reason:
    """Why the rules refuse an act in words; nothing may have changed."""
    seat, action = said(line)
    return refusal(state, Act(seat, action, 0))[0]


def refusal(state: State, command: Command[Action]) -> tuple[Reason, dict[str, str]]:
    """Why the command is refused; nothing may have changed."""
    before = replace(state)
    with pytest.raises(IllegalAction) as caught:
        GAME.apply(state, command)
    assert state == before
    return caught.value.reason, caught.value.details


def stacked(hands: Sequence[str], dealer: int, *, trump: str = "", rest: str = "", size: int = 36) -> Deal:
    """A deal that gives these hands, turns `trump` up and goes on with `rest`; what is not named follows in order."""
    seats = len(hands)
    order = [(dealer + 1 + turn) % seats for turn in range(seats)]
    held = [cards(hand) for hand in hands]
    named = [held[seat][turn] for turn in range(6) for seat in order]
    named += [*cards(trump), *cards(rest)]
    whole = pack(size)
    left = [card for card in whole if card not in named]
    return Deal(tuple(whole.index(card) for card in (*named, *left)), 0)


def drawn(dealer: int, seats: int) -> Deal:
    """The lot falls on a dealer."""
    return Deal((dealer, *(seat for seat in range(seats) if seat != dealer)), 0)


def begun(deal: Deal, seats: int, dealer: int, options: Options = Options()) -> Step[State]:  # noqa: B008
    """The first game, dealt."""
    lot = GAME.apply(GAME.start(options, seats, 0).state, drawn(dealer, seats))
    return GAME.apply(lot.state, deal)


def told(events: Sequence[Event], kind: type[P]) -> list[P]:
    """The public payloads of a kind."""
    return [event.public for event in events if isinstance(event.public, kind)]
