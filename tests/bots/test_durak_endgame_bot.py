"""What `careful` reckons at the end of a game of Durak, against a search of the engine to the last card."""

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from support.durak import GAME, position
from support.durak_bots import Knowing
from support.durak_full_search import Key, Node, TooLarge, search

from croupier.v1 import durak_pb2 as pb
from croupier_bots.brains.durak import bout_of, rules_of
from croupier_bots.brains.durak_cards import hand_of
from croupier_bots.brains.durak_endgame import Bout, Endgame, Rules
from croupier_convert import options_to_proto, view_to_proto
from croupier_engine import cards
from croupier_engine.durak.model import State
from croupier_engine.durak.options import (
    Kind,
    Options,
    Permission,
    ThrowMatch,
    ThrowOrder,
    ThrowTiming,
    TransferFirstBout,
)

TRANSFER = Options(Kind.PEREVODNOY)
AFTER_BEAT = replace(TRANSFER, transfer_after_beat=True)
TABLES = {
    **{name: preset.options for name, preset in GAME.presets.items()},
    "transfer": TRANSFER,
    "transfer_after_beat": AFTER_BEAT,
    "no_transfer_past_trumps": replace(AFTER_BEAT, transfer_with_trump_on_table=Permission.FORBIDDEN),
    "nothing_after_take": Options(throw_after_take=False),
    "nothing_after_take_by_suit": replace(AFTER_BEAT, throw_match=ThrowMatch.RANK_OR_SUIT, throw_after_take=False),
    "sealed": Options(throw_order=ThrowOrder.FREE),
    "jokers": replace(TRANSFER, deck=54, throw_match=ThrowMatch.RANK_OR_SUIT),
}


def ended(hands: list[list[str]], options: Options) -> State:
    """Nothing but these hands is left."""
    gone = [card for card in cards.pack(options.deck) if card not in hands[0] + hands[1]]
    return position([" ".join(hand) for hand in hands], options, discard=" ".join(gone))


def small_ends(options: Options, seed: int, count: int) -> Iterator[dict[Key, Node]]:
    """Positions of six cards of few ranks, so that there is much to throw in and to pass on; with all that can come."""
    chance = random.Random(seed)
    while count:
        ranks = chance.sample("6789TJ", 3)
        some = [card for card in cards.pack(options.deck) if card[0] in ranks or card in ("JB", "JR")]
        held = chance.sample(some, 6)
        own = chance.randint(2, 4)
        try:
            yield search(ended([held[:own], held[own:]], options), 3000)
        except TooLarge:
            continue
        count -= 1


def view_of(node: Node) -> pb.DurakView:
    return view_to_proto("durak", GAME.view(node.state, node.seat)).durak


@pytest.mark.parametrize("table", TABLES)
def test_moves_and_worth_are_those_of_a_full_search(table: str) -> None:
    options = TABLES[table]
    chance = random.Random(5)
    seen = set()
    for nodes in small_ends(options, 3, 12):
        decisions = [node for node in nodes.values() if len(node.after) > 1]
        for node in chance.sample(decisions, min(len(decisions), 12)):
            view = view_of(node)
            rules = rules_of(options_to_proto("durak", options).durak, view)
            assert rules is not None
            defender = node.state.bout.defender
            hands = [hand_of(hand) for hand in node.state.hands]
            _, worth = Endgame(rules).best(bout_of(view, hands[1 - defender], hands[defender]))
            assert worth == (-node.worth if node.seat else node.worth), node.state
            seen.add(worth)
            awaiting = GAME.awaiting(node.state)
            assert awaiting is not None
            chosen = Knowing(node.state, node.seat).act(node.state, awaiting.kind)
            after = next(key for action, key in node.after if action == chosen)
            assert nodes[after].worth == node.worth, (node.state, chosen)
    assert seen >= {1, -1}


@pytest.mark.parametrize(
    ("options", "state"),
    [
        (Options(throw_timing=ThrowTiming.ANYTIME), {}),
        (Options(max_bouts=50), {}),
        (Options(teams=2), {}),
        (replace(TRANSFER, transfer_first_bout=TransferFirstBout.FORBIDDEN), {"bout": 1}),
        (Options(limit_first=5), {"discard": ""}),
    ],
)
def test_what_is_not_known_exactly_is_not_reckoned(options: Options, state: dict[str, object]) -> None:
    held = ["6S 7S", "8S 9S"]
    start = position(held, options, **{"discard": "AS", **state})  # type: ignore[arg-type]
    assert rules_of(options_to_proto("durak", options).durak, view_of(Node(start, 0, []))) is None
    plain = position(held, discard="AS")
    assert rules_of(options_to_proto("durak", plain.options).durak, view_of(Node(plain, 0, []))) is not None


def test_what_is_remembered_does_not_depend_on_the_way_there() -> None:
    """With transfers a line may come back to where it was, which is a draw for that line alone."""
    endgame = Endgame(Rules("H", transfers=True))
    endgame.best(Bout(hand_of(["7S", "8D", "9S"]), hand_of(["7C", "7D", "8C", "9C", "9D"])))
    later = Bout(hand_of(["7C", "8D", "9D"]), hand_of(["7S", "7D", "8C", "9C"]), hand_of(["9S"]), hand_of(["9S"]), 1)
    assert endgame.best(later)[1] == Endgame(Rules("H", transfers=True)).best(later)[1]
