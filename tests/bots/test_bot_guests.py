"""Guests, kept tokens, the house's players, and a bot as a program."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from support.bot_table import FAST, BotTable, Connection, bot_table, over, seated, welcome

from croupier_bots import Bot, BotStopped, Server, TokenFile, TokenFileInvalid, Unauthenticated, UnknownLevel, guest
from croupier_bots.client import Offers
from croupier_bots.guests import run_guest
from croupier_bots.house import run_house

OFFERS = Offers({"six_nimmt": ("lowest",)}, lambda match: Bot())


@pytest.fixture
async def table() -> AsyncIterator[BotTable]:
    async with bot_table() as table:
        yield table


@contextlib.asynccontextmanager
async def guest_at(table: BotTable, tokens: TokenFile, key: str) -> AsyncIterator[Connection]:
    """A guest called Ann, once its connection stands."""
    up = asyncio.Event()
    task = asyncio.create_task(run_guest(OFFERS, Server(table.target, timing=FAST), "Ann", tokens, up.set, key=key))
    connection = await table.connected()
    connection.send(welcome())
    await asyncio.wait_for(up.wait(), 10)
    try:
        yield connection
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_guest_is_made(table: BotTable) -> None:
    assert await guest(table.target, "Ann") == "token-1"
    assert table.guests == ["Ann"]


async def test_a_busy_server_makes_it_later(table: BotTable) -> None:
    table.refuse_guests = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED]
    assert await guest(table.target, "Ann", timing=FAST) == "token-1"


async def test_a_server_that_makes_no_guests(table: BotTable) -> None:
    table.refuse_guests = [grpc.StatusCode.UNIMPLEMENTED]
    with pytest.raises(BotStopped):
        await guest(table.target, "Ann", timing=FAST)


def test_tokens_are_kept_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bots.json"
    TokenFile(path).put("careful 1", "secret")
    TokenFile(path).put("careful 2", "other")
    assert TokenFile(path).get("careful 1") == "secret"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["bots.json"]


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1}'])
def test_a_file_that_keeps_no_tokens(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bots.json"
    path.write_text(text)
    with pytest.raises(TokenFileInvalid, match=r"bots\.json"):
        TokenFile(path)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("{}")
    with pytest.raises(TokenFileInvalid):
        TokenFile(tmp_path / "file" / "bots.json")
    (tmp_path / "bots.json.new").mkdir()
    with pytest.raises(TokenFileInvalid, match="written"):
        TokenFile(tmp_path / "bots.json").put("a", "b")


async def test_it_comes_back_as_the_same_player(table: BotTable, tmp_path: Path) -> None:
    for _ in range(2):
        task = asyncio.create_task(
            run_guest(OFFERS, Server(table.target, timing=FAST), "Ann", TokenFile(tmp_path / "bots.json"))
        )
        assert (await table.connected()).token == "token-1"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert table.guests == ["Ann"]


async def test_an_unknown_token_becomes_a_new_guest(table: BotTable, tmp_path: Path) -> None:
    table.known = set()
    tokens = TokenFile(tmp_path / "bots.json")
    tokens.put("Ann", "of another server")
    task = asyncio.create_task(run_guest(OFFERS, Server(table.target, timing=FAST), "Ann", tokens))
    assert (await table.connected()).token == "token-1"
    assert TokenFile(tmp_path / "bots.json").get("Ann") == "token-1"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_token_is_kept_for_each_server(table: BotTable, tmp_path: Path) -> None:
    """Pointed at another server, it is a new player there, and still the old one here."""
    async with bot_table() as other:
        for server, token in ((table, "token-1"), (other, "token-1"), (table, "token-1"), (other, "token-1")):
            async with guest_at(server, TokenFile(tmp_path / "bots.json"), f"Ann@{server.target}") as connection:
                assert connection.token == token
        assert (table.guests, other.guests) == (["Ann"], ["Ann"])
        kept = json.loads((tmp_path / "bots.json").read_text())
        assert sorted(kept) == sorted((f"Ann@{table.target}", f"Ann@{other.target}"))


async def test_a_token_of_before_is_the_servers_that_takes_it(table: BotTable, tmp_path: Path) -> None:
    TokenFile(tmp_path / "bots.json").put("Ann", "token-0")
    async with bot_table() as other:
        other.known = set()
        async with guest_at(other, TokenFile(tmp_path / "bots.json"), f"Ann@{other.target}") as connection:
            assert connection.token == "token-1"
        tokens = TokenFile(tmp_path / "bots.json")
        assert (tokens.get("Ann"), tokens.get(f"Ann@{other.target}")) == ("token-0", "token-1")
    async with guest_at(table, TokenFile(tmp_path / "bots.json"), f"Ann@{table.target}") as connection:
        assert connection.token == "token-0"
    tokens = TokenFile(tmp_path / "bots.json")
    assert (tokens.get("Ann"), tokens.get(f"Ann@{table.target}")) == (None, "token-0")


def test_two_programs_may_share_a_file(tmp_path: Path) -> None:
    one, two = TokenFile(tmp_path / "bots.json"), TokenFile(tmp_path / "bots.json")
    one.put("Ann", "a")
    two.put("Ben", "b")
    one.move("nobody", "somebody")
    assert json.loads((tmp_path / "bots.json").read_text()) == {"Ann": "a", "Ben": "b"}


async def test_a_server_that_forgets_its_own_guest_is_not_asked_for_ever(table: BotTable) -> None:
    table.known = None

    class Forgetful(set[str]):
        def __contains__(self, token: object) -> bool:
            return False

    table.known = Forgetful()
    with pytest.raises(Unauthenticated):
        await run_guest(OFFERS, Server(table.target, timing=FAST), "Ann")
    assert table.guests == ["Ann"]


async def test_a_server_that_lost_everything_gets_a_new_guest(table: BotTable) -> None:
    task = asyncio.create_task(run_guest(OFFERS, Server(table.target, timing=FAST), "Ann"))
    connection = await table.connected()
    table.known = set()
    connection.send(welcome())
    connection.end(grpc.StatusCode.UNAVAILABLE)
    assert (await table.connected()).token == "token-2"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_the_house_has_players_of_every_level(table: BotTable, tmp_path: Path) -> None:
    ready = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        run_house(
            Server(table.target, timing=FAST),
            token_file=tmp_path / "bots.json",
            each=2,
            capacity=5,
            ready=ready.set_result,
        )
    )
    offered = []
    for _ in range(4):
        connection = await table.connected()
        hello = await connection.hello()
        assert hello.capacity == 5
        offered += [(offer.game, *offer.levels) for offer in hello.offers]
        assert not ready.done()
        connection.send(welcome())
    kinds = [(game, level) for game in ("durak", "six_nimmt") for level in ("careful", "random")]
    assert sorted(offered) == sorted(kinds * 2)
    assert await asyncio.wait_for(ready, 5) == 4
    assert sorted(table.guests) == ["careful 1", "careful 2", "random 1", "random 2"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_level_that_the_house_has_not(table: BotTable) -> None:
    with pytest.raises(UnknownLevel, match="clever"):
        await run_house(Server(table.target), ["clever"])


BOT = """
from croupier_bots import Bot, main

class Lowest(Bot):
    games = {"six_nimmt": ("lowest",)}

    def choose(self, view, window):
        return 0

main(Lowest)
"""


async def test_a_bot_as_a_program(table: BotTable, tmp_path: Path) -> None:
    (tmp_path / "lowest.py").write_text(BOT)
    arguments = [str(tmp_path / "lowest.py"), table.target, "--token-file", str(tmp_path / "token.json")]
    program = await asyncio.create_subprocess_exec(sys.executable, *arguments, stderr=asyncio.subprocess.PIPE)
    connection = await table.connected()
    assert (await connection.hello()).offers[0].levels == ["lowest"]
    assert table.guests == ["Lowest"]
    connection.send(welcome("p-7"), seated("m-1"), over("m-1", 1, 2))
    assert program.stderr is not None
    said = [(await program.stderr.readline()).decode().split(" INFO ")[-1].strip() for _ in range(3)]
    assert said == [
        f"Lowest (p-7) at {table.target} offers six_nimmt: lowest",
        "match m-1: seated, six_nimmt with 0 seats",
        "match m-1: over, place 1 of 2; 0 faults",
    ]
    os.kill(program.pid, signal.SIGINT)
    _, errors = await program.communicate()
    assert program.returncode == 0
    assert b"Traceback" not in errors
    assert json.loads((tmp_path / "token.json").read_text()) == {f"Lowest@{table.target}": "token-1"}


async def test_a_program_that_cannot_go_on_says_so_in_a_line(table: BotTable, tmp_path: Path) -> None:
    (tmp_path / "lowest.py").write_text(BOT)
    table.refuse_guests = [grpc.StatusCode.UNIMPLEMENTED]
    program = await asyncio.create_subprocess_exec(
        sys.executable, str(tmp_path / "lowest.py"), table.target, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await program.communicate()
    assert program.returncode == 1
    assert errors.decode().strip() == "Lowest: not now"


@pytest.mark.parametrize(
    ("change", "target", "text"),
    [
        (("lowest", "lowest"), "http://127.0.0.1:8080", "Lowest: http://127.0.0.1:8080 is an address of http"),
        (("lowest", "lowest"), "localhost", "Lowest: localhost is not host:port"),
        (('{"six_nimmt": ("lowest",)}', '"six_nimmt"'), "localhost:1", "Lowest: Lowest.games must be a dict"),
        (("six_nimmt", "whist"), "localhost:1", "Lowest: Lowest.games names 'whist'"),
        (("games =", "game ="), "localhost:1", "Lowest: Lowest offers no games; name them, "),
        (("def choose", "def chose"), "localhost:1", "Lowest: Lowest has no choose(self, view, window)"),
        (("main(Lowest)", "main(Lowest())"), "localhost:1", "Lowest: the class is wanted"),
    ],
)
def test_a_program_that_cannot_start_says_why_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str],
    target: str,
    text: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["lowest.py", target])
    with pytest.raises(SystemExit) as ended:
        exec(BOT.replace(*change), {})
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith(text)
    assert said.count("\n") == 1
