"""What a run measured."""

from chaos.figures import Faults, figures
from chaos.history import Answer, History, Log, Seen, Sent, Stream

BACK = 10_000.0


def stream(player: str, *items: Seen, opened: float = 0.0, closed: float | None = None, why: str = "") -> Stream:
    return Stream(f"{player}/1", player, 0, opened, {}, opened, closed, why, list(items))


def sent(player: str, request: str, at: float) -> Sent:
    return Sent(request, player, "m-1", "w", 0, "row 1", at)


def answer(request: str, at: float, reason: str = "") -> Answer:
    return Answer(request, "m-1", not reason, 0, reason, at)


def seen(at: float) -> Seen:
    return Seen("m-1", 1, "x", b"", at)


def back(history: History, written: float) -> float:
    log = Log("m-1", True, [1], [0], ["x"], [], [], [], [int(written)])
    return figures(history, {"m-1": log}, Faults(redis_back=[BACK]), 0)["redis_back_p99_ms"]


def test_an_act_that_waits_is_served_when_it_is_answered_for_good() -> None:
    history = History(
        streams=[stream("ann", seen(BACK + 50))],
        sent=[sent("ann", "a-1", BACK - 500), sent("ann", "a-1", BACK + 100)],
        answers=[answer("a-1", BACK - 400, "UNAVAILABLE"), answer("a-1", BACK + 200, "CONTENDED")],
    )
    history.answers.append(answer("a-1", BACK + 300))
    assert back(history, BACK - 1_000) == 300.0


def test_whoever_waits_for_others_is_served_by_his_next_event() -> None:
    history = History(streams=[stream("ann", seen(BACK + 9_000))])
    assert back(history, BACK - 1_000) == 9_000.0  # it was there all the time
    assert back(history, BACK + 8_950) == 50.0  # others took their time


def test_whoever_has_left_is_not_waited_for() -> None:
    left = stream("ann", closed=BACK - 3_000, why="away")
    broken = stream("ann", closed=BACK - 3_000, why="UNAVAILABLE")
    again = stream("ann", seen(BACK + 5_000), opened=BACK + 4_000)
    assert back(History(streams=[left, again]), BACK - 1_000) == 0.0
    assert back(History(streams=[broken, again]), BACK - 1_000) == 5_000.0
