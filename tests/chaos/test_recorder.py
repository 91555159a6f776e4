"""What a player hears, as it is written down."""

from chaos.history import Dismissed, History, Seated
from chaos.recorder import Recorder
from croupier.v1 import bots_pb2, matches_pb2


def refused(reason: str, request: str = "") -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(refused=bots_pb2.Refused(match="m-1", reason=reason, request_id=request))


def test_whoever_comes_back_to_a_match_that_is_not_his_any_more_begins_anew() -> None:
    """A bot stood in, its line broke, the player returned; later it stands in once more."""
    recorder = Recorder(History(), "p-0", stands_in=True)
    resume = [bots_pb2.MatchCursor(match="m-1", sequence=24, mark="a")]
    recorder.opened(0, bots_pb2.Hello(resume=resume))
    recorder.heard(refused("NOT_SEATED"))
    recorder.heard(bots_pb2.TableMessage(seated=bots_pb2.Seated(match=matches_pb2.Match(id="m-1", sequence=37))))
    first, second = recorder.stream.items
    assert isinstance(first, Dismissed)
    assert isinstance(second, Seated)


def test_an_act_that_is_refused_is_no_farewell() -> None:
    recorder = Recorder(History(), "p-0", stands_in=True)
    recorder.opened(0, bots_pb2.Hello())
    recorder.heard(refused("STALE_WINDOW", "act-1"))
    recorder.heard(refused("NOT_SEATED", "act-2"))
    recorder.heard(refused("MATCH_UNREADABLE"))
    assert recorder.stream.items == []


def test_a_player_who_is_sent_away_from_his_own_match_has_a_gap() -> None:
    recorder = Recorder(History(), "p-0", stands_in=False)
    recorder.opened(0, bots_pb2.Hello(resume=[bots_pb2.MatchCursor(match="m-1", sequence=24, mark="a")]))
    recorder.heard(refused("NOT_SEATED"))
    assert recorder.stream.items == []
