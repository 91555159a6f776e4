"""The checker finds what is wrong with bad histories, and nothing with good ones."""

from dataclasses import dataclass, field

import msgspec
import pytest

from chaos.checker import acknowledged, check
from chaos.clocks import Clocks
from chaos.history import Acted, Answer, Asked, Dismissed, Done, Fired, History, Log, Seated, Seen, Sent, Stream

GRACE = 250
TYPES = ["match.created", "match.started", "game.committed", "game.committed", "game.revealed", "match.timed_out"]


def log() -> Log:
    """Two seats commit, and the clock plays for seat 1 in the next window."""
    return Log(
        "m-1",
        True,
        versions=[1, 2, 3, 4],
        firsts=[0, 2, 3, 5],
        events=[*TYPES, "match.over"],
        acts=[
            Acted("w1", 0, "commit 5", "PLAYER", 3, player="p-0"),
            Acted("w1", 1, "commit 9", "PLAYER", 5, player="p-1"),
            Acted("w2", 1, "commit 2", "CLOCK", 7),
        ],
        fired=[Fired("w2", 1, deadline=10_000, at=10_260)],
    )


Items = list[Seated | Seen | Done | Dismissed]


def seen(*sequences: int, match: str = "m-1") -> list[Seated | Seen | Done | Dismissed]:
    types = [*TYPES, "match.over"]
    return [Seen(match, n, types[n - 1] if n <= len(types) else "game.more", b"%d" % n, 0.0) for n in sequences]


def stream(*items: Seated | Seen | Done | Dismissed, resume: int | None = None, player: str = "p-0") -> Stream:
    return Stream(f"{player}/1", player, 0, 0.0, {} if resume is None else {"m-1": resume}, items=list(items))


@dataclass
class Case:
    """A history that is good, to be spoilt."""

    kept: Log = field(default_factory=log)
    history: History = field(
        default_factory=lambda: History(
            streams=[
                stream(Seated("m-1", 2, 0.0), *seen(3, 4, 5)),
                stream(*seen(6, 7), Done("m-1", 0.0), resume=5),
                stream(Seated("m-1", 4, 0.0), *seen(5, 6), player="p-1"),
            ],
            sent=[
                Sent("r0", "p-0", "m-1", "w1", 0, "commit 5", 0.0),
                Sent("r0", "p-0", "m-1", "w1", 0, "commit 5", 1.0),
                Sent("r1", "p-1", "m-1", "w1", 1, "commit 9", 0.0),
                Sent("r2", "p-1", "m-1", "w2", 1, "commit 7", 0.0),
            ],
            answers=[
                Answer("r0", "m-1", False, 0, "UNAVAILABLE", 0.0),
                Answer("r0", "m-1", True, 3, "", 1.0),
                Answer("r2", "m-1", False, 0, "STALE_WINDOW", 1.0),
            ],
            asked=[Asked("m-1", "w2", 1, 10_000)],
        )
    )

    def kinds(self) -> set[str]:
        return {finding.kind for finding in check(self.history, {"m-1": self.kept}, GRACE)}


@pytest.fixture
def case() -> Case:
    return Case()


def test_nothing_is_found_in_a_good_history(case: Case) -> None:
    assert case.kinds() == set()
    assert acknowledged(case.history) == 1


def test_an_acknowledged_act_that_the_log_does_not_have(case: Case) -> None:
    case.kept.acts[0] = Acted("w1", 0, "commit 5", "CLOCK", 3)
    assert case.kinds() == {"lost"}


def test_an_event_that_the_log_does_not_have(case: Case) -> None:
    case.history.streams.append(stream(*seen(8), resume=7))
    assert case.kinds() == {"lost"}


def test_an_act_that_was_applied_twice(case: Case) -> None:
    case.kept.acts.append(case.kept.acts[0])
    assert case.kinds() == {"doubled"}


def test_an_act_without_an_answer_that_was_applied_twice(case: Case) -> None:
    case.kept.acts.append(case.kept.acts[1])
    assert not any(answer.request == "r1" for answer in case.history.answers)
    assert case.kinds() == {"doubled"}


def test_an_act_without_an_answer_may_be_applied_or_not(case: Case) -> None:
    del case.kept.acts[1]
    assert case.kinds() == set()


def test_an_act_that_was_refused_and_applied(case: Case) -> None:
    case.history.answers.append(Answer("r1", "m-1", False, 0, "STALE_WINDOW", 0.0))
    assert case.kinds() == {"denied"}


def test_an_act_that_was_acknowledged_and_then_refused(case: Case) -> None:
    case.history.sent.append(Sent("r0", "p-0", "m-1", "w1", 0, "commit 5", 2.0))
    case.history.answers.append(Answer("r0", "m-1", False, 0, "STALE_WINDOW", 3.0))
    assert case.kinds() == {"denied"}


def test_a_copy_that_came_too_late_beside_one_in_time(case: Case) -> None:
    case.history.sent.append(Sent("r1", "p-1", "m-1", "w1", 1, "commit 9", 0.1))
    case.history.answers.append(Answer("r1", "m-1", False, 0, "OUT_OF_TIME", 2.0))
    assert case.kinds() == set(), "the other copy has no answer"
    case.history.answers.append(Answer("r1", "m-1", True, 5, "", 3.0))
    assert case.kinds() == set(), "the other copy was applied"


def test_an_act_that_was_acknowledged_at_another_place(case: Case) -> None:
    case.history.answers.append(Answer("r1", "m-1", True, 4, "", 0.0))
    assert case.kinds() == {"misplaced"}


@pytest.mark.parametrize(
    "items",
    [
        [Seated("m-1", 2, 0.0), *seen(3, 5)],
        [Seated("m-1", 2, 0.0), *seen(4)],
        [Seated("m-1", 2, 0.0), *seen(3), Done("m-1", 0.0)],
        [Seated("m-1", 2, 0.0), Seated("m-1", 4, 0.0)],
        seen(3, 4),
    ],
)
def test_a_gap(case: Case, items: Items) -> None:
    case.history.streams.append(stream(*items))
    assert case.kinds() == {"gap"}


def test_a_gap_behind_the_cursor(case: Case) -> None:
    case.history.streams.append(stream(*seen(5), resume=3))
    assert case.kinds() == {"gap"}


def test_a_whole_match_in_place_of_what_a_cursor_asked_for(case: Case) -> None:
    case.history.streams.append(stream(Seated("m-1", 6, 0.0), resume=3))
    assert case.kinds() == {"gap"}


@pytest.mark.parametrize("items", [[Seated("m-1", 2, 0.0), *seen(3, 3)], [Seated("m-1", 4, 0.0), *seen(5, 4)]])
def test_a_repeat(case: Case, items: Items) -> None:
    case.history.streams.append(stream(*items))
    assert case.kinds() == {"repeat"}


def test_a_repeat_behind_the_cursor(case: Case) -> None:
    case.history.streams.append(stream(*seen(3), resume=3))
    assert case.kinds() == {"repeat"}


def test_a_match_that_went_back(case: Case) -> None:
    case.history.streams.append(stream(Seated("m-1", 3, 0.0), resume=5))
    assert case.kinds() == {"repeat"}


def test_two_streams_with_different_orders(case: Case) -> None:
    swapped: Items = [Seated("m-1", 4, 0.0), Seen("m-1", 5, "match.timed_out", b"6", 0.0), *seen(6)]
    case.history.streams.append(stream(*swapped, player="p-2"))
    assert case.kinds() == {"disorder"}


def test_streams_that_disagree_about_a_match_whose_log_is_not_there(case: Case) -> None:
    case.history.streams = [
        stream(Seated("m-2", 4, 0.0), *seen(5, match="m-2")),
        stream(Seated("m-2", 4, 0.0), Seen("m-2", 5, "match.timed_out", b"6", 0.0), player="p-2"),
    ]
    assert case.kinds() == {"disorder"}


def test_a_viewer_who_is_told_otherwise_the_second_time(case: Case) -> None:
    again: Items = [Seated("m-1", 4, 0.0), Seen("m-1", 5, "game.revealed", b"others", 0.0)]
    case.history.streams.append(stream(*again))
    assert case.kinds() == {"disorder"}


def test_two_viewers_need_not_be_told_the_same(case: Case) -> None:
    case.history.streams.append(stream(Seated("m-1", 4, 0.0), Seen("m-1", 5, "game.revealed", b"x", 0.0), player="p-3"))
    assert case.kinds() == set()


def test_a_deadline_that_fired_early(case: Case) -> None:
    case.kept.fired[0] = Fired("w2", 1, deadline=10_000, at=10_249)
    case.history.asked.clear()
    assert case.kinds() == {"early"}


def test_a_deadline_that_fired_earlier_than_the_player_was_told(case: Case) -> None:
    case.kept.fired[0] = Fired("w2", 1, deadline=9_900, at=10_150)
    assert case.kinds() == {"early"}


def test_a_deadline_that_was_credited(case: Case) -> None:
    case.history.asked.insert(0, Asked("m-1", "w2", 1, 7_000))
    assert case.kinds() == set()


def test_a_deadline_that_fired_twice(case: Case) -> None:
    case.kept.fired.append(Fired("w2", 1, deadline=10_000, at=10_400))
    assert case.kinds() == {"refired"}


def test_a_seat_that_the_clock_played_for_twice(case: Case) -> None:
    case.kept.acts.append(Acted("w2", 1, "commit 3", "CLOCK", 7))
    assert case.kinds() == {"refired"}


def test_an_act_that_counted_though_it_came_in_too_late(case: Case) -> None:
    case.kept.acts[0] = Acted("w1", 0, "commit 5", "PLAYER", 3, received=5_001, deadline=5_000, player="p-0")
    assert case.kinds() == {"late"}
    case.kept.acts[0] = Acted("w1", 0, "commit 5", "PLAYER", 3, received=5_000, deadline=5_000, player="p-0")
    assert case.kinds() == set()


def test_an_act_that_counted_as_of_a_time_before_it_was_sent(case: Case) -> None:
    case.history.sent = [msgspec.structs.replace(sent, at=4_000 + sent.at) for sent in case.history.sent]
    case.history.answers.clear()
    case.kept.acts[0] = Acted("w1", 0, "commit 5", "PLAYER", 3, received=3_000, deadline=5_000, player="p-0")
    assert case.kinds() == {"backdated"}


@pytest.mark.parametrize(("end", "kinds"), [(10_000, set()), (10_001, {"mistimed"}), (9_000, {"mistimed"})])
def test_a_deadline_that_a_player_was_told_otherwise(case: Case, end: int, kinds: set[str]) -> None:
    case.kept.asked.append(Asked("m-1", "w2", 1, end))
    assert case.kinds() == kinds


def stood_in(case: Case, by: str = "STAND_IN") -> None:
    """A bot plays for seat 0 from before its act on, and its owner does not know yet."""
    case.history.sent = [sent for sent in case.history.sent if sent.request != "r0"]
    case.history.answers = [answer for answer in case.history.answers if answer.request != "r0"]
    case.history.sent.append(Sent("b0", "p-bot", "m-1", "w1", 0, "commit 5", 0.0, epoch=1))
    case.history.answers.append(Answer("b0", "m-1", True, 3, "", 1.0))
    case.kept.acts[0] = Acted("w1", 0, "commit 5", by, 3, player="p-bot", own=False, epoch=1)


def test_an_act_of_whoever_stands_in(case: Case) -> None:
    stood_in(case)
    assert case.kinds() == set()
    case.history.sent.append(Sent("r0", "p-0", "m-1", "w1", 0, "commit 5", 0.0))
    case.history.answers.append(Answer("r0", "m-1", False, 0, "SEAT_EPOCH_STALE", 1.0))
    assert case.kinds() == set(), "the same card was refused to the other"


@pytest.mark.parametrize(("by", "own"), [("PLAYER", False), ("STAND_IN", True)])
def test_an_act_that_is_said_to_be_another_s(case: Case, by: str, own: bool) -> None:
    stood_in(case, by)
    case.kept.acts[0] = msgspec.structs.replace(case.kept.acts[0], own=own)
    assert case.kinds() == {"misattributed"}


def test_an_act_of_somebody_for_whom_another_plays(case: Case) -> None:
    stood_in(case)
    case.history.sent.append(Sent("r0", "p-0", "m-1", "w1", 0, "commit 5", 0.0))
    case.history.answers.append(Answer("r0", "m-1", True, 3, "", 1.0))
    assert case.kinds() == {"usurped"}


def test_an_act_that_nobody_who_plays_for_the_seat_has_sent(case: Case) -> None:
    stood_in(case)
    case.history.answers = [answer for answer in case.history.answers if answer.request != "b0"]
    case.kept.acts[0] = msgspec.structs.replace(case.kept.acts[0], player="p-0", own=True, by="PLAYER", epoch=2)
    assert case.kinds() == {"usurped"}


def test_an_act_of_an_epoch_that_was_over(case: Case) -> None:
    stood_in(case)
    case.kept.acts[0] = msgspec.structs.replace(case.kept.acts[0], epoch=3)
    assert case.kinds() == {"usurped"}


def test_who_is_dismissed_hears_no_more_of_a_match_and_may_be_seated_again(case: Case) -> None:
    items: Items = [Seated("m-1", 2, 0.0), *seen(3), Dismissed("m-1", 0.0), Seated("m-1", 5, 0.0), *seen(6)]
    case.history.streams.append(stream(*items, player="p-bot"))
    assert case.kinds() == set()


def test_a_question_s_time_begins_with_its_change_and_ends_with_the_arrival_of_the_answer() -> None:
    clocks = Clocks(window=1_000, bank=500, increment=10, seats=2)
    assert clocks.change("w1", (0, 1), 100, None) == [(0, 1_600), (1, 1_600)]
    assert clocks.change("w1", (1,), 1_900, 1_300) == []
    assert clocks.deadline(0) is None
    assert clocks.change("w2", (0, 1), 4_000, 1_100) == [(0, 5_000 + 310), (1, 5_000 + 510)]
    assert clocks.credit(50) == [(0, 5_360), (1, 5_560)]
    assert clocks.change("w3", (0,), 9_000, None) == [(0, 10_000)], "who ran out has no bank left"


@pytest.mark.parametrize("versions", [[1, 2, 4, 5], [1, 2, 2, 3], [2, 3, 4, 5]])
def test_a_log_whose_versions_do_not_follow_each_other(case: Case, versions: list[int]) -> None:
    case.kept.versions = versions
    assert case.kinds() == {"broken"}


def test_a_log_whose_numbers_do_not_follow_each_other(case: Case) -> None:
    case.kept.firsts = [0, 2, 5, 3]
    assert case.kinds() == {"broken"}


def test_matches_that_cannot_be_read_or_have_no_end(case: Case) -> None:
    case.history.unreadable.append("m-2")
    case.history.unfinished.append("m-3")
    assert case.kinds() == {"unreadable", "unfinished"}


def test_a_replay_that_is_not_the_log(case: Case) -> None:
    case.history.replays["m-1"] = 2
    assert case.kinds() == {"broken"}
