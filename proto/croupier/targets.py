"""Where the service is, as people write it, in the form that gRPC takes, and how it is noticed that it is gone.

Imports nothing of ours.
"""

import re
from ipaddress import ip_address

# A peer that does not answer is left after 5 s, though its connection stands: one that is frozen, or cut off. It is
# asked also when nobody calls, so that the next caller need not find out. The service lets peers ask as often as they
# like.
KEEPALIVE: tuple[tuple[str, int], ...] = (
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    (
        "grpc.http2.ping_timeout_ms",
        3_000,
    ),  # whichever ping is on its way first; of its own accord it waits for a minute
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # Long enough for a handshake; one that is frozen takes connections, and does not go on from there.
    ("grpc.min_reconnect_backoff_ms", 2_000),
)

_GRPC_OWN = ("dns:", "unix:", "unix-abstract:", "ipv4:", "ipv6:", "xds:")  # gRPC's own forms of an address
_HOST_PORT = re.compile(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\s:/@\[\]]+):(\d{1,5})")


class TargetInvalid(ValueError):  # noqa: N818 - it names what happens
    """No service can be at such an address; the text says what is wrong with it."""


def grpc_target(text: str) -> str:
    """The target for gRPC of `host:port`, of a list `10.0.0.1:50051,10.0.0.2:50051`, or of a form of gRPC's own.

    A list names replicas, any of which will do. Raises TargetInvalid: gRPC itself would take anything, and look for it
    for ever.
    """
    if text.startswith(_GRPC_OWN):
        if "," in text and not text.startswith(("ipv4:", "ipv6:")):
            raise TargetInvalid(f"{text} cannot be a list; a list has the form 10.0.0.1:50051,10.0.0.2:50051")
        return text
    scheme, web, _ = text.partition("://")
    if web:
        raise TargetInvalid(f"{text} is an address of {scheme}, and not of gRPC")
    listed = [part.strip() for part in text.split(",")]
    versions = {_checked(part, listed=len(listed) > 1) for part in listed}
    if len(listed) == 1:
        return listed[0]
    if len(versions) > 1:
        raise TargetInvalid(f"{text} mixes IPv4 and IPv6; a list has one of them")
    return f"ipv{versions.pop()}:{','.join(dict.fromkeys(listed))}"


def _checked(text: str, *, listed: bool) -> int:
    """The version of IP of an address in a list; 0 for one that stands alone."""
    found = _HOST_PORT.fullmatch(text)
    if found is None:
        raise TargetInvalid(f"{text or 'an empty address'} is not host:port")
    if not 0 < int(found[2]) < 65536:
        raise TargetInvalid(f"{text} has no port from 1 to 65535")
    if not listed:
        return 0
    try:
        return ip_address(found[1].strip("[]")).version
    except ValueError:
        raise TargetInvalid(
            f"{text} has a name, and a list has addresses such as 10.0.0.1:50051; dns:///name:port stands for all "
            "addresses of a name"
        ) from None
