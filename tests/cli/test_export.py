"""`croupier export` and what reads its lines."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from google.protobuf import json_format
from support.commands import run
from support.house import CROUPIER
from support.played import played_match
from support.playing import Habits
from support.service import QUICK, channel, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_cli.app import croupier
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import EndMode, Options
from croupier_service.embedded import EmbeddedRedis
from croupier_service.store.opening import open_store


async def test_what_is_over_is_exported_packed_or_not_and_read_again(redis_url: str, tmp_path: Path) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, running = await seated([over], 2)
        done = []
        for private in (False, True):
            visibility = matches_pb2.Visibility.PRIVATE if private else matches_pb2.Visibility.PUBLIC
            who, match = await seated([over], 2, visibility=visibility)
            await who[0].matches.Resign(matches_pb2.ResignRequest(match=match), metadata=who[0].auth)
            done.append((who[0], match))
        opened = (await players[0].create(3)).id
        store = await open_store(redis_url, None)
        loaded = await store.matches.load(done[0][1], None, 0)
        assert loaded is not None
        ended_at = loaded.record.at
        assert await store.matches.pack(loaded.record)
        await store.close()
        code, said, errors = await run("export", url=redis_url)
        assert (code, errors) == (0, "2 matches exported\n")
        lines = {json.loads(line)["match"]: json.loads(line) for line in said.splitlines()}
        assert set(lines) == {match for _, match in done}
        assert not {running, opened} & set(lines), "a match that is not over keeps its cards"
        for player, match in done:
            replay = await player.matches.GetReplay(matches_pb2.GetReplayRequest(match=match), metadata=player.auth)
            assert lines[match] == json_format.MessageToDict(replay, always_print_fields_with_no_presence=True)
        file = tmp_path / "all.jsonl"
        code, said, errors = await run("export", "--redis-url", redis_url, "--output", str(file))
        assert (code, said, errors) == (0, "", "2 matches exported\n")
        assert os.listdir(tmp_path) == [file.name]
        code, said, errors = await run("verify", str(file))
        assert (code, said) == (0, "2 of 2 replays are what was played\nok\n"), errors
        code, said, _ = await run("replay", str(file), "--text", "--match", done[1][1])
        assert code == 0
        assert said.startswith(f"{done[1][1]}: six_nimmt, 2 seats")
        for filters, count in (
            (("--since", "2100-01-01"), 0),
            (("--until", "2100-01-01T00:00:00Z", "--game", "six_nimmt"), 2),
            (("--until", "2001-01-01"), 0),
            (("--since", "2001-01-01"), 2),
        ):
            code, said, _ = await run("export", *filters, url=redis_url)
            assert (code, len(said.splitlines())) == (0, count), filters
        assert ended_at > 0


async def test_an_export_that_cannot_be_made_says_why(redis_server: EmbeddedRedis, tmp_path: Path) -> None:
    redis_server.flush()
    code, said, errors = await run("export", url=redis_server.url)
    assert (code, said) == (2, "")
    assert "holds nothing of Croupier's" in errors
    code, _, errors = await run("export", "--redis-url", f"unix://{tmp_path}/none.sock")
    assert code == 2
    assert "cannot be reached" in errors
    code, _, errors = await run("export", "--redis-url", "http://x")
    assert code == 2
    assert "CROUPIER_REDIS_URL" in errors
    async with running_service(redis_server.url):
        code, _, errors = await run(
            "export", "--redis-url", redis_server.url, "--output", str(tmp_path / "no" / "such.jsonl")
        )
        assert code == 2
        assert "cannot be written" in errors
        code, _, errors = await run("export", "--since", "soon", url=redis_server.url)
        assert code == 2
        assert "is no time" in errors


@pytest.fixture
def many(tmp_path: Path) -> tuple[Path, list[str]]:
    options = Options(end_mode=EndMode.FIXED_DEALS, deals=1)
    messages = [played_match(GAMES["six_nimmt"], options, 2, Random(seed), Habits()) for seed in range(4)]
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json_format.MessageToJson(message, indent=None) + "\n" for message in messages))
    return path, [message.match for message in messages]


def cli(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(croupier, arguments, prog_name="croupier")
    return result.exit_code, result.stdout, result.stderr


def test_verify_says_which_line_is_wrong(many: tuple[Path, list[str]]) -> None:
    path, matches = many
    assert cli("verify", str(path)) == (0, "4 of 4 replays are what was played\nok\n", "")
    lines = path.read_text().splitlines()
    broken = json.loads(lines[2])
    broken["outcome"]["scores"][0] += 1
    path.write_text("\n".join([lines[0], "{}", json.dumps(broken), lines[3]]))
    code, said, errors = cli("verify", str(path))
    assert code == 1
    assert said.splitlines()[0].startswith(f"{path}, line 3, {matches[2]}: not what was played: outcome")
    assert said.endswith("2 of 4 replays are what was played\n")
    assert errors == f"croupier: {path}, line 2 is no replay: it names no game\n"
    path.write_text("\n".join([lines[0], lines[1], lines[2][:-20]]))
    code, said, errors = cli("verify", str(path))
    assert (code, said) == (2, "2 of 3 replays are what was played\n"), "half a line is told"
    assert f"{path}, line 3 is no replay" in errors


def test_one_of_many_is_chosen_by_its_match(many: tuple[Path, list[str]]) -> None:
    path, matches = many
    code, said, _ = cli("verify", str(path), "--match", matches[1])
    assert code == 0
    assert said.startswith(f"match      {matches[1]}:")
    code, _, errors = cli("verify", str(path), "--commitment", "00")
    assert (code, errors.count("--match")) == (2, 1)
    code, _, errors = cli("replay", str(path), "--text")
    assert (code, errors.count("--match")) == (2, 1)
    code, _, errors = cli("replay", str(path), "--text", "--match", "m-none")
    assert (code, errors) == (2, f"croupier: {path} holds no replay of m-none\n")


async def test_an_export_that_is_killed_leaves_no_file(redis_url: str, tmp_path: Path) -> None:
    settings = replace(QUICK, compact_after=60_000)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        for _ in range(5):
            who, match = await seated([over], 2)
            await who[0].matches.Resign(matches_pb2.ResignRequest(match=match), metadata=who[0].auth)
        file = tmp_path / "all.jsonl"
        started = await asyncio.create_subprocess_exec(
            *CROUPIER, "export", "--redis-url", redis_url, "--output", str(file)
        )
        await asyncio.sleep(0.2)
        if started.returncode is None:
            started.kill()
        if await started.wait():
            assert not file.exists()
        else:
            assert file.read_text().endswith("}\n")


async def test_what_is_no_file_stays_what_it_is_when_it_is_written_to(redis_url: str, tmp_path: Path) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        who, match = await seated([over], 2)
        await who[0].matches.Resign(matches_pb2.ResignRequest(match=match), metadata=who[0].auth)
    pipe, file, link, to_none, full = (tmp_path / name for name in ("pipe", "file", "link", "to-none", "full"))
    os.mkfifo(pipe)
    file.write_text("before")
    link.symlink_to("file")
    to_none.symlink_to(tmp_path / "new")
    full.symlink_to("/dev/full")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    code, _, errors = await run("export", "--output", str(pipe), url=redis_url)
    assert (code, errors) == (0, "1 matches exported\n")
    assert pipe.is_fifo()
    line = os.read(reader, 1 << 20).decode()
    os.close(reader)
    assert json.loads(line)["match"] == match
    for path, written in ((link, file), (to_none, tmp_path / "new")):
        assert (await run("export", "--output", str(path), url=redis_url))[0] == 0
        assert path.is_symlink()
        assert written.read_text() == line
    code, _, errors = await run("export", "--output", str(full), url=redis_url)
    assert (code, errors) == (2, f"croupier: {full} cannot be written (No space left on device)\n")
    assert full.is_char_device()
    (tmp_path / "own.part").symlink_to("file")
    code, _, errors = await run("export", "--output", str(tmp_path / "own"), url=redis_url)
    assert (code, errors) == (2, f"croupier: {tmp_path}/own.part is in the way; put it elsewhere\n")
    assert (tmp_path / "own.part").is_symlink()
    assert file.read_text() == line
