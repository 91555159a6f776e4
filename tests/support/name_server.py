"""A name server that knows one name, on a loopback port, as Kubernetes has for a headless service."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_A = 1  # the type of a record with an IPv4 address
_TTL = 1  # seconds


class NameServer:
    """Answers every question for an IPv4 address with `addresses`, which may change at any time."""

    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def target(self, port: int) -> str:
        """What gRPC is to be told: this server, a name, and the port that all addresses of the name have."""
        return f"dns://127.0.0.1:{self.port}/croupier-headless.test:{port}"

    def run(self) -> None:
        """Until it is closed."""
        while True:
            question, sender = self._socket.recvfrom(512)
            if not question:
                return
            self._socket.sendto(self._answer(question), sender)

    def close(self) -> None:
        """Have `run` end."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))

    def _answer(self, question: bytes) -> bytes:
        end = question.index(b"\0", 12) + 5  # a name of labels, its type and its class
        kind = struct.unpack("!H", question[end - 4 : end - 2])[0]
        found = self.addresses if kind == _A else []
        records = b"".join(
            struct.pack("!HHHIH", 0xC00C, _A, 1, _TTL, 4) + socket.inet_aton(address) for address in found
        )
        return question[:2] + struct.pack("!HHHHH", 0x8180, 1, len(found), 0, 0) + question[12:end] + records


@contextmanager
def name_server(*addresses: str) -> Iterator[NameServer]:
    """A name with some addresses."""
    server = NameServer(list(addresses))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
        server._socket.close()
