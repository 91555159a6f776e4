"""Addresses of the store: one server, one that Sentinels know, or a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection, parse_url
from redis.exceptions import RedisError

SCHEMES = ("redis://", "rediss://", "unix://", "redis+sentinel://", "redis+cluster://")

_KINDS: Mapping[str, Literal["server", "sentinel", "cluster"]] = {
    "redis": "server",
    "rediss": "server",
    "unix": "server",
    "redis+sentinel": "sentinel",
    "redis+cluster": "cluster",
}
_PORTS = {"sentinel": 26379, "cluster": 6379}
_TLS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
_PLAIN = ("db", "username", "password", "client_name", "socket_keepalive", "health_check_interval")
_OF_SENTINELS = ("sentinel_username", "sentinel_password")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the store is.

    `hosts`: host and port of each Sentinel or of some nodes of the cluster; of a single server it is in `options`.
    `service`: what the Sentinels call the primary. `options`: of a connection to Redis, as redis-py names them;
    `credentials`: those for the Sentinels themselves.
    """

    kind: Literal["server", "sentinel", "cluster"]
    hosts: tuple[tuple[str, int], ...]
    service: str
    tls: bool
    options: Mapping[str, Any]
    credentials: Mapping[str, str]


def parse_address(url: str) -> Address:
    """Take an address apart; ValueError says what is wrong with it.

    `redis://[user:password@]host[:port][/db]`, the same with `rediss://` for TLS, `unix:///path`,
    `redis+sentinel://[user:password@]host[:port],host[:port]/SERVICE[/db]` and
    `redis+cluster://[user:password@]host[:port],host[:port]`. User and password are those of Redis. Behind a `?` may
    stand `ssl=true`, redis-py's `ssl_...` options, and `sentinel_password=`.
    """
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _KINDS:
        raise ValueError(f"must start with one of {', '.join(SCHEMES)}")
    kind = _KINDS[scheme]
    rest, _, query = rest.partition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    for name in asked:
        if name not in ("ssl", *_PLAIN, *_TLS, *(_OF_SENTINELS if kind == "sentinel" else ())):
            raise ValueError(f"has an option {name!r} that is not known; there are ssl, {', '.join((*_PLAIN, *_TLS))}")
    tls = _truth(asked.pop("ssl", "false")) or scheme == "rediss"
    if tls and scheme == "unix":
        raise ValueError("cannot have TLS on a unix socket")
    if not tls and (of_tls := [name for name in asked if name in _TLS]):
        raise ValueError(f"has {of_tls[0]}, but no TLS; add ssl=true, or write rediss://")
    credentials = {name.removeprefix("sentinel_"): asked.pop(name) for name in _OF_SENTINELS if name in asked}
    hosts: tuple[tuple[str, int], ...] = ()
    service, path = "", rest
    if kind != "server":
        authority, _, path = rest.partition("/")
        user, at, names = authority.rpartition("@")
        hosts = tuple(_host(name, _PORTS[kind]) for name in names.split(","))
        if kind == "sentinel":
            service, _, path = path.partition("/")
            if not service:
                raise ValueError("must name the service behind the Sentinels, as in redis+sentinel://host:26379/main")
        elif path.strip("/") or asked.get("db", "0") != "0":
            raise ValueError("cannot choose a database: a cluster has only one")
        path = f"{user}{at}127.0.0.1/{path}"
    elif scheme != "unix":
        user, at, name = path.partition("/")[0].rpartition("@")
        _host(name, 6379)
    plain = f"{'unix' if scheme == 'unix' else 'rediss' if tls else 'redis'}://{path}"
    options: dict[str, Any] = dict(parse_url(f"{plain}?{urlencode(asked)}" if asked else plain))
    options.pop("connection_class", None)
    if kind != "server":
        del options["host"]
    address = Address(kind, hosts, unquote(service), tls, options, credentials)
    try:
        connection_class(address)(**options)
    except (TypeError, RedisError) as wrong:
        raise ValueError(f"has an option that does not fit: {wrong}") from None
    return address


def connection_class(address: Address) -> type[Connection] | type[UnixDomainSocketConnection]:
    """The kind of connection that the address takes."""
    if "path" in address.options:
        return UnixDomainSocketConnection
    return SSLConnection if address.tls else Connection


def without_password(url: str) -> str:
    """The address without its credentials, fit for a log; they may stand in the query, too."""
    scheme, _, rest = url.partition("://")
    address, _, query = rest.rpartition("@")[2].partition("?")
    kept = "&".join(part for part in query.split("&") if not part.partition("=")[0].endswith(("password", "username")))
    return f"{scheme}://{address}?{kept}" if kept else f"{scheme}://{address}"


def _host(text: str, port: int) -> tuple[str, int]:
    """Host and port of `host`, `host:port` or `[v6]:port`."""
    try:
        parts = urlsplit(f"//{text}")
        found = parts.hostname or "", port if parts.port is None else parts.port
    except ValueError:
        raise ValueError("must have ports from 0 to 65535, or none") from None
    if not found[0]:
        raise ValueError("must name a host")
    return found


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
        raise ValueError("must say ssl=true or ssl=false")
    return text.lower() in ("true", "1", "yes")
