"""A packed log is short since it leaves out what the rules tell again; whatever was in the log comes back."""

import asyncio
import zlib
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from support.played import opened, played_log
from support.playing import Habits, Match, play, profiles

from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import EndMode, Options
from croupier_service.lifecycle import Resigned, Started, happened
from croupier_service.log import LogEntry, LogStep
from croupier_service.players import RandomNames
from croupier_service.store import packing

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def logged(match: Match, dice: Random) -> list[LogEntry]:
    """The log of a match that the engine has played, some commands to an entry."""
    players = tuple(f"p-{seat}" for seat in range(match.seats))
    steps = [LogStep(None, (happened(Started(players)),)), LogStep(None, match.steps[0].events)]
    log: list[LogEntry] = []
    at = match.commands[0].at - 1000  # when it starts is the time of its entry

    def close(received: int | None = None) -> None:
        first = log[-1].last if log else 0
        log.append(LogEntry(len(log) + 1, first, at, tuple(steps), RandomNames().change(), received))
        steps.clear()

    close()
    for command, step in zip(match.commands, match.steps[1:], strict=True):
        if dice.random() < 0.1:
            steps.append(LogStep(None, (happened(Resigned(0)),)))
        steps.append(LogStep(command, step.events))
        at = command.at + dice.choice((0, 0, 1))
        if dice.random() < 0.8:
            close(dice.choice((None, at - 3)))
    close()
    return log


def written_events(packed: bytes) -> int:
    """How many steps hold the game's events themselves."""
    _, _, _, entries = msgspec.msgpack.decode(zlib.decompress(packed))
    return sum(bool(events) for steps in entries for _, events, _ in steps)


@every_game
@settings(max_examples=15, deadline=None)
@given(data=st.data())
async def test_what_the_rules_tell_is_told_again(game: AnyGame, data: st.DataObject) -> None:
    options, seats = data.draw(profiles(game))
    dice = Random(data.draw(st.integers(0, 1 << 32)))
    match = play(game, options, seats, dice, Habits(resign=0.003), most=200)
    record, _ = opened(game, options, seats, dice)
    log = logged(match, dice)
    packed = await packing.pack(record, log)
    assert await packing.unpack(record, packing.FORM, packed) == log
    assert written_events(packed) == 0


@pytest.mark.parametrize("away", [0.0, 0.3])
async def test_the_log_of_a_whole_match_is_short_and_whole(away: float) -> None:
    record, log = played_log(GAMES["six_nimmt"], Options(), 4, Random(3), Habits(resign=0.001, late=0.05), away)
    packed = await packing.pack(record, log)
    assert await packing.unpack(record, packing.FORM, packed) == log
    assert written_events(packed) == 0
    assert len(packed) < 20 * len(log)


async def test_events_that_the_rules_would_not_tell_so_are_kept() -> None:
    record, log = played_log(GAMES["six_nimmt"], Options(end_mode=EndMode.FIXED_DEALS), 2, Random(3), Habits())
    *before, last = log
    act, *others = last.steps
    assert act.command is not None
    changed = [*before, structs.replace(last, steps=(structs.replace(act, events=act.events[:-1]), *others))]
    packed = await packing.pack(record, changed)
    assert await packing.unpack(record, packing.FORM, packed) == changed
    assert written_events(packed) == 1
    silent = [*before, structs.replace(last, steps=(structs.replace(act, events=()), *others))]
    packed = await packing.pack(record, silent)
    assert await packing.unpack(record, packing.FORM, packed) == silent, "nothing at all was told then"
    assert written_events(packed) == 1
    torn = log[1:]  # without its start nobody knows what the game was
    torn = [structs.replace(entry, version=entry.version - 1, first=entry.first - log[0].last) for entry in torn]
    packed = await packing.pack(record, torn)
    assert await packing.unpack(record, packing.FORM, packed) == torn
    assert written_events(packed) > 0
    torn[0] = structs.replace(torn[0], steps=(structs.replace(torn[0].steps[0], events=()),))
    assert (await packing.unpack(record, packing.FORM, await packing.pack(record, torn)))[0] == torn[0]


async def test_others_have_their_turn_while_a_long_log_is_played_again() -> None:
    options = Options(end_mode=EndMode.FIXED_DEALS, deals=8)
    record, log = played_log(GAMES["six_nimmt"], options, 6, Random(3), Habits())
    assert len(log) > 300
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    packed = await packing.pack(record, log)
    assert (between := turns) >= len(log) // 100
    assert await packing.unpack(record, packing.FORM, packed) == log
    assert turns - between >= len(log) // 100
    beside.cancel()


async def test_what_is_left_out_without_a_start_cannot_be_made_up() -> None:
    record, log = played_log(GAMES["six_nimmt"], Options(end_mode=EndMode.FIXED_DEALS), 2, Random(3), Habits())
    columns = msgspec.msgpack.decode(zlib.decompress(await packing.pack(record, log)))
    torn = zlib.compress(msgspec.msgpack.encode([column[1:] for column in columns]))
    with pytest.raises(ValueError, match="left out"):
        await packing.unpack(record, packing.FORM, torn)
