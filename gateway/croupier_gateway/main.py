"""The gateway as a process: gunicorn with threads, one worker, started from the environment's settings."""

import errno
import mmap
import os
import resource
import socket
import struct
import sys
from dataclasses import asdict
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import ThreadWorker

from croupier.variables import unknown
from croupier_gateway import metrics
from croupier_gateway.app import Gateway, create_app
from croupier_gateway.config import Settings, SettingsInvalid
from croupier_gateway.lingering import Lingering
from croupier_gateway.logs import JsonLogger
from croupier_gateway.streams import CLOSE, HandedOver

BACKLOG = 2048

_KEEPALIVE_SECONDS = 15
_GRACEFUL_SECONDS = 20
_SILENT_WORKER_SECONDS = 60
_IDLE_CONNECTIONS = 1000
_OWN_FILES = 64
_LONGEST_REQUEST_LINE = 8190
"""Bytes; gunicorn's most. The cursor of a player's feed names all of his matches."""


def run() -> int:
    """Serve until SIGTERM or Ctrl-C. 0: stopped as asked; 2: the settings or the address cannot be used."""
    try:
        settings = Settings.from_environment(os.environ)
        _raise_files(settings.threads)
        listener = _listen(settings)
        metrics.check(settings.host, settings.metrics_port)
    except SettingsInvalid as invalid:
        print("\n".join(invalid.problems), file=sys.stderr)
        return 2
    master = os.getpid()
    try:
        Arbiter(_Server(settings, listener)).run()
    except SystemExit as stop:
        if os.getpid() != master:
            raise  # a worker process ends here, and must not go on with what follows this call
        return stop.code if isinstance(stop.code, int) else 0
    return 0


class _Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Lets streams go on without a thread, and ends waiting calls when it is to stop; gunicorn alone would wait for
    them in vain."""

    wsgi: Gateway

    def run(self) -> None:
        """Serve until the stop."""
        self._lingering = Lingering(self.poller)
        super().run()

    def handle_request(self, req: Any, conn: Any) -> bool:
        """One request, in a thread. The connection of a stream goes to whoever writes it."""
        CLOSE.set(req.force_close)
        try:
            return bool(super().handle_request(req, conn))
        except HandedOver as handed:
            conn.parser = None  # what it holds of the request is of no use any more
            conn.over = handed.stream.carry(conn.sock, chunked=req.version > (1, 0))
            return False

    def finish_request(self, conn: Any, fs: Any) -> None:
        """What gunicorn does when a thread is through with a request, in its own thread."""
        over = getattr(conn, "over", None)
        if over is not None:
            over.add_done_callback(lambda _: self.method_queue.defer(self._leave))
        elif fs.exception() is None and not fs.result():  # gunicorn would wait here for the client to close
            self._lingering.add(conn.sock, self._leave)
        else:
            super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Close connections whose time is over; gunicorn calls it whenever something happened, or a second is over."""
        super().murder_pending()
        self._lingering.look()

    def _leave(self) -> None:
        self.nr_conns -= 1  # a connection is closed

    def handle_exit(self, sig: int, frame: Any) -> None:
        """SIGTERM."""
        self._release()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """SIGQUIT and SIGINT."""
        self._release()
        super().handle_quit(sig, frame)

    def _release(self) -> None:
        if hasattr(self, "wsgi"):  # not before the application is loaded
            self.wsgi.room.stop()
            self.wsgi.bodies.stop()


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self._settings = settings
        self._url = _url(listener)
        self._fd = listener.detach()
        self._told = mmap.mmap(-1, 1)  # one byte that all workers share
        super().__init__()

    def load_config(self) -> None:
        options = {
            "bind": f"fd://{self._fd}",
            "workers": 1,
            "worker_class": _Worker,
            "threads": self._settings.threads,
            "worker_connections": _connections(self._settings.threads),
            "backlog": BACKLOG,
            "timeout": _SILENT_WORKER_SECONDS,
            "graceful_timeout": _GRACEFUL_SECONDS,
            "keepalive": _KEEPALIVE_SECONDS,
            "limit_request_line": _LONGEST_REQUEST_LINE,
            "logger_class": JsonLogger,
            "loglevel": self._settings.log_level.lower(),
            "accesslog": "-",
            # A read-only root file system has no place for it.
            "control_socket_disable": True,
            "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,  # noqa: S108 - not a known name
            "proc_name": "croupier-gateway",
            "post_worker_init": self._begin,
            "worker_exit": lambda _arbiter, worker: worker.wsgi.close() if hasattr(worker, "wsgi") else None,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Gateway:
        return create_app(self._settings)

    def _begin(self, worker: _Worker) -> None:
        worker.wsgi.room.watch()
        worker.wsgi.bodies.watch()
        if self._settings.metrics_port:
            metrics.serve(self._settings.host, self._settings.metrics_port)
        if not self._told[0]:  # a worker that replaces a dead one has nothing new to tell
            self._told[0] = 1
            worker.log.info("serving", extra={"settings": asdict(self._settings)})
            if names := unknown(os.environ):
                worker.log.warning("settings.unknown", extra={"variables": names})
            print(f"web: {self._url}", flush=True)


def _raise_files(threads: int) -> None:
    """Have as many files as calls at a time want. Raises SettingsInvalid if the system does not give them."""
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = threads + _IDLE_CONNECTIONS + _OWN_FILES
    if files != resource.RLIM_INFINITY and files < wanted:
        files = wanted if most == resource.RLIM_INFINITY else max(files, min(wanted, most))
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
        if files < threads + _OWN_FILES:
            told = f"CROUPIER_GATEWAY_THREADS is {threads}, but this process may have {files} open files: set it to "
            raise SettingsInvalid([f"{told}{files - _OWN_FILES} or less, or raise the limit (ulimit -n)."])


def _connections(threads: int) -> int:
    """Most connections at a time, idle ones included. gunicorn's worker dies when accepting runs out of files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = threads + _IDLE_CONNECTIONS
    return wanted if files == resource.RLIM_INFINITY else min(wanted, files - _OWN_FILES)


def _listen(settings: Settings) -> socket.socket:
    """The listening socket, made before anything else starts. Raises SettingsInvalid."""
    where = f"{settings.host}:{settings.port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except socket.gaierror:
        raise SettingsInvalid(
            [f"There is no host {settings.host}; set CROUPIER_GATEWAY_HOST to an address of this machine."]
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = (
                "is in use; stop what listens there, or set CROUPIER_GATEWAY_PORT to another port (0: any free one)"
            )
        elif error.errno == errno.EACCES:
            advice = "is not allowed to this user; set CROUPIER_GATEWAY_PORT to 1024 or above"
        else:
            advice = (
                f"cannot be listened on ({error.strerror}); set CROUPIER_GATEWAY_HOST to an address of this machine"
            )
        raise SettingsInvalid([f"{where} {advice}."]) from None
    # A connection on which nothing can be read or written for so long, in the middle of a request or an answer, is
    # closed; otherwise a client that stops in mid-body, or does not read its stream, would hold a thread for ever.
    # The last is for a client that has vanished without a word: what it does not take is too little to fill a buffer.
    # Accepted connections inherit them.
    stall = struct.pack("ll", settings.stall // 1000, settings.stall % 1000 * 1000)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, stall)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, stall)
    if sys.platform == "linux":
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, settings.stall)
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


if __name__ == "__main__":
    sys.exit(run())
