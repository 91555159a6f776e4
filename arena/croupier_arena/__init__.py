"""Offline play: the same bots that connect to a server, against the engine itself, without a network."""

from croupier_arena.errors import ArenaError
from croupier_arena.report import BotResult, Interval, Report
from croupier_arena.run import run_arena
from croupier_arena.table import Played, play_match

__all__ = ["ArenaError", "BotResult", "Interval", "Played", "Report", "play_match", "run_arena"]
