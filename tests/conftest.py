"""Fixtures that several folders of tests share."""

from collections.abc import Iterator

import pytest
from support.valkey import running_valkey

from croupier_service.embedded import EmbeddedRedis


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EmbeddedRedis]:
    """One Valkey server for the whole run (of one xdist worker)."""
    with running_valkey() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: EmbeddedRedis) -> str:
    """The address of a Valkey server that holds nothing."""
    redis_server.flush()
    return redis_server.url
