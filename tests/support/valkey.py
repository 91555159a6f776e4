"""A Valkey server for tests: no log on disk, forgotten at the end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from croupier_service.embedded import EmbeddedRedis


@contextmanager
def running_valkey() -> Iterator[EmbeddedRedis]:
    """A fresh server; `url` is its address, `flush()` empties it, `restart()` loses everything."""
    with (
        tempfile.TemporaryDirectory(prefix="croupier-test-") as folder,
        EmbeddedRedis(Path(folder), durable=False) as server,
    ):
        yield server
