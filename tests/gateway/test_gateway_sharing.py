"""Spectators of one match: one call for all of them, and for nobody else."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from support.fake_api import FakeApi
from support.gateway_process import GatewayProcess, Watch, running_gateway, until
from support.stand import Stand, set_stand

from croupier.v1 import matches_pb2
from croupier_gateway.frames import Frame
from croupier_gateway.sharing import Shared
from croupier_gateway.sse import Told
from croupier_gateway.streams import Stream

EVENTS = "/v1/matches/abcd/events"


@pytest.fixture(scope="module")
def _gateway(_api: FakeApi) -> Iterator[GatewayProcess]:
    with running_gateway(_api.target, CROUPIER_GATEWAY_THREADS="52") as gateway:
        yield gateway


@pytest.fixture
def stand(api: FakeApi) -> Stand:
    return set_stand(api)


@pytest.fixture
def gateway(_gateway: GatewayProcess, stand: Stand) -> Iterator[GatewayProcess]:
    """The process all these tests share; each leaves it with no call waiting."""
    yield _gateway
    until(lambda: stand.open == 0)


def spectator(gateway: GatewayProcess, name: str = "ann", **headers: str) -> Watch:
    return gateway.watch(Authorization=f"Bearer {name}", **headers)


def told(watch: Watch, blocks: int) -> list[tuple[str, str]]:
    """Kind and id of the next messages."""
    found = []
    for _ in range(blocks):
        block = [line for line in watch.block() if not line.startswith("retry")]
        found.append((block[0].removeprefix("event: "), block[1].removeprefix("id: ")))
    return found


def both(sequence: int) -> list[tuple[str, str]]:
    """An event, and the view after it."""
    return [("event", f"{sequence}:m{sequence}"), ("window", f"{sequence}:m{sequence}")]


def test_all_hear_everything_from_one_call(gateway: GatewayProcess, stand: Stand) -> None:
    with ExitStack() as stack:
        watches = [stack.enter_context(closing(spectator(gateway, f"p{number}"))) for number in range(5)]
        for watch in watches:
            assert told(watch, 1) == [("snapshot", "3:m3")]
        until(lambda: (stand.opened, stand.open) == (5, 1))
        for sequence in (4, 5):
            stand.happen()
            for watch in watches:
                assert told(watch, 2) == both(sequence)
        watches[0].close()  # it was his call
        stand.happen()
        for watch in watches[1:]:
            assert told(watch, 2) == both(6)
    until(lambda: stand.open == 0)


@pytest.mark.parametrize("behind", [1, 3, 25])
def test_who_resumes_gets_what_he_missed_and_then_hears_the_others_call(
    gateway: GatewayProcess, stand: Stand, behind: int
) -> None:
    with closing(spectator(gateway)) as first:
        told(first, 1)
        for sequence in range(4, 31):
            stand.happen()
            assert told(first, 2) == both(sequence)
        with closing(spectator(gateway, "bob", Last_Event_ID=f"{30 - behind}:m{30 - behind}")) as second:
            missed = [("event", f"{sequence}:m{sequence}") for sequence in range(31 - behind, 31)]
            assert told(second, behind) == missed
            assert told(second, 1) == [("window", "30:m30")]
            until(lambda: stand.open == 1)
            stand.happen()
            assert told(second, 2) == both(31)
            assert told(first, 2) == both(31)


def test_nothing_is_left_out_or_told_twice_when_much_happens_meanwhile(gateway: GatewayProcess, stand: Stand) -> None:
    with ExitStack() as stack:
        watches = []
        for number in range(10):
            watches.append(stack.enter_context(closing(spectator(gateway, f"p{number}", Last_Event_ID="0"))))
            for _ in range(10):
                stand.happen()
        for watch in watches:
            events: list[str] = []
            while len(events) < 103:
                events += [cursor for kind, cursor in told(watch, 1) if kind == "event"]
            assert events == [f"{sequence}:m{sequence}" for sequence in range(1, 104)]
        until(lambda: stand.open == 1)


def test_who_takes_a_seat_sees_more_from_there_on_and_the_others_do_not(gateway: GatewayProcess, stand: Stand) -> None:
    with closing(spectator(gateway)) as seated, closing(spectator(gateway, "bob")) as other:
        told(seated, 1)
        told(other, 1)
        until(lambda: stand.open == 1)
        stand.seat("ann")
        own, public = [seated.block(), seated.block()], [other.block(), other.block()]
        stand.happen()
        for blocks, watch in ((own, seated), (public, other)):
            blocks += [watch.block(), watch.block()]
            assert [block[:2] for block in blocks] == [
                [f"event: {kind}", f"id: {at}"] for kind, at in both(4) + both(5)
            ]
        assert all(".secret" in block[2] or '"seat":0' in block[2] for block in own)
        assert not any(".secret" in block[2] or '"seat":0' in block[2] for block in public[1:])
        assert stand.open == 2


def test_who_has_a_seat_shares_with_nobody(gateway: GatewayProcess, stand: Stand) -> None:
    stand.seat("ann")
    with closing(spectator(gateway)) as seated, closing(spectator(gateway, "bob")) as other:
        told(seated, 1)
        told(other, 1)
        stand.happen()
        assert any(".secret" in line for line in seated.block())
        assert not any(".secret" in line for line in other.block())
        assert stand.open == 2


def test_who_came_with_a_ticket_and_takes_a_seat_has_to_come_with_another(
    gateway: GatewayProcess, stand: Stand
) -> None:
    with closing(gateway.watch(EVENTS + "?ticket=ann")) as seated, closing(spectator(gateway, "bob")) as other:
        told(seated, 1)
        told(other, 1)
        until(lambda: stand.open == 1)
        stand.seat("ann")
        assert seated.block() == []
        assert told(other, 2) == both(4)


def test_who_takes_a_seat_while_his_call_begins_sees_more(gateway: GatewayProcess, stand: Stand) -> None:
    with closing(spectator(gateway)) as other:
        told(other, 1)
        stand.slip = "bob"
        with closing(spectator(gateway, "bob")) as seated:
            assert told(seated, 1) == [("snapshot", "4:m4")]
            assert '"seat":0' in seated.block()[2]
            stand.happen()
            assert ".secret" in seated.block()[2]
        assert told(other, 2) == both(4)


def test_who_came_with_a_ticket_and_sat_here_long_ago_is_told_all(gateway: GatewayProcess, stand: Stand) -> None:
    stand.seat("ann")
    stand.leave("ann")
    with closing(gateway.watch(EVENTS + "?ticket=ann", Last_Event_ID="2:m2")) as watch:
        assert told(watch, 4) == [("event", f"{number}:m{number}") for number in (3, 4, 5)] + [("window", "5:m5")]
        stand.happen()
        assert told(watch, 2) == both(6)


def test_who_has_taken_a_seat_meanwhile_does_not_join_behind_it() -> None:
    """Between his first message and his joining, the others have been told already that he sits."""

    async def join() -> list[bool]:
        match = matches_pb2.Match(sequence=1, mark="m1", you=matches_pb2.You(sequence=1))
        joined = matches_pb2.Event(sequence=2, mark="m2")
        joined.match.joined.player = "bob"
        messages = [matches_pb2.WatchMatchResponse(event=joined)]
        call = _Call(messages)
        told = Told("")
        told.frame(matches_pb2.WatchMatchResponse(snapshot=matches_pb2.Snapshot(match=match)))
        shared = Shared(call, told, match.you, lambda: None)
        first = _Spectator("ann")
        assert shared.joins(cast(Stream, first), "1:m1", match.you)
        while messages:
            await asyncio.sleep(0)
        found = [shared.joins(cast(Stream, _Spectator(name)), "1:m1", match.you) for name in ("bob", "eve")]
        call.over.set()
        while not first.finished:
            await asyncio.sleep(0)
        return found

    assert asyncio.run(join()) == [False, True]


class _Call:
    """Some messages, then nothing until it is over."""

    def __init__(self, messages: list[matches_pb2.WatchMatchResponse]) -> None:
        self._messages = messages
        self.over = asyncio.Event()

    async def read(self) -> Any:
        if self._messages:
            return self._messages.pop(0)
        await self.over.wait()
        return grpc.aio.EOF

    def cancel(self) -> None:
        self.over.set()


class _Spectator:
    """As much of a stream as what is shared has to do with."""

    def __init__(self, player: str) -> None:
        self.player = player
        self.paused = False
        self.finished = False

    def send(self, frame: Frame) -> None:
        assert frame.text

    def finish(self, *, whole: bool) -> None:
        self.finished = whole


@pytest.mark.parametrize("saying_so", [True, False])
def test_when_a_replica_goes_another_is_called_once_for_all(
    gateway: GatewayProcess, stand: Stand, saying_so: bool
) -> None:
    with ExitStack() as stack:
        watches = [stack.enter_context(closing(spectator(gateway, f"p{number}"))) for number in range(5)]
        watches.append(stack.enter_context(closing(gateway.watch(EVENTS + "?ticket=p5"))))
        for watch in watches:
            told(watch, 1)
        until(lambda: (stand.opened, stand.open) == (6, 1))
        stand.go(saying_so=saying_so)
        for watch in watches:
            assert told(watch, 1) == [("window", "3:m3")]
        stand.happen()
        for watch in watches:
            assert told(watch, 2) == both(4)
        assert (stand.opened, stand.open) == (7, 1)


def test_who_has_taken_a_seat_when_another_replica_is_called_sees_more(gateway: GatewayProcess, stand: Stand) -> None:
    with ExitStack() as stack:
        seated, other = (stack.enter_context(closing(spectator(gateway, name))) for name in ("ann", "bob"))
        ticket = stack.enter_context(closing(gateway.watch(EVENTS + "?ticket=eve")))
        for watch in (seated, other, ticket):
            told(watch, 1)
        until(lambda: (stand.opened, stand.open) == (3, 1))
        stand.go(saying_so=False, seating="ann")
        for watch in (seated, other, ticket):
            assert told(watch, 2) == both(4)
        stand.happen()
        assert ".secret" in seated.block()[2]
        for watch in (other, ticket):
            assert ".secret" not in watch.block()[2]
            assert told(watch, 1) == both(5)[1:]
        assert stand.open == 2
        stand.go(saying_so=False, seating="bob")
        assert ".secret" in other.block()[2]
        assert ticket.block() == [], "nobody is left who can call for him"


def test_who_came_with_tickets_cannot_be_called_for(gateway: GatewayProcess, stand: Stand) -> None:
    with (
        closing(gateway.watch(EVENTS + "?ticket=ann")) as first,
        closing(gateway.watch(EVENTS + "?ticket=b")) as second,
    ):
        told(first, 1)
        told(second, 1)
        until(lambda: (stand.opened, stand.open) == (2, 1))
        stand.go(saying_so=False)
        assert first.block() == second.block() == []
        assert stand.opened == 2


def test_where_no_replica_is_left_their_streams_end(gateway: GatewayProcess, stand: Stand, api: FakeApi) -> None:
    with closing(spectator(gateway)) as first, closing(spectator(gateway, "bob")) as second:
        told(first, 1)
        told(second, 1)
        until(lambda: (stand.opened, stand.open) == (2, 1))
        api.answers["WatchMatch"] = lambda request, context: context.abort(grpc.StatusCode.UNAVAILABLE, "")
        stand.go(saying_so=True)
        assert first.block() == second.block() == []
        assert len(api.calls) == 2 + 3


def test_streams_of_a_broken_call_end(gateway: GatewayProcess, stand: Stand) -> None:
    with closing(spectator(gateway)) as first, closing(spectator(gateway, "bob")) as second:
        told(first, 1)
        told(second, 1)
        until(lambda: stand.open == 1)
        stand.shatter()
        assert first.block() == second.block() == []


def test_streams_hold_no_threads(gateway: GatewayProcess, stand: Stand) -> None:
    with ExitStack() as stack:

        def threads() -> int:
            (worker,) = Path(f"/proc/{gateway.process.pid}/task/{gateway.process.pid}/children").read_text().split()
            return len(list(Path(f"/proc/{worker}/task").iterdir()))

        told(stack.enter_context(closing(spectator(gateway))), 1)
        before = threads()
        for number in range(12):
            told(stack.enter_context(closing(spectator(gateway, f"p{number}"))), 1)
        assert threads() <= before + 4


def test_who_does_not_read_is_cut_off_and_the_others_go_on(api: FakeApi) -> None:
    stand = set_stand(api)
    with running_gateway(api.target, CROUPIER_GATEWAY_THREADS="34", CROUPIER_STALL="2000") as gateway:
        with (
            closing(spectator(gateway)) as reader,
            socket.create_connection((gateway.host, gateway.port)) as deaf,
        ):
            told(reader, 1)
            head = f"GET {EVENTS} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer b\r\n\r\n"
            deaf.sendall(head.encode())
            until(lambda: (stand.opened, stand.open) == (2, 1))
            for sequence in range(4, 104):  # more than sockets hold
                stand.happen("x" * 100_000)
                assert told(reader, 2) == both(sequence)
            until(lambda: _opens(gateway), 30)  # there are but two places
            stand.happen()
            assert told(reader, 2) == both(104)


def _opens(gateway: GatewayProcess) -> bool:
    with closing(spectator(gateway, "eve")) as watch:
        return watch.status == 200


def test_a_stop_tells_each_where_to_go_on(api: FakeApi) -> None:
    stand = set_stand(api)
    with running_gateway(api.target) as gateway:
        with closing(spectator(gateway)) as first, closing(spectator(gateway, "bob", Last_Event_ID="2:m2")) as second:
            told(first, 1)
            told(second, 2)
            until(lambda: stand.open == 1)
            stand.happen()
            for watch in (first, second):
                told(watch, 2)
            gateway.process.send_signal(signal.SIGTERM)
            for watch in (first, second):
                assert watch.block() == ["event: end", "id: 4:m4", 'data: {"reason":"GO_AWAY","sequence":4}']
                assert watch.block() == []
        assert gateway.process.wait(15) == 0
