"""`croupier rules`: how a game is played, for people."""

import click

from croupier.locales import LOCALES, language_of
from croupier_cli.problem import Problem
from croupier_service.rules_texts import GAMES, rules_text


@click.command(short_help="The rules of a game, as a text.")
@click.argument("game", default="six_nimmt")
@click.option("--locale", default="en", show_default=True, help=f"Language: {', '.join(LOCALES)}.")
def rules(game: str, locale: str) -> None:
    """Print the rules of GAME, in Markdown. Needs no server."""
    if game not in GAMES:
        raise Problem(f"there is no game {game}; there is {', '.join(GAMES)}")
    if language_of(locale) not in LOCALES:
        raise Problem(f"there are no rules in {locale}; there are {', '.join(LOCALES)}")
    click.echo(rules_text(game, locale).text, nl=False)
