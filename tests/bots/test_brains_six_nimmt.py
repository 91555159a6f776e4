"""The house's bots for 6 nimmt!: what they think of a table agrees with the rules."""

import random
import sys
import time

import pytest
from support.six_nimmt import position

from croupier.v1 import games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_bots.brains import BRAINS
from croupier_bots.brains.six_nimmt import Careful
from croupier_bots.brains.six_nimmt_rows import FreeRows, ProfessionalRows, Rows, bulls_of
from croupier_convert import options_to_proto
from croupier_engine.game import Act
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt import deck, rules
from croupier_engine.six_nimmt.model import Cards, Options, Placement, ProChoice

GAME = GAMES["six_nimmt"]
NORMAL = Options()
PROFESSIONAL = Options(placement=Placement.PROFESSIONAL)
FREE = Options(placement=Placement.PROFESSIONAL, pro_choice=ProChoice.ALWAYS)


def test_bullheads() -> None:
    assert [bulls_of(card) for card in range(1, 105)] == [deck.bulls(card) for card in range(1, 105)]


@pytest.mark.parametrize(
    ("kind", "options"), [(Rows, NORMAL), (ProfessionalRows, PROFESSIONAL), (FreeRows, FREE)], ids=str
)
def test_tricks_are_laid_as_by_the_rules(kind: type[Rows], options: Options) -> None:
    chance = random.Random(5)
    for _ in range(300):
        cards = chance.sample(range(1, 105), 25)
        rows, at = [], 0
        for _ in range(4):
            length = chance.randint(1, 5)
            rows.append(sorted(cards[at : at + length]))
            at += length
        plays = cards[-4:]
        state = position(rows, [(card,) for card in plays], options)
        for seat in range(len(plays)):
            state = GAME.apply(state, Act(seat, GAME.choices(state, seat)[0], 1)).state  # type: ignore[index]
        while (awaiting := GAME.awaiting(state)) is not None and awaiting.must:
            seat = awaiting.must[0]
            state = GAME.apply(state, Act(seat, rules.default(state, seat), 1)).state
        for seat, card in enumerate(plays):
            imagined = kind.of(rows)
            cost = imagined.lay(sorted(plays), card)
            if len(set(map(deck.total, map(tuple, rows)))) == 4:  # else a tie of rows is broken by their order
                assert cost == state.bulls[seat], (rows, plays, card)


def asked(
    options: Options, view: pb.SixNimmtView, kind: matches_pb2.WindowKind.Value.ValueType, *actions: pb.SixNimmtAction
) -> int:
    bot = Careful()
    bot.random = random.Random(3)
    bot.seated(matches_pb2.Match(id="m", options=options_to_proto("six_nimmt", options)))
    choices = [games_pb2.Action(six_nimmt=action) for action in actions]
    return bot.choose(games_pb2.View(six_nimmt=view), matches_pb2.Window(kind=kind, choices=choices))


def table(rows: list[list[int]], hand: list[int], seats: int = 2) -> pb.SixNimmtView:
    return pb.SixNimmtView(
        deal=1,
        trick=1,
        rows=[pb.SixNimmtCardList(cards=row) for row in rows],
        hand=hand,
        hand_sizes=[len(hand)] * seats,
    )


def commits(*cards: int) -> list[pb.SixNimmtAction]:
    return [pb.SixNimmtAction(commit=pb.SixNimmtCommit(card=card)) for card in cards]


def test_it_does_not_lay_the_sixth_card_of_a_dear_row() -> None:
    view = table([[11, 22, 33, 44, 55], [66], [77], [88]], [56, 67])
    assert asked(NORMAL, view, matches_pb2.WindowKind.CHOOSE, *commits(56, 67)) == 1


def test_it_takes_the_cheap_row() -> None:
    view = table([[55], [44], [21], [33]], [60, 70])
    view.plays.add(seat=0, card=3)
    view.waiting.add(seat=0, card=3)
    rows = [pb.SixNimmtAction(row=pb.SixNimmtChooseRow(row=row)) for row in range(4)]
    assert asked(NORMAL, view, matches_pb2.WindowKind.CHOOSE_ROW, *rows) == 2


def test_it_takes_the_end_that_costs_nothing() -> None:
    # 22 lies two above 20 and two below 24, and the row of 20 is full.
    view = table([[2, 4, 6, 18, 20], [24, 30], [40], [60]], [90])
    view.plays.add(seat=0, card=22)
    view.waiting.add(seat=0, card=22)
    sides = [
        pb.SixNimmtAction(side=pb.SixNimmtChooseSide(side=side))
        for side in (pb.SixNimmtSide.LEFT, pb.SixNimmtSide.RIGHT)
    ]
    assert asked(PROFESSIONAL, view, matches_pb2.WindowKind.CHOOSE_SIDE, *sides) == 0


def test_it_remembers_the_cards_that_were_shown() -> None:
    bot = Careful()
    bot.random = random.Random(3)
    bot.seated(matches_pb2.Match(id="m", options=options_to_proto("six_nimmt", NORMAL)))
    rows = [[46, 47, 48, 50], [95], [96], [97]]
    dealt = matches_pb2.Event(sequence=1)
    dealt.six_nimmt.dealt.deal = 1
    dealt.six_nimmt.dealt.rows.extend(pb.SixNimmtCardList(cards=row) for row in rows)
    shown = matches_pb2.Event(sequence=2)
    for card in [*range(51, 60), 98, 99, 100, 101, 102, 103]:
        shown.six_nimmt.revealed.plays.add(seat=1, card=card)
    laid = matches_pb2.Event(sequence=3)
    laid.six_nimmt.rows_laid.rows.add(cards=[97])
    bot.events([dealt, shown, laid])
    view = table(rows, [60, 104])
    window = matches_pb2.Window(
        kind=matches_pb2.WindowKind.CHOOSE,
        choices=[games_pb2.Action(six_nimmt=action) for action in commits(60, 104)],
    )
    bot.choose(games_pb2.View(six_nimmt=view), window)
    assert not {*range(51, 60), 98, 103} & set(bot._unseen(view))
    assert 61 in bot._unseen(view)
    view.deal = 2  # its beginning was missed: what was seen before counts no more
    bot.choose(games_pb2.View(six_nimmt=view), window)
    assert 55 in bot._unseen(view)


def test_the_tactic_deck_ends_with_the_cards_in_play() -> None:
    bot = Careful()
    bot.seated(matches_pb2.Match(id="m", options=options_to_proto("six_nimmt", Options(cards=Cards.TACTIC))))
    assert max(bot._unseen(table([[1], [2], [3], [4]], [5], seats=3))) == 34


def test_every_game_of_the_house_has_the_same_levels() -> None:
    assert set(BRAINS) == set(GAMES)
    assert all(set(kinds) == {"random", "careful"} for kinds in BRAINS.values())
    assert all(level in kind.games[game] for game, kinds in BRAINS.items() for level, kind in kinds.items())


def test_a_decision_takes_less_than_5_ms_with_four_seats() -> None:
    view = table([[10], [30], [50], [70]], [1, 12, 23, 34, 45, 56, 67, 78, 89, 100], seats=4)
    taken = []
    for _ in range(20):
        began = time.process_time()
        asked(NORMAL, view, matches_pb2.WindowKind.CHOOSE, *commits(*view.hand))
        taken.append(time.process_time() - began)
    # The quickest, since a shared machine is slow by turns; measuring coverage slows all of them.
    assert min(taken) < (0.005 if sys.gettrace() is None else 0.05)
