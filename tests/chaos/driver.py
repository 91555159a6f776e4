"""The process that all clients of a run live in.

    python -m chaos.driver PLAN_JSON

It prints `playing` once all matches have begun, plays for a time, lets every match come to its end, and writes its
history.
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import msgspec

from chaos.history import History
from chaos.players import Calls, Habits, Player, open_channel
from chaos.tables import STAND_IN, Tables, insist
from croupier.v1 import matches_pb2, matches_pb2_grpc, players_pb2, players_pb2_grpc


class Plan(msgspec.Struct):
    """What to play. `seconds`: for which new matches are opened; `window`: seconds for each question."""

    targets: list[str]
    history: str  # file to write
    matches: int = 200
    players: int = 60
    watchers: int = 12
    stand_ins: int = 6
    seats: int = 3
    window: float = 8.0
    seconds: float = 100.0


async def play(plan: Plan) -> History:
    """All of it."""
    history = History()
    channels = [open_channel(target) for target in plan.targets]
    calls: list[matches_pb2_grpc.MatchesAsyncStub] = [matches_pb2_grpc.MatchesStub(channel) for channel in channels]
    habits, restless = Habits(think=plan.window * 0.8), Habits(think=plan.window * 0.8, stays=5.0)
    everybody: list[Player] = []
    tables = Tables(history, everybody, calls, plan.targets, seats=plan.seats, window=plan.window)
    number = plan.players + plan.watchers + plan.stand_ins
    made = [await _guest(channels[0], index) for index in range(number)]
    everybody += [
        Player(history, plan.targets, calls, player, token, habits if index % 4 else restless, tables.done)
        for index, (player, token) in enumerate(made[: plan.players])
    ]
    watchers, bots = (
        [Player(history, plan.targets, calls, player, token, habits, tables.done, levels) for player, token in some]
        for levels, some in (
            ((), made[plan.players : plan.players + plan.watchers]),
            ((STAND_IN,), made[plan.players + plan.watchers :]),
        )
    )
    until = asyncio.get_running_loop().time() + plan.seconds
    streams = [asyncio.create_task(player.play()) for player in (*everybody, *bots)]
    streams += [asyncio.create_task(tables.watch(watcher)) for watcher in watchers]
    print("playing", flush=True)
    async with asyncio.TaskGroup() as group:
        for _ in range(plan.matches):
            group.create_task(tables.keep(until))
            await asyncio.sleep(plan.window / plan.matches)  # not all windows close at the same moment
    await asyncio.sleep(2)  # what is on its way comes in
    broken = [task.exception() for task in streams if task.done() and not task.cancelled()]
    for task in streams:
        task.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    if broken:
        raise RuntimeError(f"a client broke down: {broken[:3]}")
    await _read_back(history, tables, calls, everybody[0])
    for channel in channels:
        await channel.close()
    return history


async def _guest(channel: grpc.aio.Channel, index: int) -> tuple[str, str]:
    players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
    made = await players.CreatePlayer(players_pb2.CreatePlayerRequest(display_name=f"P{index}"), timeout=20)
    return made.player.id, made.token


async def _read_back(history: History, tables: Tables, calls: Calls, reader: Player) -> None:
    """Every match can be read by everybody, as a whole, when all is over."""
    for match in set(tables.begun) - set(history.unfinished) - set(history.unreadable):
        request = matches_pb2.GetReplayRequest(match=match)
        try:
            replay = await insist(calls, _replaying(request, reader))
        except grpc.aio.AioRpcError:
            history.unreadable.append(match)
        else:
            history.replays[match] = sum(entry.HasField("act") for entry in replay.log)


def _replaying(
    request: matches_pb2.GetReplayRequest, reader: Player
) -> "Callable[[matches_pb2_grpc.MatchesAsyncStub], Awaitable[matches_pb2.Replay]]":
    return lambda stub: stub.GetReplay(request, metadata=reader.auth, timeout=5)


def main() -> None:
    """Play as planned."""
    logging.getLogger("croupier_bots").setLevel(logging.ERROR)  # refusals are expected here, thousands of them
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    history = asyncio.run(play(plan))
    Path(plan.history).write_bytes(msgspec.msgpack.encode(history))


if __name__ == "__main__":
    main()
