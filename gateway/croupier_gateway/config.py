"""Settings of the gateway, read from the environment once, at start."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from croupier.targets import TargetInvalid, grpc_target

RESERVED_THREADS = 32
"""Threads kept free of waiting calls, so that short ones are answered however many of those there are."""

MAX_THREADS = 4000
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_ORIGIN = re.compile(r"\*|https?://[A-Za-z0-9.\-]+(:\d{1,5})?|https?://\[[0-9A-Fa-f:]+\](:\d{1,5})?")


class SettingsInvalid(Exception):  # noqa: N818 - it is about settings
    """Some settings cannot be used; `problems` has one line for each of them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the gateway listens, whom it calls, and how many it serves at a time."""

    grpc_target: str = "127.0.0.1:50051"
    """One address, a list of replicas, or a target of gRPC's own."""
    host: str = "127.0.0.1"
    port: int = 8080
    """0: any free port."""
    threads: int = 200
    """Calls in progress. Each holds a thread, a long poll all the time, a stream until it has begun."""
    stall: int = 30_000
    """Milliseconds for which a client may neither send what is missing of its request nor take what is sent to it."""
    cors_origins: tuple[str, ...] = ("*",)
    revision: str = ""
    """What this was built from, such as a git commit; empty: nobody said."""
    metrics_port: int = 0
    """Where Prometheus reads, on `host`; 0: nowhere."""
    log_level: str = "INFO"

    @property
    def waiting_limit(self) -> int:
        """Most streams and long polls at a time."""
        return self.threads - RESERVED_THREADS

    @property
    def body_limit(self) -> int:
        """Most requests at a time whose body is still to come; some threads are left for what needs none."""
        return RESERVED_THREADS * 3 // 4

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read `CROUPIER_*`; an absent or empty variable has its default.

        Raises SettingsInvalid with all problems at once.
        """
        problems: list[str] = []
        default = cls()

        def number(name: str, otherwise: int, least: int, most: int) -> int:
            text = environ.get(name, "").strip()
            if not text:
                return otherwise
            if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None or not least <= int(text) <= most:
                problems.append(f"{name} must be a whole number from {least} to {most}, not {text!r}.")
                return otherwise
            return int(text)

        target = environ.get("CROUPIER_GRPC_TARGET", "").strip() or default.grpc_target
        try:
            grpc_target(target)
        except TargetInvalid as invalid:
            problems.append(
                "CROUPIER_GRPC_TARGET must be host:port, a list of such, or a gRPC target such as dns:///name:port: "
                f"{invalid}."
            )
        host = environ.get("CROUPIER_GATEWAY_HOST", "").strip() or default.host
        if re.fullmatch(r"[A-Za-z0-9.:_\-]+", host) is None:
            problems.append(f"CROUPIER_GATEWAY_HOST must be a host name or an address, not {host!r}.")
        listed = environ.get("CROUPIER_CORS_ORIGINS", "").strip() or "*"
        origins = tuple(origin.strip().rstrip("/") for origin in listed.split(",") if origin.strip())
        problems.extend(
            f"CROUPIER_CORS_ORIGINS must list origins such as https://play.example, or be *, not {origin!r}."
            for origin in origins
            if _ORIGIN.fullmatch(origin) is None
        )
        log_level = environ.get("CROUPIER_LOG_LEVEL", "").strip() or default.log_level
        if log_level not in LOG_LEVELS:
            problems.append(f"CROUPIER_LOG_LEVEL must be one of {', '.join(LOG_LEVELS)}, not {log_level!r}.")
        revision = environ.get("CROUPIER_REVISION", "").strip()
        if re.fullmatch(r"[A-Za-z0-9._+\-]{0,64}", revision) is None:
            problems.append(f"CROUPIER_REVISION must be a commit or a tag, at most 64 characters, not {revision!r}.")
        settings = cls(
            grpc_target=target,
            host=host,
            port=number("CROUPIER_GATEWAY_PORT", default.port, 0, 65535),
            threads=number("CROUPIER_GATEWAY_THREADS", default.threads, RESERVED_THREADS + 1, MAX_THREADS),
            stall=number("CROUPIER_STALL", default.stall, 1_000, 600_000),
            cors_origins=origins,
            revision=revision,
            metrics_port=number("CROUPIER_METRICS_PORT", default.metrics_port, 0, 65535),
            log_level=log_level,
        )
        if problems:
            raise SettingsInvalid(problems)
        return settings
