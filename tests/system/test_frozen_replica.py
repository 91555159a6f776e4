"""A replica that stands still, or whose address is another: nobody's call fails for it, and bots play on elsewhere."""

import asyncio
import json
import signal
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from support.gateway_process import GatewayProcess, running_gateway
from support.name_server import NameServer, name_server
from support.processes import eventually
from support.replicas import QUICK, Replica, running_replicas
from support.rest import RestPlayer
from support.service import Client, guest

from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot, Choice, Server, run
from croupier_bots.client import Timing, open_channel

QUIET = {"DURABILITY": "memory"} | QUICK
CALLS = 6  # each replica gets some of them


def answered(replica: Replica) -> int:
    """How many calls for the games a replica has answered."""
    return replica.log.read_text().count("/croupier.v1.Catalog/ListGames")


def asked(gateway: GatewayProcess, method: str, path: str, token: str, body: object = None) -> int:
    """The status of one call that is sent once."""
    connection = gateway.connect(timeout=40)
    try:
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


@contextmanager
def frozen(replica: Replica) -> Iterator[None]:
    replica.send(signal.SIGSTOP)
    try:
        yield
    finally:
        replica.send(signal.SIGCONT)


def test_no_call_fails_for_one_of_two_replicas_that_is_frozen(redis_url: str, tmp_path: Path) -> None:
    with running_replicas(redis_url, tmp_path, 2) as (sleeper, other):
        with running_gateway(f"{sleeper.target},{other.target}") as gateway:
            player = RestPlayer(f"http://{gateway.host}:{gateway.port}")
            assert eventually(lambda: gateway.get("/v1/games")[0] == 200 and answered(sleeper) > 0)
            with frozen(sleeper):
                for _ in range(CALLS):
                    table = {"requestId": uuid.uuid4().hex, "game": "six_nimmt", "seats": 2}
                    assert asked(gateway, "POST", "/v1/matches", player.token, table) == 200
                    assert asked(gateway, "GET", "/v1/games", player.token) == 200
                assert len(player.call("GET", "/v1/matches?player=me")["matches"]) == CALLS, "each was done once"
            before = answered(sleeper)
            assert eventually(lambda: gateway.get("/v1/games")[0] == 200 and answered(sleeper) > before), "it is back"


def test_a_stream_that_a_frozen_replica_does_not_begin_is_begun_by_another(redis_url: str, tmp_path: Path) -> None:
    with running_replicas(redis_url, tmp_path, 2) as (sleeper, other):
        with running_gateway(f"{sleeper.target},{other.target}") as gateway:
            player = RestPlayer(f"http://{gateway.host}:{gateway.port}")
            match = player.create(seats=2)["id"]
            assert eventually(lambda: gateway.get("/v1/games")[0] == 200 and answered(sleeper) > 0)
            with frozen(sleeper):
                for _ in range(2):
                    watch = gateway.watch(f"/v1/matches/{match}/events", authorization=f"Bearer {player.token}")
                    assert watch.status == 200
                    watch.close()


class First(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0


PATIENT = Timing(silence=600)  # it is the connection that has to tell


async def test_a_bot_leaves_a_frozen_replica_though_its_stream_stands(redis_url: str, tmp_path: Path) -> None:
    with running_replicas(redis_url, tmp_path, 2) as (sleeper, other):
        async with open_channel(Server(other.target)) as over:
            host, bot = await guest(over), await guest(over)
            where = f"{sleeper.target},{other.target}"
            playing = asyncio.create_task(run(First, where, bot.token, timing=PATIENT))
            try:
                await at_a_table(host, bot)
                # The bot is at either of them.
                for replica in (sleeper, other):
                    async with open_channel(Server((other if replica is sleeper else sleeper).target)) as elsewhere:
                        await asyncio.sleep(0.5)
                        with frozen(replica):
                            await at_a_table(Client(elsewhere, host.player, host.token), bot)
            finally:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)


async def at_a_table(host: Client, bot: Client) -> None:
    """The bot joins a table, and answers the first question there."""
    clock = matches_pb2.ClockOptions(window_duration=Duration(seconds=120))
    match = (await host.create(2, clock=clock)).id
    await Client(host.channel, bot.player, bot.token).join(match)
    async with asyncio.timeout(30):
        while not any(seat.committed for seat in (await host.get(match)).seats):
            await asyncio.sleep(0.05)


@pytest.fixture
def names() -> Iterator[NameServer]:
    with name_server("127.0.0.1", "127.0.0.2") as server:
        yield server


def test_all_addresses_of_a_name_are_called_and_one_that_takes_the_place_of_another(
    redis_url: str, tmp_path: Path, names: NameServer
) -> None:
    """As a headless service of Kubernetes has them."""
    one = Replica(redis_url, tmp_path / "one.log", QUIET)
    two = Replica(redis_url, tmp_path / "two.log", QUIET, "127.0.0.2", one.port)
    new = Replica(redis_url, tmp_path / "new.log", QUIET, "127.0.0.3", one.port)
    try:
        one.start()
        two.start()
        with running_gateway(names.target(one.port)) as gateway:

            def reached(*replicas: Replica) -> bool:
                assert gateway.get("/v1/games")[0] == 200
                return all(map(answered, replicas))

            assert eventually(lambda: reached(one, two))
            names.addresses = ["127.0.0.1", "127.0.0.3"]
            new.start()
            two.kill9()
            assert eventually(lambda: reached(one, new), 20)
    finally:
        for replica in (one, two, new):
            replica.kill9()


async def test_a_bot_plays_where_a_name_leads(redis_url: str, tmp_path: Path, names: NameServer) -> None:
    names.addresses = ["127.0.0.9", "127.0.0.1"]  # nobody is at the first
    with running_replicas(redis_url, tmp_path, 1) as (replica,):
        async with open_channel(Server(replica.target)) as over:
            host, bot = await guest(over), await guest(over)
            playing = asyncio.create_task(run(First, names.target(replica.port), bot.token))
            try:
                await at_a_table(host, bot)
            finally:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)
