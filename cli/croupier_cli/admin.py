"""`croupier admin`: what operators do to the store."""

import sys

import click

from croupier_cli.operating import redis_option, tell_unread, with_store
from croupier_service.reindexing import Found, Reindexing
from croupier_service.store.opening import Store
from croupier_service.store.servertime import ServerTime

EXIT_DIFFERENT = 1


@click.group(short_help="Work on the store: rebuild what is derived.")
def admin() -> None:
    """Work on the store itself, beside a service that runs."""


@admin.command(short_help="Rebuild every index from the records.")
@redis_option
@click.option("--dry-run", is_flag=True, help="Change nothing; exit with 1 if there are differences.")
def reindex(redis_url: str | None, dry_run: bool) -> None:
    """Compare every index with what follows from the records, and put right what differs.

    Prints for each index how many entries were right, how many were missing and have been added, and how many were
    stale and have been removed. What looks stale is looked at twice, 10 seconds apart, since it may be in the making.
    Matches that this version cannot read are named on stderr and their entries left alone: the exit code is then 3.
    """
    found, unread = with_store(redis_url, lambda store: _reindex(store, write=not dry_run))
    click.echo(f"{'index':<12}{'right':>10}{'missing':>10}{'stale':>10}")
    for name, entries in found.items():
        click.echo(f"{name:<12}{entries.right:>10}{entries.missing:>10}{entries.stale:>10}")
    tell_unread(unread)
    if dry_run and not all(entries.sound for entries in found.values()):
        sys.exit(EXIT_DIFFERENT)


async def _reindex(store: Store, *, write: bool) -> tuple[dict[str, Found], dict[str, str]]:
    time = ServerTime(store.pipe)
    await time.measure()
    reindexing = Reindexing(store.matches, store.indexes, time, write=write)
    return await reindexing.run(), reindexing.unread
