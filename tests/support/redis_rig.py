"""A Valkey server on a loopback port that tests may kill, pause and replicate."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import redis
from redis.exceptions import RedisError

from croupier_service.embedded import server_binary
from croupier_service.lifeline import lifeline

_WAIT_S = 20.0
_POLL_S = 0.005


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class RedisRig:
    """One server over TCP, with its data in `folder`; port and address stay the same over restarts.

    `appendfsync`: "always", "no" or "everysec", each with an append-only file; None: nothing is written to disk.
    `replica_of`: another rig to copy from; that one must be started before.
    `sentinel`: the configuration of a Sentinel, which it then is, in place of a server.
    `options`: further settings of the server, by name.

    Every call blocks until it is done. Start it from a thread that lives as long as the test: the server ends with it.

        with RedisRig(tmp_path / "one") as primary, RedisRig(tmp_path / "two", replica_of=primary) as replica:
            replica.pause(); primary.kill9(); replica.resume(); replica.promote(); primary.start()
    """

    def __init__(
        self,
        folder: Path,
        *,
        appendfsync: str | None = "always",
        replica_of: "RedisRig | None" = None,
        sentinel: Path | None = None,
        options: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._folder = folder
        self._primary = replica_of
        self._sentinel = sentinel
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.settings = {
            "bind": "127.0.0.1",
            "dir": str(folder),
            "logfile": str(folder / "redis.log"),
            "save": "",
            "appendonly": "no" if appendfsync is None else "yes",
            "appendfsync": appendfsync or "no",
            "maxmemory-policy": "noeviction",
            "hash-max-listpack-value": "1024",
            "repl-diskless-sync-delay": "0",  # a replica is there at once, not after 5 s
            **options,
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address, `redis://127.0.0.1:PORT`."""
        return f"redis://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self._process is not None, "it does not run"
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs; one that is paused does."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it, and wait until it answers and, if it is a replica, until it has the primary's data."""
        assert not self.alive, "it runs already"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings = {"port": str(self.port), **self.settings}
        if self._primary is not None:
            settings["replicaof"] = f"127.0.0.1 {self._primary.port}"
        words = [word for name, value in settings.items() for word in (f"--{name}", *(value.split() or [""]))]
        if self._sentinel is not None:
            log = str(self._folder / "redis.log")
            words = [str(self._sentinel), "--sentinel", "--port", str(self.port), "--logfile", log]
        self._process = subprocess.Popen(
            lifeline([str(server_binary()), *words]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._wait_until_it_answers()
            if self._primary is not None:
                self.wait_for_link()
        except BaseException:
            self.stop(grace=0)
            raise

    def stop(self, grace: float = 5.0) -> None:
        """End it: SIGTERM, and after `grace` seconds SIGKILL. What it keeps on disk stays for the next start."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(grace)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()

    def kill9(self) -> None:
        """End it without a warning, and wait until the process is gone."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Start it again on the same data and port, after `kill9` or in place of one that runs."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """SIGSTOP: its connections stay open, and it says nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: it goes on with what came meanwhile."""
        os.kill(self.pid, signal.SIGCONT)

    def promote(self) -> None:
        """Make the replica a primary, for later starts, too."""
        self.ask("REPLICAOF", "NO", "ONE")
        self._primary = None

    def follow(self, primary: "RedisRig") -> None:
        """Make it a replica of another, for later starts, too; what it has of its own is lost."""
        self.ask("REPLICAOF", "127.0.0.1", primary.port)
        self._primary = primary

    def ask(self, *command: Any) -> Any:
        """The answer to one command, on a connection of its own. Raises redis' errors."""
        with redis.Redis(port=self.port, socket_timeout=5, decode_responses=True) as client:
            return client.execute_command(*command)

    def wait_for_link(self) -> None:
        """Wait until this replica has all that its primary had, and hears of what is new."""
        self._wait(lambda: self.ask("INFO", "replication").get("master_link_status") == "up")

    def wait_for_replicas(self, count: int = 1) -> None:
        """Wait until so many replicas hang on this primary and are up to date."""
        self._wait(lambda: int(self.ask("INFO", "replication")["connected_slaves"]) >= count)

    def _wait_until_it_answers(self) -> None:
        self._wait(lambda: f"{self.ask('INFO', 'server')['process_id']}" == f"{self.pid}")
        self._wait(lambda: self.ask("PING") in (True, "PONG"))

    def _wait(self, holds: Any) -> None:
        give_up = time.monotonic() + _WAIT_S
        while True:
            try:
                if holds():
                    return
            except (RedisError, OSError):
                pass  # not yet
            if not self.alive or time.monotonic() > give_up:
                log = self._folder / "redis.log"
                said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                raise AssertionError(f"the server on port {self.port} is not what was waited for: {said}")
            time.sleep(_POLL_S)
