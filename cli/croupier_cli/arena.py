"""`croupier arena`: bots against each other, offline."""

import json
import os
import sys
from typing import Any

import click

from croupier_arena import ArenaError, run_arena
from croupier_cli.problem import Problem


@click.command(short_help="Bots against each other, offline, with statistics.")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--game", default="six_nimmt", show_default=True, help="The game to play.")
@click.option("--preset", help="A preset of the game; without it a single deal, where the game has that.")
@click.option("--options", default="{}", help='Options over the preset, as JSON: \'{"cards": "TACTIC"}\'.')
@click.option(
    "--deals", type=click.IntRange(1), default=100, show_default=True, help="Deals, or whole matches of the preset."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Settles deals and bots.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def arena(
    bots: tuple[str, ...], game: str, preset: str | None, options: str, deals: int, seed: int, as_json: bool
) -> None:
    """Play bots against each other without a server: `croupier arena careful random random random`.

    A BOT is a level of the house or MODULE:CLASS, one for each seat. Every deal is played with every bot in every
    seat. Prints each bot's mean with its 95 % interval.
    """
    sys.path.insert(0, os.getcwd())  # where an author's own MODULE is
    try:
        report = run_arena(game, preset, _read(options), bots, deals, seed, _show if sys.stderr.isatty() else _hide)
    except ArenaError as problem:
        raise Problem(str(problem)) from problem
    click.echo(report.to_json() if as_json else report.to_text())


def _read(options: str) -> dict[str, Any]:
    try:
        read = json.loads(options)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise Problem("--options takes a JSON object of option names and values")
    return read


def _show(done: int, of: int) -> None:
    click.echo(f"\r{done} of {of} matches" + ("\r\033[K" if done == of else ""), err=True, nl=False)


def _hide(done: int, of: int) -> None:
    """Nobody looks on."""
