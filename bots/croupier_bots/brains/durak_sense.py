"""How a hand of Durak is weighed, and what is played where not all is known. Numbers in brackets: docs/rules/durak.md.

The unit is the step from one rank to the next in a pack of 36. The figures were settled by play against the plain
player of the tests, who lays the cheapest card that is no trump.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from croupier.v1 import durak_pb2 as pb
from croupier_bots.brains.durak_cards import (
    JOKER,
    LOWEST,
    NUMBERS,
    beaters,
    cards_of,
    hand_of,
    in_order,
    of_rank,
    rank,
    ranks_in,
    suit,
    trumps,
)
from croupier_bots.brains.durak_memory import Memory


@dataclass(frozen=True, slots=True)
class Figures:
    """What things are worth."""

    trump: float = 10.0  # more than the same rank of another suit
    joker: float = 24.0
    mates: tuple[float, ...] = (0.0, 0.0, 0.5, 0.75, 1.25)  # of the rank's own worth, for so many of one rank
    size: float = 5.0  # of each card too many, while there is a talon; afterwards of each card
    size_late: float = 9.0
    throw: float = 7.0  # a throw may cost so much with a full talon
    throw_late: float = 12.0
    take: float = 10.0  # beating may cost so much more than taking does
    take_late: float = 22.0
    new_rank: float = 1.0  # a cover of a rank that did not lie there yet
    pass_on: float = 4.0  # what it is worth to be rid of the defence


FIGURES = Figures()


class Sense:
    """One decision."""

    def __init__(self, memory: Memory, view: pb.DurakView, figures: Figures = FIGURES) -> None:
        self._memory, self._view, self._figures = memory, view, figures
        self._trump = view.trump_suit
        self._trumps = trumps(self._trump)
        self._hand = hand_of(view.hand)
        deck = memory.options.deck
        self._lowest, self._ranks = LOWEST[deck], 13 - LOWEST[deck]
        self._talon = view.talon_size / (deck - 6 * len(view.hand_sizes) or 1)  # how full, 0..1
        self._table = hand_of(pair.attack for pair in view.table) | hand_of(
            pair.cover for pair in view.table if pair.HasField("cover")
        )

    def best(self, choices: Sequence[pb.DurakAction]) -> int:
        """An index of `choices`, of which some are no claim."""
        kinds = {choice.WhichOneof("action") for choice in choices}
        if "lead" in kinds:
            return self._lead(choices)
        if "take" in kinds:
            return self._defend(choices)
        return self._throw(choices)

    def would_claim(self) -> bool:
        """Whether a new deal is better than this hand."""
        return not self._view.table and self.worth(self._hand) < -self._figures.take

    def worth(self, hand: int) -> float:
        """What a hand is worth."""
        f, total = self._figures, 0.0
        counts: dict[int, int] = {}
        for card in cards_of(hand):
            total += self._card(card)
            counts[rank(card)] = counts.get(rank(card), 0) + 1
        for of, many in counts.items():
            total += max(self._rank(of), 1.0) * f.mates[many]
        if self._view.talon_size:
            total -= f.size * max(0, hand.bit_count() - 6)
        else:
            total -= f.size_late * hand.bit_count()
        return total

    def _card(self, card: int) -> float:
        if rank(card) == JOKER:
            return self._figures.joker
        return self._rank(rank(card)) + (self._figures.trump if suit(card) == self._trump else 0.0)

    def _rank(self, of: int) -> float:
        if of == JOKER:
            return 4.0
        return ((of - self._lowest) / (self._ranks - 1) - 0.5) * 8

    def _late(self, early: float, late: float) -> float:
        return late + (early - late) * self._talon

    def _lead(self, choices: Sequence[pb.DurakAction]) -> int:
        """The lead that leaves most."""

        def left(index: int) -> float:
            if not choices[index].HasField("lead"):
                return float("-inf")
            cards = hand_of(choices[index].lead.cards)
            return self.worth(self._hand & ~cards)

        return max(range(len(choices)), key=left)

    def _throw(self, choices: Sequence[pb.DurakAction]) -> int:
        """The throw that leaves most, if it does not cost too much; else none."""
        now = self.worth(self._hand)
        allowed = self._late(self._figures.throw, self._figures.throw_late)
        best, index = now - allowed, -1
        for number, choice in enumerate(choices):
            if choice.HasField("pass"):
                if index < 0:
                    index = number
            elif choice.HasField("throw"):
                cards = hand_of(choice.throw.cards)
                left = self.worth(self._hand & ~cards)
                if cards & self._trumps and self._view.taking:
                    left -= self._figures.trump
                if left > best:
                    best, index = left, number
        return index if index >= 0 else 0

    def _defend(self, choices: Sequence[pb.DurakAction]) -> int:
        """Take, pass on, or beat all, whatever leaves most."""
        f = self._figures
        take = next(index for index, choice in enumerate(choices) if choice.HasField("take"))
        taken = self.worth(self._hand | self._table)
        allowed = self._late(f.take, f.take_late)
        options: list[tuple[float, int]] = []
        for index, choice in enumerate(choices):
            if choice.HasField("transfer"):
                cards = hand_of(choice.transfer.cards)
                options.append((self.worth(self._hand & ~cards) + f.pass_on, index))
        plan = self._covers()
        if plan is not None:
            left = self._hand
            for _, card in plan:
                left &= ~(1 << card)
            attack, card = plan[0]
            wanted = next(
                (
                    index
                    for index, choice in enumerate(choices)
                    if choice.HasField("beat")
                    and (NUMBERS[choice.beat.attack], NUMBERS[choice.beat.card]) == (attack, card)
                ),
                None,
            )
            if wanted is not None:
                new = ranks_in(sum(1 << other for _, other in plan)) & ~ranks_in(self._table)
                options.append((self.worth(left) - f.new_rank * (new.bit_count() // 4), wanted))
        if not options:
            return take
        best, index = max(options)
        return index if best > taken - allowed else take

    def _covers(self) -> list[tuple[int, int]] | None:
        """Attack cards with what beats them, all of them at the least cost; None if it cannot be done."""
        attacks = [NUMBERS[pair.attack] for pair in self._view.table if not pair.HasField("cover")]
        attacks.sort(key=lambda card: (beaters(card, self._trump) & self._hand).bit_count())
        best: list[tuple[int, int]] | None = None
        cost = float("inf")
        here = ranks_in(self._table)
        tried = 0

        def search(number: int, hand: int, so_far: float, plan: list[tuple[int, int]]) -> None:
            nonlocal best, cost, tried
            tried += 1
            if so_far >= cost or tried > 500:
                return
            if number == len(attacks):
                best, cost = list(plan), so_far
                return
            attack = attacks[number]
            for card in in_order(beaters(attack, self._trump) & hand, self._trump):
                known = here
                for _, other in plan:
                    known |= of_rank(other)
                dearer = 0.0 if known >> card & 1 else self._figures.new_rank
                plan.append((attack, card))
                search(number + 1, hand & ~(1 << card), so_far + self._card(card) + 8 + dearer, plan)
                plan.pop()

        search(0, self._hand, 0.0, [])
        return best
