"""Durak: what happened, in words."""

from croupier.v1 import act_by_pb2
from croupier.v1 import durak_pb2 as pb
from croupier_cli.tables.durak_marks import suit_name
from croupier_cli.tables.table import Scene


def told(scene: Scene, event: pb.DurakEvent) -> str:
    """An event in a line; empty for what is none."""
    kind = event.WhichOneof("event")
    if kind is None:
        return ""
    happened = getattr(event, kind)
    name = scene.name
    match kind:
        case "dealer_drawn":
            return f"{name(happened.dealer)} deals first"
        case "dealt":
            hand = f", hand {' '.join(happened.hand)}" if happened.hand else ""
            redeal = f", redeal {happened.redeals}" if happened.redeals else ""
            return f"game {happened.game}{redeal}: {name(happened.dealer)} deals, talon {happened.talon_size}{hand}"
        case "joker_turned":
            return f"{happened.card} is turned up and goes back into the talon"
        case "trump_turned":
            card = f", {happened.card}" if happened.HasField("card") else ""
            return f"trump is {suit_name(happened.suit)}{card}"
        case "first_attacker":
            holder = f" holds the lowest trump, {happened.card}, and" if happened.HasField("card") else ""
            return f"{name(happened.seat)}{holder} attacks first"
        case "led":
            return f"{name(happened.seat)} leads {_cards(happened)} to {name(happened.defender)}{_by(happened.by)}"
        case "beaten":
            return f"{name(happened.seat)} beats {happened.attack} with {happened.card}{_by(happened.by)}"
        case "transferred":
            added = _cards(happened)
            return f"{name(happened.seat)} passes on with {added} to {name(happened.defender)}{_by(happened.by)}"
        case "answered":
            own = f": {_cards(happened.answer) or 'pass'}" if happened.HasField("answer") else ""
            return f"{name(happened.seat)} has answered{own}{_by(happened.by)}"
        case "thrown":
            return f"{name(happened.seat)} throws in {_cards(happened)}{_by(happened.by)}"
        case "passed":
            return f"{name(happened.seat)} passes{_by(happened.by)}"
        case "take_declared":
            return f"{name(happened.seat)} will take{_by(happened.by)}"
        case "taken":
            return f"{name(happened.seat)} takes {_cards(happened)}"
        case "bito":
            return f"bito: {_cards(happened)}"
        case "drew":
            seen = f": {_cards(happened)}" if happened.cards else ""
            return f"{name(happened.seat)} draws {happened.count}{seen}"
        case "went_out":
            return f"{name(happened.seat)} is out, place {happened.place}"
        case "claimed":
            return f"{name(happened.seat)} shows {' '.join(happened.hand)} for a new deal{_by(happened.by)}"
        case "epaulettes":
            return f"{name(happened.seat)} gives {name(happened.fool)} epaulettes: {_cards(happened)}"
        case _:
            return _over(scene, event.game_over)


def item(scene: Scene, event: pb.DurakEvent) -> str:
    """The same in a few words, for the story of a bout; empty for what is not worth a word there."""
    kind = event.WhichOneof("event")
    if kind is None or kind in ("dealer_drawn", "joker_turned", "passed", "answered", "drew"):
        return ""
    happened = getattr(event, kind)
    name = scene.brief
    match kind:
        case "dealt":
            return f"Game {happened.game}: {name(happened.dealer)} deals"
        case "led":
            return f"{name(happened.seat)} leads {_cards(happened)} to {name(happened.defender)}"
        case "beaten":
            return f"{happened.attack}/{happened.card}"
        case "transferred":
            return f"{name(happened.seat)} passes on {_cards(happened)} to {name(happened.defender)}"
        case "thrown":
            return f"{name(happened.seat)} adds {_cards(happened)}"
        case "taken":
            return f"{name(happened.seat)} TAKES {len(happened.cards)}"
        case "take_declared":
            return "takes"
        case "bito":
            return "bito"
        case "claimed":
            return f"{name(happened.seat)} claims a new deal"
    return told(scene, event)


def _over(scene: Scene, over: pb.DurakGameOver) -> str:
    if not over.losers:
        return f"game {over.game} is a draw"
    fools = " and ".join(scene.name(seat) for seat in over.losers)
    return f"game {over.game} is over: {fools} lost it"


def _cards(message: object) -> str:
    cards: list[str] = list(getattr(message, "cards"))  # noqa: B009 - several messages have them
    return " ".join(cards)


def _by(by: int) -> str:
    return " (the clock)" if by == act_by_pb2.ActBy.CLOCK else ""
