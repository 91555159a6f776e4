"""The end of a game of Durak between two, when the talon is empty: who counted the cards knows them all, and reckons.

Exact, as far as the budget goes, for leads and throws of one card at a time. That loses nothing where cards can be
thrown in: who lays them one after another sees more. Numbers in brackets: docs/rules/durak.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier_bots.brains.durak_cards import beaters, cards_of, in_order, of_rank, rank, ranks_in

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
    limit: int | None
    throws: bool
    transfers: bool
    after_beat: bool  # transfers also when some cards are beaten
    single: bool  # only one card may be led
    after_take: bool  # cards may be thrown in to one who takes


@dataclass(frozen=True, slots=True)
class Bout:
    """Sets of cards. `other` is the hand of whoever does not decide at the moment."""

    attacker: int
    defender: int
    table: int = 0  # all cards that lie there
    open: int = 0  # those of them that are to be beaten
    laid: int = 0  # attack cards so far, a number
    taking: bool = False
    beaten: bool = False  # some card is


Move = tuple[str, int]
"""lead, throw, beat and transfer with the cards; of a beat the card alone; pass, take with none."""


class Endgame:
    """Positions between two with all cards known. The value is the attacker's."""

    def __init__(self, rules: Rules, budget: int = BUDGET) -> None:
        self._rules = rules
        self._left = budget
        self._depth = 0
        self._known: dict[Bout, int] = {}

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
        self._left -= 1
        self._depth += 1
        if self._left < 0 or self._depth > DEEPEST:
            raise TooMuch
        self._known[after] = DRAW  # what comes again by transfers and takes, round and round, leads nowhere
        attacking = self.attacks(after)
        worth = LOSS - 1
        for _, following, swapped in self._moves(after):
            value = self._value(following)
            worth = max(worth, value if attacking != swapped else -value)
            if worth == WIN:
                break
        value = worth if attacking else -worth
        self._known[after] = value
        self._depth -= 1
        return value

    def _moves(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        """Moves with what follows; the last says that attacker and defender have changed places in it."""
        if self.attacks(bout):
            yield from self._attacks(bout)
        else:
            yield from self._defences(bout)

    def _attacks(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        rules = self._rules
        if not bout.table:
            for cards in self._leads(bout):
                laid = cards.bit_count()
                yield (
                    ("lead", cards),
                    Bout(bout.attacker ^ cards, bout.defender, cards, cards, laid),
                    False,
                )
            return
        if self._room(bout) > 0:
            fitting = bout.attacker & ranks_in(bout.table)
            for card in in_order(fitting, rules.trump):
                one = 1 << card
                after = Bout(
                    bout.attacker ^ one,
                    bout.defender,
                    bout.table | one,
                    bout.open | one,
                    bout.laid + 1,
                    bout.taking,
                    bout.beaten,
                )
                yield ("throw", one), self._settled(after)[0], False
        yield (PASS, 0), *self._ended(bout)

    def _leads(self, bout: Bout) -> Iterator[int]:
        rules = self._rules
        for card in in_order(bout.attacker, rules.trump):
            yield 1 << card
        if rules.single or (rules.throws and rules.after_take):
            return
        for card in in_order(bout.attacker, rules.trump):
            same = bout.attacker & of_rank(card)
            count = same.bit_count()
            if 1 < count <= bout.defender.bit_count() and card == next(cards_of(same)):
                yield same

    def _defences(self, bout: Bout) -> Iterator[tuple[Move, Bout | int, bool]]:
        rules = self._rules
        # Which of several cards is beaten first is of no account: the one that fewest cards beat.
        attack = min(cards_of(bout.open), key=lambda card: (beaters(card, rules.trump) & bout.defender).bit_count())
        for card in in_order(beaters(attack, rules.trump) & bout.defender, rules.trump):
            one = 1 << card
            after = Bout(
                bout.attacker,
                bout.defender ^ one,
                bout.table | one,
                bout.open ^ (1 << attack),
                bout.laid,
                beaten=True,
            )
            yield (f"beat {attack}", one), *self._settled(after)
        if (
            rules.transfers
            and (rules.after_beat or not bout.beaten)
            and len({rank(c) for c in cards_of(bout.open)}) == 1
        ):
            for card in in_order(bout.defender & of_rank(attack), rules.trump):
                one = 1 << card
                after = Bout(
                    bout.defender ^ one,
                    bout.attacker,
                    bout.table | one,
                    bout.open | one,
                    bout.laid + 1,
                    False,
                    bout.beaten,
                )
                if self._room(after) >= 0:
                    yield ("transfer", one), after, True
        taking = Bout(bout.attacker, bout.defender, bout.table, bout.open, bout.laid, True)
        yield (TAKE, 0), *self._settled(taking)

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
