"""Durak"""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_convert.converter import BY, ConvertError, OptionTable, numbers
from croupier_engine.durak import events, model
from croupier_engine.durak import options as o

_LIMIT = numbers(o.Limit, pb.DurakLimit.Value.Value)

_OPTIONS = OptionTable(
    kind=numbers(o.Kind, pb.DurakKind.Value.Value),
    lead_size=numbers(o.LeadSize, pb.DurakLeadSize.Value.Value),
    first_attacker_next=numbers(o.FirstAttackerNext, pb.DurakFirstAttackerNext.Value.Value),
    trump_if_no_talon=numbers(o.TrumpIfNoTalon, pb.DurakTrumpIfNoTalon.Value.Value),
    redeal=numbers(o.Redeal, pb.DurakRedeal.Value.Value),
    redeal_until=numbers(o.RedealUntil, pb.DurakRedealUntil.Value.Value),
    throwers=numbers(o.Throwers, pb.DurakThrowers.Value.Value),
    throw_match=numbers(o.ThrowMatch, pb.DurakThrowMatch.Value.Value),
    throw_order=numbers(o.ThrowOrder, pb.DurakThrowOrder.Value.Value),
    throw_batch=numbers(o.ThrowBatch, pb.DurakThrowBatch.Value.Value),
    throw_timing=numbers(o.ThrowTiming, pb.DurakThrowTiming.Value.Value),
    table_limit=_LIMIT,
    limit_first_scope=numbers(o.LimitFirstScope, pb.DurakLimitFirstScope.Value.Value),
    limit_after_talon_empty=_LIMIT,
    transfer_first_bout=numbers(o.TransferFirstBout, pb.DurakTransferFirstBout.Value.Value),
    transfer_with_trump_on_table=numbers(o.Permission, pb.DurakPermission.Value.Value),
    pogony=numbers(o.Pogony, pb.DurakPogony.Value.Value),
    discard_view=numbers(o.DiscardView, pb.DurakDiscardView.Value.Value),
)


def options_from(options: games_pb2.Options, base: o.Options) -> o.Options:
    """Options by name, those given over those of `base`."""
    return replace(base, **_OPTIONS.given(options.durak))


def options_to(options: o.Options) -> games_pb2.Options:
    """Every option with its value."""
    return games_pb2.Options(durak=pb.DurakOptions(**_OPTIONS.all_of(options)))


def action_from(action: games_pb2.Action) -> model.Action:
    """One of the seven actions."""
    message = action.durak
    match message.WhichOneof("action"):
        case "lead":
            return model.Lead(tuple(message.lead.cards))
        case "beat":
            return model.Beat(message.beat.attack, message.beat.card)
        case "transfer":
            return model.Transfer(tuple(message.transfer.cards))
        case "take":
            return model.Take()
        case "throw":
            return model.Throw(tuple(message.throw.cards))
        case "pass":
            return model.Pass()
        case "claim":
            return model.Claim()
        case None:
            raise ConvertError("INVALID_FIELD", {"field": "action.durak", "problem": "it names no action"})


def action_to(action: model.Action) -> games_pb2.Action:
    """One of the seven actions."""
    return games_pb2.Action(durak=_action(action))


def _action(action: model.Action) -> pb.DurakAction:
    match action:
        case model.Lead(cards):
            return pb.DurakAction(lead=pb.DurakLead(cards=cards))
        case model.Beat(attack, card):
            return pb.DurakAction(beat=pb.DurakBeat(attack=attack, card=card))
        case model.Transfer(cards):
            return pb.DurakAction(transfer=pb.DurakTransfer(cards=cards))
        case model.Take():
            return pb.DurakAction(take=pb.DurakTake())
        case model.Throw(cards):
            return pb.DurakAction(throw=pb.DurakThrow(cards=cards))
        case model.Pass():
            message = pb.DurakAction()
            getattr(message, "pass").SetInParent()  # a word of Python, so no attribute can be written of it
            return message
        case model.Claim():
            return pb.DurakAction(claim=pb.DurakClaim())
        case _ as never:
            assert_never(never)


def view_to(view: model.View) -> games_pb2.View:
    """The view, field by field."""
    return games_pb2.View(
        durak=pb.DurakView(
            game=view.game,
            redeals=view.redeals,
            bout=view.bout,
            dealer=view.dealer,
            trump_suit=view.trump_suit or None,
            trump_card=view.trump_card,
            talon_size=view.talon_size,
            discard_size=view.discard_size,
            discard=view.discard,
            hand=view.hand,
            hand_sizes=view.hand_sizes,
            table=_pairs(view.table),
            leader=view.leader,
            principal=view.principal,
            defender=view.defender,
            defending=view.defending,
            attacking=view.attacking,
            taking=view.taking,
            room=view.room,
            passed=view.passed,
            passed_ahead=view.passed_ahead,
            answer=_answer(view.answer),
            out=view.out,
            fool=view.fool,
            losses=view.losses,
            resigned=view.resigned,
        )
    )


def set_payload(event: matches_pb2.Event, payload: events.Payload) -> None:
    """What happened, in the field of the event's name."""
    event.durak.CopyFrom(_event(payload))


def _event(payload: events.Payload) -> pb.DurakEvent:
    match payload:
        case events.DealerDrawn(dealer):
            return pb.DurakEvent(dealer_drawn=pb.DurakDealerDrawn(dealer=dealer))
        case events.Dealt(game, redeals, dealer, sizes, talon, hand):
            return pb.DurakEvent(
                dealt=pb.DurakDealt(
                    game=game, redeals=redeals, dealer=dealer, hand_sizes=sizes, talon_size=talon, hand=hand
                )
            )
        case events.JokerTurned(card):
            return pb.DurakEvent(joker_turned=pb.DurakJokerTurned(card=card))
        case events.TrumpTurned(suit, shown):
            return pb.DurakEvent(trump_turned=pb.DurakTrumpTurned(suit=suit, card=shown))
        case events.FirstAttacker(seat, lowest):
            return pb.DurakEvent(first_attacker=pb.DurakFirstAttacker(seat=seat, card=lowest))
        case events.Led(seat, cards, defender, by):
            return pb.DurakEvent(led=pb.DurakLed(seat=seat, cards=cards, defender=defender, by=BY[by]))
        case events.Beaten(seat, attack, card, by):
            return pb.DurakEvent(beaten=pb.DurakBeaten(seat=seat, attack=attack, card=card, by=BY[by]))
        case events.Transferred(seat, cards, defender, by):
            return pb.DurakEvent(transferred=pb.DurakTransferred(seat=seat, cards=cards, defender=defender, by=BY[by]))
        case events.Answered(seat, answer, by):
            return pb.DurakEvent(answered=pb.DurakAnswered(seat=seat, answer=_answer(answer), by=BY[by]))
        case events.Thrown(seat, cards, by):
            return pb.DurakEvent(thrown=pb.DurakThrown(seat=seat, cards=cards, by=BY[by]))
        case events.Passed(seat, by):
            return pb.DurakEvent(passed=pb.DurakPassed(seat=seat, by=BY[by]))
        case events.TakeDeclared(seat, by):
            return pb.DurakEvent(take_declared=pb.DurakTakeDeclared(seat=seat, by=BY[by]))
        case events.Taken(seat, cards):
            return pb.DurakEvent(taken=pb.DurakTaken(seat=seat, cards=cards))
        case events.Bito(cards):
            return pb.DurakEvent(bito=pb.DurakBito(cards=cards))
        case events.Drew(seat, count, cards):
            return pb.DurakEvent(drew=pb.DurakDrew(seat=seat, count=count, cards=cards))
        case events.WentOut(seat, place):
            return pb.DurakEvent(went_out=pb.DurakWentOut(seat=seat, place=place))
        case events.Claimed(seat, hand, by):
            return pb.DurakEvent(claimed=pb.DurakClaimed(seat=seat, hand=hand, by=BY[by]))
        case events.Epaulettes(fool, seat, cards):
            return pb.DurakEvent(epaulettes=pb.DurakEpaulettes(fool=fool, seat=seat, cards=cards))
        case events.GameOver(game, losers, places, losses):
            return pb.DurakEvent(game_over=pb.DurakGameOver(game=game, losers=losers, places=places, losses=losses))
        case _ as never:
            assert_never(never)


def _pairs(pairs: Iterable[model.Pair]) -> list[pb.DurakPair]:
    return [pb.DurakPair(attack=pair.attack, seat=pair.seat, cover=pair.cover) for pair in pairs]


def _answer(cards: model.Cards | None) -> pb.DurakAnswer | None:
    return None if cards is None else pb.DurakAnswer(cards=cards)
