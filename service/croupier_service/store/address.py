"""Addresses of the store: one server, one that Sentinels know, or a cluster."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any, Literal
from urllib.parse import unquote

from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection

SCHEMES = ("redis://", "rediss://", "unix://", "redis+sentinel://", "redis+cluster://")

_KINDS: Mapping[str, Literal["server", "sentinel", "cluster"]] = {
    "redis": "server",
    "rediss": "server",
    "unix": "server",
    "redis+sentinel": "sentinel",
    "redis+cluster": "cluster",
}
_PORTS = {"server": 6379, "sentinel": 26379, "cluster": 6379}
_ESCAPES = "must have %23 for #, %25 for %, %2F for /, %3F for ? and %40 for @ in user and password, and no blanks"
_PORT_RANGE = "must have ports from 1 to 65535, or none"
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f#]|%(?![0-9A-Fa-f]{2})|%00")
_HOST = re.compile(r"(\[[^\]]+\]|[A-Za-z0-9_.-]{1,253})(?::([0-9]{1,5}))?")


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
    """Take an address apart; ValueError says what is wrong with it, and never shows a part of it.

    `redis://[user:password@]host[:port][/db]`, the same with `rediss://` for TLS, `unix://[user:password@]/path`,
    `redis+sentinel://[user:password@]host[:port],host[:port]/SERVICE[/db]` and
    `redis+cluster://[user:password@]host[:port],host[:port]`. User and password are those of Redis. Behind a `?` may
    stand `ssl=true`, redis-py's `ssl_...` options, and `sentinel_password=`.
    """
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _KINDS:
        raise ValueError(f"must start with one of {', '.join(SCHEMES)}")
    kind = _KINDS[scheme]
    place, _, query = rest.partition("?")
    authority, _, path = place.partition("/")
    login, _, names = authority.rpartition("@")
    if _UNFIT.search(rest) or "@" in f"{login}{path}{query}":
        raise ValueError(_ESCAPES)
    options = _asked(query, kind)
    tls = _tls(options, scheme)
    for name, text in zip(("username", "password"), login.split(":", 1), strict=False):
        if text and name in options:
            raise ValueError(f"must give the {name} once")
        if text:
            options[name] = unquote(text)
    service = ""
    hosts: tuple[tuple[str, int], ...] = ()
    if scheme == "unix":
        if names or not path.strip("/"):
            raise ValueError("must give the whole path of a socket, as in unix:///run/redis.sock")
        options["path"] = unquote(f"/{path}")
    else:
        if kind == "sentinel":
            service, _, path = path.partition("/")
            if not service:
                raise ValueError("must name the service behind the Sentinels, as in redis+sentinel://host:26379/main")
        if path:
            _choose(options, path)
        hosts = tuple(_host(name, _PORTS[kind]) for name in names.split(","))
    if kind == "cluster" and options.pop("db", 0):
        raise ValueError("cannot choose a database: a cluster has only one")
    if kind == "server" and hosts:
        if len(hosts) > 1:
            raise ValueError("must name one host; several are for redis+sentinel:// and redis+cluster://")
        options["host"], options["port"] = hosts[0]
        hosts = ()
    credentials = {name: options.pop(f"sentinel_{name}") for name in _LOGIN if f"sentinel_{name}" in options}
    return Address(kind, hosts, unquote(service), tls, options, credentials)


def connection_class(address: Address) -> type[Connection] | type[UnixDomainSocketConnection]:
    """The kind of connection that the address takes."""
    if "path" in address.options:
        return UnixDomainSocketConnection
    return SSLConnection if address.tls else Connection


def without_password(url: str) -> str:
    """The address without its credentials, fit for a log; they may stand in the query, too.

    Nobody knows where the password is in an address that is not well formed: no more than its scheme is shown then.
    """
    scheme, _, rest = url.partition("://")
    try:
        parse_address(url)
    except ValueError:
        return f"{scheme}://..." if scheme in _KINDS else "..."
    place, _, query = rest.rpartition("@")[2].partition("?")
    kept = "&".join(part for part in query.split("&") if not unquote(part.partition("=")[0]).endswith(_LOGIN))
    return f"{scheme}://{place}?{kept}" if kept else f"{scheme}://{place}"


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise ValueError("a whole number")
    return int(text)


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
        raise ValueError("true or false")
    return text.lower() in ("true", "1", "yes")


def _word(text: str) -> str:
    if not re.fullmatch(r"[!-~]+", text):
        raise ValueError("a word of plain letters")
    return text


def _text(text: str) -> str:
    if not text:
        raise ValueError("a value")
    return text


def _demand(text: str) -> str:
    if text not in ("none", "optional", "required"):
        raise ValueError("none, optional or required")
    return text


_LOGIN = ("username", "password")
_TLS: Mapping[str, Callable[[str], Any]] = {
    "ssl_ca_certs": _text,
    "ssl_certfile": _text,
    "ssl_keyfile": _text,
    "ssl_cert_reqs": _demand,
    "ssl_check_hostname": _truth,
}
_OPTIONS: Mapping[str, Callable[[str], Any]] = {
    "ssl": _truth,
    "db": _number,
    "username": _text,
    "password": _text,
    "client_name": _word,
    "socket_keepalive": _truth,
    "health_check_interval": _number,
    **_TLS,
}
_OF_SENTINELS: Mapping[str, Callable[[str], Any]] = {f"sentinel_{name}": _text for name in _LOGIN}


def _asked(query: str, kind: str) -> dict[str, Any]:
    """The options behind the `?`, each read as what it must be."""
    known = {**_OPTIONS, **(_OF_SENTINELS if kind == "sentinel" else {})}
    found: dict[str, Any] = {}
    for part in query.split("&") if query else ():
        written, _, text = part.partition("=")
        name = unquote(written)
        if name not in known:  # it may be part of a password, so it is not shown
            raise ValueError(f"has an option that is not known; there are {', '.join(known)}")
        if name in found:
            raise ValueError(f"must give {name} once")
        if "+" in text:
            raise ValueError(f"must have %2B for +, or %20 for a blank, in {name}")
        try:
            found[name] = known[name](unquote(text))
        except ValueError as needed:
            raise ValueError(f"must have {needed} as {name}") from None
    return found


def _tls(options: dict[str, Any], scheme: str) -> bool:
    """Whether the connections are to be encrypted; `ssl` is taken out of the options."""
    secure = scheme == "rediss"
    tls: bool = options.pop("ssl", secure)
    if secure and not tls:
        raise ValueError("has ssl=false, but rediss:// is TLS; write redis:// or leave ssl out")
    if tls and scheme == "unix":
        raise ValueError("cannot have TLS on a unix socket")
    if not tls and (of_tls := [name for name in options if name in _TLS]):
        raise ValueError(f"has {of_tls[0]}, but no TLS; add ssl=true, or write rediss://")
    if "ssl_keyfile" in options and "ssl_certfile" not in options:
        raise ValueError("has ssl_keyfile, but no ssl_certfile")
    return tls


def _choose(options: dict[str, Any], path: str) -> None:
    """The database that a path names."""
    if "db" in options:
        raise ValueError("must give the database once")
    try:
        options["db"] = _number(path)
    except ValueError:
        raise ValueError("must name the database by a number, as in redis://host:6379/0") from None


def _host(text: str, port: int) -> tuple[str, int]:
    """Host and port of `host`, `host:port` or `[v6]:port`."""
    name, _, _ = text.partition(":")
    if not name:
        raise ValueError("must name a host")
    fits = _HOST.fullmatch(text)
    if fits is None:
        wrong = _PORT_RANGE if ":" in text else "must have hosts by name or address"
        raise ValueError(f"{wrong}; an IPv6 address stands in brackets")
    host, number = fits.groups()
    if number is not None and not 1 <= int(number) <= 65_535:
        raise ValueError(_PORT_RANGE)
    if host.startswith("["):
        try:
            return str(IPv6Address(unquote(host[1:-1]))), int(number or port)
        except ValueError:
            raise ValueError("must have an IPv6 address in its brackets") from None
    if any(not 1 <= len(label) <= 63 for label in host.removesuffix(".").split(".")):
        raise ValueError("must have hosts by name or address")
    return host, int(number or port)
