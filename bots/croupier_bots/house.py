"""The house's bots: some players of each level, each an ordinary guest with a stream of its own."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from croupier_bots.brains import BRAINS
from croupier_bots.client import CAPACITY, Offers, Server
from croupier_bots.errors import UnknownLevel
from croupier_bots.guests import TokenFile, run_guest

EACH = 10  # players of a level: a player sits in a match but once, so a table of ten with nine bots needs nine
LEVELS = tuple(dict.fromkeys(level for brains in BRAINS.values() for level in brains))


async def run_house(
    server: Server,
    levels: Iterable[str] = LEVELS,
    *,
    token_file: str | Path | None = None,
    each: int = EACH,
    capacity: int = CAPACITY,
    seed: int | None = None,
    ready: Callable[[int], None] = lambda players: None,
) -> None:
    """Run `each` players of every level, until cancelled.

    `token_file`: where their tokens are kept, so that a restarted process comes back as the same players and goes on
    with their matches. `capacity`: matches at a time for each player. `ready` is called once, with the number of
    players, when the server has taken all their offers. Raises BotStopped, TokenFileInvalid, UnknownLevel.
    """
    names = {f"{level} {number}": level for level in levels for number in range(1, each + 1)}
    unknown = set(names.values()) - set(LEVELS)
    if unknown:
        raise UnknownLevel(f"there is no level {', '.join(sorted(unknown))}; there are {', '.join(LEVELS)}")
    tokens = TokenFile(token_file) if token_file is not None else None
    waited_for = set(names)

    def welcomed(name: str) -> None:
        if name in waited_for:
            waited_for.discard(name)
            if not waited_for:
                ready(len(names))

    players = [
        asyncio.create_task(run_guest(offers(level, capacity, seed), server, name, tokens, partial(welcomed, name)))
        for name, level in names.items()
    ]
    try:
        await asyncio.gather(*players)
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


def offers(level: str, capacity: int = CAPACITY, seed: int | None = None) -> Offers:
    """All games that have a bot of this level."""
    brains = {game: kinds[level] for game, kinds in BRAINS.items() if level in kinds}
    return Offers(dict.fromkeys(brains, (level,)), lambda match: brains[match.game](), capacity, seed, quiet=True)
