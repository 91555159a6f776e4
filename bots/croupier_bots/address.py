"""Where a server is, and what it means if it cannot be talked to there."""

import re

import grpc

from croupier_bots.errors import AddressInvalid

_LIKE = "name the one that `croupier up` prints after `grpc:`, such as 127.0.0.1:50051"
_GRPC_OWN = ("dns:", "unix:", "unix-abstract:", "ipv4:", "ipv6:", "xds:")  # gRPC's own forms of an address
_HOST_PORT = re.compile(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\s:/@\[\]]+):(\d{1,5})")


def check_target(target: str) -> None:
    """Raise AddressInvalid unless `target` is `host:port`, or an address in a form of gRPC's own, such as `dns:///a:1`.

    gRPC itself would take anything, and look for it for ever.
    """
    if target.startswith(_GRPC_OWN):
        return
    scheme, web, _ = target.partition("://")
    if web:
        raise AddressInvalid(f"{target} is an address of {scheme}, and bots speak gRPC: {_LIKE}")
    found = _HOST_PORT.fullmatch(target)
    if found is None:
        raise AddressInvalid(f"{target or 'an empty address'} is not host:port; {_LIKE}")
    if not 0 < int(found[2]) < 65536:
        raise AddressInvalid(f"{target} has no port from 1 to 65535; {_LIKE}")


def outage(code: grpc.StatusCode, details: str) -> str:
    """Why a server cannot be talked to, for people; what is of no common kind stays as gRPC tells it."""
    if "http1.x server" in details:
        return "the web answers there; is that the web address? use the `grpc:` one"
    if "Connection refused" in details:
        return "no server listens there"
    if details.startswith("errors resolving"):
        return "there is no host of this name"
    return f"{code.name} {details}".strip()
