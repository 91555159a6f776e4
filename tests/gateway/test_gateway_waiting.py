"""The room for calls that wait."""

import socket
import threading
from collections.abc import Callable

import pytest
from support.gateway_process import until

from croupier_gateway.problems import Problem
from croupier_gateway.waiting import Admission, Cut, Waiting, WaitingRoom


class Calls:
    """Upstream calls that only remember that they were ended."""

    def __init__(self) -> None:
        self.ended = 0

    def cancel(self) -> None:
        self.ended += 1


def reason(act: Callable[[], object]) -> str:
    with pytest.raises(Problem) as caught:
        act()
    return caught.value.reason


def test_the_room_holds_its_limit_and_not_one_more() -> None:
    room = WaitingRoom(2)
    first, second = room.enter({}), room.enter({})
    assert reason(lambda: room.enter({})) == "OVERLOADED"
    first.leave()
    first.leave()
    assert len(room) == 1, "leaving twice frees one place"
    room.enter({})
    assert reason(lambda: room.enter({})) == "OVERLOADED"
    second.leave()


def test_the_count_is_exact_with_many_threads() -> None:
    room, refused, barrier = WaitingRoom(5), [], threading.Barrier(20)

    def come_and_go() -> None:
        barrier.wait()
        for _ in range(200):
            try:
                waiting = room.enter({})
            except Problem as problem:
                refused.append(problem.reason)
            else:
                assert len(room) <= 5
                waiting.leave()

    threads = [threading.Thread(target=come_and_go) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(room) == 0
    assert set(refused) <= {"OVERLOADED"}


def test_leaving_ends_the_call_upstream() -> None:
    calls, room = Calls(), WaitingRoom(1)
    waiting = room.enter({})
    waiting.attach(calls.cancel)
    waiting.leave()
    assert calls.ended == 1


def test_a_client_that_closed_is_gone_and_one_that_sent_ahead_is_not() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        calls, room = Calls(), WaitingRoom(1)
        waiting = room.enter({"gunicorn.socket": ours})
        waiting.attach(calls.cancel)
        waiting.look()
        theirs.sendall(b"GET")
        waiting.look()
        assert (calls.ended, waiting.cut) == (0, None)
        assert ours.recv(3) == b"GET", "what was sent ahead is still there"
        theirs.close()
        waiting.look()
        assert (calls.ended, waiting.cut) == (1, Cut.GONE)


def test_a_service_that_says_nothing_is_late_until_it_speaks() -> None:
    calls, room = Calls(), WaitingRoom(2)
    silent, talking = room.enter({}), room.enter({})
    silent.attach(calls.cancel, first_within=-1)
    silent.look()
    assert (calls.ended, silent.cut) == (1, Cut.LATE)
    talking.attach(calls.cancel, first_within=-1)
    talking.spoke()
    talking.look()
    assert (calls.ended, talking.cut) == (1, None)


def test_a_stop_ends_all_calls_also_those_that_just_begin() -> None:
    calls, room = Calls(), WaitingRoom(3)
    running, beginning = room.enter({}), room.enter({})
    running.attach(calls.cancel)
    room.watch()
    room.stop()
    until(lambda: running.cut is Cut.STOPPING and beginning.cut is Cut.STOPPING)
    assert calls.ended == 1
    beginning.attach(calls.cancel)
    assert calls.ended == 2
    assert reason(lambda: room.enter({})) == "GOING_DOWN"


def test_a_place_is_freed_when_the_application_fails() -> None:
    room = WaitingRoom(1)
    entered: list[Waiting] = []

    def failing(environ: object, start_response: object) -> list[bytes]:
        entered.append(room.enter(environ))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Admission(failing)({}, lambda *_: lambda _: None)
    assert len(entered) == 1
    assert len(room) == 0
