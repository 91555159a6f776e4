"""Addresses of the store: each means one place or is refused, and no secret is ever shown."""

import os
import subprocess
from pathlib import Path

import pytest
from support.house import CROUPIER
from support.redis_rig import RedisRig

from croupier_service.config import ConfigError, read_settings
from croupier_service.embedded import EmbeddedRedis
from croupier_service.store.address import parse_address, without_password
from croupier_service.store.opening import StoreUnfit, open_store

SECRET = "s3cretest"


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("redis://host", {"host": "host", "port": 6379}),
        ("redis://host:1/", {"host": "host", "port": 1}),
        ("redis://[::1]:7/12", {"host": "::1", "port": 7, "db": 12}),
        ("redis://:@host", {"host": "host", "port": 6379}),
        ("redis://ann:a%40%2F%23:+b@host", {"host": "host", "port": 6379, "username": "ann", "password": "a@/#:+b"}),
        ("redis://host?db=3&password=a%20b", {"host": "host", "port": 6379, "db": 3, "password": "a b"}),
        ("unix:///run/a%20b.sock", {"path": "/run/a b.sock"}),
        ("unix://:x@/run/redis.sock?db=2", {"path": "/run/redis.sock", "db": 2, "password": "x"}),
        (
            "rediss://host?ssl_ca_certs=/ca.pem&ssl_check_hostname=no",
            {"host": "host", "port": 6379, "ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False},
        ),
    ],
)
def test_the_address_of_a_server(url: str, options: dict[str, object]) -> None:
    address = parse_address(url)
    assert (address.kind, address.hosts, dict(address.options)) == ("server", (), options)
    assert address.tls == url.startswith("rediss")


def test_addresses_of_several_hosts() -> None:
    sentinel = parse_address("redis+sentinel://:x@a,[::1]:5/main%20one/2?sentinel_password=y&ssl=true")
    assert (sentinel.hosts, sentinel.service, sentinel.tls) == ((("a", 26379), ("::1", 5)), "main one", True)
    assert (dict(sentinel.options), dict(sentinel.credentials)) == ({"db": 2, "password": "x"}, {"password": "y"})
    cluster = parse_address("redis+cluster://a:1,b/0")
    assert (cluster.hosts, dict(cluster.options)) == ((("a", 1), ("b", 6379)), {})


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("REDIS://host", "must start with one of redis://"),
        ("redis//host", "must start with one of redis://"),
        ("redis://", "must name a host"),
        ("redis://host:0", "ports from 1 to 65535"),
        ("redis://host:65536", "ports from 1 to 65535"),
        ("redis://host:１２", "ports from 1 to 65535"),
        ("redis://[::1", "IPv6 address stands in brackets"),
        ("redis://[nothing]", "IPv6 address in its brackets"),
        ("redis://a..b", "hosts by name"),
        ("redis://１２７.0.0.1", "hosts by name"),
        ("redis://a,b", "must name one host"),
        ("redis://host/abc", "database by a number"),
        ("redis://host/-1", "database by a number"),
        ("redis://host/1/2", "database by a number"),
        ("redis://host/1?db=2", "the database once"),
        ("redis://host?db=one", "a whole number as db"),
        ("redis://host?db=1&db=2", "db once"),
        ("redis://host?username=", "a value as username"),
        ("redis://host?client_name=%0A", "plain letters as client_name"),
        ("redis://host?foo=1", "an option that is not known"),
        ("redis://host?ssl_ca_certs=/ca.pem", "no TLS"),
        ("rediss://host?ssl=no", "rediss:// is TLS"),
        ("rediss://host?ssl_cert_reqs=some", "none, optional or required"),
        ("rediss://host?ssl_keyfile=/key.pem", "no ssl_certfile"),
        ("unix://", "whole path"),
        ("unix:///", "whole path"),
        ("unix://rel/path", "whole path"),
        ("unix:///run/redis.sock?ssl=yes", "TLS on a unix socket"),
        ("redis+sentinel://host", "must name the service"),
        ("redis+sentinel://host/main/abc", "database by a number"),
        ("redis+sentinel://a,,b/main", "must name a host"),
        ("redis+cluster://host/3", "a cluster has only one"),
    ],
)
def test_an_address_that_could_mean_another_place_is_refused(url: str, said: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        read_settings({"CROUPIER_REDIS_URL": url})
    (problem,) = wrong.value.problems
    assert problem.startswith("CROUPIER_REDIS_URL")
    assert said in problem


@pytest.mark.parametrize(
    "url",
    [
        f"redis:/ann:{SECRET}@host",
        f"ann:{SECRET}@host",
        f"redis;//ann:{SECRET}@host",
        f"http://ann:{SECRET}@host",
        f"redis://ann:1#{SECRET}@host",
        f"redis://ann:1?{SECRET}@host",
        f"redis://ann:1?{SECRET}=1@host",
        f"redis://ann:1/{SECRET}@host",
        f"redis://ann:1@{SECRET}@host",
        f"redis://ann:100%{SECRET}@host",
        f"redis://ann:a {SECRET}@host",
        f"redis://ann:{SECRET}@host:port",
        f"redis://host?Password={SECRET}",
        f"redis://host?{SECRET}",
        f"redis://host?password=a+{SECRET}",
        f"redis://:a@host?password={SECRET}",
        f"redis://host?db={SECRET}",
        f"redis://host/{SECRET}",
        f"unix://:{SECRET}@host/run/redis.sock",
        f"redis+sentinel://host/main?sentinel_pasword={SECRET}",
        f"redis+cluster://ann:{SECRET}@a,b:no",
    ],
)
def test_a_refused_address_does_not_show_its_secret(url: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        read_settings({"CROUPIER_REDIS_URL": url})
    assert SECRET not in str(wrong.value)
    assert SECRET not in without_password(url)


def test_an_address_is_shown_without_its_credentials() -> None:
    assert without_password(f"redis://ann:{SECRET}@host:1/0") == "redis://host:1/0"
    assert without_password("unix:///run/redis.sock") == "unix:///run/redis.sock"
    query = f"client_name=us&password={SECRET}&sentinel_password={SECRET}&sentinel_usernam%65={SECRET}"
    assert without_password(f"redis+sentinel://ann@a,b/main?{query}") == "redis+sentinel://a,b/main?client_name=us"


def serve(url: str) -> tuple[int, str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    ended = subprocess.run(
        [*CROUPIER, "serve"],
        env={**clean, "CROUPIER_REDIS_URL": url, "CROUPIER_GRPC_PORT": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(said) == 1, ended.stderr
    return ended.returncode, said[0], ended.stdout + ended.stderr


def test_a_database_or_a_login_that_the_server_does_not_take_is_said_in_a_line(tmp_path: Path) -> None:
    with RedisRig(tmp_path / "redis", appendfsync=None) as rig:
        for login, database in (("", "9999"), (f":{SECRET}@", "0")):
            rig.ask("CONFIG", "SET", "requirepass", "another" if login else "")
            code, said, everything = serve(f"{rig.url.replace('://', f'://{login}')}/{database}")
            assert code == 2
            assert "cannot be reached (" in said
            assert "put CROUPIER_REDIS_URL right" in said
            assert SECRET not in everything


async def test_files_for_tls_that_are_of_no_use_are_named(tmp_path: Path) -> None:
    torn = tmp_path / "torn.pem"
    torn.write_text("no certificate")
    for option in ("ssl_ca_certs", "ssl_certfile"):
        for file in (torn, tmp_path / "none.pem"):
            with pytest.raises(StoreUnfit, match=f"has {option}.* that cannot be used"):
                await open_store(f"rediss://127.0.0.1:1?{option}={file}", 8)


async def test_an_embedded_server_is_found_in_a_folder_of_any_name(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path / "a b#c@d?e%20+f") as server:
        store = await open_store(server.url, 8)
        assert (await store.pipe.call("PING")) is True
        await store.close()
