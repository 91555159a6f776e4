"""The thread of the streams, and how it ends."""

import asyncio
import threading

import pytest

from croupier_gateway import strand as strand_module
from croupier_gateway.strand import Strand


async def nothing() -> None:
    pass


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "streams"]


def test_what_comes_when_it_is_closed_is_cancelled_and_does_not_begin_it_again() -> None:
    before = len(threads())
    used, unused = Strand(), Strand()
    used.run(nothing()).result(5)
    for strand in (used, unused):
        strand.close(nothing)
        assert strand.run(nothing()).cancelled()
    assert len(threads()) == before


def test_what_does_not_end_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strand_module, "_CLOSING_SECONDS", 0.1)
    held = threading.Event()

    async def holding() -> None:
        held.wait()

    strand = Strand()
    strand.run(holding())
    loop, thread = strand._running(), strand._thread
    strand.close(nothing)
    assert thread is not None
    assert thread.is_alive()
    held.set()
    thread.join(5)
    assert not thread.is_alive()
    loop.call_later(0.1, loop.stop)
    loop.run_forever()  # what was to be done at the end, and came too late
    loop.close()


def test_what_runs_is_ended_before_the_last_thing() -> None:
    told: list[str] = []

    async def lasting() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            told.append("ended")

    async def last() -> None:
        told.append("last")

    strand = Strand()
    strand.run(lasting())
    strand.close(last)
    assert told == ["ended", "last"]
