"""A rolling restart under load: no move fails, none is made twice, and nobody runs out of time."""

import asyncio
import http.client
import json
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from support.gateway_process import GatewayProcess, running_gateway
from support.replays import check_replay
from support.replicas import Replica, running_replicas

from croupier.v1 import act_by_pb2, games_pb2, matches_pb2
from croupier_bots import Bot, Choice
from croupier_bots.client import Offers, Server
from croupier_bots.guests import run_guest
from croupier_cli.verification import verify

WINDOW = "20s"


class Patient:
    """A player over REST who follows the rule of docs/retries.md, and notes what every move was answered."""

    def __init__(self, gateway: GatewayProcess) -> None:
        self._gateway = gateway
        self.token = ""
        self.moves: list[tuple[str, int]] = []  # match, and the sequence that a move was applied at
        self.failed: list[str] = []
        made = self._call("POST", "/v1/players", {"displayName": "Rest"})
        self.player, self.token = made["player"]["id"], made["token"]

    def _call(self, method: str, path: str, body: object = None) -> Any:
        pause, give_up = 0.25, time.monotonic() + 60
        while True:
            status, answer = 0, {}
            connection = self._gateway.connect(timeout=40)
            try:
                headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = connection.getresponse()
                status, answer = response.status, json.loads(response.read())
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            if status == 200:
                return answer
            # Bots that come over from a replica which stops are not there for a moment: "try again later".
            busy = status in (0, 429, 503, 504) or answer.get("reason") == "NO_BOT_FREE"
            if not busy or time.monotonic() > give_up:
                raise AssertionError(f"{method} {path}: {status} {answer}")
            time.sleep(answer.get("retryAfter", pause))
            pause = min(2 * pause, 8)

    def play(self, stop: threading.Event) -> None:
        """Matches against bots, one after another, to the end of the one that is played when it is to stop."""
        while not stop.is_set():
            bots = [{"level": "rolling"}] * 2
            table = {"requestId": uuid.uuid4().hex, "game": "six_nimmt", "seats": 3, "preset": "single_deal"}
            view = self._call("POST", "/v1/matches", table | {"bots": bots, "clock": {"windowDuration": WINDOW}})
            match = view["id"]
            while view["state"] == "RUNNING":
                if view["you"]["window"]["choices"]:
                    act = {"requestId": uuid.uuid4().hex, "window": view["you"]["window"]["id"], "choice": 0}
                    try:
                        answer = self._call("POST", f"/v1/matches/{match}:act", act)
                    except AssertionError as failed:
                        self.failed.append(str(failed))
                        return
                    self.moves.append((match, answer["appliedSequence"]))
                    view = answer["match"]
                else:
                    self._call("GET", f"/v1/matches/{match}/events?after={view['sequence']}&wait=5s")
                    view = self._call("GET", f"/v1/matches/{match}")

    def replay(self, match: str) -> matches_pb2.Replay:
        return json_format.ParseDict(self._call("GET", f"/v1/matches/{match}/replay"), matches_pb2.Replay())

    def events(self, match: str) -> list[Any]:
        found: list[Any] = self._call("GET", f"/v1/matches/{match}/events?pageSize=1000")["events"]
        return found

    def seat(self, match: str) -> int:
        seats = self._call("GET", f"/v1/matches/{match}")["seats"]
        return [seat["player"] for seat in seats].index(self.player)


class First(Bot):
    games = {"six_nimmt": ("rolling",)}  # noqa: RUF012 - as authors write it

    async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        await asyncio.sleep(0.05)
        return 0


@contextmanager
def bots(replicas: list[Replica], count: int) -> Iterator[None]:
    """Bots of the SDK, in a loop of their own, that know all replicas."""
    ready = threading.Barrier(count + 1, timeout=30)
    loop, server = asyncio.new_event_loop(), Server(",".join(replica.target for replica in replicas))

    async def one(number: int) -> None:
        welcomed = asyncio.Event()
        offers = Offers.of(First, 50, number, offering=True)
        playing = asyncio.create_task(run_guest(offers, server, f"bot {number}", welcomed=welcomed.set))
        await welcomed.wait()
        await asyncio.to_thread(ready.wait)
        await playing

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(count)))

    task = loop.create_task(all_of_them())

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        ready.wait()
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(30)
    assert not thread.is_alive()


def roll(redis_url: str, folder: Path, caplog: pytest.LogCaptureFixture, *, players: int, rounds: int) -> int:
    """Restart each replica in turn while bots and people play; how many moves were checked."""
    with (
        running_replicas(redis_url, folder, 3, DRAIN="5000") as replicas,
        running_gateway(",".join(replica.target for replica in replicas)) as gateway,
        caplog.at_level(logging.INFO, logger="croupier_bots"),
        bots(replicas, 4),
    ):
        people, stop = [Patient(gateway) for _ in range(players)], threading.Event()
        threads = [threading.Thread(target=player.play, args=(stop,)) for player in people]
        for thread in threads:
            thread.start()
        for _ in range(rounds):
            for replica in replicas:
                time.sleep(1)
                assert replica.restart() == 0
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert [failed for player in people for failed in player.failed] == []
        moves = sum(check(player) for player in people)
    said = [record.getMessage() for record in caplog.records if record.name == "croupier_bots"]
    assert any("is connected again" in line for line in said)
    assert not [line for line in said if "was refused" in line or "failed" in line], "no move of a bot was refused"
    return moves


def check(player: Patient) -> int:
    """Every move that was acknowledged is in the log of its match once, and there are no others."""
    acknowledged: dict[str, list[int]] = {}
    for match, sequence in player.moves:
        acknowledged.setdefault(match, []).append(sequence)
    for match, sequences in acknowledged.items():
        assert len(set(sequences)) == len(sequences), "two moves were answered as one"
        replay, seat = player.replay(match), player.seat(match)
        acts = [entry for entry in replay.log if entry.HasField("act") and entry.act.seat == seat]
        assert len(acts) == len(sequences), "once each, and nothing else"
        assert all(entry.act.by == act_by_pb2.ActBy.PLAYER for entry in replay.log if entry.HasField("act")), (
            "nobody was played for"
        )
        told = player.events(match)
        assert [event["sequence"] for event in told] == list(range(1, len(told) + 1))
        kinds = Counter(event["type"] for event in told)
        assert not kinds["match.timed_out"]
        assert not kinds["match.barred"]
        check_replay(replay, replay.commitment)
        verify(replay)
    return len(player.moves)


def test_c20_a_rolling_restart_fails_no_move(redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert roll(redis_url, tmp_path, caplog, players=6, rounds=1) > 50


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_c20_ten_rolling_restarts_fail_no_move(
    redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert roll(redis_url, tmp_path, caplog, players=16, rounds=10) > 1000
