"""The embedded Redis as a part that the supervisor looks after."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from croupier_cli.problem import Problem
from croupier_service.embedded import EmbeddedRedis, EmbeddedRedisError


class EmbeddedPart:
    """A Valkey server with its data in the folder `data`."""

    name = "redis"

    def __init__(self, data: Path, log: Path) -> None:
        self._redis = EmbeddedRedis(data, log=log)

    @property
    def url(self) -> str:
        """The address; final once it has been launched."""
        return self._redis.url

    def launch(self) -> None:
        """Start it, without waiting."""
        with _problems():
            self._redis.launch()

    def ready(self) -> bool:
        """Whether it answers by now."""
        with _problems():
            return self._redis.ready()

    def ended(self) -> str | None:
        """How it ended; None while it runs."""
        return None if self._redis.alive() else "see redis.log"

    def stop(self) -> None:
        """End it and let go of the data folder."""
        self._redis.stop()


@contextmanager
def _problems() -> Iterator[None]:
    try:
        yield
    except EmbeddedRedisError as error:
        raise Problem(str(error)) from error
