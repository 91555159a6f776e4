"""What happens to a match, whatever the game, in words."""

from croupier.v1 import matches_pb2
from croupier_cli.tables.table import Scene

# What belongs into the story of a match under way.
NEWS = frozenset({"timed_out", "barred", "resigned", "absent", "stood_in", "returned", "credited"})
_ABANDONED = {"EXPIRED": "nobody came in time", "EMPTY": "the last player left"}


def told(scene: Scene, event: matches_pb2.Event) -> str:
    """An event of the match in a line."""
    happened = event.match
    match happened.WhichOneof("event"):
        case "created":
            return "the table was opened"
        case "joined":
            joined = happened.joined
            return f"{joined.display_name} took seat {joined.seat}{' (a bot)' if joined.bot else ''}"
        case "left":
            return f"seat {happened.left.seat} is free again"
        case "started":
            return f"play begins, with {len(happened.started.players)} players"
        case "timed_out":
            return f"out of time: {scene.names(happened.timed_out.seats)}; the clock plays"
        case "resigned":
            return f"{scene.name(happened.resigned.seat)} gave up"
        case "barred":
            return f"{scene.name(happened.barred.seat)} sent too many illegal acts; the clock plays"
        case "absent":
            absent = happened.absent
            seconds = round((absent.stand_in_time.ToMilliseconds() - event.time.ToMilliseconds()) / 1000)
            return f"{scene.name(absent.seat)} is away; a bot takes over in {seconds} s"
        case "stood_in":
            return f"{happened.stood_in.display_name} plays for {scene.name(happened.stood_in.seat)}"
        case "returned":
            return f"{scene.name(happened.returned.seat)} is back"
        case "credited":
            pause = happened.credited.credit_duration.ToMilliseconds() / 1000
            return f"the server paused; every clock was set back by {pause:g} s"
        case "over":
            return f"the match is over: {standing(scene, happened.over.outcome)}"
        case "abandoned":
            return f"the table was closed: {_ABANDONED.get(happened.abandoned.reason, happened.abandoned.reason)}"
    return event.type


def standing(scene: Scene, outcome: matches_pb2.Outcome) -> str:
    """A result in a line: 1. Ann 60, 2. Bea 51."""
    order = sorted(range(len(outcome.places)), key=lambda seat: (outcome.places[seat], seat))
    return ", ".join(f"{outcome.places[seat]}. {scene.name(seat)} {outcome.scores[seat]}" for seat in order)
