"""The environment variables of all roles, so that each can say which ones nobody reads. Imports nothing of ours."""

from collections.abc import Mapping

SERVICE = [
    "REDIS_URL",
    "DURABILITY",
    "REPLICAS",
    "STORE_TIMEOUT",
    "GRPC_HOST",
    "GRPC_PORT",
    "SHARDS",
    "OPEN_TTL",
    "RETENTION",
    "TURN_GRACE",
    "TIMER_GRACE",
    "HEARTBEAT",
    "LEASE",
    "ILLEGAL_LIMIT",
    "PLAYERS_PER_MINUTE",
    "MATCHES_PER_MINUTE",
    "OPEN_TABLES",
    "FORWARDED",
    "CALLS",
    "WAITING",
    "QUEUE",
    "STALL",
    "COMPACT_AFTER",
    "DRAIN",
    "DRAIN_CREDIT",
    "METRICS_PORT",
    "LOG_LEVEL",
]
GATEWAY = [
    "GRPC_TARGET",
    "GATEWAY_HOST",
    "GATEWAY_PORT",
    "GATEWAY_THREADS",
    "STALL",
    "CORS_ORIGINS",
    "REVISION",
    "METRICS_PORT",
    "LOG_LEVEL",
]
_OTHERS = ("REDIS_BINARY", "ALIVE_FILE")  # of `croupier up`, and of `croupier bots`
_KNOWN = frozenset(f"CROUPIER_{name}" for name in (*SERVICE, *GATEWAY, *_OTHERS))


def unknown(environment: Mapping[str, str]) -> list[str]:
    """The names that begin as ours do, and that no role reads."""
    return sorted(name for name in environment if name.startswith("CROUPIER_") and name not in _KNOWN)
