"""6 nimmt!"""

from collections.abc import Iterable
from functools import lru_cache
from typing import assert_never

from msgspec.structs import replace

from croupier.v1 import games_pb2, matches_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_convert.converter import BY, ConvertError, OptionTable, members, numbers
from croupier_engine.six_nimmt import model

_SIDE = numbers(model.Side, pb.SixNimmtSide.Value.Value)
_SIDE_NUMBERS = members(_SIDE)

_OPTIONS = OptionTable(
    cards=numbers(model.Cards, pb.SixNimmtCards.Value.Value),
    placement=numbers(model.Placement, pb.SixNimmtPlacement.Value.Value),
    end_mode=numbers(model.EndMode, pb.SixNimmtEndMode.Value.Value),
    end_check=numbers(model.EndCheck, pb.SixNimmtEndCheck.Value.Value),
    pro_choice=numbers(model.ProChoice, pb.SixNimmtProChoice.Value.Value),
)


def options_from(options: games_pb2.Options, base: model.Options) -> model.Options:
    """Options by name, those given over those of `base`."""
    return replace(base, **_OPTIONS.given(options.six_nimmt))


def options_to(options: model.Options) -> games_pb2.Options:
    """Every option with its value."""
    return games_pb2.Options(six_nimmt=pb.SixNimmtOptions(**_OPTIONS.all_of(options)))


def action_from(action: games_pb2.Action) -> model.Action:
    """One of the four actions; an unspecified side is SIDE_INVALID."""
    message = action.six_nimmt
    match message.WhichOneof("action"):
        case "pick":
            return model.Pick(message.pick.card)
        case "commit":
            return model.Commit(message.commit.card)
        case "row":
            return model.ChooseRow(message.row.row)
        case "side":
            if message.side.side not in _SIDE_NUMBERS:
                raise ConvertError("SIDE_INVALID")
            return model.ChooseSide(_SIDE_NUMBERS[message.side.side])
        case None:
            raise ConvertError("INVALID_FIELD", {"field": "action.sixNimmt", "problem": "it names no action"})


@lru_cache(512)  # there are few, and each is asked for again and again
def action_to(action: model.Action) -> games_pb2.Action:
    """One of the four actions. The message is shared: never change it."""
    match action:
        case model.Pick(card):
            return _action(pb.SixNimmtAction(pick=pb.SixNimmtPick(card=card)))
        case model.Commit(card):
            return _action(pb.SixNimmtAction(commit=pb.SixNimmtCommit(card=card)))
        case model.ChooseRow(row):
            return _action(pb.SixNimmtAction(row=pb.SixNimmtChooseRow(row=row)))
        case model.ChooseSide(side):
            return _action(pb.SixNimmtAction(side=pb.SixNimmtChooseSide(side=_SIDE[side])))
        case _ as never:
            assert_never(never)


def _action(message: pb.SixNimmtAction) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=message)


def view_to(view: model.View) -> games_pb2.View:
    """The view, field by field."""
    return games_pb2.View(
        six_nimmt=pb.SixNimmtView(
            deal=view.deal,
            trick=view.trick,
            rows=_lists(view.rows),
            hand=view.hand,
            hands=_lists(view.hands),
            hand_sizes=view.hand_sizes,
            pool=view.pool,
            chosen=view.chosen,
            plays=_plays(view.plays),
            waiting=_plays(view.waiting),
            scores=view.scores,
            bulls=view.bulls,
            resigned=view.resigned,
        )
    )


def set_payload(event: matches_pb2.Event, payload: model.Payload) -> None:
    """What happened, in the field of the event's name."""
    event.six_nimmt.CopyFrom(_event(payload))


def _event(payload: model.Payload) -> pb.SixNimmtEvent:
    match payload:
        case model.Dealt(deal, rows, hand_sizes, hand, pool):
            return pb.SixNimmtEvent(
                dealt=pb.SixNimmtDealt(deal=deal, rows=_lists(rows), hand_sizes=hand_sizes, hand=hand, pool=pool)
            )
        case model.Picked(seat, card, by):
            return pb.SixNimmtEvent(picked=pb.SixNimmtPicked(seat=seat, card=card, by=BY[by]))
        case model.RowsLaid(rows):
            return pb.SixNimmtEvent(rows_laid=pb.SixNimmtRowsLaid(rows=_lists(rows)))
        case model.Committed(seat, own, by):
            return pb.SixNimmtEvent(committed=pb.SixNimmtCommitted(seat=seat, card=own, by=BY[by]))
        case model.Revealed(trick, plays):
            return pb.SixNimmtEvent(revealed=pb.SixNimmtRevealed(trick=trick, plays=_plays(plays)))
        case model.Placed(seat, card, row, side):
            return pb.SixNimmtEvent(placed=pb.SixNimmtPlaced(seat=seat, card=card, row=row, side=_SIDE[side]))
        case model.RowTaken(seat, card, row, taken, bulls, by):
            return pb.SixNimmtEvent(
                row_taken=pb.SixNimmtRowTaken(seat=seat, card=card, row=row, taken=taken, bulls=bulls, by=BY[by])
            )
        case model.DealScored(deal, bulls_by_seat, scores):
            return pb.SixNimmtEvent(deal_scored=pb.SixNimmtDealScored(deal=deal, bulls=bulls_by_seat, scores=scores))
        case _ as never:
            assert_never(never)


def _lists(rows: Iterable[Iterable[int]]) -> list[pb.SixNimmtCardList]:
    return [pb.SixNimmtCardList(cards=row) for row in rows]


def _plays(plays: Iterable[model.Play]) -> list[pb.SixNimmtPlay]:
    return [pb.SixNimmtPlay(seat=play.seat, card=play.card) for play in plays]
