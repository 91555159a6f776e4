"""Write a bot, connect it, and let it play any number of matches: docs/bots.md.

Bots are ordinary players and talk gRPC only.
"""

from croupier.v1.games_pb2 import Action, View
from croupier.v1.matches_pb2 import Event, Match, Outcome, Window
from croupier_bots.bot import Bot, Choice, Choices
from croupier_bots.client import Server, Timing, run
from croupier_bots.errors import (
    AddressInvalid,
    BotError,
    BotInvalid,
    BotStopped,
    Replaced,
    TokenFileInvalid,
    Unauthenticated,
    UnknownLevel,
)
from croupier_bots.guests import TokenFile, guest
from croupier_bots.runner import main

__all__ = [
    "Action",
    "AddressInvalid",
    "Bot",
    "BotError",
    "BotInvalid",
    "BotStopped",
    "Choice",
    "Choices",
    "Event",
    "Match",
    "Outcome",
    "Replaced",
    "Server",
    "Timing",
    "TokenFile",
    "TokenFileInvalid",
    "Unauthenticated",
    "UnknownLevel",
    "View",
    "Window",
    "guest",
    "main",
    "run",
]
