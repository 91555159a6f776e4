"""TLS to Redis: whoever is known is spoken to, nobody else, and what is the matter is said in a line."""

import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trustme
from support.commands import run
from support.redis_rig import RedisRig
from support.service import channel, running_service
from support.tables import all_choose, seated
from support.tls import tls_before

from croupier_service.store.opening import StoreUnfit, open_store


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Who vouches for the server."""
    return trustme.CA()


@pytest.fixture
def known(authority: trustme.CA, tmp_path: Path) -> Path:
    """The file that names it."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return tmp_path / "ca.pem"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[RedisRig]:
    with RedisRig(tmp_path / "redis", appendfsync=None) as server:
        yield server


def context(authority: trustme.CA, host: str = "localhost") -> ssl.SSLContext:
    """What the server shows."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(made)
    return made


@pytest.fixture
async def port(rig: RedisRig, authority: trustme.CA) -> AsyncIterator[int]:
    async with tls_before(rig.port, context(authority)) as found:
        yield found


async def test_a_match_is_played_over_tls(port: int, known: Path) -> None:
    url = f"rediss://localhost:{port}?ssl_ca_certs={known}"
    async with running_service(url) as service, channel(service) as over:
        players, match = await seated([over], 2)
        before = (await players[0].get(match)).sequence
        await all_choose(players, match)
        assert (await players[0].get(match)).sequence > before


async def test_a_server_that_nobody_known_vouches_for_is_refused(port: int, tmp_path: Path) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    for trusted in ("", f"?ssl_ca_certs={tmp_path}/other.pem"):
        code, said, errors = await run("serve", "--redis-url", f"rediss://:s3cret@localhost:{port}/0{trusted}")
        assert (code, said) == (2, "")
        (line,) = [line for line in errors.splitlines() if not line.startswith("{")]
        assert line.startswith(f"croupier: Redis at rediss://localhost:{port}/0{trusted} cannot be reached (")
        assert "certificate verify failed" in line
        assert "s3cret" not in errors


async def test_a_certificate_of_another_host_is_refused(rig: RedisRig, authority: trustme.CA, known: Path) -> None:
    async with tls_before(rig.port, context(authority, "another.example")) as port:
        url = f"rediss://localhost:{port}?ssl_ca_certs={known}"
        with pytest.raises(StoreUnfit, match=r"cannot be reached .*certificate is not valid for 'localhost'"):
            await open_store(url, 8)
        await (await open_store(f"{url}&ssl_check_hostname=no", 8)).close()


async def test_a_server_that_asks_for_a_certificate_is_shown_one(
    rig: RedisRig, authority: trustme.CA, known: Path, tmp_path: Path
) -> None:
    own = authority.issue_cert("service")
    own.private_key_pem.write_to_path(tmp_path / "key.pem")
    own.cert_chain_pems[0].write_to_path(tmp_path / "own.pem")
    strict = context(authority)
    strict.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(strict)
    async with tls_before(rig.port, strict) as port:
        url = f"redis://localhost:{port}?ssl=true&ssl_ca_certs={known}"
        with pytest.raises(StoreUnfit, match="cannot be reached"):
            await open_store(url, 8)
        shown = f"&ssl_certfile={tmp_path}/own.pem&ssl_keyfile={tmp_path}/key.pem"
        await (await open_store(url + shown, 8)).close()


async def test_a_server_with_tls_is_not_spoken_to_without(port: int) -> None:
    with pytest.raises(StoreUnfit, match="cannot be reached"):
        await open_store(f"redis://localhost:{port}", 8, within=0.5)
