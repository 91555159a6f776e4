"""Durak: two matches that differ only in what a viewer may not know give him the same bytes.

Seat 0 leads a six to the viewer, who beats it with an eight; then seats 0 and 2 may throw in.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from support.durak import drawn, stacked
from support.recording import MATCH, Recorder, Stage, compare, recorded, stage
from support.service import Client, guest
from support.tables import views

from croupier.v1 import durak_pb2, games_pb2, matches_pb2
from croupier_convert import action_to_proto
from croupier_engine.durak.model import Action, Beat, Lead, Pass, Throw

DEALER, VIEWER = 2, 1
HANDS = ("6S 7S 9S KD KC AC", "8S TS 9D 8C JD QC", "6C 7C 9C TC JS AD")
Script = Sequence[tuple[int, Action]]
BEGINNING: Script = [(0, Lead(("6S",))), (1, Beat("6S", "8S"))]
FREE = durak_pb2.DurakOptions(throw_order=durak_pb2.DurakThrowOrder.FREE)
TOKEN = durak_pb2.DurakOptions()


def orders(hands: Sequence[str], rest: str = "8D QD") -> list[tuple[int, ...]]:
    """The lot, and a deal of these hands with the seven of hearts under the talon."""
    lot, deal = drawn(DEALER, len(hands)), stacked(hands, DEALER, trump="7H", rest=rest)
    return [lot.order, deal.order]


async def run(
    at: Stage, options: durak_pb2.DurakOptions, dealt: list[tuple[int, ...]], script: Script, *, seated: bool
) -> dict[str, list[bytes]]:
    """What the viewer got of a match that was played so far."""
    await at.clear(dealt)
    players = [await guest(at.over, f"P{seat}") for seat in range(len(HANDS))]
    stranger = await guest(at.over, "Stranger")
    viewer = players[VIEWER] if seated else stranger
    viewer.request = "fixed"
    recorder = Recorder(viewer, at.gateway, action_to_proto("durak", Lead(("AH",))))
    await players[0].create(len(HANDS), game="durak", match_id=MATCH, options=games_pb2.Options(durak=options))
    for player in players[1:]:
        await player.join(MATCH)
    async with recorded(recorder, seated):
        await recorder.caught_up(seated)
        for seat, action in script:
            await play(players, seat, action)
            await recorder.caught_up(seated)
        await recorder.calls()
    return recorder.parts


async def play(players: list[Client], seat: int, action: Action) -> None:
    seen = await views(players, MATCH)
    await players[seat].choose(seen[seat], action=action_to_proto("durak", action))


@pytest.mark.parametrize("options", [TOKEN, FREE], ids=["token", "free"])
async def test_cards_that_others_hold_or_that_lie_in_the_talon_show_nowhere(
    redis_server: Any, options: durak_pb2.DurakOptions
) -> None:
    """Seat 2 could throw a six in, or could not: it lies in the talon; kings and aces change hands."""
    swapped = ("6S 7S 9S AD KC AC", HANDS[1], "8D 7C 9C TC JS KD")
    dealt = [orders(HANDS), orders(swapped, rest="6C QD")]
    async with stage(redis_server) as at:
        for seated in (True, False):
            runs = [await run(at, options, cards, BEGINNING, seated=seated) for cards in dealt]
            compare(*runs, seated=seated)


async def test_a_pass_ahead_shows_nowhere(redis_server: Any) -> None:
    async with stage(redis_server) as at:
        for seated in (True, False):
            scripts: list[Script] = [BEGINNING, [*BEGINNING, (2, Pass())]]
            runs = [await run(at, TOKEN, orders(HANDS), script, seated=seated) for script in scripts]
            compare(*runs, seated=seated)


async def test_a_sealed_answer_shows_nowhere(redis_server: Any) -> None:
    async with stage(redis_server) as at:
        for seated in (True, False):
            answers: list[Action] = [Pass(), Throw(("6C",))]
            runs = [await run(at, FREE, orders(HANDS), [*BEGINNING, (2, answer)], seated=seated) for answer in answers]
            compare(*runs, seated=seated)


async def test_the_comparison_itself_sees_a_difference(redis_server: Any) -> None:
    """The viewer's own card makes a difference, so that the tests above do not compare nothing."""
    other = (HANDS[0], "8S TS 9D 8C JD QD", HANDS[2])
    async with stage(redis_server) as at:
        runs = [
            await run(at, TOKEN, dealt, BEGINNING, seated=True)
            for dealt in (orders(HANDS), orders(other, rest="8D QC"))
        ]
    assert runs[0]["get"] != runs[1]["get"]
    assert runs[0]["sse"] != runs[1]["sse"]
    assert matches_pb2.Match.FromString(runs[0]["get"][0]).you.window.kind == matches_pb2.WindowKind.THROW
