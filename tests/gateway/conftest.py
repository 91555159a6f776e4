"""A fake service, and the gateway in front of it without a server."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from support.fake_api import FakeApi, running_api
from werkzeug.test import TestResponse

from croupier_gateway.app import Gateway, create_app
from croupier_gateway.config import Settings


@pytest.fixture(scope="session")
def _api() -> Iterator[FakeApi]:
    with running_api() as api:
        yield api


@pytest.fixture
def api(_api: FakeApi) -> FakeApi:
    """The fake, with nothing recorded and nothing to say."""
    _api.answers.clear()
    _api.calls.clear()
    return _api


@pytest.fixture(scope="session")
def _app(_api: FakeApi) -> Iterator[Gateway]:
    app = create_app(Settings(grpc_target=_api.target, threads=34))
    yield app
    app.close()


class _Client(FlaskClient):
    """Reads and closes every answer, as a server does; Flask's own leaves that to whoever holds the answer."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        return super().open(*args, buffered=True, **kwargs)


@pytest.fixture
def client(_app: Gateway, api: FakeApi) -> Iterator[FlaskClient]:
    """Calls to the gateway, in this process."""
    yield _Client(_app, _app.response_class)
    assert len(_app.room) == 0
