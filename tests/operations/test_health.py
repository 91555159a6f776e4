"""`croupier health`: what probes of containers ask."""

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from support.house import CROUPIER, running_house
from support.processes import eventually


def health(*flags: str) -> tuple[int, list[str], str]:
    ended = subprocess.run([*CROUPIER, "health", *flags], capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout.splitlines(), ended.stderr


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


def test_a_house_that_works_and_one_that_is_gone(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = tmp_path / "alive"
    monkeypatch.setenv("CROUPIER_ALIVE_FILE", str(alive))
    with running_house(tmp_path / "data", "--redis-url", redis_url) as house:
        flags = ("--port", house.web.rpartition(":")[2], "--grpc-port", house.grpc.rpartition(":")[2])
        assert health(*flags) == (0, ["service: works", "gateway: works", "bots: works"], "")
    assert eventually(lambda: not alive.exists())
    assert health(*flags) == (1, [], "nothing runs here\n")


def test_a_port_behind_which_nobody_answers_as_it_should() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = str(silent.getsockname()[1])
        assert health("--port", free_port(), "--grpc-port", port)[:2] == (1, ["service: does not work"])
        assert health("--port", port, "--grpc-port", free_port())[:2] == (1, ["gateway: does not work"])


def test_bots_whose_loop_stands_still(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    alive.touch()
    flags = ("--port", free_port(), "--grpc-port", free_port(), "--alive-file", str(alive))
    assert health(*flags)[:2] == (0, ["bots: works"])
    os.utime(alive, (time.time() - 60,) * 2)
    assert health(*flags)[:2] == (1, ["bots: does not work"])


def test_an_alive_file_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    ended = subprocess.run(
        [*CROUPIER, "bots", "--alive-file", tmp_path / "none" / "alive"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert "--alive-file" in ended.stderr
