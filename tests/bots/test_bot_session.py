"""The talk between a bot and the table, without a network."""

import logging
from collections.abc import Iterable, Sequence

import pytest
from support.bot_table import acted, choices, events, go_away, over, question, refused, seated, welcome, window
from support.bot_talk import Lowest, Talk

from croupier.errors import CATALOGUE
from croupier.v1 import bots_pb2, matches_pb2
from croupier_bots import BotStopped, Replaced, Unauthenticated
from croupier_bots.session import ATTEMPTS, Ask, ComeBack, Effect, Later


def acks(effects: Iterable[Effect]) -> list[tuple[str, int]]:
    sent = [effect.ack for effect in effects if isinstance(effect, bots_pb2.PlayerMessage) and effect.HasField("ack")]
    return [(ack.match, ack.sequence) for ack in sent]


def test_hello_offers() -> None:
    hello = Talk().session.hello().hello
    assert [(offer.game, list(offer.levels)) for offer in hello.offers] == [("six_nimmt", ["lowest"])]
    assert hello.capacity == 7
    assert not hello.resume


def test_a_match_from_seat_to_end() -> None:
    talk = Talk()
    talk.hear(welcome("bot-9"))
    assert talk.session.player == "bot-9"
    assert acks(talk.hear(seated("m", 3))) == [("m", 3)]
    assert acks(talk.hear(events("m", 4, 5))) == [("m", 5)]
    (act,) = talk.acts(question("m", window("w1", 8, 9)), choice=1)
    assert (act.match, act.window, act.choice) == ("m", "w1", 1)
    assert not talk.hear(acted(act))
    talk.hear(events("m", 6), over("m", 2, 1))
    assert isinstance(talk.bots[0], Lowest)
    assert talk.bots[0].told == [("seated", 3), 4, 5, 6, ("over", [2, 1])]
    assert talk.session.matches == ()


def test_an_action_may_be_named_in_full() -> None:
    talk = Talk()
    (action,) = choices(9)
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)), choice=action)
    assert act.action == action


def test_each_match_has_a_bot_of_its_own() -> None:
    talk = Talk()
    talk.hear(seated("m"), seated("n"), over("m"), seated("m"))
    assert len(talk.bots) == 3


def test_what_is_random_depends_on_seed_and_match_only() -> None:
    first, second = Talk(), Talk()
    first.hear(seated("m"), seated("n"))
    second.hear(seated("n"))
    assert first.bots[1].random.random() == second.bots[0].random.random() != first.bots[0].random.random()


def test_a_window_in_the_seating_is_a_question() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m", 3, window("w1", 8, 9)))
    assert act.window == "w1"
    assert not talk.acts(question("m", window("w1", 8, 9)))


def test_a_window_that_asks_others_is_no_question() -> None:
    assert not Talk().acts(seated("m", 3, window("w1")))


def test_a_window_is_answered_once_on_one_connection() -> None:
    talk = Talk()
    assert len(talk.acts(seated("m"), question("m", window("w1", 8)), question("m", window("w1", 8)))) == 1


def test_a_question_of_an_unknown_match_is_let_be() -> None:
    assert not Talk().hear(question("x", window("w1", 8)), events("x", 1), over("x"))


def test_events_come_once_and_in_order() -> None:
    talk = Talk()
    assert acks(talk.hear(seated("m", 3), events("m", 2, 3, 4), events("m", 4, 5))) == [("m", 3), ("m", 4), ("m", 5)]
    assert isinstance(talk.bots[0], Lowest)
    assert talk.bots[0].told == [("seated", 3), 4, 5]


def test_a_gap_asks_for_the_whole_match_again() -> None:
    talk = Talk()
    talk.hear(seated("m", 3), seated("n", 1), events("m", 4))
    with pytest.raises(ComeBack):
        talk.hear(events("m", 6))
    assert [(cursor.match, cursor.sequence) for cursor in talk.session.hello().hello.resume] == [("n", 1)]
    talk.hear(seated("m", 6), events("m", 7))
    assert isinstance(talk.bots[0], Lowest)
    assert talk.bots[0].told == [("seated", 3), 4, ("seated", 6), 7]
    assert len(talk.bots) == 2


def test_a_cursor_has_the_mark_of_its_event() -> None:
    talk = Talk()
    first, then = seated("m", 3), events("m", 4, 5)
    first.seated.match.mark = "a"
    talk.hear(first)
    assert [cursor.mark for cursor in talk.session.hello().hello.resume] == ["a"]
    then.events.events[-1].mark = "b"
    talk.hear(then)
    assert [(cursor.sequence, cursor.mark) for cursor in talk.session.hello().hello.resume] == [(5, "b")]


def test_a_match_sent_whole_in_between_is_asked_and_answered_again() -> None:
    """The service does so when its store has lost something, which may have been the answer."""
    talk = Talk()
    (act,) = talk.acts(seated("m", 3), question("m", window("w1", 8, 9)), choice=1)
    (again,) = talk.acts(seated("m", 3), question("m", window("w1", 8, 9)))
    assert again == act


def test_c6_an_answer_that_may_be_lost_is_sent_again_under_its_name() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)), choice=1)
    assert [cursor.match for cursor in talk.session.hello().hello.resume] == ["m"]
    (again,) = talk.acts(question("m", window("w1", 8, 9)))
    assert again == act
    assert not talk.acts(question("m", window("w1", 8, 9)))


def test_an_answer_is_not_sent_again_when_its_window_is_gone() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
    talk.session.hello()
    (other,) = talk.acts(question("m", window("w2", 8, 9)))
    assert other.window == "w2"
    assert other.request_id != act.request_id


def test_an_answer_that_comes_too_late_is_not_sent() -> None:
    talk = Talk()
    talk.hear(seated("m"), question("m", window("w1", 8, 9)), question("m", window("w2", 8)))
    assert not list(talk.session.decide("m", "w1", 0))
    assert not list(talk.session.fumble("m", "w1", ValueError()))
    talk.hear(over("m"))
    assert not list(talk.session.decide("m", "w2", 0))


def test_names_of_acts_differ_between_processes() -> None:
    acts = [talk.acts(seated("m"), question("m", window("w1", 8)))[0] for talk in (Talk(), Talk())]
    assert acts[0].request_id != acts[1].request_id


def test_c16_a_stale_answer_waits_for_the_question_that_follows_with_its_view() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
    assert not talk.acts(refused(act, "STALE_WINDOW", window("w2", 8)))
    (after,) = talk.acts(question("m", window("w2", 8)))
    assert after.window == "w2"


def test_c13_an_answer_names_the_epoch_of_its_window() -> None:
    talk = Talk()
    asked = window("w1", 8, 9)
    asked.epoch = 3
    (act,) = talk.acts(seated("m"), question("m", asked))
    assert act.HasField("epoch")
    assert act.epoch == 3
    (first,) = talk.acts(seated("n"), question("n", window("w1", 8, 9)))
    assert first.HasField("epoch")


def test_c13_an_answer_of_an_old_epoch_waits_for_the_question_of_the_new_one() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
    again = window("w1", 8, 9)
    again.epoch = 2
    assert not talk.acts(refused(act, "SEAT_EPOCH_STALE", again))
    (after,) = talk.acts(question("m", again))
    assert (after.window, after.epoch) == ("w1", 2)
    assert after.request_id != act.request_id


def test_a_contended_act_is_sent_again_as_it_was() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
    (later,) = talk.hear(refused(act, "CONTENDED"))
    assert isinstance(later, Later)
    assert later.request_id == act.request_id


def test_out_of_time_leaves_the_window_to_the_clock() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
    assert not talk.hear(refused(act, "OUT_OF_TIME", window("w1", 8, 9)), refused(act, "OUT_OF_TIME"))


@pytest.mark.parametrize("reason", ["CARD_NOT_HELD", "CHOICE_OUT_OF_RANGE", "INVALID_FIELD", "UNHEARD_OF"])
def test_c17_illegal_choices_end_in_random_legal_ones_and_then_in_silence(
    reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    talk = Talk()
    acts = talk.acts(seated("m"), question("m", window("w1", 8, 9)), choice=99)
    with caplog.at_level(logging.WARNING):
        for act in acts:  # grows while it is refused
            acts += talk.acts(refused(act, reason, window("w1", 8, 9)))
    assert len(acts) == ATTEMPTS
    assert all(act.choice in (0, 1) for act in acts[1:])
    assert len({act.request_id for act in acts}) == ATTEMPTS
    assert len(caplog.records) == 1
    assert reason in caplog.text


def test_an_old_refusal_is_let_be() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8)))
    talk.acts(question("m", window("w2", 8)))
    assert not talk.hear(refused(act, "CARD_NOT_HELD", window("w2", 8)))


@pytest.mark.parametrize("reason", ["ALREADY_COMMITTED", "NOT_ASKED", "GAME_OVER", "MATCH_NOT_STARTED"])
def test_settled_refusals_need_nothing(reason: str) -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8)))
    assert not talk.hear(refused(act, reason, window("w1", 8)))


@pytest.mark.parametrize("reason", ["NOT_SEATED", "MATCH_NOT_FOUND"])
def test_a_match_that_is_gone_is_forgotten(reason: str) -> None:
    talk = Talk()
    talk.hear(seated("m"), refused(bots_pb2.PlayAct(match="m"), reason))
    assert talk.session.matches == ()
    assert isinstance(talk.bots[0], Lowest)
    assert talk.bots[0].told[-1] == ("over", None)


@pytest.mark.parametrize("reason", ["RATE_LIMITED", "OVERLOADED", "UNAVAILABLE", "GOING_DOWN", "INTERNAL"])
def test_passing_refusals_are_tried_again_later_and_later(reason: str) -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8)))
    (first,) = talk.hear(refused(act, reason, retry_after="0.5"))
    (second,) = talk.hear(refused(act, reason, retry_after="soon"))
    (third,) = talk.hear(refused(act, reason, retry_after="20"))
    assert isinstance(first, Later)
    assert isinstance(second, Later)
    assert isinstance(third, Later)
    assert (first.seconds, second.seconds, third.seconds) == (1, 2, 20)
    assert talk.answer(talk.session.again(first)) == [act]
    talk.hear(question("m", window("w2", 8)))
    assert not list(talk.session.again(first))


def test_what_waits_to_be_sent_again_is_sent_when_the_store_is_back() -> None:
    talk = Talk()
    (act,) = talk.acts(seated("m"), question("m", window("w1", 8)))
    stale, fresh = (bots_pb2.TableMessage(pong=bots_pb2.Pong(stale=away)) for away in (True, False))
    assert not talk.acts(stale, fresh), "an act that was not refused is on its way"
    assert not talk.acts(stale)
    (later,) = talk.hear(refused(act, "UNAVAILABLE", retry_after="1"))
    assert isinstance(later, Later)
    assert talk.acts(fresh, fresh) == [act]
    assert not list(talk.session.again(later)), "nor a second time"


def test_every_reason_of_the_catalogue_is_taken() -> None:
    for reason in CATALOGUE:
        talk = Talk()
        (act,) = talk.acts(seated("m"), question("m", window("w1", 8, 9)))
        if reason == "UNAUTHENTICATED":
            with pytest.raises(Unauthenticated):
                talk.hear(refused(act, reason))
        else:
            talk.hear(refused(act, reason, window("w2", 8)))


def test_a_bot_that_fails_to_choose_plays_anything_legal(caplog: pytest.LogCaptureFixture) -> None:
    talk = Talk()
    talk.hear(seated("m"), question("m", window("w1", 8, 9)))
    (act,) = talk.answer(talk.session.fumble("m", "w1", ValueError("oh")))
    assert act.choice in (0, 1)
    assert "oh" in caplog.text


def test_where_choices_are_not_listed_a_failure_is_left_to_the_clock() -> None:
    talk = Talk()
    asked = matches_pb2.Window(id="w1", actions=["guess"])
    assert any(isinstance(effect, Ask) for effect in talk.hear(seated("m"), question("m", asked)))
    assert not list(talk.session.fumble("m", "w1", ValueError()))


def test_a_bot_that_fails_on_what_happens_plays_on(caplog: pytest.LogCaptureFixture) -> None:
    class Nervous(Lowest):
        def seated(self, match: matches_pb2.Match) -> None:
            raise RuntimeError("no")

        def events(self, events: Sequence[matches_pb2.Event]) -> None:
            raise RuntimeError("no")

        def over(self, outcome: matches_pb2.Outcome | None) -> None:
            raise RuntimeError("no")

    talk = Talk(Nervous)
    assert len(talk.acts(seated("m"), events("m", 1), question("m", window("w1", 8)))) == 1
    talk.hear(over("m"))
    assert [record.levelname for record in caplog.records].count("WARNING") == 1


def test_c19_a_newer_stream_of_the_same_player() -> None:
    with pytest.raises(Replaced):
        Talk().hear(go_away("REPLACED", after=1))


def test_going_away() -> None:
    with pytest.raises(Unauthenticated):
        Talk().hear(go_away("UNAUTHENTICATED"))
    with pytest.raises(ComeBack) as back:
        Talk().hear(go_away("GOING_DOWN", after=2.5))
    assert back.value.after == 2.5
    with pytest.raises(BotStopped) as stopped:
        Talk().hear(go_away("OFF"))
    assert stopped.value.reason == "OFF"
