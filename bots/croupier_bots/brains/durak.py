"""Durak: a bot that plays anything legal, and one that thinks. Numbers in brackets: docs/rules/durak.md."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import ClassVar

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots.bot import Bot
from croupier_bots.brains.durak_cards import NAMES, hand_of
from croupier_bots.brains.durak_endgame import DEEPEST, MOST_CARDS, Bout, Endgame, Move, Rules, TooMuch
from croupier_bots.brains.durak_memory import Memory
from croupier_bots.brains.durak_sense import Sense

CLAIM_TIME = 3.0  # seconds in which people can claim a new deal before a bot leads

_SIX = 6


class _Patient(Bot):
    """Where people sit at the table, it leaves them time to claim a new deal before it leads [2.4]."""

    def __init__(self) -> None:
        self._people = False

    def seated(self, match: matches_pb2.Match) -> None:
        """Note who sits here."""
        self._people = any(not seat.bot for seat in match.seats)

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> int | Awaitable[int | None] | None:
        """An index of `window.choices`, or None where it may act but would not."""
        chosen = self._chosen(view, window)
        leads = window.kind == matches_pb2.WindowKind.LEAD and chosen is not None
        if self._people and leads and _can_be_claimed(window) and _has_time(window):
            return _later(chosen)
        return chosen

    def _chosen(self, view: games_pb2.View, window: matches_pb2.Window) -> int | None:
        raise NotImplementedError


def _can_be_claimed(window: matches_pb2.Window) -> bool:
    return any(choice.durak.HasField("claim") for choice in window.choices)


def _has_time(window: matches_pb2.Window) -> bool:
    """Its own clock allows for waiting."""
    return not window.HasField("remaining") or window.remaining.ToTimedelta().total_seconds() > 2 * CLAIM_TIME


async def _later(chosen: int | None) -> int | None:
    await asyncio.sleep(CLAIM_TIME)
    return chosen


class Random(_Patient):
    """Plays any legal choice; where it only may act, it declines as often as it plays any one of them."""

    games: ClassVar[Mapping[str, Sequence[str]]] = {"durak": ("random",)}

    def __init__(self) -> None:
        super().__init__()
        self._seat = 0

    def seated(self, match: matches_pb2.Match) -> None:
        """Note the seat."""
        super().seated(match)
        self._seat = match.you.seat

    def _chosen(self, view: games_pb2.View, window: matches_pb2.Window) -> int | None:
        declining = self._seat in window.may
        chosen = self.random.randrange(len(window.choices) + declining)
        return chosen if chosen < len(window.choices) else None


class Careful(_Patient):
    """Weighs what its hand is worth after each choice, and reckons the end of a game between two to its last card.

    It remembers which cards are gone and what others took.
    """

    games: ClassVar[Mapping[str, Sequence[str]]] = {"durak": ("careful",)}

    def __init__(self) -> None:
        super().__init__()
        self._memory = Memory()

    def seated(self, match: matches_pb2.Match) -> None:
        """Note how it is played."""
        super().seated(match)
        self._memory.sit(match)

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        """Note what lay open."""
        self._memory.note(events)

    def _chosen(self, view: games_pb2.View, window: matches_pb2.Window) -> int | None:
        table = view.durak
        must = self._memory.seat in window.must
        sense = Sense(self._memory, table)
        choices = [choice.durak for choice in window.choices]
        for index, choice in enumerate(choices):
            if choice.HasField("claim") and sense.would_claim():
                return index
        if not must and not choices[0].HasField("throw"):
            return None  # nothing is gained by saying so early that one will not throw
        reckoned = self._reckoned(table, choices) if must else None
        best = sense.best(choices) if reckoned is None else reckoned
        return best if must or choices[best].HasField("throw") else None

    def _reckoned(self, table: pb.DurakView, choices: Sequence[pb.DurakAction]) -> int | None:
        """The choice that wins for sure, or loses least, where all cards are known; else None."""
        memory, seat = self._memory, self._memory.seat
        others = [other for other, size in enumerate(table.hand_sizes) if size and other != seat]
        rules = rules_of(memory.options, table)
        if rules is None or table.talon_size or len(others) > 1:
            return None
        # Who has laid all his cards is still in the bout; of two, the other one is whoever plays against this seat.
        other = others[0] if others else next((s for s in (table.leader, table.defender) if s != seat), seat)
        if other == seat or {table.principal, table.defender} != {seat, other} or self._others_laid(table, other):
            return None
        theirs = memory.hand_of(other, table)
        own = hand_of(table.hand)
        if theirs is None or own.bit_count() + theirs.bit_count() + len(table.table) > MOST_CARDS:
            return None
        bout = bout_of(table, *((own, theirs) if table.defending != seat else (theirs, own)))
        try:
            move, _ = Endgame(rules).best(bout)
        except TooMuch:
            return None
        wanted = _words(move)
        return next((index for index, choice in enumerate(choices) if _told(choice) == wanted), None)

    def _others_laid(self, table: pb.DurakView, other: int) -> bool:
        return any(pair.seat not in (self._memory.seat, other) for pair in table.table)


def rules_of(options: pb.DurakOptions, table: pb.DurakView) -> Rules | None:
    """What `Endgame` is to play by from here; None if something can still matter that it does not know."""
    anytime = options.throw_timing == pb.DurakThrowTiming.ANYTIME and options.kind != pb.DurakKind.PROSTOY
    # At first there may be claims, another limit, and no transfers [2.4, 6, 7].
    first = table.bout == 1 or not table.discard_size
    # After so many bouts it is a draw [8.7]; a bout is two moves at least.
    last = table.bout + DEEPEST // 2 > options.max_bouts
    if options.teams or anytime or first or last:
        return None
    free = options.limit_after_talon_empty == pb.DurakLimit.HAND  # there is no talon any more [6]
    return Rules(
        trump=table.trump_suit,
        limit=None if free else _SIX,
        single=options.lead_size == pb.DurakLeadSize.SINGLE,
        throws=options.kind != pb.DurakKind.PROSTOY,
        by_suit=options.throw_match == pb.DurakThrowMatch.RANK_OR_SUIT,
        after_take=options.throw_after_take,
        transfers=options.kind == pb.DurakKind.PEREVODNOY,
        several=options.transfer_multi,
        past_trumps=options.transfer_with_trump_on_table != pb.DurakPermission.FORBIDDEN,
        after_beat=options.transfer_after_beat,
    )


def bout_of(table: pb.DurakView, attacker: int, defender: int) -> Bout:
    """The bout on the table, with both hands."""
    covers = hand_of(pair.cover for pair in table.table if pair.HasField("cover"))
    return Bout(
        attacker=attacker,
        defender=defender,
        table=hand_of(pair.attack for pair in table.table) | covers,
        open=hand_of(pair.attack for pair in table.table if not pair.HasField("cover")),
        laid=len(table.table),
        taking=table.taking,
    )


def _words(move: Move) -> tuple[str, frozenset[str]]:
    """A move as what it does and with which cards; of a beat both."""
    kind, cards = move
    verb, _, attack = kind.partition(" ")
    names = {name for number, name in enumerate(NAMES) if cards >> number & 1}
    return verb, frozenset(names | ({NAMES[int(attack)]} if attack else set()))


def _told(action: pb.DurakAction) -> tuple[str, frozenset[str]]:
    """The same of a choice."""
    match action.WhichOneof("action"):
        case "lead":
            return "lead", frozenset(action.lead.cards)
        case "throw":
            return "throw", frozenset(action.throw.cards)
        case "transfer":
            return "transfer", frozenset(action.transfer.cards)
        case "beat":
            return "beat", frozenset((action.beat.attack, action.beat.card))
        case other:
            return str(other), frozenset()
