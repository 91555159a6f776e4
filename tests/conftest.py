"""Fixtures that several folders of tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from support.redis_cluster import RunningCluster, running_cluster
from support.valkey import running_valkey

from croupier_service.embedded import EmbeddedRedis

# A busy machine is no fault of what is tested.
settings.register_profile("any_machine", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_machine")


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EmbeddedRedis]:
    """One Valkey server for the whole run (of one xdist worker)."""
    with running_valkey() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a Valkey server that holds nothing; processes that the test starts know that it keeps nothing."""
    redis_server.flush()
    monkeypatch.setenv("CROUPIER_DURABILITY", "memory")
    return redis_server.url


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """One cluster of three nodes for the whole run (of one xdist worker)."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster_url(redis_cluster: RunningCluster) -> str:
    """The address of a cluster that holds nothing."""
    redis_cluster.flush()
    return redis_cluster.url
