"""Hidden information: two matches that differ only in what a viewer may not know give him the same bytes.

Every channel of a viewer is recorded whole, see support.recording.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from support.recording import MATCH, Recorder, Stage, compare, recorded, stage
from support.service import Client, guest
from support.tables import views

from croupier.v1 import games_pb2, matches_pb2, six_nimmt_pb2

SEATS = 3
VIEWER = 1
TRICKS = 3
CARDS = six_nimmt_pb2.SixNimmtCards
PLACEMENT = six_nimmt_pb2.SixNimmtPlacement
MODES = list(product((CARDS.STANDARD, CARDS.TACTIC, CARDS.LOGIC), (PLACEMENT.NORMAL, PLACEMENT.PROFESSIONAL)))
MODE_NAMES = [f"{CARDS.Value.Name(c)}-{PLACEMENT.Value.Name(p)}".lower() for c, p in MODES]
Choose = Callable[[matches_pb2.Match], int]


def act(**action: Any) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(**action))


@dataclass
class Table:
    """Matches of one mode."""

    stage: Stage
    mode: tuple[int, int]

    async def run(
        self, order: list[int], secret: frozenset[int], hidden: Choose, *, seated: bool
    ) -> dict[str, list[bytes]]:
        """Play some tricks without the secret cards, then choose cards by `hidden`; what the viewer got."""
        await self.stage.clear([tuple(order)])
        cards, placement = self.mode
        options = six_nimmt_pb2.SixNimmtOptions(cards=cards, placement=placement)  # type: ignore[arg-type]
        players = [await guest(self.stage.over, f"P{seat}") for seat in range(SEATS)]
        stranger = await guest(self.stage.over, "Stranger")
        viewer = players[VIEWER] if seated else stranger
        viewer.request = "fixed"
        recorder = Recorder(viewer, self.stage.gateway, act(commit={"card": 0}))
        await players[0].create(SEATS, match_id=MATCH, options=games_pb2.Options(six_nimmt=options))
        await recorder.call("GET", "/v1/matches")
        for player in players[1:]:
            await player.join(MATCH)
        async with recorded(recorder, seated):
            await recorder.caught_up(seated)
            seen = await self._tricks(players, secret, recorder, seated)
            for seat in (0, 2):
                await players[seat].choose(seen[seat], action=act(commit={"card": hidden(seen[seat])}))
                await recorder.caught_up(seated)
            await recorder.calls()
        return recorder.parts

    async def _tricks(
        self, players: list[Client], secret: frozenset[int], recorder: Recorder, seated: bool
    ) -> list[matches_pb2.Match]:
        tricks = 0
        while True:
            seen = await views(players, MATCH)
            window = seen[0].you.window
            choose = window.kind == matches_pb2.WindowKind.CHOOSE
            tricks += choose
            if tricks > TRICKS:
                return seen
            for seat in window.must:
                if choose:
                    card = min(set(seen[seat].you.view.six_nimmt.hand) - secret)
                    await players[seat].choose(seen[seat], action=act(commit={"card": card}))
                else:
                    await players[seat].choose(seen[seat])
                await recorder.caught_up(seated)


def lowest(seen: matches_pb2.Match) -> int:
    return min(seen.you.view.six_nimmt.hand)


def highest(seen: matches_pb2.Match) -> int:
    return max(seen.you.view.six_nimmt.hand)


def deck(mode: tuple[int, int]) -> list[int]:
    """An order in which every hand has low and high cards."""
    order = list(range(104 if mode[0] == CARDS.STANDARD else SEATS * 10 + 4))
    return order[::3] + order[1::3] + order[2::3]


@pytest.mark.parametrize("mode", MODES, ids=MODE_NAMES)
async def test_what_others_have_chosen_shows_nowhere_before_the_reveal(
    redis_server: Any, mode: tuple[int, int]
) -> None:
    async with stage(redis_server) as at:
        table = Table(at, mode)
        for seated in (True, False):
            runs = [await table.run(deck(mode), frozenset(), hidden, seated=seated) for hidden in (lowest, highest)]
            compare(*runs, seated=seated)


@pytest.mark.parametrize("mode", MODES[:4], ids=MODE_NAMES[:4])
async def test_cards_that_others_hold_show_nowhere(redis_server: Any, mode: tuple[int, int]) -> None:
    """A card of seat 0 changes places with one of seat 2, and where there is a stock, another with one of the stock.

    (With the logic deck all hands are public.)
    """
    order = deck(mode)
    swapped = list(order)
    pairs = [(0, 29)] + ([(5, 103)] if len(order) == 104 else [])
    for one, other in pairs:
        swapped[one], swapped[other] = swapped[other], swapped[one]
    secret = frozenset(order[place] + 1 for pair in pairs for place in pair)

    def open_card(seen: matches_pb2.Match) -> int:
        return min(set(seen.you.view.six_nimmt.hand) - secret)

    async with stage(redis_server) as at:
        table = Table(at, mode)
        for seated in (True, False):
            runs = [await table.run(dealt, secret, open_card, seated=seated) for dealt in (order, swapped)]
            compare(*runs, seated=seated)


async def test_the_comparison_itself_sees_a_difference(redis_server: Any) -> None:
    """The viewer's own card makes a difference, so that the tests above do not compare nothing."""
    order = list(range(104))
    other = list(order)
    other[12], other[103] = other[103], other[12]
    async with stage(redis_server) as at:
        table = Table(at, MODES[0])
        runs = [await table.run(dealt, frozenset(), lowest, seated=True) for dealt in (order, other)]
    assert runs[0]["get"] != runs[1]["get"]
    assert runs[0]["sse"] != runs[1]["sse"]
