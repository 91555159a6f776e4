"""What a run measured."""

from chaos.figures import Faults, figures
from chaos.history import Answer, History, Seen, Sent, Stream

BACK = 10_000.0


def stream(player: str, *items: Seen, welcomed: float = 1.0, fresh: tuple[float, ...] = ()) -> Stream:
    return Stream(f"{player}/1", player, 0, 0.0, {}, welcomed, fresh=list(fresh), items=list(items))


def sent(player: str, request: str, at: float) -> Sent:
    return Sent(request, player, "m-1", "w", 0, "row 1", at)


def answer(request: str, at: float, reason: str = "") -> Answer:
    return Answer(request, "m-1", not reason, 0, reason, at)


def back(history: History) -> float:
    return figures(history, {}, Faults(redis_back=[BACK]), 0)["redis_back_p99_ms"]


def test_an_act_that_waits_is_served_when_it_is_answered_for_good() -> None:
    history = History(
        streams=[stream("ann", Seen("m-1", 1, "x", b"", BACK + 50), fresh=(BACK + 20,))],
        sent=[sent("ann", "a-1", BACK - 500), sent("ann", "a-1", BACK + 100)],
        answers=[answer("a-1", BACK - 400, "UNAVAILABLE"), answer("a-1", BACK + 300)],
    )
    assert back(history) == 300.0


def test_whoever_waits_for_others_is_served_by_a_fresh_stream() -> None:
    late = Seen("m-1", 1, "x", b"", BACK + 9_000)
    assert back(History(streams=[stream("ann", late, fresh=(BACK + 70,))])) == 70.0
    assert back(History(streams=[stream("ann", late)])) == 9_000.0
