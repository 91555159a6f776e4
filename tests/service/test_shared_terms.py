"""What all viewers of a match are told alike is made once for them: nothing of one viewer reaches another by it."""

from itertools import permutations
from random import Random

import pytest
from msgspec import structs
from support.played import START, opened

from croupier.v1 import matches_pb2
from croupier_engine.durak.options import Options as Durak
from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Options as SixNimmt
from croupier_service.projection import match_view
from croupier_service.record import Phase, Record, StandInTerms
from croupier_service.servicers import present

VIEWERS = ("p-0", "p-1", "stranger")
OPTIONS = {"six_nimmt": SixNimmt(), "durak": Durak()}


def private(game: AnyGame, match: str) -> Record:
    """A match that runs, of those who know its code."""
    record, _ = opened(game, OPTIONS[game.name], 3, Random(7), StandInTerms("careful", 1_000))
    return structs.replace(
        record, id=match, mark="", meta=structs.replace(record.meta, public=False, join_code="sesame")
    )


def told(record: Record, viewer: str) -> matches_pb2.Match:
    """The match as one viewer gets it; its id left out."""
    message = present.match(match_view(record, viewer, frozenset()), START)
    message.ClearField("id")
    return message


@pytest.mark.parametrize("name", OPTIONS)
def test_whoever_looked_before_makes_no_difference(name: str) -> None:
    alone = {viewer: told(private(GAMES[name], f"m-{name}-{viewer}"), viewer) for viewer in VIEWERS}
    assert alone["p-0"].join_code == "sesame"
    assert not alone["stranger"].HasField("join_code")
    assert alone["p-0"].you.view != alone["p-1"].you.view
    for number, order in enumerate(permutations(VIEWERS)):
        record = private(GAMES[name], f"m-{name}-{number}")
        for viewer in order:
            assert told(record, viewer) == alone[viewer]


def test_a_message_is_its_viewers_own() -> None:
    record = private(GAMES["six_nimmt"], "m-own")
    before = told(record, "p-0").SerializeToString(deterministic=True)
    changed = told(record, "p-0")
    changed.join_code = changed.host = changed.seats[0].player = changed.you.window.id = "other"
    changed.options.six_nimmt.Clear()
    assert told(record, "p-0").SerializeToString(deterministic=True) == before


def test_a_match_that_has_changed_is_told_anew() -> None:
    record = private(GAMES["six_nimmt"], "m-anew")
    assert told(record, "p-0").state == matches_pb2.MatchState.RUNNING
    given_up = structs.replace(record, meta=structs.replace(record.meta, phase=Phase.ABANDONED, host="p-1"))
    message = told(given_up, "p-0")
    assert (message.state, message.host) == (matches_pb2.MatchState.ABANDONED, "p-1")
    assert [seat.player for seat in message.seats] == ["p-0", "p-1", "p-2"]
