"""What an author declares, checked before anything is connected, so that a slip is told in a line."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence

from croupier.v1 import games_pb2
from croupier_bots.bot import Bot
from croupier_bots.errors import BotInvalid

KNOWN = tuple(field.name for field in games_pb2.Options.DESCRIPTOR.oneofs_by_name["game"].fields)
"""The games whose views, actions and events this package can read."""

_LIKE = 'such as games = {"six_nimmt": ["lowest"]}'
_METHODS = (("choose", ("view", "window")), ("seated", ("match",)), ("events", ("events",)), ("over", ("outcome",)))


def name_of(bot: object) -> str:
    """What an author calls his bot."""
    return str(getattr(bot, "__name__", type(bot).__name__))


def declared(bot: Callable[[], Bot], *, offering: bool) -> Mapping[str, Sequence[str]]:
    """What `bot`, a class or another maker of bots, offers to play: levels by game.

    Raises BotInvalid if it could not play; `offering`: also if it offers nothing.
    """
    name = name_of(bot)
    games = _checked(_sample(bot, name), name)
    if offering and not games:
        raise BotInvalid(f"{name} offers no games; name them, {_LIKE}")
    return games


def _sample(bot: object, name: str) -> Bot:
    """A bot to look at; that of a class is not initialised, since that may be dear."""
    if isinstance(bot, Bot):
        raise BotInvalid(f"the class is wanted, since every match gets a bot of its own: {name}, not {name}()")
    if not callable(bot):
        raise BotInvalid(f"a subclass of croupier_bots.Bot is wanted, not {name}")
    if isinstance(bot, type) and not issubclass(bot, Bot):
        raise BotInvalid(f"{name} is not a subclass of croupier_bots.Bot")
    if not _takes(bot):
        raise BotInvalid(f"{name} is made for every match, so {name}() must need no arguments")
    made = bot.__new__(bot) if isinstance(bot, type) else bot()
    if not isinstance(made, Bot):
        raise BotInvalid(f"{name} makes a {type(made).__name__}, not a croupier_bots.Bot")
    return made


def _checked(made: Bot, name: str) -> Mapping[str, Sequence[str]]:
    if type(made).choose is Bot.choose:
        raise BotInvalid(f"{name} has no choose(self, view, window)")
    for method, arguments in _METHODS:
        if not _takes(getattr(made, method), *arguments):
            raise BotInvalid(f"{name}.{method} must take ({', '.join(('self', *arguments))})")
    games: object = made.games
    if not isinstance(games, Mapping):
        raise BotInvalid(f"{name}.games must be a dict of levels by game, {_LIKE}, not {games!r}")
    for game, levels in games.items():
        if game not in KNOWN:
            raise BotInvalid(f"{name}.games names {game!r}, and there is no such game; there is {', '.join(KNOWN)}")
        if isinstance(levels, str) or not _are_names(levels):
            raise BotInvalid(f"{name}.games must have a list of levels for {game}, {_LIKE}, not {levels!r}")
    return games


def _takes(method: object, *arguments: str) -> bool:
    """Whether something can be called with these arguments, in order; what cannot be looked into gets the doubt."""
    if not callable(method):
        return False
    try:
        signature = inspect.signature(method)
    except ValueError:
        return True
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _are_names(levels: object) -> bool:
    return isinstance(levels, Collection) and all(isinstance(level, str) for level in levels)
