"""6 nimmt!: a bot that plays anything legal, and one that counts. Numbers: docs/rules/six_nimmt.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from croupier.v1 import games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_bots.bot import Bot
from croupier_bots.brains.six_nimmt_rows import FULL, FreeRows, Option, ProfessionalRows, Rows, Tricks, bulls_of, costs

# Cards laid in thought for one decision, which is some 2 ms, and how many tricks ahead.
BUDGET = 3000
DEPTH = 6
FEWEST, MOST = 4, 120  # guesses of what the others hold


class Random(Bot):
    """Plays any legal choice."""

    games: ClassVar[Mapping[str, Sequence[str]]] = {"six_nimmt": ("random",)}

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> int:
        """An index of `window.choices`."""
        return self.random.randrange(len(window.choices))


class Careful(Bot):
    """Plays what is expected to cost the fewest bullheads, over all that it has not seen.

    It remembers the cards of the deal that lay open. What the others hold is guessed, again and again, from the rest;
    after a draft it is known. They are supposed to play at random.
    """

    games: ClassVar[Mapping[str, Sequence[str]]] = {"six_nimmt": ("careful",)}

    def __init__(self) -> None:
        self._options = pb.SixNimmtOptions()
        self._deal = 0
        self._seen: set[int] = set()

    def seated(self, match: matches_pb2.Match) -> None:
        """Note how it is played, and what lies open by now."""
        self._options = match.options.six_nimmt
        if match.you.HasField("view"):
            self._look(match.you.view.six_nimmt)

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        """Note the cards that were shown."""
        for event in events:
            match event.six_nimmt.WhichOneof("event"):
                case "dealt":
                    self._deal = event.six_nimmt.dealt.deal
                    self._seen = _cards(event.six_nimmt.dealt.rows)
                case "rows_laid":
                    self._seen |= _cards(event.six_nimmt.rows_laid.rows)
                case "revealed":
                    self._seen |= {play.card for play in event.six_nimmt.revealed.plays}

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> int:
        """An index of `window.choices`."""
        table = view.six_nimmt
        self._look(table)
        choices = window.choices
        if len(choices) == 1:
            return 0
        if window.kind == matches_pb2.WindowKind.DRAFT:
            # A hand spread by chance measured better than low, high or evenly spread ones.
            return self.random.randrange(len(choices))
        options = [self._option(table, choice.six_nimmt) for choice in choices]
        # A card to be laid now is still among a hand's cards only while cards are chosen.
        hand = list(table.hand)
        worlds = BUDGET // max(1, len(options) * min(len(hand), DEPTH) * len(table.hand_sizes))
        worlds = min(max(worlds, FEWEST), MOST) if hand else 1
        expected = costs(options, hand, self._guesses(table), worlds, self.random)
        return min(range(len(options)), key=expected.__getitem__)

    def _look(self, table: pb.SixNimmtView) -> None:
        if table.deal != self._deal:  # the deal's beginning was missed
            self._deal = table.deal
            self._seen = set()
        self._seen |= _cards(table.rows)
        self._seen |= {play.card for play in table.plays}

    def _option(self, table: pb.SixNimmtView, action: pb.SixNimmtAction) -> Option:
        rows = [list(row.cards) for row in table.rows]
        match action.WhichOneof("action"):
            case "row":
                index, left = action.row.row, False
            case "side":
                left = action.side.side == pb.SixNimmtSide.LEFT
                index = _end(rows, table.waiting[0].card, left)
            case _:
                return Option(self._rows(rows), 0, action.commit.card)
        card, rest = table.waiting[0].card, [play.card for play in table.waiting[1:]]
        cost = 0
        if action.HasField("row") or len(rows[index]) == FULL:
            cost = sum(map(bulls_of, rows[index]))
            rows[index] = [card]
        else:
            rows[index].insert(0 if left else FULL, card)
        after = self._rows(rows)
        after.lay(rest, 0)
        return Option(after, cost, None)

    def _rows(self, rows: Sequence[Sequence[int]]) -> Rows:
        if self._options.placement != pb.SixNimmtPlacement.PROFESSIONAL:
            return Rows.of(rows)
        if self._options.pro_choice == pb.SixNimmtProChoice.ALWAYS:
            return FreeRows.of(rows)
        return ProfessionalRows.of(rows)

    def _guesses(self, table: pb.SixNimmtView) -> Callable[[], Tricks]:
        """What the others may play in the tricks ahead; each call is another guess."""
        others = len(table.hand_sizes) - 1
        chance = self.random
        if table.hands:
            hands = [list(hand.cards) for hand in table.hands]
            hands.remove(list(table.hand))

            def order() -> Tricks:
                for hand in hands:
                    chance.shuffle(hand)
                return [list(trick) for trick in zip(*hands, strict=False)][:DEPTH]

            return order
        unseen = self._unseen(table)
        depth = min(len(table.hand), DEPTH, len(unseen) // others)

        def draw() -> Tricks:
            cards = chance.sample(unseen, depth * others)
            return [cards[at : at + others] for at in range(0, len(cards), others)]

        return draw

    def _unseen(self, table: pb.SixNimmtView) -> list[int]:
        standard = self._options.cards == pb.SixNimmtCards.STANDARD
        deck = 104 if standard else 10 * len(table.hand_sizes) + 4
        known = self._seen.union(table.hand)
        return [card for card in range(1, deck + 1) if card not in known]


def _cards(rows: Iterable[pb.SixNimmtCardList]) -> set[int]:
    return {card for row in rows for card in row.cards}


def _end(rows: Sequence[Sequence[int]], card: int, left: bool) -> int:
    """The row of the nearest higher left end, or of the nearest lower right one."""
    if left:
        return min((row[0], index) for index, row in enumerate(rows) if row[0] > card)[1]
    return max((row[-1], index) for index, row in enumerate(rows) if row[-1] < card)[1]
