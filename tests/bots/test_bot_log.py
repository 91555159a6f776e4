"""What a bot's log tells of."""

import logging

import pytest
from support.bot_table import choices, over, question, refused, seated, window
from support.bot_talk import Lowest, Talk

from croupier.v1 import bots_pb2, games_pb2
from croupier_bots.errors import ChoiceInvalid
from croupier_bots.session import Session


def test_a_store_that_is_away_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    talk, pong = Talk(), bots_pb2.TableMessage(pong=bots_pb2.Pong(stale=True))
    with caplog.at_level("INFO", "croupier_bots"):
        talk.hear(pong, pong, pong)
        assert len(caplog.records) == 1
        talk.hear(bots_pb2.TableMessage(pong=bots_pb2.Pong()), bots_pb2.TableMessage(pong=bots_pb2.Pong()))
        assert len(caplog.records) == 2


def test_a_refusal_of_no_match_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert not Talk().hear(refused(bots_pb2.PlayAct(), "HELLO_EXPECTED"))
    assert "HELLO_EXPECTED" in caplog.text


def test_the_log_tells_of_matches_and_their_faults(caplog: pytest.LogCaptureFixture) -> None:
    talk = Talk()
    with caplog.at_level(logging.INFO):
        (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)), choice=99)
        talk.hear(refused(act, "CHOICE_OUT_OF_RANGE", window("w1", 8, 9)))
        talk.hear(question("m", window("w2", 8, 9)))
        list(talk.session.fumble("m", "w2", ChoiceInvalid("choose must return an index or an Action, not dict")))
        talk.hear(over("m", 2, 1), seated("n"), over("n"))
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "match m: seated, six_nimmt with 0 seats",
        "match m: choice 99 was refused, CHOICE_OUT_OF_RANGE",
        "match m: over, place 2 of 2; 2 faults",
        "match n: seated, six_nimmt with 0 seats",
        "match n: over, without a result; 0 faults",
    ]
    assert all(record.exc_info is None for record in caplog.records)


def test_a_return_value_of_another_kind_is_told_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    talk = Talk()
    talk.hear(seated("m"), question("m", window("w1", 8, 9)))
    with pytest.raises(ChoiceInvalid) as problem:
        list(talk.session.decide("m", "w1", {}))  # type: ignore[arg-type]
    list(talk.session.fumble("m", "w1", problem.value))
    assert "choose must return an index or an Action, not dict; a random choice is played" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_refused_action_is_logged_on_one_line(caplog: pytest.LogCaptureFixture) -> None:
    talk = Talk()
    (card,) = choices(9)
    for number, action in enumerate((card, games_pb2.Action())):
        match = f"m{number}"
        (act,) = talk.acts(seated(match), question(match, window("w1", 8)), choice=action)
        talk.hear(refused(act, "CARD_NOT_HELD", window("w1", 8)))
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == [
        "match m0: six_nimmt { commit { card: 9 } } was refused, CARD_NOT_HELD",
        "match m1: an empty Action was refused, CARD_NOT_HELD",
    ]


def test_where_it_is_quiet_the_log_does_not_tell_of_matches(caplog: pytest.LogCaptureFixture) -> None:
    session = Session(lambda match: Lowest(), {}, capacity=1, quiet=True)
    with caplog.at_level(logging.INFO):
        for message in (seated("m"), over("m", 1)):
            list(session.receive(message))
    assert not caplog.records
