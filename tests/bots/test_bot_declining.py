"""Windows in which a bot may act but need not, and windows that come again with other choices."""

import pytest
from support.bot_table import choices, question, seated, window
from support.bot_talk import Talk

from croupier.v1 import matches_pb2
from croupier_bots.errors import ChoiceInvalid
from croupier_bots.session import Ask


def may_act(name: str, *cards: int) -> matches_pb2.Window:
    """A window in which the bot's seat, 0, may act but need not."""
    asked = window(name, *cards)
    asked.must.append(1)
    asked.may.append(0)
    return asked


def test_a_seat_that_may_act_declines_with_none_and_nothing_is_sent() -> None:
    talk = Talk()
    talk.hear(seated("m"))
    (ask,) = [effect for effect in talk.hear(question("m", may_act("w1", 4, 7))) if isinstance(effect, Ask)]
    assert not list(talk.session.decide("m", "w1", None))
    assert not talk.acts(question("m", ask.window)), "the same question is not asked again"
    assert talk.acts(question("m", window("w2", 4)))


def test_a_seat_that_must_act_cannot_decline() -> None:
    talk = Talk()
    talk.hear(seated("m"), question("m", window("w1", 4, 7)))
    with pytest.raises(ChoiceInvalid):
        list(talk.session.decide("m", "w1", None))


def test_other_choices_in_the_same_window_are_a_question_of_their_own() -> None:
    talk = Talk()
    talk.hear(seated("m"))
    first = talk.acts(question("m", window("w1", 4, 7)))
    second = talk.acts(question("m", window("w1", 7)))
    assert [act.window for act in (*first, *second)] == ["w1", "w1"]
    assert first[0].request_id != second[0].request_id


def test_where_others_may_change_the_list_the_action_itself_is_sent() -> None:
    talk = Talk()
    talk.hear(seated("m"))
    (act,) = talk.acts(question("m", may_act("w1", 4, 7)), choice=1)
    assert act.action == choices(4, 7)[1]
