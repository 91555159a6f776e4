"""The single commands: what they print, and what they say when they cannot do their work."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.house import CROUPIER

NOWHERE = "unix:///nonexistent/redis.sock"


def croupier(*arguments: str, folder: Path | None = None, **environment: str) -> tuple[int, str, str]:
    """Run a command to its end: exit code, output, errors."""
    ended = subprocess.run(
        [*CROUPIER, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
        env=os.environ | environment,
    )
    return ended.returncode, ended.stdout, ended.stderr


def first_line_and_end(*arguments: str, **environment: str) -> tuple[str, int, str]:
    """Run a command until it has printed a line, and stop it: the line, exit code, errors."""
    with subprocess.Popen(
        [*CROUPIER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    return line, process.returncode, errors


def test_help_names_every_command() -> None:
    code, said, _ = croupier("--help")
    assert code == 0
    named = "up serve gateway bots play watch replay verify export admin rules arena health"
    assert re.findall(r"^  (\w+) {2,}", said, re.MULTILINE) == named.split()


def test_without_the_server_extra() -> None:
    code = "import sys; sys.modules['click'] = None; from croupier_cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("croupier: there is no click here; install Croupier with its extra `server`: ")
    assert "pip install '.[server]'" in ended.stderr
    assert "croupier[" not in ended.stderr, "the package is not on a public index, and another of its name may be"
    assert ended.stderr.count("\n") == 1


def test_help_to_play_tells_of_bots_and_options_of_every_game() -> None:
    code, said, _ = croupier("play", "--help")
    assert code == 0
    words = " ".join(said.split())
    assert "[default: careful,careful,random; none with --seats or --private]" in words
    assert "cards=LOGIC or deck=54" in words


def test_help_without_the_server_extra() -> None:
    code = "import sys; sys.modules['redis'] = None; from croupier_cli import main; sys.argv[1:] = ['--help']; main()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^  serve +\(Needs the extra `server`\.\)$", ended.stdout, re.MULTILINE)
    assert re.search(r"^  arena +\w", ended.stdout, re.MULTILINE)


def test_serve_says_where_and_stops(redis_url: str) -> None:
    line, code, errors = first_line_and_end("serve", "--redis-url", redis_url, "--port", "0")
    assert re.fullmatch(r"grpc: 127\.0\.0\.1:[1-9]\d*\n", line), errors
    assert code == 0, errors


def test_serve_without_a_redis() -> None:
    code, said, errors = croupier("serve", "--port", "0", CROUPIER_REDIS_URL="")
    assert (code, said) == (2, "")
    assert errors.count("\n") == 1
    assert "CROUPIER_REDIS_URL" in errors
    code, said, errors = croupier("serve", "--port", "0", "--redis-url", NOWHERE)
    assert (code, said) == (2, "")
    assert errors.splitlines()[-1].startswith("croupier: ")
    assert "Traceback" not in errors


def test_serve_names_all_settings_that_are_wrong() -> None:
    code, _, errors = croupier("serve", CROUPIER_REDIS_URL="here", CROUPIER_SHARDS="many", CROUPIER_DRAIN="-1")
    assert code == 2
    assert [name in errors for name in ("CROUPIER_REDIS_URL", "CROUPIER_SHARDS", "CROUPIER_DRAIN")] == [True] * 3
    assert errors.count("\n") == 3


def test_the_gateway_says_where_and_stops() -> None:
    line, code, errors = first_line_and_end("gateway", "--target", "127.0.0.1:1", "--port", "0")
    assert re.fullmatch(r"web: http://127\.0\.0\.1:[1-9]\d*\n", line), errors
    assert code == 0, errors


def test_a_gateway_on_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, said, errors = croupier("gateway", "--port", str(port))
    assert (code, said) == (2, "")
    assert f"127.0.0.1:{port} is in use" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("command", ["up", "serve", "gateway"])
def test_a_port_out_of_range(command: str) -> None:
    code, said, errors = croupier(command, "--port", "70000")
    assert (code, said) == (2, "")
    assert "70000 is not in the range 0<=x<=65535" in errors


def test_bots_of_a_level_that_there_is_not() -> None:
    code, said, errors = croupier("bots", "--level", "perfect")
    assert (code, said) == (2, "")
    assert errors.startswith("croupier: there is no level perfect; there are ")


def test_bots_with_a_token_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("not JSON")
    code, _, errors = croupier("bots", "--token-file", str(tmp_path / "tokens"))
    assert code == 2
    assert errors.splitlines()[-1].startswith(f"croupier: {tmp_path / 'tokens'} cannot be read")


def test_the_arena_reports_for_people_and_for_programs() -> None:
    code, said, _ = croupier("arena", "careful", "random", "--deals", "4", "--seed", "7")
    assert code == 0
    assert said.startswith("six_nimmt, single_deal, seed 7: 4 deals")
    code, said, _ = croupier("arena", "careful", "random", "--deals", "4", "--seed", "7", "--json")
    assert code == 0
    assert [bot["name"] for bot in json.loads(said)["bots"]] == ["careful", "random"]


def test_the_arena_plays_an_authors_own_bot(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from croupier_bots import Bot\n"
        "class First(Bot):\n"
        "    games = {'six_nimmt': ['first']}\n"
        "    def choose(self, view, window):\n"
        "        return 0\n"
    )
    code, said, errors = croupier("arena", "mine:First", "random", "--deals", "2", folder=tmp_path)
    assert code == 0, errors
    assert "mine:First" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody", "random"), "there is no bot nobody"),
        (("random", "random", "--game", "chess"), "there is no game chess"),
        (("random", "random", "--preset", "none"), "has no preset none"),
        (("random", "random", "--options", "[1]"), "--options takes a JSON object"),
        (("random", "random", "--options", "{"), "--options takes a JSON object"),
        (("random", "random", "--options", '{"colour": 1}'), "six_nimmt has no option colour"),
    ],
)
def test_what_the_arena_cannot_play(arguments: tuple[str, ...], said: str) -> None:
    code, printed, errors = croupier("arena", *arguments)
    assert (code, printed) == (2, "")
    assert errors.startswith("croupier: ")
    assert said in errors
    assert "Traceback" not in errors
