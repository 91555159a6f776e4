"""`croupier watch`: what happens in a match, line by line."""

from datetime import UTC, datetime
from typing import Any

import click

from croupier.v1 import matches_pb2
from croupier_cli.following import Following
from croupier_cli.guest import Guest, given_options, guest_options
from croupier_cli.playing import Playing
from croupier_cli.problem import Problem
from croupier_cli.remote import Player
from croupier_cli.tables import TABLES, lifecycle
from croupier_cli.terminal.ink import clean
from croupier_cli.terminal.screen import check_terminal


@click.command(short_help="Follow a match, line by line or at the table.")
@click.argument("match")
@click.option("--table", is_flag=True, help="Draw the table, as in `croupier play`.")
@guest_options
def watch(match: str, table: bool, **guest: Any) -> None:
    """Print what happens in MATCH, from its first event to its end.

    Without a seat in it you see what any spectator sees; with the name that has one, your own cards too.
    """
    if table:
        check_terminal()

    given = given_options(click.get_current_context())

    async def look_on(player: Player) -> None:
        found = await player.get(match)
        if found.game not in TABLES:
            raise Problem(f"{match} is a match of {found.game}, and this terminal has no table for that")
        following = Following(player, found)
        if table:
            await Playing(following, given).run()
        else:
            following.on_event(lambda event: _print(following, event))
            await following.follow()

    Guest(**guest).run(look_on)


def _print(following: Following, event: matches_pb2.Event) -> None:
    scene = following.scene
    own = event.HasField("match")
    told = lifecycle.told(scene, event) if own else TABLES[scene.match.game].told(scene, event)
    time = datetime.fromtimestamp(event.time.ToMilliseconds() / 1000, UTC).strftime("%H:%M:%S")
    click.echo(f"{event.sequence:>5}  {time}  {clean(told)}")
