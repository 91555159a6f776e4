"""Durak: what is refused, with which reason and facts, and that nothing changes by it."""

import re
from typing import Any

import pytest
from support.durak import GAME, act, begun, drawn, position, refusal, said, script, stacked

from croupier.errors import CATALOGUE
from croupier.locales import LOCALES
from croupier_engine.cards import is_card
from croupier_engine.durak.model import Action, Beat, Claim, Lead, Pass, State, Take, Throw, Transfer
from croupier_engine.durak.options import Kind, LeadSize, Options, Redeal, ThrowBatch, Throwers, ThrowOrder, ThrowTiming
from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, option_name
from croupier_engine.game import Act, Command, Credit, Deal, Resign, Tick

TRANSFER = Options(kind=Kind.PEREVODNOY)
FOUR = ["6S 6C 7S", "9S TS 8D", "6D 7C 8C", "6H 7D 9D"]


def leading(options: Options = Options(), **more: Any) -> State:  # noqa: B008
    return position(FOUR, options, **more)


def defending(options: Options = Options(), *lines: str) -> State:  # noqa: B008
    return script(position(FOUR, options), "0 lead 6S", *lines).state


def throwing(options: Options = Options()) -> State:  # noqa: B008
    return defending(options, "1 beat 6S 9S")


def dealing() -> State:
    return GAME.apply(GAME.start(Options(), 4, 0).state, drawn(0, 4)).state


REFUSED = [
    ("card not held", leading(), "0 lead 8C", Reason.CARD_NOT_HELD, {"card": "8C"}),
    ("card not held to beat", defending(), "1 beat 6S QS", Reason.CARD_NOT_HELD, {"card": "QS"}),
    ("no cards", leading(), "0 lead", Reason.CARD_MISSING, {}),
    ("same card twice", leading(), "0 lead 6S 6S", Reason.CARD_TWICE, {"card": "6S"}),
    (
        "one at a time",
        leading(Options(lead_size=LeadSize.SINGLE)),
        "0 lead 6S 6C",
        Reason.ONE_CARD_ONLY,
        {"option": "leadSize"},
    ),
    ("two ranks", leading(), "0 lead 6S 7S", Reason.RANK_MISMATCH, {}),
    (
        "rank not on the table",
        throwing(),
        "0 throw 7S",
        Reason.THROW_MISMATCH,
        {"card": "7S", "option": "throwMatch", "value": "RANK"},
    ),
    (
        "transfer of another rank",
        defending(TRANSFER),
        "1 transfer TS",
        Reason.TRANSFER_MISMATCH,
        {"card": "TS", "attack": "6S"},
    ),
    (
        "more than the hand",
        position(["6S 6C 6D", "9S TS"]),
        "0 lead 6S 6C 6D",
        Reason.CAP_REACHED,
        {"cap": "hand", "limit": "2"},
    ),
    (
        "more than the table takes",
        script(
            position(["6S 6C 7S 7C 7D 8S 8C", "7H 8H 9H TH JH QH KH"], discard="9C"),
            *("0 lead 6S 6C", "1 beat 6S 7H", "1 beat 6C 8H", "0 throw 7S 7C 7D"),
            *("1 beat 7S 9H", "1 beat 7C TH", "1 beat 7D JH"),
        ).state,
        "0 throw 8S 8C",
        Reason.CAP_REACHED,
        {"cap": "table", "limit": "6"},
    ),
    (
        "no room while he beats",
        script(position(["6S 6C", "9S"], Options(throw_timing=ThrowTiming.ANYTIME)), "0 lead 6S").state,
        "0 throw 6C",
        Reason.CAP_REACHED,
        {"cap": "hand", "limit": "1"},
    ),
    (
        "beaten already",
        script(position(FOUR), "0 lead 6S 6C", "1 beat 6S 9S").state,
        "1 beat 6S TS",
        Reason.BEATEN_ALREADY,
        {"card": "6S", "by": "9S"},
    ),
    ("does not beat", defending(), "1 beat 6S 8D", Reason.DOES_NOT_BEAT, {"card": "8D", "attack": "6S"}),
    ("not on the table", defending(), "1 beat 6C 9S", Reason.CARD_NOT_ON_TABLE, {"card": "6C"}),
    (
        "transfer after a beat",
        script(position(["6S 6C", "9S 6D 7D", "8C 9C TC"], TRANSFER), "0 lead 6S 6C", "1 beat 6S 9S").state,
        "1 transfer 6D",
        Reason.TRANSFER_AFTER_BEAT,
        {},
    ),
    (
        "transfer to too small a hand",
        script(position(["6S 7S", "6C 7C", "8C"], TRANSFER), "0 lead 6S").state,
        "1 transfer 6C",
        Reason.TRANSFER_HAND_TOO_SMALL,
        {"seat": "2", "hand": "1"},
    ),
    ("no transfers at all", defending(), "1 transfer 9S", Reason.TRANSFER_NOT_ALLOWED, {"option": "kind"}),
    ("lead out of turn", leading(), "1 lead 9S", Reason.NOT_ASKED, {}),
    ("beat out of turn", defending(), "2 beat 6S 8C", Reason.NOT_ASKED, {}),
    ("take out of turn", defending(), "0 take", Reason.NOT_ASKED, {}),
    ("throw out of turn", throwing(), "2 throw 6D", Reason.NOT_YOUR_TURN, {}),
    ("throw too early", defending(), "0 throw 6C", Reason.NOT_ASKED, {}),
    ("throw by the defender", throwing(), "1 throw TS", Reason.NOT_ASKED, {}),
    (
        "throw by the defender while he beats",
        defending(Options(throw_timing=ThrowTiming.ANYTIME)),
        "1 throw TS",
        Reason.WRONG_ACTION,
        {"expected": "beat, take"},
    ),
    ("pass by the defender", throwing(), "1 pass", Reason.NOT_ASKED, {}),
    ("pass too early", defending(), "0 pass", Reason.NOT_ASKED, {}),
    (
        "throw in a simple game",
        defending(Options(kind=Kind.PROSTOY)),
        "0 throw 6C",
        Reason.THROW_NOT_ALLOWED,
        {"option": "kind"},
    ),
    (
        "throw by others than the leader",
        throwing(Options(throwers=Throwers.LEADER_ONLY)),
        "2 throw 6D",
        Reason.THROW_NOT_ALLOWED,
        {"option": "throwers"},
    ),
    ("throw at a team-mate", throwing(Options(teams=2)), "3 throw 6H", Reason.THROW_AT_TEAM_MATE, {}),
    (
        "two cards where one is allowed",
        script(
            position(["6S 7S", "9S TS 8D", "9C 9D 8C"], Options(throw_batch=ThrowBatch.ONE)),
            *("0 lead 6S", "1 beat 6S 9S", "0 pass"),
        ).state,
        "2 throw 9C 9D",
        Reason.ONE_CARD_ONLY,
        {"option": "throwBatch"},
    ),
    (
        "transfer of two where one is allowed",
        script(
            position(["6S 7S", "6C 6D 7C", "8C 9C TC"], Options(kind=Kind.PEREVODNOY, transfer_multi=False)),
            "0 lead 6S",
        ).state,
        "1 transfer 6C 6D",
        Reason.ONE_CARD_ONLY,
        {"option": "transferMulti"},
    ),
    (
        "a second sealed answer",
        script(throwing(Options(throw_order=ThrowOrder.FREE)), "0 pass").state,
        "0 throw 6C",
        Reason.ALREADY_COMMITTED,
        {},
    ),
    (
        "a second sealed pass",
        script(throwing(Options(throw_order=ThrowOrder.FREE)), "0 throw 6C").state,
        "0 pass",
        Reason.ALREADY_COMMITTED,
        {},
    ),
    ("passing ahead twice", script(throwing(), "2 pass").state, "2 pass", Reason.ALREADY_COMMITTED, {}),
    ("another kind of act to lead", leading(), "0 take", Reason.WRONG_ACTION, {"expected": "lead"}),
    ("another kind of act to defend", defending(), "1 lead 9S", Reason.WRONG_ACTION, {"expected": "beat, take"}),
    (
        "another kind of act to transfer",
        defending(TRANSFER),
        "1 pass",
        Reason.WRONG_ACTION,
        {"expected": "beat, take"},
    ),
    ("another kind of act to throw", throwing(), "0 lead 6C", Reason.WRONG_ACTION, {"expected": "throw, pass"}),
    (
        "another kind of act by one who may only pass ahead",
        throwing(),
        "2 lead 6D",
        Reason.WRONG_ACTION,
        {"expected": "pass"},
    ),
    (
        "another kind of act by one who cannot beat",
        script(position(["QS 7S", "9S TS 8D"]), "0 lead QS").state,
        "1 throw 9S",
        Reason.WRONG_ACTION,
        {"expected": "take"},
    ),
    ("another kind of act by one who has passed", script(throwing(), "2 pass").state, "2 take", Reason.NOT_ASKED, {}),
    (
        "a transfer of what is of several ranks",
        script(
            position(
                ["6S 6C 9D", "9S 6D 7D 8D", "8C TC JC QC"], Options(kind=Kind.PEREVODNOY, transfer_after_beat=True)
            ),
            *("0 lead 6S 6C", "1 beat 6S 9S"),
        ).state,
        "1 transfer 7D",
        Reason.TRANSFER_MISMATCH,
        {"card": "7D", "attack": "6C"},
    ),
    ("claim after the first bout", leading(), "0 claim", Reason.CLAIM_TOO_LATE, {}),
    ("claim without five", leading(bout=1), "0 claim", Reason.CLAIM_WITHOUT_FIVE, {}),
    (
        "claims are off",
        leading(Options(redeal=Redeal.OFF), bout=1),
        "0 claim",
        Reason.CLAIM_NOT_ALLOWED,
        {"option": "redeal"},
    ),
    ("a fourth claim", leading(bout=1, redeals=3), "0 claim", Reason.CLAIMS_USED_UP, {"most": "3"}),
    ("one who is out", position(["6S 7S", "9S", ""], out=[2]), "2 pass", Reason.NOT_ASKED, {}),
    ("one who gave up", position(["6S 7S", "9S", ""], resigned=[2]), "2 pass", Reason.ALREADY_RESIGNED, {}),
    ("during a deal", dealing(), "0 lead 6S", Reason.NOT_ASKED, {}),
    ("claim during a deal", dealing(), "0 claim", Reason.CLAIM_TOO_LATE, {}),
]


@pytest.mark.parametrize(
    ("state", "line", "reason", "details"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_b5_what_is_refused(state: State, line: str, reason: Reason, details: dict[str, str]) -> None:
    seat, action = said(line)
    assert refusal(state, Act(seat, action, 0)) == (reason, details)
    for language in LOCALES:  # no hole, and no name that only the code knows
        assert not re.search(r"\?|\b[a-z]+_[a-z_]+|  ", CATALOGUE[reason].text(language, details))
    assert action not in GAME.choices(state, seat)


NO_CARDS: list[Any] = [10**30, None, True, ["6S"], (6,), (None,), (["6S"],), "6S"]


@pytest.mark.parametrize("cards", NO_CARDS)
@pytest.mark.parametrize(("kind", "state"), [(Lead, leading()), (Throw, throwing()), (Transfer, defending(TRANSFER))])
def test_b5_what_are_no_cards(kind: type[Any], state: State, cards: Any) -> None:
    seat = 1 if kind is Transfer else 0
    reason = Reason.CARD_NOT_HELD if isinstance(cards, tuple) else Reason.CARD_MISSING
    assert refusal(state, Act(seat, kind(cards), 0))[0] is reason


@pytest.mark.parametrize(("kind", "state"), [(Lead, leading()), (Throw, throwing()), (Transfer, defending(TRANSFER))])
def test_b5_what_cannot_be_written_is_refused_all_the_same(kind: type[Any], state: State) -> None:
    seat = 1 if kind is Transfer else 0
    assert refusal(state, Act(seat, kind((10**5000,)), 0)) == (Reason.CARD_NOT_HELD, {"card": "int"})


@pytest.mark.parametrize("card", [pytest.param(10**5000, id="huge"), None, True, ["9S"], ("9S",), "9s", "6X"])
def test_b5_what_is_no_card(card: Any) -> None:
    assert not is_card(card)
    told = card if isinstance(card, str) else type(card).__name__
    assert refusal(defending(), Act(1, Beat("6S", card), 0)) == (Reason.CARD_NOT_HELD, {"card": told})
    assert refusal(defending(), Act(1, Beat(card, "9S"), 0)) == (Reason.CARD_NOT_ON_TABLE, {"card": told})


@pytest.mark.parametrize("empty", ["", " "])
def test_b5_a_card_that_is_missing(empty: str) -> None:
    missing: tuple[Reason, dict[str, str]] = (Reason.CARD_MISSING, {})
    assert refusal(leading(), Act(0, Lead((empty,)), 0)) == missing
    assert refusal(leading(), Act(0, Lead(("6S", empty)), 0)) == missing
    assert refusal(throwing(), Act(0, Throw((empty,)), 0)) == missing
    assert refusal(defending(TRANSFER), Act(1, Transfer((empty,)), 0)) == missing
    assert refusal(defending(), Act(1, Beat("6S", empty), 0)) == missing
    assert refusal(defending(), Act(1, Beat(empty, "9S"), 0)) == missing


ACTIONS: list[Action] = [Lead(("6S",)), Beat("6S", "9S"), Take(), Transfer(("6S",)), Throw(("6S",)), Pass(), Claim()]


@pytest.mark.parametrize("seat", [-1, 4, 10**30, True, None, "0"])
@pytest.mark.parametrize("state", [leading(bout=1), defending(), throwing()], ids=["LEAD", "DEFEND", "THROW"])
def test_b5_a_seat_that_is_none(state: State, seat: Any) -> None:
    for action in ACTIONS:
        assert refusal(state, Act(seat, action, 0)) == (Reason.NOT_ASKED, {})
    assert refusal(state, Resign(seat, 0)) == (Reason.NOT_ASKED, {})
    assert GAME.choices(state, seat) == []
    assert GAME.action_names(state, seat) == ()
    with pytest.raises(IllegalAction, match=r"NOT_ASKED"):
        GAME.default(state, seat)
    assert GAME.view(state, seat) == GAME.view(state, None)


@pytest.mark.parametrize(("seat", "reason"), [(0, Reason.WRONG_ACTION), (1, Reason.NOT_ASKED)])
def test_b5_what_is_no_act(seat: int, reason: Reason) -> None:
    assert refusal(leading(), Act(seat, "nonsense", 0))[0] is reason  # type: ignore[arg-type]


def test_b2_a_deal_that_nobody_asked_for() -> None:
    assert refusal(leading(), Deal((0, 1), 0)) == (Reason.DEAL_NOT_ASKED, {})


@pytest.mark.parametrize("order", [(), tuple(range(35)), tuple(range(37)), tuple(range(1, 37)), (True, *range(2, 37))])
def test_b2_a_deal_that_is_no_permutation(order: tuple[int, ...]) -> None:
    assert refusal(dealing(), Deal(order, 0)) == (Reason.DEAL_INVALID, {"size": "36"})


def test_b10_these_rules_have_no_timers() -> None:
    assert refusal(leading(), Tick(10**12)) == (Reason.TICK_EARLY, {})
    credited = GAME.apply(leading(), Credit(5000, 1))
    assert (credited.state, credited.events) == (leading(), ())


def test_b8_nothing_can_be_done_once_it_is_over() -> None:
    over = script(position(["9S", "TS"]), "0 lead 9S", "1 beat 9S TS").state
    commands: list[Command[Action]] = [Act(0, Pass(), 0), Resign(0, 0), Deal((0,), 0), Tick(0), Credit(1, 0)]
    for command in commands:
        assert refusal(over, command) == (Reason.GAME_OVER, {})
    assert GAME.choices(over, 0) == []
    assert GAME.awaiting(over) is None
    with pytest.raises(IllegalAction, match=r"NOT_ASKED"):
        GAME.default(over, 0)


@pytest.mark.parametrize(
    ("deck", "seats", "most"),
    [(36, 7, 6), (36, 1, 6), (36, 0, 6), (52, 9, 8), (54, 9, 8), (54, True, 8), (54, None, 8), (54, "4", 8)],
)
def test_b1_1_how_many_may_play(deck: int, seats: Any, most: int) -> None:
    with pytest.raises(InvalidOptions) as caught:
        GAME.validate(Options(deck=deck), seats)
    assert caught.value.reason is Reason.DECK_SEATS_INVALID
    told = {"game": "durak", "deck": str(deck), "min": "2", "max": str(most), "seats": str(seats)}
    assert caught.value.details == told
    assert f"durak with {deck} cards is played by 2 to {most} players" in CATALOGUE["DECK_SEATS_INVALID"].text(
        "en", told
    )


@pytest.mark.parametrize(
    ("options", "seats", "option"),
    [
        (Options(teams=2), 2, "teams"),
        (Options(teams=2), 3, "teams"),
        (Options(teams=2), 5, "teams"),
        (Options(teams=2, deck=54), 7, "teams"),
        (Options(teams=2, deck=54), 8, "teams"),
        (Options(teams=2, kind=Kind.PEREVODNOY), 4, "kind"),
        *[(Options(deck=value), 2, "deck") for value in (0, 35, 53, 55)],
        *[(Options(teams=value), 4, "teams") for value in (-1, 1, 3)],
        *[(Options(games=value), 2, "games") for value in (0, -1, 101)],
        *[(Options(until_losses=value), 2, "until_losses") for value in (-1, 101)],
        *[(Options(limit_first=value), 2, "limit_first") for value in (-1, 4, 6)],
        *[(Options(max_bouts=value), 2, "max_bouts") for value in (0, 10_001)],
        *[(Options(games=value), 2, "games") for value in (True, 1.0, "1", None)],  # type: ignore[arg-type]
        (Options(kind="PROSTOY"), 2, "kind"),  # type: ignore[arg-type]
        (Options(throw_after_take=1), 2, "throw_after_take"),  # type: ignore[arg-type]
    ],
)
def test_b11_an_option_out_of_range(options: Options, seats: int, option: str) -> None:
    with pytest.raises(InvalidOptions) as caught:
        GAME.start(options, seats, 0)
    assert caught.value.reason is Reason.OPTION_INVALID
    assert caught.value.details["option"] == option_name(option)


@pytest.mark.parametrize("options", [Options(games=100), Options(until_losses=100), Options(max_bouts=10_000)])
def test_b11_an_option_at_its_bounds(options: Options) -> None:
    GAME.validate(options, 2)


def test_b2_4_a_claim_shows_no_more_than_a_hand() -> None:
    hands = ["6S 7S 8S 9S JS 6H", "9C TC JC QC 6D 7D"]
    step = act(begun(stacked(hands, 0, trump="7H"), 2, 0).state, 0, Claim())
    assert all("9C" not in str(event.seen_by(None)) for event in step.events)
