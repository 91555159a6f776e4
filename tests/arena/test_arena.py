"""Offline play: duplicate deals, faults, and what the house's bots are worth."""

import itertools
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from croupier.v1 import games_pb2, matches_pb2
from croupier_arena import ArenaError, Interval, Report, play_match, run_arena
from croupier_arena.measures import MEASURES
from croupier_bots import Bot, Choice, Choices
from croupier_bots.brains.six_nimmt import Careful, Random
from croupier_engine.dealing import permutation
from croupier_engine.game import Deal
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt import model

GAME = GAMES["six_nimmt"]
SINGLE = GAME.presets["single_deal"].options
MODES = [
    {"cards": cards, "placement": placement}
    for cards, placement in itertools.product(("STANDARD", "TACTIC", "LOGIC"), ("NORMAL", "PROFESSIONAL"))
]
HERE = __name__


class First(Bot):
    """Plays the first choice, and keeps what it is told."""

    def __init__(self) -> None:
        self.match = matches_pb2.Match()
        self.heard: list[matches_pb2.Event] = []
        self.asked: list[matches_pb2.Window] = []
        self.outcome: matches_pb2.Outcome | None = None

    def seated(self, match: matches_pb2.Match) -> None:
        self.match = match

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        self.heard.extend(events)

    def over(self, outcome: matches_pb2.Outcome | None) -> None:
        self.outcome = outcome

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        self.asked.append(window)
        return 0


class Late(Bot):
    async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return window.choices[-1]


class Talker(Bot):
    """Would go on and on."""

    def __init__(self) -> None:
        self.asked = self.ended = 0

    async def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choices:
        self.asked += 1
        try:
            yield window.choices[-1]
            yield 99
        finally:
            self.ended += 1


class Wrong(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 99


class Foreign(Bot):
    """Names an action that is not legal."""

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        action = games_pb2.Action()
        action.six_nimmt.commit.card = 0
        return action


class Muddled(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return {"card": 8}  # type: ignore[return-value]


class Deaf(First):
    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        raise RuntimeError("oh")


class Mute(Bot):
    pass


class Unmade(First):
    def __init__(self) -> None:
        raise KeyError("weights")


class Failing(Bot):
    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        raise RuntimeError("oh")


def run(bots: Sequence[str], deals: int = 4, seed: int = 1, **options: Any) -> Report:
    return run_arena("six_nimmt", None, options, bots, deals, seed)


@pytest.mark.parametrize("options", [*MODES, {"placement": "PROFESSIONAL", "pro_choice": "ALWAYS"}], ids=str)
@pytest.mark.parametrize("seats", [2, 4, 10])
def test_the_house_plays_by_the_rules(options: dict[str, Any], seats: int) -> None:
    bots = ["careful", *["random"] * (seats - 1)]
    assert run(bots, deals=1, **options).faults == 0


@pytest.mark.parametrize("options", MODES, ids=str)
def test_same_seed_same_report(options: dict[str, Any]) -> None:
    bots = ["careful", "random"]
    assert run(bots, deals=2, seed=5, **options) == run(bots, deals=2, seed=5, **options)
    assert run(bots, deals=2, seed=5, **options) != run(bots, deals=2, seed=6, **options)


@pytest.mark.parametrize("deals", [60, pytest.param(500, marks=pytest.mark.soak)])
def test_careful_takes_at_most_60_percent_of_the_bullheads_of_random(deals: int) -> None:
    report = run(["careful", "random", "random", "random"], deals=deals, seed=7)
    careful, *others = (bot.amount.mean for bot in report.bots)
    assert report.deals == deals
    assert report.faults == 0
    assert careful <= 0.6 * sum(others) / 3
    assert report.bots[0].difference.high is not None
    assert report.bots[0].difference.high < 0


@pytest.mark.parametrize("options", MODES, ids=str)
def test_careful_is_better_than_random_in_every_mode(options: dict[str, Any]) -> None:
    careful, *others = (bot.amount.mean for bot in run(["careful", "random", "random"], deals=24, **options).bots)
    assert careful < 0.75 * sum(others) / 2


def test_a_bot_hears_what_a_server_would_tell_it() -> None:
    bots = [First(), First()]
    played = play_match(GAME, SINGLE, bots, bytes(32), "m")
    assert [bot.match.you.seat for bot in bots] == [0, 1]
    assert bots[0].match.id == "m"
    assert bots[0].match.options.six_nimmt.deals == 1
    assert [event.sequence for event in bots[0].heard] == list(range(1, len(played.events) + 2))
    assert bots[0].heard[0].type == "match.started"
    assert [event.type for event in bots[0].heard[1:]] == [event.type for event in played.events]
    own = next(event for event in bots[1].heard if event.type == "six_nimmt.dealt").six_nimmt.dealt
    assert list(own.hand) == sorted(own.hand)
    assert len(own.hand) == 10
    commits = [event.six_nimmt.committed for event in bots[0].heard if event.type == "six_nimmt.committed"]
    assert {(commit.seat, commit.HasField("card")) for commit in commits} == {(0, True), (1, False)}
    assert bots[0].asked[0].kind == matches_pb2.WindowKind.CHOOSE
    assert list(bots[0].asked[0].actions) == ["commit"]
    assert len(bots[0].asked[0].choices) == 10
    assert bots[0].outcome is not None
    assert tuple(bots[0].outcome.scores) == played.outcome.scores


def test_the_same_deals_from_every_seat() -> None:
    hands = []
    for seed in (bytes(32), bytes(32), bytes([1] * 32)):
        played = play_match(GAME, SINGLE, [First(), First()], seed)
        dealt = next(event for event in played.events if isinstance(event.public, model.Dealt))
        hands.append([dealt.seen_by(seat) for seat in (0, 1)])
    assert hands[0] == hands[1] != hands[2]
    report = run([f"{HERE}:First"] * 3, deals=3)
    # One bot under three names, each once in each seat of one shuffle: no difference is left.
    assert {bot.amount.mean for bot in report.bots} == {report.bots[0].amount.mean}
    assert report.bots[0].difference.mean == pytest.approx(0)
    assert report.bots[0].difference.low is None


def test_options_as_rest_has_them() -> None:
    own = run(["random", "random"], deals=2, cards="TACTIC", start_credit=10)
    wrapped = run(["random", "random"], deals=2, sixNimmt={"cards": "TACTIC", "startCredit": 10})
    assert own == wrapped
    assert own.options["cards"] == "TACTIC"


@pytest.mark.parametrize(("text", "word"), [("import nowhere_at_all", "nowhere_at_all"), ("class A(:", "SyntaxError")])
def test_a_module_that_fails_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, word: str
) -> None:
    name = f"failing_{word.lower()}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ArenaError, match=rf"{word}.*{name}.py, line 1"):
        run([f"{name}:A", "random"])


def test_deals_are_rounded_up_to_whole_rotations() -> None:
    report = run(["random", "random", "random"], deals=4)
    assert (report.shuffles, report.asked, report.matches, report.deals) == (2, 4, 6, 6)
    assert "4 were asked for, 6 are played" in report.to_text()
    assert "asked" not in run(["random", "random"], deals=4).to_text()
    assert sum(bot.wins for bot in report.bots) == pytest.approx(1)


def test_a_full_match_counts_its_deals() -> None:
    report = run_arena("six_nimmt", "full_match", {}, ["random", "random"], 2, 1)
    assert report.deals > report.matches == 2


def test_a_bot_that_thinks_long_may_await() -> None:
    assert run([f"{HERE}:Late", "random"]).faults == 0


@pytest.mark.parametrize(
    ("bot", "problem"),
    [
        ("Wrong", "CHOICE_OUT_OF_RANGE: There is no choice 99; this window has 10 choices"),
        ("Foreign", "CARD_NOT_HELD: You do not hold 0"),
        ("Failing", "CHOOSE: RuntimeError: oh"),
        ("Muddled", "CHOOSE: choose must return an index or an Action, not dict"),
        ("Deaf", "events: RuntimeError: oh"),
    ],
)
def test_faults_are_reported_and_the_play_goes_on(bot: str, problem: str) -> None:
    report = run([f"{HERE}:{bot}", "random"], deals=2)
    faulty, fine = report.bots
    assert faulty.faults >= 20
    assert fine.faults == 0
    assert problem in str(faulty.first_fault)
    assert problem in report.to_text()


def test_every_game_is_measured_that_is_not_played_against_the_clock() -> None:
    assert set(GAMES) - set(MEASURES) == {"freedom_of_speech"}


def test_of_several_answers_the_first_one_counts() -> None:
    talker = Talker()
    bots = [First(), talker]
    for bot in bots:
        bot.random = random.Random(1)
    played = play_match(GAME, SINGLE, bots, bytes(32))
    assert not played.faults
    assert talker.asked == talker.ended > 0


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    run_arena("six_nimmt", None, {}, ["random", "random"], 3, 1, lambda done, of: told.append((done, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"game": "whist"}, "no game whist; there is six_nimmt"),
        ({"game": "freedom_of_speech"}, "against the clock, .*; it plays six_nimmt, durak"),
        ({"preset": "long"}, "full_match"),
        ({"options": {"cards": "TAROT"}}, 'cards is one of STANDARD, TACTIC, LOGIC, not "TAROT"'),
        ({"options": {"cards": 17}}, "cards is one of STANDARD, TACTIC, LOGIC, not 17"),
        ({"options": {"sixNimmt": {"cards": 17}}}, "cards is one of STANDARD, TACTIC, LOGIC, not 17"),
        ({"options": {"sixNimmt": 3}}, "sixNimmt is an object of options, not 3"),
        ({"options": {"whist": {}}}, "no option whist; it has cards, placement"),
        ({"options": {"colour": 1}}, "no option colour; it has cards, placement, .*startCredit"),
        ({"options": {"start_credit": 0}}, "startCredit"),
        ({"options": {"startCredit": "x"}}, 'startCredit is a whole number from 1 to 1000, not "x"'),
        ({"options": {"deals": 1.5}}, "deals is a whole number from 1 to 100, not 1.5"),
        ({"options": {"deals": 10**14}}, "deals is a whole number from 1 to 100, not 1"),
        ({"options": {"recommit": [1]}}, "recommit is true or false, not .1.$"),
        ({"bots": ["random"]}, "six_nimmt is played by 2 to 10 players, not by 1"),
        ({"bots": ["random", "clever"]}, "clever"),
        ({"bots": ["random", "no_such_module:Bot"]}, "no_such_module"),
        ({"bots": ["random", "random:Bot"]}, "random:Bot"),
        ({"bots": ["random", ":Bot"]}, ":Bot"),
        ({"bots": ["random", "my/bot.py:Bot"]}, "my.bot:Bot, not my/bot.py:Bot"),
        ({"bots": ["random", f"{HERE}:GAME"]}, "GAME"),
        ({"bots": ["random", f"{HERE}:Mute"]}, "Mute has no choose"),
        ({"bots": ["random", f"{HERE}:Unmade"]}, "Unmade cannot be made: KeyError: 'weights' .*test_arena.py, line"),
        ({"deals": 0}, "deal"),
    ],
)
def test_a_run_that_cannot_be_made(change: dict[str, Any], word: str) -> None:
    asked: dict[str, Any] = {
        "game": "six_nimmt",
        "preset": None,
        "options": {},
        "bots": ["random"] * 2,
        "deals": 1,
        "seed": 1,
    }
    with pytest.raises(ArenaError, match=word) as problem:
        run_arena(**(asked | change))
    assert not re.search(r"protobuf|Options\.|\(\"|\('|\n", str(problem.value)), "neither Python's words nor protobuf's"


def test_a_report_as_json_and_text() -> None:
    report = run(["careful", "random"], deals=4, placement="PROFESSIONAL")
    said = json.loads(report.to_json())
    assert said["game"] == "six_nimmt"
    assert said["preset"] == "single_deal"
    assert said["options"]["placement"] == "PROFESSIONAL"
    assert said["unit"] == "bullheads per deal"
    assert [bot["name"] for bot in said["bots"]] == ["careful", "random"]
    assert said["bots"][0]["amount"]["low"] <= said["bots"][0]["amount"]["mean"]
    assert "careful" in report.to_text()
    assert "-" in run(["random", "random"], deals=1).to_text()


@pytest.mark.parametrize(("count", "quantile"), [(2, 12.706), (3, 4.303), (4, 3.182), (11, 2.228), (101, 1.984)])
def test_intervals_are_students(count: int, quantile: float) -> None:
    samples = [float(number % 2) for number in range(count)]
    interval = Interval.of(samples)
    assert interval.high is not None
    mean = sum(samples) / count
    spread = (sum((sample - mean) ** 2 for sample in samples) / (count - 1) / count) ** 0.5
    assert (interval.high - mean) / spread == pytest.approx(quantile, rel=0.005)


def test_chance_is_the_servers_own() -> None:
    """The arena's deals are those of a server whose match has this seed and this id."""
    dealt: list[tuple[int, ...]] = []

    class Watched(type(GAME)):  # type: ignore[misc]
        def apply(self, state: Any, command: Any) -> Any:
            if isinstance(command, Deal):
                dealt.append(command.order)
            return super().apply(state, command)

    play_match(Watched(), SINGLE, _seeded([Careful(), Random()]), bytes(32), "m")
    assert dealt == [permutation(bytes(32), "m", 0, 104)]


def _seeded(bots: list[Bot]) -> list[Bot]:
    for bot in bots:
        bot.random = random.Random(1)
    return bots


class Declining(Bot):
    """Declines wherever it may, and notes what it was asked."""

    def __init__(self) -> None:
        self.seat = 0
        self.asked: list[tuple[str, bool, str]] = []

    def seated(self, match: matches_pb2.Match) -> None:
        self.seat = match.you.seat

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice | None:
        must = self.seat in window.must
        self.asked.append((window.id, must, str(list(window.choices))))
        return 0 if must else None


def test_seats_that_may_act_are_asked_once_and_may_decline() -> None:
    bots = [Declining() for _ in range(4)]
    played = play_match(GAMES["durak"], GAMES["durak"].presets["house"].options, _seeded(list(bots)), bytes(32))
    assert not played.faults
    declined = [asked for bot in bots for asked in bot.asked if not asked[1]]
    assert declined
    for bot in bots:
        assert len(set(bot.asked)) == len(bot.asked), "the same question is asked once"


def test_who_must_act_cannot_decline() -> None:
    class Mute(Bot):
        def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice | None:
            return None

    played = play_match(GAME, SINGLE, _seeded([Mute(), First()]), bytes(32))
    assert "choose must return an index or an Action, not None" in played.faults[0].problem


def test_durak_is_played_with_its_options_by_every_number_of_seats() -> None:
    report = run_arena("durak", "b_transfer", {"deck": 54, "games": 2}, ["careful", *["random"] * 4], 5, 2)
    assert report.unit == "games lost per game"
    assert report.deals == 10
    assert report.options["kind"] == "PEREVODNOY"
    assert not report.faults
