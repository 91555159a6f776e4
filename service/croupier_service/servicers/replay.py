"""A replay as a message."""

import croupier_convert
from croupier.v1 import matches_pb2
from croupier_convert.commands import command_to_proto
from croupier_service.reading import ReplayView
from croupier_service.servicers.present import outcome, stand_in, timestamp


def message(view: ReplayView) -> matches_pb2.Replay:
    """Everything that happened in a match that is over."""
    return matches_pb2.Replay(
        match=view.match,
        game=view.game,
        rules_version=view.rules_version,
        options=croupier_convert.options_to_proto(view.game, view.options),
        seats=view.seats,
        commitment=view.commitment,
        seed=view.seed.hex(),
        deal_scheme=view.deal_scheme,
        log=[command_to_proto(view.game, sequence, command) for sequence, command in view.log],
        start_time=timestamp(view.started_at),
        stand_in=stand_in(view.stand_in),
        outcome=outcome(view.outcome),
    )
