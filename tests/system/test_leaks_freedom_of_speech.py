"""Freedom of Speech: two matches that differ only in what a viewer may not know give him the same bytes.

Seat 0 gives, seat 2 guesses wrongly, seats 1 and 3 are their opponents. The word has been drawn, and a clue was given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from support.recording import MATCH, Recorder, Stage, compare, recorded, stage
from support.service import guest
from support.spoken_words import made_up, options
from support.tables import views

from croupier.v1 import games_pb2
from croupier_convert import action_to_proto
from croupier_engine.freedom_of_speech.model import STEPS, Action, Clue, Guess, Start

GIVER, OPPONENT, GUESSER = 0, 1, 2
SPECTATOR = None
CARDS = 20
WORDS, OTHER_WORDS = (made_up(CARDS, Random(seed)) for seed in (1, 2))
DECK = tuple(range(CARDS))
SWAPPED = (7, *range(1, 7), 0, *reversed(range(8, CARDS)))  # another card is open, and the deck has another order
SCRIPT: Sequence[tuple[int, Action]] = [
    (GIVER, Start()),
    (GIVER, Clue("number one")),
    (GUESSER, Guess("no idea")),
    (GIVER, Clue("and so on")),
]
BOMB = {"timerMinDuration": "3s", "timerMaxDuration": "9s"}


@dataclass(frozen=True)
class Truth:
    """What a match has in it."""

    words: list[str]
    deck: tuple[int, ...]
    timer: int = 0  # of a random one, its length from 0 to 120


FIRST, SECOND = Truth(WORDS, DECK), Truth(WORDS, SWAPPED)


async def run(at: Stage, truth: Truth, viewer: int | None, **more: Any) -> dict[str, list[bytes]]:
    """What the viewer got of a match that was played so far."""
    timer = (truth.timer, *(step for step in range(STEPS) if step != truth.timer))
    await at.clear([(0, 1), truth.deck, timer])
    players = [await guest(at.over, f"P{seat}") for seat in range(4)]
    stranger = await guest(at.over, "Stranger")
    watching = stranger if viewer is None else players[viewer]
    watching.request = "fixed"
    # Neither a guesser nor an opponent nor a spectator gives clues; the giver does not guess.
    wrong: Action = Guess("no idea") if viewer == GIVER else Clue("number two")
    recorder = Recorder(watching, at.gateway, action_to_proto("freedom_of_speech", wrong))
    how = ParseDict(options(truth.words, **more), games_pb2.Options())
    await players[0].create(4, game="freedom_of_speech", match_id=MATCH, options=how)
    for player in players[1:]:
        await player.join(MATCH)
    seated = viewer is not None
    async with recorded(recorder, seated):
        await recorder.caught_up(seated)
        for seat, action in SCRIPT:
            seen = await views(players, MATCH)
            await players[seat].choose(seen[seat], action=action_to_proto("freedom_of_speech", action))
            await recorder.caught_up(seated)
        await recorder.calls()
    return recorder.parts


VIEWERS = pytest.mark.parametrize("viewer", [GUESSER, SPECTATOR], ids=["guesser", "spectator"])


@VIEWERS
async def test_the_word_and_the_order_of_the_deck_show_nowhere(redis_server: Any, viewer: int | None) -> None:
    async with stage(redis_server) as at:
        runs = [await run(at, truth, viewer) for truth in (FIRST, SECOND)]
        compare(*runs, seated=viewer is not None)


async def test_an_opponent_who_may_not_see_the_card_does_not(redis_server: Any) -> None:
    async with stage(redis_server) as at:
        runs = [await run(at, truth, OPPONENT, opponentsSeeCard=False) for truth in (FIRST, SECOND)]
        compare(*runs, seated=True)


@VIEWERS
async def test_a_list_of_one_s_own_shows_nowhere(redis_server: Any, viewer: int | None) -> None:
    async with stage(redis_server) as at:
        runs = [await run(at, truth, viewer) for truth in (FIRST, Truth(OTHER_WORDS, DECK))]
        compare(*runs, seated=viewer is not None)


@pytest.mark.parametrize("viewer", [GIVER, GUESSER, SPECTATOR], ids=["giver", "guesser", "spectator"])
async def test_the_length_of_a_random_timer_shows_nowhere(redis_server: Any, viewer: int | None) -> None:
    async with stage(redis_server) as at:
        runs = [await run(at, Truth(WORDS, DECK, timer), viewer, **BOMB) for timer in (3, 90)]
        compare(*runs, seated=viewer is not None)


async def test_the_comparison_itself_sees_a_difference(redis_server: Any) -> None:
    """The giver, and opponents who may see it, are told the word; so the tests above do not compare nothing."""
    async with stage(redis_server) as at:
        for viewer in (GIVER, OPPONENT):
            one, other = [await run(at, truth, viewer) for truth in (FIRST, SECOND)]
            for part in ("get", "events", "sse", "watch", "play", f"GET /v1/matches/{MATCH}"):
                assert one[part] != other[part], part
                joined = [b"".join(parts[part]) for parts in (one, other)]
                assert [WORDS[0].encode() in data for data in joined] == [True, False]
                assert [WORDS[7].encode() in data for data in joined] == [False, True]
