"""Where a server is, and what it means if it cannot be talked to there."""

import grpc

from croupier.targets import TargetInvalid, grpc_target
from croupier_bots.errors import AddressInvalid

_LIKE = "name the one that `croupier up` prints after `grpc:`, such as 127.0.0.1:50051"


def checked_target(target: str) -> str:
    """The target for gRPC of `host:port`, of a list of such, or of a form of gRPC's own; raises AddressInvalid."""
    try:
        return grpc_target(target)
    except TargetInvalid as invalid:
        raise AddressInvalid(f"{invalid}; {_LIKE}") from None


def outage(code: grpc.StatusCode, details: str) -> str:
    """Why a server cannot be talked to, for people; what is of no common kind stays as gRPC tells it."""
    if "http1.x server" in details:
        return "the web answers there; is that the web address? use the `grpc:` one"
    if "Connection refused" in details:
        return "no server listens there"
    if details.startswith("errors resolving"):
        return "there is no host of this name"
    return f"{code.name} {details}".strip()
