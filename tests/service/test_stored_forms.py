"""The order of fields is the form of what is stored: see docs/adr/0016-messagepack-arrays.md."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from croupier_engine import codec
from croupier_engine.clock import Clock
from croupier_engine.game import Outcome
from croupier_engine.registry import GAMES
from croupier_service import log
from croupier_service.lifecycle import PAYLOADS
from croupier_service.record import Chair, Meta, Request
from croupier_service.store import packing


def test_fields_are_where_they_were_stored() -> None:
    """A new field has a default, and its name comes last in its line; the names before it stay as they are."""
    assert stored() == {struct: tuple(names.split()) for struct, names in FORMS.items()}


def test_what_is_written_again_is_not_read_where_something_would_be_cut_off() -> None:
    kinds: list[Any] = [Clock, Outcome, Meta, Chair, Request]
    for game in GAMES.values():
        kinds += [codec._kept(game.state), game.options]
    found = {kind for each in kinds for kind in _structs(inspect.type_info(each))}
    assert [_name(kind) for kind in found if not kind.__struct_config__.forbid_unknown_fields] == []


def stored() -> dict[str, tuple[str, ...]]:
    """The fields of all that is stored, in order, by module and class."""
    kinds: list[Any] = [Clock, Outcome, Meta, Chair, Request, packing._Packed, log._StoredEntry, *PAYLOADS.values()]
    for game in GAMES.values():
        kinds += [game.state, game.options, *game.actions.values(), *game.payloads.values()]
    kinds += [codec._Act, codec._Resign, codec._Deal, codec._Tick, codec._Credit, codec._Event]
    return {_name(kind): kind.__struct_fields__ for each in kinds for kind in _structs(inspect.type_info(each))}


def _name(kind: type[msgspec.Struct]) -> str:
    return f"{kind.__module__.partition('.')[2]}.{kind.__qualname__}"


def _structs(info: inspect.Type) -> Iterator[type[msgspec.Struct]]:
    """All structs in a type."""
    if isinstance(info, inspect.StructType):
        yield info.cls
    for name in info.__struct_fields__:
        part = getattr(info, name)
        for each in part if isinstance(part, tuple) else (part,):
            inner = each.type if isinstance(each, inspect.Field) else each
            if isinstance(inner, inspect.Type):
                yield from _structs(inner)


FORMS = {
    "clock.Clock": "limits banks since window",
    "clock.Limits": "window bank increment",
    "codec._Act": "seat action at by",
    "codec._Credit": "ms at",
    "codec._Deal": "order at",
    "codec._Event": "type public private",
    "codec._Resign": "seat at",
    "codec._Tick": "at",
    "durak.events.Answered": "seat cards by",
    "durak.events.Beaten": "seat attack card by",
    "durak.events.Bito": "cards",
    "durak.events.Claimed": "seat hand by",
    "durak.events.DealerDrawn": "dealer",
    "durak.events.Dealt": "game redeals dealer hand_sizes talon_size hand",
    "durak.events.Drew": "seat count cards",
    "durak.events.Epaulettes": "fool seat cards",
    "durak.events.FirstAttacker": "seat card",
    "durak.events.GameOver": "game losers places losses",
    "durak.events.JokerTurned": "card",
    "durak.events.Led": "seat cards defender by",
    "durak.events.Passed": "seat by",
    "durak.events.TakeDeclared": "seat by",
    "durak.events.Taken": "seat cards",
    "durak.events.Thrown": "seat cards by",
    "durak.events.Transferred": "seat cards defender by",
    "durak.events.TrumpTurned": "suit card",
    "durak.events.WentOut": "seat place",
    "durak.model.Answer": "cards by",
    "durak.model.Beat": "attack card",
    "durak.model.Bout": "number leader principal defender table taking token passed ahead answers laid last questions",
    "durak.model.Claim": "",
    "durak.model.Lead": "cards",
    "durak.model.Pair": "attack seat cover",
    "durak.model.Pass": "",
    "durak.model.Series": "game dealer losses points redeals out fool winner resigned left",
    "durak.model.State": "options phase hands dealt talon trump shown discard bout series",
    "durak.model.Take": "",
    "durak.model.Throw": "cards",
    "durak.model.Transfer": "cards",
    "durak.options.Options": (
        "kind deck teams games until_losses lead_size first_attacker_next trump_if_no_talon redeal redeal_until "
        "throwers throw_match throw_order throw_batch throw_timing throw_after_take table_limit limit_first "
        "limit_first_scope limit_after_talon_empty transfer_after_beat transfer_first_bout "
        "transfer_with_trump_on_table transfer_multi pogony discard_view max_bouts"
    ),
    "freedom_of_speech.events.Buzzed": "round team giver word",
    "freedom_of_speech.events.ClueGiven": "seat clue text",
    "freedom_of_speech.events.Drawn": "giver number deck_size word",
    "freedom_of_speech.events.Dropped": "seat word",
    "freedom_of_speech.events.Ended": "winner scores",
    "freedom_of_speech.events.Flagged": "seat clue",
    "freedom_of_speech.events.Forfeited": "mode targets round",
    "freedom_of_speech.events.Fouled": "seat kind clue word",
    "freedom_of_speech.events.Guessed": "seat text right",
    "freedom_of_speech.events.Ready": "team giver sudden",
    "freedom_of_speech.events.RuleWritten": "seat team text",
    "freedom_of_speech.events.Scored": "team giver guesser word scores",
    "freedom_of_speech.events.Shuffled": "deck_size again",
    "freedom_of_speech.events.Skipped": "giver word lost scores",
    "freedom_of_speech.events.Started": "round giver by",
    "freedom_of_speech.events.SuddenDeath": "number",
    "freedom_of_speech.events.TakenBack": "team clue word scores",
    "freedom_of_speech.events.TeamDrawn": "team",
    "freedom_of_speech.model.Accept": "",
    "freedom_of_speech.model.Clue": "text",
    "freedom_of_speech.model.Flag": "clue",
    "freedom_of_speech.model.Given": "number seat card turn at flags",
    "freedom_of_speech.model.Guess": "text",
    "freedom_of_speech.model.Rule": "team text",
    "freedom_of_speech.model.Said": "kind seat text at clue",
    "freedom_of_speech.model.Skip": "",
    "freedom_of_speech.model.Start": "",
    "freedom_of_speech.model.State": (
        "options seats phase deck current piles dead team places turns round drawn questions deadline talk clues "
        "open_clues stamps forfeits caught rules sudden sudden_turns resigned winner"
    ),
    "freedom_of_speech.model.WriteRule": "text",
    "freedom_of_speech.options.Options": (
        "turn_mode language level words timer_duration timer_min_duration timer_max_duration start_duration "
        "flag_duration win_at equal_turns judge fuzzy contain opponents_see_card referee forfeit_mode max_rounds"
    ),
    "freedom_of_speech.options.Word": "word aliases",
    "game.Outcome": "places scores",
    "lifecycle.Abandoned": "reason",
    "lifecycle.Absent": "seat until",
    "lifecycle.Barred": "seat",
    "lifecycle.Created": "host",
    "lifecycle.Credited": "ms",
    "lifecycle.Joined": "seat player name bot",
    "lifecycle.Left": "seat player host",
    "lifecycle.Over": "outcome",
    "lifecycle.Resigned": "seat",
    "lifecycle.Returned": "seat epoch",
    "lifecycle.Started": "players",
    "lifecycle.StoodIn": "seat player name epoch",
    "lifecycle.TimedOut": "seats",
    "log.StoredStep": "command events told",
    "log.Told": "type payload",
    "log._StoredEntry": "first at steps received",
    "record.Chair": "player name bot resigned epoch stand_in since sat_at absent_until overdue former",
    "record.Meta": (
        "game rules_version preset public join_code host creator fingerprint phase seats limits deal_scheme "
        "created_at expires_at stand_in request compact_after started_at outcome"
    ),
    "record.Request": "id fingerprint first last",
    "record.StandIn": "player name",
    "record.StandInTerms": "level after",
    "six_nimmt.model.ChooseRow": "row",
    "six_nimmt.model.ChooseSide": "side",
    "six_nimmt.model.Commit": "card",
    "six_nimmt.model.Committed": "seat card by",
    "six_nimmt.model.DealScored": "deal bulls scores",
    "six_nimmt.model.Dealt": "deal rows hand_sizes hand pool",
    "six_nimmt.model.Options": "cards placement recommit end_mode end_check start_credit deals pro_choice",
    "six_nimmt.model.Pick": "card",
    "six_nimmt.model.Picked": "seat card by",
    "six_nimmt.model.Placed": "seat card row side",
    "six_nimmt.model.Play": "seat card",
    "six_nimmt.model.Revealed": "trick plays",
    "six_nimmt.model.RowTaken": "seat card row taken bulls by",
    "six_nimmt.model.RowsLaid": "rows",
    "six_nimmt.model.State": "options phase deal trick rows hands pool chosen plays laid scores bulls resigned",
    "store.packing._Packed": "names times waited steps",
}
