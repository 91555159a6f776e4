"""`croupier play`: a table in the terminal."""

from collections.abc import Sequence
from typing import Any

import click

from croupier.v1 import matches_pb2
from croupier_cli.following import Following
from croupier_cli.guest import Given, Guest, given_options, guest_options
from croupier_cli.option_values import read_options
from croupier_cli.playing import Playing
from croupier_cli.problem import Problem
from croupier_cli.remote import Player, Refused, request_id
from croupier_cli.tables import TABLES, Scene
from croupier_cli.tables.lifecycle import standing
from croupier_cli.terminal.screen import check_terminal
from croupier_engine.registry import GAMES

_BOTS = "careful,careful,random"


@click.command(short_help="Play in the terminal, against bots or people.")
@click.argument("game", default="six_nimmt")
@click.option("--bots", help=f"Levels of bots to sit down at once.  [default: {_BOTS}; none with --seats or --private]")
@click.option(
    "--seats", type=click.IntRange(1, 64), help="How many play; without --bots all other seats wait for people."
)
@click.option("--preset", default="", help="A preset of the game: `croupier rules GAME` lists them.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option from the same list, such as cards=LOGIC or deck=54.",
)
@click.option("--seconds", type=click.IntRange(1, 86_400), help="Time for each question.  [default: the server's]")
@click.option("--private", is_flag=True, help="Unlisted; others need the code that is shown.")
@click.option("--join", metavar="MATCH", help="Sit down at this table instead.")
@click.option("--seat", type=click.IntRange(0, 63), help="With --join: this seat, such as one of a friend's team.")
@click.option("--code", default="", help="The code of a private table.")
@click.option("--new", is_flag=True, help="Open a table although a match of yours is not over.")
@guest_options
def play(
    game: str,
    bots: str | None,
    seats: int | None,
    preset: str,
    options: Sequence[str],
    seconds: int | None,
    private: bool,
    join: str | None,
    seat: int | None,
    code: str,
    new: bool,
    **guest: Any,
) -> None:
    """Play GAME in the terminal. Without more it is a table with three bots; all are careful where one is your partner.

    A match of yours that is not over is taken up again, from the same seat; --new opens another one. Give two people
    at one machine different names: each name is a player.
    """
    check_terminal()
    if game not in TABLES:
        raise Problem(f"there is no table for {game}; there is {', '.join(TABLES)}")
    if seat is not None and join is None:
        raise Problem("--seat goes with --join; who opens a table has seat 0")
    wanted = _request(game, bots, seats, preset, options, seconds, private)
    given = given_options(click.get_current_context())

    async def at_the_table(player: Player) -> None:
        unfinished = await _unfinished(player, game) if join is None and not new else None
        if join is not None:
            await _sit(player, await _join(player, join, seat, code), given)
        elif unfinished is not None:
            await _sit(player, unfinished, given)
        else:
            await _sit(player, await player.call(player.matches.CreateMatch, wanted), given)

    Guest(**guest).run(at_the_table)


def _request(
    game: str,
    bots: str | None,
    seats: int | None,
    preset: str,
    options: Sequence[str],
    seconds: int | None,
    private: bool,
) -> matches_pb2.CreateMatchRequest:
    usual = TABLES[game].bots or _BOTS
    given = bots if bots is not None else usual if seats is None and not private else ""
    levels = [level.strip() for level in given.split(",") if level.strip()]
    if seats is None:
        seats = len(levels) + 1 if levels else GAMES[game].seats[0]
    request = matches_pb2.CreateMatchRequest(
        request_id=request_id(),
        game=game,
        seats=seats,
        preset=preset,
        bots=[matches_pb2.BotRequest(level=level) for level in levels],
        options=read_options(game, options),
    )
    if private:
        request.visibility = matches_pb2.Visibility.PRIVATE
    if seconds is not None:
        request.clock.window_duration.FromSeconds(seconds)
    return request


async def _unfinished(player: Player, game: str) -> matches_pb2.Match | None:
    for state in (matches_pb2.MatchState.RUNNING, matches_pb2.MatchState.OPEN):
        request = matches_pb2.ListMatchesRequest(player="me", state=state, game=game)
        listed = await player.call(player.matches.ListMatches, request)
        for match in listed.matches:
            if not Scene(match).resigned:
                return match
    return None


async def _join(player: Player, match: str, seat: int | None, code: str) -> matches_pb2.Match:
    request = matches_pb2.JoinMatchRequest(request_id=request_id(), match=match, seat=seat, join_code=code)
    try:
        return await player.call(player.matches.JoinMatch, request)
    except Refused as refused:
        if refused.reason not in ("ALREADY_SEATED", "MATCH_NOT_OPEN"):
            raise
        found = await player.get(match)
        if not found.you.HasField("seat"):
            raise
        return found


async def _sit(player: Player, match: matches_pb2.Match, given: Given) -> None:
    if match.game not in TABLES:
        raise Problem(f"{match.id} is a match of {match.game}, and this terminal has no table for that")
    following = Following(player, match)
    await Playing(following, given).run()
    match = following.scene.match
    if match.state == matches_pb2.MatchState.OVER:
        click.echo(f"{match.id} is over: {standing(following.scene, match.outcome)}")
    elif match.state == matches_pb2.MatchState.RUNNING and following.scene.seat is not None:
        if following.scene.resigned:
            click.echo(f"You gave up in {match.id}: `croupier watch {match.id}{given.player}` shows how it goes on.")
        else:
            click.echo(f"Your seat in {match.id} is kept: `croupier play {match.game}{given.player}` brings you back.")
