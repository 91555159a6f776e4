"""Ports of this machine."""

import errno
import socket
from collections.abc import Mapping
from contextlib import ExitStack

import click

from croupier_cli.problem import Problem

HOST = "127.0.0.1"
PORT = click.IntRange(0, 65535)


def check_free(ports: Mapping[str, int], host: str = HOST) -> None:
    """See that each port can be listened on; 0 always can. `ports` is keyed by the flag that names another one.

    gRPC and others share a port with whoever listens already (SO_REUSEPORT), so their own attempt would not tell.
    """
    with ExitStack() as probes:
        for flag, port in ports.items():
            probe = probes.enter_context(socket.socket())
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
                probe.listen()
            except OSError as problem:
                why = "is in use" if problem.errno == errno.EADDRINUSE else f"cannot be used ({problem.strerror})"
                raise Problem(f"port {port} {why}; choose another with {flag}, or 0 for any free one") from None


def is_open(port: int) -> bool:
    """Whether something listens on a port."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
