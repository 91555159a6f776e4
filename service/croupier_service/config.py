"""Settings from the environment, checked all at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from croupier_service.store.address import parse_address, without_password
from croupier_service.store.keys import MOST_SHARDS


class ConfigError(Exception):
    """One or more settings are wrong; `problems` says of each what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting is read from CROUPIER_<NAME>. Times are in milliseconds unless the name says otherwise."""

    redis_url: str
    durability: str = "fsync"  # what an acknowledged change survives: "memory", "process", "fsync" or "replica"
    replicas: int = 1  # with "replica": copies beside the primary that must have a change before it is acknowledged
    store_timeout: int = 3_000  # a call to Redis that is not answered in this time has failed
    grpc_host: str = "127.0.0.1"
    grpc_port: int = 50051  # 0: any free port
    shards: int = 64  # of effect at the very first start only; then the stored number counts
    open_ttl: int = 3_600_000  # an open match that does not fill is abandoned after this
    retention: int = 7 * 86_400_000  # a finished match is kept so long
    turn_grace: int = 250  # the clock fires so long after a deadline of a seat
    timer_grace: int = 50  # and so long after a deadline of the rules' own timers
    heartbeat: int = 5_000  # between signs of life on streams, and between checks for missed notifications
    lease: int = 5_000  # a dead leader's shards are taken over after this
    illegal_limit: int = (
        20  # illegal actions of a seat in one window, before the clock plays for it, or it is not heard
    )
    players_per_minute: int = 600  # new guests from one address
    matches_per_minute: int = 600  # new matches of one player
    open_tables: int = 50  # matches that one player hosts and that have not started
    forwarded: str = "loopback"  # whose word for the caller's address is taken: "loopback", or "any" behind a firewall
    calls: int = 1_000  # calls and acts at a time; one more is refused as OVERLOADED
    waiting: int = 10_000  # streams and long polls at a time; one more is refused as OVERLOADED
    queue: int = 1_000  # a call that has waited for so long to be taken on is refused as OVERLOADED
    stall: int = 30_000  # a reader that takes nothing for so long is cut off, and resumes where he was
    compact_after: int = 120_000  # the log of a finished match is packed into one value after this; docs/retries.md
    drain: int = 10_000  # how long calls under way may take after SIGTERM
    drain_credit: int = 3_000  # what running clocks are set back by when their players are sent to another replica
    metrics_port: int = 0  # where Prometheus reads, on the host of gRPC; 0: nowhere
    log_level: str = "INFO"


_RANGES: Mapping[str, tuple[int, int]] = {
    "grpc_port": (0, 65_535),
    "shards": (1, MOST_SHARDS),
    "open_ttl": (1_000, 30 * 86_400_000),
    "retention": (10_000, 3650 * 86_400_000),
    "turn_grace": (0, 10_000),
    "timer_grace": (0, 10_000),
    "heartbeat": (100, 10_000),
    "lease": (500, 60_000),
    "illegal_limit": (1, 10_000),
    "players_per_minute": (1, 1_000_000),
    "matches_per_minute": (1, 1_000_000),
    "open_tables": (1, 1_000_000),
    "replicas": (1, 10),
    "store_timeout": (100, 60_000),
    "calls": (10, 1_000_000),
    "waiting": (10, 1_000_000),
    "queue": (10, 60_000),
    "stall": (1_000, 600_000),
    "compact_after": (0, 86_400_000),
    "drain": (0, 600_000),
    "drain_credit": (0, 60_000),
    "metrics_port": (0, 65_535),
}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "log_level": ("DEBUG", "INFO", "WARNING", "ERROR"),
    "forwarded": ("loopback", "any"),
    "durability": ("memory", "process", "fsync", "replica"),
}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings that an environment gives; ConfigError names every problem there is."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for field in fields(Settings):
        variable = f"CROUPIER_{field.name.upper()}"
        text = environment.get(variable, "")
        if not text:
            if field.name == "redis_url":
                problems.append(f"{variable} is not set; give the address of a Redis, such as redis://127.0.0.1:6379")
            continue
        check: Callable[[str, str], Any] = _number if field.name in _RANGES else _text
        try:
            values[field.name] = check(field.name, text)
        except ValueError as wrong:
            shown = without_password(text) if field.name == "redis_url" else text
            problems.append(f"{variable}={shown!r} {wrong}")
    if problems:
        raise ConfigError(problems)
    return Settings(**values)


def _number(name: str, text: str) -> int:
    least, most = _RANGES[name]
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"must be a whole number from {least} to {most}")
    return int(text)


def _text(name: str, text: str) -> str:
    if name == "redis_url":
        parse_address(text)
    if name in _WORDS and text not in _WORDS[name]:
        raise ValueError(f"must be one of {', '.join(_WORDS[name])}")
    return text
