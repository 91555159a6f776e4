"""What anybody can check of a match that is over."""

from croupier.v1 import matches_pb2
from croupier_convert import options_from_proto
from croupier_convert.commands import command_from_proto
from croupier_engine import dealing
from croupier_engine.registry import GAMES
from croupier_engine.replay import replay


def check_replay(message: matches_pb2.Replay, commitment: str) -> None:
    """Every deal follows from the seed, and playing the log again gives the same result."""
    seed = bytes.fromhex(message.seed)
    assert dealing.commitment(seed) == message.commitment == commitment
    deals = [tuple(entry.deal.order) for entry in message.log if entry.HasField("deal")]
    for index, order in enumerate(deals):
        assert order == dealing.permutation(seed, message.match, index, len(order))
    game = GAMES[message.game]
    options = options_from_proto(game, message.options, game.options())
    commands = [command_from_proto(message.game, entry) for entry in message.log]
    start = message.start_time.ToMilliseconds()
    *_, last = replay(game, options, len(message.seats), start, commands)
    outcome = game.outcome(last.state)
    assert outcome is not None
    assert list(outcome.places) == list(message.outcome.places)
    assert list(outcome.scores) == list(message.outcome.scores)
