"""The store that its contract is tested on, wherever the keys are."""

from collections.abc import AsyncIterator

import pytest

from croupier_service.store.opening import Store, open_store


@pytest.fixture(params=["redis_url", "cluster_url"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of a server, and that of a cluster."""
    found: str = request.getfixturevalue(request.param)
    return found


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """A store of 8 shards that holds nothing."""
    opened = await open_store(url, 8)
    yield opened
    await opened.close()
