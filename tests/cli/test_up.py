"""`croupier up` with its real parts: its addresses, its end, and what it says when it cannot."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.house import CROUPIER, House, running_house
from support.processes import eventually, is_running


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house") / "data") as house:
        yield house


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except OSError:
        return 0


def up(*flags: str | Path) -> tuple[int, str, str]:
    """Run `croupier up`, which is to fail: exit code, output, errors."""
    ended = subprocess.run([*CROUPIER, "up", *flags], capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def test_the_addresses_are_printed_one_a_line_and_answer(house: House) -> None:
    assert list(house.lines) == ["web", "docs", "grpc"]
    assert house.lines["docs"] == f"{house.web}/docs"
    assert status(house.web) == 200
    assert status(f"{house.web}/docs") == 200
    assert status(f"{house.web}/v1/games") == 200
    host, _, port = house.grpc.partition(":")
    socket.create_connection((host, int(port)), timeout=5).close()


@pytest.mark.parametrize("name", ["serve", "gateway"])
def test_a_killed_child_starts_again_at_the_same_address(house: House, name: str) -> None:
    pid = house.child(name)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: house.child(name) not in (None, pid))
    assert eventually(lambda: status(f"{house.web}/v1/games") == 200, seconds=20)


def test_a_data_folder_that_is_held(house: House) -> None:
    code, said, errors = up("--port", "0", "--grpc-port", "0", "--data", house.data)
    assert (code, said) == (2, "")
    assert errors == (
        f"croupier: the data folder {house.data} is in use by another croupier; "
        "stop that one, or choose another folder with --data\n"
    )


@pytest.mark.parametrize("flag", ["--port", "--grpc-port"])
def test_a_port_that_is_in_use(tmp_path: Path, flag: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other_flag = {"--port": "--grpc-port", "--grpc-port": "--port"}[flag]
        code, said, errors = up(flag, str(port), other_flag, "0", "--data", tmp_path / "data")
    assert (code, said) == (2, "")
    assert errors == f"croupier: port {port} is in use; choose another with {flag}, or 0 for any free one\n"
    assert not (tmp_path / "data").exists()


def test_one_port_for_both(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    code, _, errors = up("--port", port, "--grpc-port", port, "--data", tmp_path / "data")
    assert code == 2
    assert errors.startswith(f"croupier: port {port} is in use; choose another with --grpc-port")


def test_a_data_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, said, errors = up("--port", "0", "--grpc-port", "0", "--data", tmp_path / "file")
    assert (code, said) == (2, "")
    assert errors.count("\n") == 1
    assert "choose another with --data" in errors


def test_a_redis_that_cannot_be_reached(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    flags = ("--port", "0", "--grpc-port", "0", "--data", tmp_path / "data")
    code, said, errors = up(*flags, "--redis-url", f"redis://127.0.0.1:{port}")
    assert (code, said) == (2, "")
    assert errors.startswith("croupier: ")
    assert errors.count("\n") == 1
    assert str(port) in errors


def test_ctrl_c_stops_everything_in_order(tmp_path: Path, redis_url: str) -> None:
    with running_house(tmp_path / "data", "--redis-url", redis_url) as house:
        assert not (tmp_path / "data" / "lock").exists()
        family = house.family()
        assert len(family) >= 3
        house.send(signal.SIGINT)
        assert house.wait() == (0, "", "")
        assert not any(map(is_running, family))


def test_a_stop_before_it_is_ready(tmp_path: Path) -> None:
    house = House(tmp_path / "data")
    try:
        assert eventually(lambda: (tmp_path / "data/logs/service.log").exists())
        house.send(signal.SIGTERM)
        assert house.wait() == (0, "", "")
    finally:
        house.stop()


def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    with running_house(tmp_path / "data") as house:
        family = house.family()
        house.send(signal.SIGKILL)
        began = time.monotonic()
        assert eventually(lambda: not any(map(is_running, family)), seconds=20), time.monotonic() - began
