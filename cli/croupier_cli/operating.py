"""Commands that work on the store itself, beside a service that runs: who may call them may see every match."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import click

from croupier_cli.problem import Problem
from croupier_service import telemetry
from croupier_service.config import ConfigError, read_settings
from croupier_service.errors import StoreUnavailable
from croupier_service.store.opening import Store, StoreUnfit, open_store

EXIT_UNREAD = 3
T = TypeVar("T")

redis_option: Callable[[Any], Any] = click.option(
    "--redis-url",
    help="Address of the service's store; that of CROUPIER_REDIS_URL without it.",
)


def with_store(redis_url: str | None, work: Callable[[Store], Awaitable[T]]) -> T:
    """Do something with the store that a service uses. Problem if it is not to be had, or goes away in between."""
    given = {} if redis_url is None else {"CROUPIER_REDIS_URL": redis_url}
    try:
        settings = read_settings(os.environ | given)
    except ConfigError as wrong:
        raise Problem("\n".join(wrong.problems)) from None
    telemetry.configure("ERROR")

    async def run() -> T:
        store = await open_store(settings.redis_url, None, within=settings.store_timeout / 1000)
        try:
            return await work(store)
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except (StoreUnfit, StoreUnavailable) as gone:
        raise Problem(str(gone)) from None


def tell_unread(unread: dict[str, str]) -> None:
    """Name the matches that this version cannot read, and exit with a code of its own if there are any."""
    for match, reason in sorted(unread.items()):
        click.echo(f"croupier: match {match} cannot be read ({reason})", err=True)
    if unread:
        sys.exit(EXIT_UNREAD)
