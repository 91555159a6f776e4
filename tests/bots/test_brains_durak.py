"""The house's bots for Durak: always legal, in every kind of game, and worth what they cost."""

import contextlib
import itertools
import random
from collections.abc import Awaitable, Sequence

import pytest
from support.durak import position, script
from support.durak_bots import Knowing
from support.plain_durak import Plain

from croupier.v1 import matches_pb2
from croupier_arena import play_match, run_arena
from croupier_bots import Bot
from croupier_bots.brains import BRAINS, durak
from croupier_bots.brains.durak_cards import NAMES, PACKS, beaters, cards_of, hand_of, rank, ranks_in, suit, trumps
from croupier_bots.brains.durak_endgame import Bout, Endgame, Rules, TooMuch
from croupier_convert import action_to_proto, options_to_proto, view_to_proto
from croupier_engine import cards
from croupier_engine.durak.model import State
from croupier_engine.durak.options import Kind, Options, ThrowOrder, ThrowTiming
from croupier_engine.durak.questions import beats
from croupier_engine.game import Act
from croupier_engine.registry import GAMES

GAME = GAMES["durak"]
THROW_IN = Rules("H")


def made(*kinds: type[Bot]) -> Sequence[Bot]:
    bots = [kind() for kind in kinds]
    for number, bot in enumerate(bots):
        bot.random = random.Random(number)
    return bots


@pytest.mark.parametrize("level", BRAINS["durak"])
@pytest.mark.parametrize(
    ("people", "claim", "remaining", "waits"),
    [
        (True, True, 0, True),
        (True, True, 60, True),
        (True, True, 5, False),
        (True, False, 0, False),
        (False, True, 0, False),
    ],
)
async def test_a_lead_waits_while_people_can_claim(
    monkeypatch: pytest.MonkeyPatch, level: str, people: bool, claim: bool, remaining: int, waits: bool
) -> None:
    monkeypatch.setattr(durak, "CLAIM_TIME", 3.0 if not waits else 0.01)
    state = position(["6S 7S", "8S 9S"], trump="D")
    bot = BRAINS["durak"][level]()
    bot.random = random.Random(1)
    seats = [matches_pb2.Seat(bot=True), matches_pb2.Seat(bot=not people)]
    options = options_to_proto("durak", state.options)
    bot.seated(matches_pb2.Match(options=options, you=matches_pb2.You(seat=0), seats=seats))
    choices = [action_to_proto("durak", choice) for choice in GAME.choices(state, 0) or ()]
    window = matches_pb2.Window(kind=matches_pb2.WindowKind.LEAD, must=[0], choices=choices)
    if claim:
        window.choices.add().durak.claim.SetInParent()
    if remaining:
        window.remaining.FromSeconds(remaining)
    chosen = bot.choose(view_to_proto("durak", GAME.view(state, 0)), window)
    assert isinstance(chosen, Awaitable) == waits
    assert (await chosen if isinstance(chosen, Awaitable) else chosen) in range(len(window.choices))


@pytest.mark.parametrize("preset", GAME.presets)
def test_every_preset_is_played_without_a_fault(preset: str) -> None:
    for seats in {min(GAME.presets[preset].seats), max(GAME.presets[preset].seats)}:
        kinds = [BRAINS["durak"][level] for level in ("careful", "random", "careful", "random", "careful", "careful")]
        played = play_match(GAME, GAME.presets[preset].options, made(*kinds[:seats]), seed=bytes(32))
        assert not played.faults


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        (Options(teams=2), 4),
        (Options(teams=2, deck=54), 6),
        (Options(deck=54), 3),
        (Options(Kind.PEREVODNOY, deck=54), 8),
        (Options(Kind.PEREVODNOY, deck=52, transfer_after_beat=True), 2),
        (Options(throw_order=ThrowOrder.FREE), 4),
        (Options(throw_timing=ThrowTiming.ANYTIME), 4),
        (Options(Kind.PROSTOY), 2),
        (Options(throw_after_take=False, games=3), 2),
    ],
)
def test_every_kind_of_table_is_played_without_a_fault(options: Options, seats: int) -> None:
    for seed in (1, 2):
        kinds = [kind for kind, _ in zip(itertools.cycle(BRAINS["durak"].values()), range(seats), strict=False)]
        assert not play_match(GAME, options, made(*kinds), seed=bytes([seed]) * 32).faults


def test_careful_beats_random_and_the_plain_player() -> None:
    """Some games only; `croupier arena` over 2,000 says 0.99 and 0.66."""
    plain = f"{Plain.__module__}:{Plain.__name__}"
    for other, least in (("random", 0.9), (plain, 0.5)):
        report = run_arena("durak", None, {}, ["careful", other], 60, 11)
        assert not report.faults
        assert report.bots[0].wins >= least


def test_cards_are_those_of_the_engine() -> None:
    assert list(NAMES) == list(cards.pack(54))
    assert list(cards_of(PACKS[36])) == [NAMES.index(card) for card in cards.pack(36)]
    for number, name in enumerate(NAMES):
        assert suit(number) == cards.suit(name)
        assert rank(number) == cards.value(name)
        assert bool(trumps("H") >> number & 1) == (cards.suit(name) == "H")
        for other, attack in enumerate(NAMES):
            if name != attack:
                assert bool(beaters(other, "H") >> number & 1) == beats(name, attack, "H")
    assert ranks_in(hand_of(["6S"])) == hand_of(["6S", "6C", "6D", "6H"])


def reckoned(own: str, theirs: str, rules: Rules = THROW_IN) -> tuple[str, list[str], int]:
    (kind, cards_laid), worth = Endgame(rules).best(Bout(hand_of(own.split()), hand_of(theirs.split())))
    return kind, [NAMES[card] for card in cards_of(cards_laid)], worth


def test_the_end_is_reckoned_to_the_last_card() -> None:
    assert reckoned("9S", "TS") == ("lead", ["9S"], 0)  # a draw [8.5]
    assert reckoned("9S", "TS KD")[2] == 1
    # The ten that beats the nine lets the other ten be thrown in.
    assert reckoned("9S TC", "TS 6D 7D")[2] == 1
    assert reckoned("6S 7S", "8H AH")[2] == -1


def test_reckoning_agrees_with_the_engine() -> None:
    """Both sides play by it from small positions: what comes out is what it said."""
    chance = random.Random(4)
    for _ in range(60):
        pack = chance.sample(cards.pack(36), 7)
        own, theirs = pack[:3], pack[3:]
        gone = [card for card in cards.pack(36) if card not in pack]
        state = position([" ".join(own), " ".join(theirs)], discard=" ".join(gone))
        _, worth = Endgame(THROW_IN).best(Bout(hand_of(own), hand_of(theirs)))
        places = played_out(state)
        assert worth == (places[0] < places[1]) - (places[0] > places[1]), (own, theirs)


def played_out(state: State) -> tuple[int, ...]:
    """Both seats are careful bots that know all cards."""
    bots = [Knowing(state, seat) for seat in (0, 1)]
    while (awaiting := GAME.awaiting(state)) is not None:
        seat = awaiting.must[0]
        step = GAME.apply(state, Act(seat, bots[seat].act(state, awaiting.kind), 0))
        state = step.state
        for bot in bots:
            bot.hear(step.events)
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.places


def test_too_much_is_left_to_good_sense() -> None:
    everything = list(cards_of(PACKS[36]))
    one, other = (sum(1 << card for card in half) for half in (everything[::3], everything[1::3]))
    with pytest.raises(TooMuch):
        Endgame(THROW_IN, budget=20).best(Bout(one, other))


def test_attacks_that_go_to_and_fro_without_end_are_left_alone() -> None:
    """With transfers the same position may come again and again."""
    rules = Rules("H", single=True, transfers=True)
    chance = random.Random(2)
    for _ in range(40):
        pack = chance.sample(list(cards_of(PACKS[36])), 10)
        own, theirs = (sum(1 << card for card in half) for half in (pack[:5], pack[5:]))
        with contextlib.suppress(TooMuch):
            Endgame(rules).best(Bout(own, theirs))


def test_nobody_throws_at_a_mate() -> None:
    state = script(position(["6S 7C", "9S 8D", "6C 6D", "AS AC"], Options(teams=2)), "0 lead 6S", "1 beat 6S 9S")
    assert GAME.choices(state.state, 3) == []
