"""The end of a game of Durak between two, when the talon is empty: who counted the cards knows them all, and reckons.

Exact, as far as the budget goes, for what `Rules` can say; whoever asks must not ask under other options. Numbers in
brackets: docs/rules/durak.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from croupier_bots.brains.durak_cards import beaters, cards_of, in_order, of_rank, ranks_in, suits_in, trumps

WIN, DRAW, LOSS = 1, 0, -1
MOST_CARDS = 16  # of both together, that are reckoned with at all
BUDGET = 4000  # positions for one decision, some 30 ms
DEEPEST = 200  # moves ahead

PASS, TAKE = "pass", "take"


class TooMuch(Exception):  # noqa: N818 - it names what happens
    """The budget is spent."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What of the options matters here. `limit`: attack cards in a bout [6], None: the defender's hand alone."""

    trump: str
    limit: int | None = 6
    single: bool = False  # only one card may be led
    throws: bool = True
    by_suit: bool = False  # a suit that lies there may be thrown in too
    after_take: bool = True  # cards may be thrown in to one who takes
    transfers: bool = False
    several: bool = True  # more than one card may pass an attack on at once
    past_trumps: bool = True  # transfers also when a trump lies there
    after_beat: bool = False  # transfers also when some cards are beaten


@dataclass(frozen=True, slots=True)
class Bout:
    """Sets of cards. Who decides follows from what lies open, see `Endgame.attacks`."""

    attacker: int
    defender: int
    table: int = 0  # all cards that lie there
    open: int = 0  # those of them that are to be beaten
    laid: int = 0  # attack cards so far, a number
    taking: bool = False


Move = tuple[str, int]
"""lead, throw, beat and transfer with the cards; of a beat the card alone; pass, take with none."""


class Endgame:
    """Positions between two with all cards known. The value is the attacker's."""

    def __init__(self, rules: Rules, budget: int = BUDGET) -> None:
        self._rules = rules
        self._left = budget
        self._known: dict[Bout, int] = {}
        self._path: dict[Bout, int] = {}  # what is being reckoned, with its depth
        self._back = 0  # the least depth on the path that a line has come back to
        # Who lays cards one after another sees more, and loses nothing by it where he can always lay the others later,
        # and where more of them at once do not keep the defender from passing them on.
        self._leads_one = rules.single or (rules.throws and rules.after_take and not rules.transfers)
        self._throws_one = rules.after_take and not (rules.transfers and rules.after_beat)

    def best(self, bout: Bout) -> tuple[Move, int]:
        """The best move of whoever decides, and what it is worth to him. Raises TooMuch."""
        attacking = self.attacks(bout)
        best, worth = None, LOSS - 1
        for move, after, swapped in self._moves(bout):
            value = self._value(after)
            value = value if attacking != swapped else -value
            if value > worth:
                best, worth = move, value
            if worth == WIN:
                break
        assert best is not None, "there is always a move"
        return best, worth

    @staticmethod
    def attacks(bout: Bout) -> bool:
        """Whether the attacker decides."""
        return not bout.open or bout.taking

    def _value(self, after: Bout | int) -> int:
        if isinstance(after, int):
            return after
        known = self._known.get(after)
        if known is not None:
            return known
        again = self._path.get(after)
        if again is not None:  # by transfers and takes, round and round: it leads nowhere
            self._back = min(self._back, again)
            return DRAW
        depth = len(self._path)
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            raise TooMuch
        self._path[after] = depth
        before, self._back = self._back, depth
        attacking = self.attacks(after)
        worth = LOSS - 1
        for _, following, swapped in self._moves(after):
            value = self._value(following)
            worth = max(worth, value if attacking != swapped else -value)
            if worth == WIN:
                break
        value = worth if attacking else -worth
        del self._path[after]
        # What is won or lost is so by whatever way one came. A draw may be one only because the line came back to where
        # it had been before this position: that is not remembered.
        if value != DRAW or self._back >= depth:
            self._known[after] = value
            self._back = before
        else:
            self._back = min(self._back, before)
        return value

    def _moves(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        """Moves with what follows; the last says that attacker and defender have changed places in it."""
        if self.attacks(bout):
            yield from self._attacks(bout)
        else:
            yield from self._defences(bout)

    def _attacks(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        room = self._room(bout)
        if not bout.table:
            for cards in self._sets(bout.attacker, min(room, 1) if self._leads_one else room):
                yield (
                    ("lead", cards),
                    Bout(bout.attacker ^ cards, bout.defender, cards, cards, cards.bit_count()),
                    False,
                )
            return
        fitting = ranks_in(bout.table) | (suits_in(bout.table) if self._rules.by_suit else 0)
        for cards in self._sets(bout.attacker & fitting, min(room, 1) if self._throws_one else room):
            after = Bout(
                bout.attacker ^ cards,
                bout.defender,
                bout.table | cards,
                bout.open | cards,
                bout.laid + cards.bit_count(),
                bout.taking,
            )
            yield ("throw", cards), self._settled(after)[0], False
        yield (PASS, 0), *self._ended(bout)

    def _sets(self, hand: int, most: int) -> Iterator[int]:
        """Cards of one rank that may be laid together, the cheapest single ones first."""
        if most < 1:
            return
        order = in_order(hand, self._rules.trump)
        for card in order:
            yield 1 << card
        for card in order if most > 1 else ():
            same = [other for other in cards_of(hand & of_rank(card)) if other > card]
            for size in range(1, min(most - 1, len(same)) + 1):
                for others in combinations(same, size):
                    yield sum((1 << other for other in others), 1 << card)

    def _defences(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        trump = self._rules.trump
        for attack in self._to_beat(bout):
            for card in in_order(beaters(attack, trump) & bout.defender, trump):
                one = 1 << card
                after = Bout(
                    bout.attacker,
                    bout.defender ^ one,
                    bout.table | one,
                    bout.open ^ (1 << attack),
                    bout.laid,
                )
                yield (f"beat {attack}", one), *self._settled(after)
        yield from self._transfers(bout)
        taking = Bout(bout.attacker, bout.defender, bout.table, bout.open, bout.laid, True)
        yield (TAKE, 0), *self._settled(taking)

    def _to_beat(self, bout: Bout) -> Iterable[int]:
        """Which is beaten first matters only if the rest may be passed on then; else it is what fewest cards beat."""
        rules = self._rules
        if rules.transfers and rules.after_beat:
            return cards_of(bout.open)
        return (min(cards_of(bout.open), key=lambda card: (beaters(card, rules.trump) & bout.defender).bit_count()),)

    def _transfers(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        """Ways to pass the attack on [7]. What is open is of one rank: only such cards are laid together."""
        rules = self._rules
        if not rules.transfers or (bout.table.bit_count() > bout.laid and not rules.after_beat):
            return
        if not rules.past_trumps and bout.table & trumps(rules.trump):
            return
        here = Bout(bout.defender, bout.attacker, bout.table, bout.open, bout.laid)
        room = self._room(here)
        for cards in self._sets(bout.defender & ranks_in(bout.open), room if rules.several else min(room, 1)):
            after = Bout(
                here.attacker ^ cards,
                here.defender,
                here.table | cards,
                here.open | cards,
                here.laid + cards.bit_count(),
            )
            yield ("transfer", cards), after, True

    def _room(self, bout: Bout) -> int:
        """How many more attack cards may lie there [6]."""
        by_hand = bout.defender.bit_count() - bout.open.bit_count()
        limit = self._rules.limit
        return by_hand if limit is None else min(by_hand, limit - bout.laid)

    def _settled(self, bout: Bout) -> tuple[Bout | int, bool]:
        """The bout after a move, or what follows it where it ends by itself [5]."""
        if bout.open and not bout.taking:
            return bout, False
        rules = self._rules
        ends = not rules.throws or not bout.attacker or self._room(bout) <= 0
        if ends or (bout.taking and not rules.after_take):
            return self._ended(bout)
        return bout, False

    def _ended(self, bout: Bout) -> tuple[Bout | int, bool]:
        """The next lead, or the value of the end to the attacker of this bout [8]."""
        if bout.taking:
            return (Bout(bout.attacker, bout.defender | bout.table), False) if bout.attacker else (WIN, False)
        if not bout.attacker:
            return (WIN if bout.defender else DRAW), False
        return (Bout(bout.defender, bout.attacker), True) if bout.defender else (LOSS, False)
