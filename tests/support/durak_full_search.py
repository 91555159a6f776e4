"""Two players of Durak, no talon: all that can come from a position, by the engine, and what it is worth.

With transfers a position may come again. Who cannot force his win in the end has a draw at best.
"""

from dataclasses import dataclass

from support.durak import GAME

from croupier_engine.durak.model import Action, Pair, Phase, State
from croupier_engine.game import Act

Key = tuple[tuple[tuple[str, ...], ...], int, frozenset[Pair], bool, Phase]


@dataclass(slots=True)
class Node:
    """`seat` decides; `worth` is seat 0's: 1, 0 or -1."""

    state: State
    seat: int
    after: list[tuple[Action, Key]]
    worth: int = 0


class TooLarge(Exception):  # noqa: N818 - it names what happens
    """More can come than was asked for."""


def search(start: State, most: int) -> dict[Key, Node]:
    """All positions by key; TooLarge if there are more than `most`."""
    nodes: dict[Key, Node] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        key = key_of(state)
        if key in nodes:
            continue
        if len(nodes) == most:
            raise TooLarge
        awaiting = GAME.awaiting(state)
        if awaiting is None:
            outcome = GAME.outcome(state)
            assert outcome is not None
            nodes[key] = Node(state, 0, [], outcome.scores[1] - outcome.scores[0])
            continue
        (seat,) = awaiting.must
        node = nodes[key] = Node(state, seat, [])
        for action in GAME.choices(state, seat):
            step = GAME.apply(state, Act(seat, action, 0))
            node.after.append((action, key_of(step.state)))
            waiting.append(step.state)
    _reckon(nodes)
    return nodes


def key_of(state: State) -> Key:
    """What of a state matters."""
    return state.hands, state.bout.defender, frozenset(state.bout.table), state.bout.taking, state.phase


def _reckon(nodes: dict[Key, Node]) -> None:
    """From the ends backwards, until nothing changes."""
    changed = True
    while changed:
        changed = False
        for node in reversed(nodes.values()):
            if node.after:
                values = [nodes[key].worth for _, key in node.after]
                worth = min(values) if node.seat else max(values)
                changed |= worth != node.worth
                node.worth = worth
