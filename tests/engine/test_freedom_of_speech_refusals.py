"""What Freedom of Speech refuses: nothing changes, the reason is a stable name, and no word is told."""

from typing import Any

import pytest
from msgspec.structs import replace
from support.freedom_of_speech import ELEPHANT, GAME, NOW, act, position, refusal, refused, script, some_words, told

from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, option_name
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import Accept, Action, Clue, Flag, Guess, Phase, Skip, Start, WriteRule
from croupier_engine.freedom_of_speech.options import ForfeitMode, Judge, Language, Level, Options, TurnMode, Word
from croupier_engine.game import Act, Command, Credit, Deal, Resign, Tick

CLUE = position(won=(0, 2))
READY = position(phase=Phase.READY)
HEARD = position(Options(judge=Judge.GIVER))
GIVEN = act(CLUE, "0 clue grey").state
CAUGHT = script(position(Options(forfeit_mode=ForfeitMode.RULE)), "tick").state
MINE = {"actions": "start"}

REFUSED: list[tuple[str, Any, str, Reason, dict[str, str]]] = [
    ("a guess by an opponent", CLUE, "1 guess elephant", Reason.NOT_YOUR_PART, {"action": "guess"}),
    ("a guess by the giver", CLUE, "0 guess elephant", Reason.NOT_YOUR_PART, {"action": "guess"}),
    ("a clue by a guesser", CLUE, "2 clue grey", Reason.NOT_YOUR_PART, {"action": "clue"}),
    ("a clue by an opponent", CLUE, "3 clue grey", Reason.NOT_YOUR_PART, {"action": "clue"}),
    ("a skip by a guesser", CLUE, "2 skip", Reason.NOT_YOUR_PART, {"action": "skip"}),
    ("a skip by an opponent with cards", CLUE, "1 skip", Reason.NOT_YOUR_PART, {"action": "skip"}),
    ("a skip at score 0", CLUE, "0 skip", Reason.SKIP_WITHOUT_CARDS, {}),
    ("accepting where letters judge", CLUE, "0 accept", Reason.WRONG_ACTION, {"actions": "clue"}),
    ("accepting by a guesser", HEARD, "2 accept", Reason.NOT_YOUR_PART, {}),
    ("a start by a guesser", READY, "2 start", Reason.NOT_YOUR_PART, {"action": "start"}),
    ("a start by an opponent", READY, "1 start", Reason.NOT_YOUR_PART, {"action": "start"}),
    ("a second start", position(won=(1, 0)), "0 start", Reason.WRONG_ACTION, {"actions": "clue, skip"}),
    ("a second start", HEARD, "0 start", Reason.WRONG_ACTION, {"actions": "clue, accept"}),
    ("a clue before the start", READY, "0 clue grey", Reason.WRONG_ACTION, MINE),
    ("a guess before the start", READY, "2 guess elephant", Reason.WRONG_ACTION, MINE),
    ("a skip before the start", READY, "0 skip", Reason.WRONG_ACTION, MINE),
    ("accepting before the start", READY, "0 accept", Reason.WRONG_ACTION, MINE),
    ("a flag of no clue", CLUE, "1 flag 1", Reason.CLUE_UNKNOWN, {"clue": "1"}),
    ("a flag of clue 0", GIVEN, "1 flag 0", Reason.CLUE_UNKNOWN, {"clue": "0"}),
    ("a flag of clue -1", GIVEN, "1 flag -1", Reason.CLUE_UNKNOWN, {"clue": "-1"}),
    ("a flag of a later clue", GIVEN, "1 flag 2", Reason.CLUE_UNKNOWN, {"clue": "2"}),
    ("a flag by a team-mate", GIVEN, "2 flag 1", Reason.NOT_YOUR_PART, {"action": "flag"}),
    ("a flag of one's own", GIVEN, "0 flag 1", Reason.NOT_YOUR_PART, {"action": "flag"}),
    ("a second flag", act(GIVEN, "1 flag 1").state, "1 flag 1", Reason.FLAGGED_ALREADY, {"clue": "1"}),
    ("a rule where there are none", READY, "1 rule no hands", Reason.NOT_YOUR_PART, {"action": "writeRule"}),
    ("a rule by those caught", CAUGHT, "2 rule no hands", Reason.NOT_YOUR_PART, {"action": "writeRule"}),
    ("a rule while the timer runs", CLUE, "1 rule no hands", Reason.NOT_YOUR_PART, {"action": "writeRule"}),
    ("one who gave up", position(seats=6, resigned=[2]), "2 guess elephant", Reason.ALREADY_RESIGNED, {}),
]


@pytest.mark.parametrize(
    ("state", "line", "reason", "details"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_c5_what_is_refused(state: Any, line: str, reason: Reason, details: dict[str, str]) -> None:
    with pytest.raises(IllegalAction) as caught:
        act(state, line)
    assert "elephant" not in str(caught.value)
    assert refused(state, line) is reason
    if details:
        assert caught.value.details == details


@pytest.mark.parametrize("line", ["0 clue grey", "2 guess elephant", "0 skip"])
@pytest.mark.parametrize("late", [0, 1, 50, 10**9])
def test_c5_what_comes_after_the_deadline(line: str, late: int) -> None:
    assert refused(position(won=(1, 1)), line, NOW + 60_000 + late) is Reason.TIMER_RUN_OUT


def test_c6_3_a_flag_after_its_time() -> None:
    assert refused(GIVEN, "1 flag 1", NOW + 1000 + 10_000) is Reason.FLAG_TOO_LATE
    upheld = script(GIVEN, "1 flag 1", "3 flag 1").state
    assert refused(upheld, "1 flag 1") is Reason.FLAG_TOO_LATE


def test_c6_4_ten_thousand_guesses_in_a_second() -> None:
    state, taken, reasons = CLUE, 0, set()
    for number in range(10_000):
        command: Act[Action] = Act(2, Guess("elephant" if number > 5 else f"mouse {number}"), NOW + number // 10)
        try:
            state = GAME.apply(state, command).state
            taken += 1
        except IllegalAction as refusal_:
            reasons.add((refusal_.reason, str(refusal_.details)))
    assert taken == 5
    assert reasons == {(Reason.TOO_FAST, "{'limit': '5', 'retry_after': '1'}")}
    assert GAME.scores(state) == (0, 2, 0, 2)


TOO_LONG = {"clue": 200, "guess": 100, "rule": 140}
NO_TEXTS = [
    ("nothing", ""),
    ("a space", " "),
    ("signs only", "?!... —"),
    ("a line break", "grey\nbig"),
    ("a tab", "grey\tbig"),
    ("nul", "grey\0"),
    ("escape", "\x1b[2Jgrey"),
    ("delete", "grey\x7f"),
    ("a line separator", "grey\u2028big"),
    ("right to left", "grey\u202e"),
    ("zero width space", "gr\u200bey"),
    ("soft hyphen", "gr\u00adey"),
    ("byte order mark", "\ufeffgrey"),
    ("a half of a surrogate", "grey\ud800"),
    ("private use", "grey\ue000"),
    ("not assigned", "grey\u0378"),
    ("tags", "grey\U000e0041"),
    ("Cyrillic", "серый"),
    ("one Cyrillic letter", "gr\u0435y"),
    ("Greek", "γκρι"),
    ("Han", "灰色"),
    ("Arabic", "رمادي"),
    ("a joiner alone", "\u200d"),
]


@pytest.mark.parametrize("text", [case[1] for case in NO_TEXTS], ids=[case[0] for case in NO_TEXTS])
@pytest.mark.parametrize(
    ("seat", "kind", "state"),
    [(0, Clue, CLUE), (2, Guess, CLUE), (1, WriteRule, CAUGHT)],
    ids=["clue", "guess", "rule"],
)
def test_c6_5_texts_that_cannot_be_sent(seat: int, kind: type[Any], state: Any, text: str) -> None:
    reason, details = refusal(state, Act(seat, kind(text), NOW + 1000))
    assert reason is Reason.TEXT_INVALID
    assert list(details) == ["problem"]


@pytest.mark.parametrize("language", [Language.RU, Language.UK])
@pytest.mark.parametrize("text", ["grey", "сірий and grey", "сiрий", "γκρι"])
def test_c6_5_texts_of_another_script(language: Language, text: str) -> None:
    state = position(Options(language=language), word=Word("слон"))
    assert refusal(state, Act(2, Guess(text), NOW))[0] is Reason.TEXT_INVALID


@pytest.mark.parametrize(
    ("seat", "kind", "state", "most"),
    [(0, Clue, CLUE, 200), (2, Guess, CLUE, 100), (1, WriteRule, CAUGHT, 140)],
    ids=["clue", "guess", "rule"],
)
def test_c6_5_how_long_texts_may_be(seat: int, kind: type[Any], state: Any, most: int) -> None:
    assert GAME.apply(state, Act(seat, kind("m" * most), NOW + 1000)).events
    for length in (most + 1, 100_000):
        assert refusal(state, Act(seat, kind("m" * length), NOW + 1000))[0] is Reason.TEXT_INVALID


@pytest.mark.parametrize("text", [None, 7, b"grey", ["grey"], True])
def test_c6_5_what_is_no_text(text: Any) -> None:
    assert refusal(CLUE, Act(0, Clue(text), NOW)) == (Reason.TEXT_INVALID, {"problem": "it is no text"})
    assert refusal(CLUE, Act(2, Guess(text), NOW))[0] is Reason.TEXT_INVALID


@pytest.mark.parametrize("number", [None, "1", 1.5, [1], 10**30, "x" * 1000])
def test_c6_3_what_is_no_clue(number: Any) -> None:
    reason, details = refusal(GIVEN, Act(1, Flag(number), NOW + 1000))
    assert reason is Reason.CLUE_UNKNOWN
    assert len(details["clue"]) <= 20


ACTIONS: list[Action] = [Start(), Clue("grey"), Guess("mouse"), Accept(), Skip(), Flag(1), WriteRule("no hands")]


@pytest.mark.parametrize("seat", [-1, 4, 10**30, True, None, "0"])
@pytest.mark.parametrize("state", [CLUE, READY, CAUGHT], ids=["CLUE", "READY", "caught"])
def test_c5_a_seat_that_is_none(state: Any, seat: Any) -> None:
    for action in ACTIONS:
        assert refusal(state, Act(seat, action, NOW)) == (Reason.NOT_ASKED, {})
    assert refusal(state, Resign(seat, NOW)) == (Reason.NOT_ASKED, {})
    assert GAME.choices(state, seat) == ()
    assert GAME.action_names(state, seat) == ()
    with pytest.raises(IllegalAction, match=r"NOT_ASKED"):
        GAME.default(state, seat)
    assert GAME.view(state, seat) == GAME.view(state, None)


def test_c5_what_is_no_act() -> None:
    assert refusal(CLUE, Act(0, "nonsense", NOW))[0] is Reason.WRONG_ACTION  # type: ignore[arg-type]
    with pytest.raises(IllegalAction, match=r"NOT_ASKED"):
        GAME.default(CLUE, 0)


def test_c5_acts_while_the_dealer_is_asked() -> None:
    lot = GAME.start(Options(), 4, 0).state
    for action in ACTIONS:
        assert refusal(lot, Act(0, action, NOW)) == (Reason.NOT_ASKED, {})
    assert refusal(lot, Tick(10**12)) == (Reason.TICK_EARLY, {})
    assert [GAME.action_names(lot, seat) for seat in range(4)] == [()] * 4


def test_c5_giving_up_twice() -> None:
    assert refusal(position(seats=6, resigned=[2]), Resign(2, NOW)) == (Reason.ALREADY_RESIGNED, {})


@pytest.mark.parametrize("order", [(), (0,), (0, 1, 2), (0, 0), (1, 2), (True, 0), (0, "1")])
def test_c1_3_a_deal_that_is_no_permutation(order: Any) -> None:
    assert refusal(GAME.start(Options(), 4, 0).state, Deal(order, 0)) == (Reason.DEAL_INVALID, {"size": "2"})


def test_c1_3_a_deal_that_nobody_asked_for() -> None:
    assert refusal(CLUE, Deal((0, 1), 0)) == (Reason.DEAL_NOT_ASKED, {})


def test_c8_4_nothing_can_be_done_once_it_is_over() -> None:
    over = act(position(won=(20, 0)), "2 guess elephant").state
    commands: list[Command[Action]] = [*(Act(0, action, NOW) for action in ACTIONS), Resign(0, NOW)]
    for command in [*commands, Deal((0,), NOW), Tick(10**12), Credit(1, NOW)]:
        assert refusal(over, command) == (Reason.GAME_OVER, {})
    assert [GAME.choices(over, seat) for seat in range(4)] == [()] * 4
    assert GAME.awaiting(over) is None


# Options.


@pytest.mark.parametrize("seats", [-1, 0, 1, 2, 3, 11, 10**30, True, None, "4", 4.0])
def test_c1_1_teams_too_small_or_too_large(seats: Any) -> None:
    with pytest.raises(InvalidOptions) as caught:
        GAME.validate(Options(), seats)
    assert caught.value.reason is Reason.SEATS_INVALID
    assert caught.value.details == {"game": "freedom_of_speech", "min": "4", "max": "10", "seats": str(seats)}


TWENTY = some_words(20)


def own(*more: Any) -> Options:
    return Options(words=(*TWENTY[len(more) :], *more))


INVALID: list[tuple[Options, str]] = [
    *[(Options(timer_duration=value), "timer_duration") for value in (-1, 0, 999, 600_001)],
    *[(Options(start_duration=value), "start_duration") for value in (0, 99, 600_001)],
    *[(Options(flag_duration=value), "flag_duration") for value in (0, 99, 600_001)],
    *[(Options(win_at=value), "win_at") for value in (0, -1, 201)],
    *[(Options(max_rounds=value), "max_rounds") for value in (0, 1001)],
    *[(Options(fuzzy=value), "fuzzy") for value in (-1, 2)],
    *[(Options(referee=value), "referee") for value in (-2, 4, 10**30)],
    (Options(timer_min_duration=5_000), "timer_max_duration"),
    (Options(timer_max_duration=5_000), "timer_min_duration"),
    (Options(timer_min_duration=999, timer_max_duration=5_000), "timer_min_duration"),
    (Options(timer_min_duration=5_001, timer_max_duration=5_000), "timer_min_duration"),
    (Options(timer_min_duration=5_000, timer_max_duration=600_001), "timer_max_duration"),
    (Options(turn_mode=TurnMode.SOLO, timer_min_duration=5_000, timer_max_duration=6_000), "timer_max_duration"),
    (Options(turn_mode=TurnMode.TEAM_RELAY, timer_min_duration=5_000, timer_max_duration=6_000), "timer_max_duration"),
    *[(Options(win_at=value), "win_at") for value in (True, 1.0, "1", None)],  # type: ignore[arg-type]
    *[(Options(equal_turns=value), "equal_turns") for value in (1, None)],  # type: ignore[arg-type]
    (Options(turn_mode="SOLO"), "turn_mode"),  # type: ignore[arg-type]
    (Options(language="EN"), "language"),  # type: ignore[arg-type]
    (Options(words=TWENTY[:19]), "words"),
    (Options(words=some_words(80) * 7), "words"),
    (Options(words=list(TWENTY)), "words"),  # type: ignore[arg-type]
    (own("elephant"), "words"),
    (own(Word(7)), "words"),  # type: ignore[arg-type]
    (own(Word("elephant", ["tusker"])), "words"),  # type: ignore[arg-type]
    (own(Word("elephant", (None,))), "words"),  # type: ignore[arg-type]
    (own(Word("elephant"), Word("ELEPHANT")), "words"),
    (own(Word("elephant"), Word("the éléphant"), Word("an Elephant!")), "words"),
    (own(Word("elephant"), Word("tusker", ("elephant",))), "words"),
    (own(Word("")), "words"),
    (own(Word("?!")), "words"),
    (own(Word("elephant", ("",))), "words"),
    (own(Word("e" * 41)), "words"),
    (own(Word("elephant", ("e" * 41,))), "words"),
    (own(Word("elephant", tuple(f"tusker{n}" for n in range(9)))), "words"),
    (own(Word("слон")), "words"),
    (own(Word("elеphant")), "words"),
    (own(Word("ele\nphant")), "words"),
    (own(Word("ele\u200bphant")), "words"),
    (own(Word("ele\ud800phant")), "words"),
    (replace(own(), language=Language.UK), "words"),
]


@pytest.mark.parametrize(("options", "option"), INVALID)
def test_c1_2_an_option_out_of_range(options: Options, option: str) -> None:
    with pytest.raises(InvalidOptions) as caught:
        GAME.start(options, 4, 0)
    assert caught.value.reason is Reason.OPTION_INVALID
    assert caught.value.details["option"] == option_name(option)
    assert "phant" not in caught.value.details["problem"]


@pytest.mark.parametrize(
    "options",
    [
        Options(timer_duration=1_000, start_duration=100, flag_duration=100, win_at=1, max_rounds=1, referee=3),
        Options(timer_duration=600_000, start_duration=600_000, flag_duration=600_000, win_at=200, max_rounds=1000),
        Options(timer_min_duration=1_000, timer_max_duration=600_000),
        Options(level=Level.HARD, fuzzy=1, contain=True, equal_turns=True),
        own(ELEPHANT),
        own(Word("elephant", tuple(f"tusker{n}" for n in range(8))), Word("e" * 40), Word("big cat"), Word("r2d2")),
        Options(words=tuple(Word(f"word{n}") for n in range(500))),
        *(preset.options for preset in GAME.presets.values()),
    ],
)
def test_c1_2_options_at_their_bounds(options: Options) -> None:
    for seats in (4, 10):
        GAME.validate(options, seats)


def test_c7_a_foul_does_not_tell_what_was_said() -> None:
    step = act(CLUE, "0 clue the elephants of secret places")
    assert told(step.events, events.Fouled)
    assert "secret places" not in repr(step)
