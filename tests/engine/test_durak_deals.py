"""Durak: packs, deals, trump, who leads first, new deals, series and giving up."""

import pytest
from msgspec.structs import replace
from support.durak import GAME, act, asked, begun, cards, drawn, position, refusal, script, stacked, told

from croupier_engine.cards import pack
from croupier_engine.durak import events
from croupier_engine.durak.dealing import first_attacker
from croupier_engine.durak.model import Claim, Phase, State
from croupier_engine.durak.options import (
    DiscardView,
    FirstAttackerNext,
    Options,
    Redeal,
    RedealUntil,
    TrumpIfNoTalon,
)
from croupier_engine.errors import Reason
from croupier_engine.game import Deal, Outcome, Resign

FIVE = ["6S 7S 8S 9S JS 6H", "9C TC JC QC 6D 7D"]


def ordered(*first: str, size: int) -> Deal:
    """A deal of these cards in this order; what is not named follows."""
    whole = pack(size)
    rest = [card for card in whole if card not in first]
    return Deal(tuple(whole.index(card) for card in (*first, *rest)), 0)


def give_up(state: State, seat: int) -> State:
    return GAME.apply(state, Resign(seat, 0)).state


# 1 and 2. Cards and deals.


@pytest.mark.parametrize(("deck", "lowest", "most"), [(36, "6S", 6), (52, "2S", 8), (54, "2S", 8)])
def test_b1_1_packs(deck: int, lowest: str, most: int) -> None:
    assert pack(deck)[0] == lowest
    assert len(set(pack(deck))) == deck
    for seats in range(2, most + 1):
        GAME.validate(Options(deck=deck), seats)


def test_b1_3_a_joker_that_is_turned_up_goes_back() -> None:
    order = [card for card in pack(54) if card not in ("JB", "JR")]
    step = begun(ordered(*order[:12], "JR", "JB", "AH", size=54), 2, 0, Options(deck=54))
    assert told(step.events, events.JokerTurned) == [events.JokerTurned("JR")]
    awaiting = GAME.awaiting(step.state)
    assert awaiting is not None
    assert (awaiting.kind, awaiting.chance, awaiting.must) == ("DEAL", 41, ())
    assert GAME.view(step.state, None).trump_card is None
    places = tuple(range(41))
    again = GAME.apply(step.state, Deal((1, 0, *places[2:]), 0))
    assert told(again.events, events.JokerTurned) == [events.JokerTurned("JB")]
    following = GAME.awaiting(again.state)
    assert following is not None
    assert following.window != awaiting.window
    last = GAME.apply(again.state, Deal((40, *places[:40]), 0)).state
    assert (last.trump, last.talon[-1], last.shown) == ("H", "AH", "AH")
    assert last.talon.index("JR") == 0
    assert last.talon.index("JB") == 40
    assert sorted((*last.talon, *last.hands[0], *last.hands[1])) == sorted(pack(54))


def test_b1_3_a_joker_may_be_turned_up_again_and_again() -> None:
    order = [card for card in pack(54) if card not in ("JB", "JR")]
    state = begun(ordered(*order[:12], "JR", "JB", size=54), 2, 0, Options(deck=54)).state
    windows = []
    for _ in range(4):
        awaiting = GAME.awaiting(state)
        assert awaiting is not None
        windows.append(awaiting.window)
        state = GAME.apply(state, Deal(tuple(range(41)), 0)).state
    assert state.phase is Phase.TURN
    assert len(set(windows)) == 4


def test_b2_1_the_lot_settles_who_deals_and_the_deal_goes_round() -> None:
    step = begun(ordered(size=36), 3, 1)
    assert step.state.series.dealer == 1
    assert step.state.hands[2][0] == "6S"
    assert step.state.hands[0][0] == "6C"
    (dealt,) = [event for event in step.events if event.type == "durak.dealt"]
    assert dealt.seen_by(None) == events.Dealt(1, 0, 1, (6, 6, 6), 18, ())
    assert dealt.seen_by(2) == events.Dealt(1, 0, 1, (6, 6, 6), 18, step.state.hands[2])


def test_b2_2_the_card_after_the_deal_is_trump_and_drawn_last() -> None:
    step = begun(stacked(FIVE, 0, trump="AH"), 2, 0)
    assert (step.state.trump, step.state.talon[-1]) == ("H", "AH")
    view = GAME.view(step.state, 0)
    assert (view.trump_suit, view.trump_card, view.talon_size) == ("H", "AH", 24)


def test_b2_3_trump_if_no_talon_last_dealt() -> None:
    step = begun(ordered(size=36), 6, 2)
    assert told(step.events, events.TrumpTurned) == [events.TrumpTurned("H", "AH")]
    assert "AH" in step.state.hands[2]
    assert GAME.view(step.state, None).trump_card is None


def test_b2_3_trump_if_no_talon_random_suit() -> None:
    step = begun(ordered(size=36), 6, 2, Options(trump_if_no_talon=TrumpIfNoTalon.RANDOM_SUIT))
    awaiting = GAME.awaiting(step.state)
    assert awaiting is not None
    assert awaiting.chance == 4
    step = GAME.apply(step.state, Deal((1, 0, 2, 3), 0))
    assert told(step.events, events.TrumpTurned) == [events.TrumpTurned("C", None)]
    assert told(step.events, events.FirstAttacker) == [events.FirstAttacker(4, "6C")]


@pytest.mark.parametrize("until", RedealUntil)
def test_b2_4_redeal_until(until: RedealUntil) -> None:
    state = position(FIVE, Options(redeal_until=until), bout=1, talon="7H")
    asked_first, led = GAME.awaiting(state), GAME.awaiting(script(state, "0 lead 6S").state)
    assert asked_first is not None
    assert led is not None
    assert asked_first.may == (1,)
    assert led.may == ((0,) if until is RedealUntil.FIRST_BOUT else ())


def test_b2_4_redeal_off() -> None:
    state = position(FIVE, Options(redeal=Redeal.OFF), bout=1, talon="7H")
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    assert awaiting.may == ()
    assert Claim() not in GAME.choices(state, 0)


def test_b2_4_every_seat_is_asked_whatever_it_holds() -> None:
    state = script(position([*FIVE, "6C 7C 8D 9D KH AH"], bout=1, talon="7H"), "0 lead 6S", "1 take").state
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    assert (awaiting.kind, awaiting.must, awaiting.may) == ("THROW", (0,), (1, 2))
    assert GAME.choices(state, 1) == []


def test_b2_4_the_same_dealer_deals_anew() -> None:
    state = begun(stacked(FIVE, 1, trump="7H"), 2, 1).state
    step = act(state, 0, Claim())
    assert told(step.events, events.Claimed)[0].hand == cards("6S 6H 7S 8S 9S JS")
    assert step.state.hands == ((), ())
    again = GAME.apply(step.state, stacked(FIVE, 1, trump="7H"))
    assert told(again.events, events.Dealt) == [events.Dealt(1, 1, 1, (6, 6), 24, ())]


def test_b2_4_three_new_deals_at_most() -> None:
    state = begun(stacked(FIVE, 1, trump="7H"), 2, 1).state
    for _ in range(3):
        state = GAME.apply(act(state, 0, Claim()).state, stacked(FIVE, 1, trump="7H")).state
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    assert awaiting.may == ()
    assert Claim() not in GAME.choices(state, 0)


def test_b2_4_jokers_are_of_no_suit() -> None:
    state = position(["6S 7S 8S 9S JR JB", FIVE[1]], Options(deck=54), bout=1, talon="7H")
    assert Claim() not in GAME.choices(state, 0)


# 3. The first attacker of later games.


def with_fool(rule: FirstAttackerNext, fool: int | None, winner: int | None, **more: object) -> State:
    options = Options(first_attacker_next=rule, games=2, teams=2 if more.get("teams") else 0)
    state = position(["6S", "7S", "8S", "9H"], options, game=2, resigned=more.get("resigned", ()))  # type: ignore[arg-type]
    return replace(state, series=replace(state.series, fool=fool, winner=winner))


def test_b3_2_lowest_trump() -> None:
    assert first_attacker(with_fool(FirstAttackerNext.LOWEST_TRUMP, 2, 0)) == (3, "9H")


@pytest.mark.parametrize("rule", FirstAttackerNext)
def test_b3_2_after_a_draw_and_in_teams_the_lowest_trump(rule: FirstAttackerNext) -> None:
    assert first_attacker(with_fool(rule, None, None)) == (3, "9H")
    assert first_attacker(with_fool(rule, None, None, teams=True)) == (3, "9H")


def test_b3_2_without_a_winner_the_lowest_trump() -> None:
    assert first_attacker(with_fool(FirstAttackerNext.WINNER, 2, None)) == (3, "9H")
    assert first_attacker(with_fool(FirstAttackerNext.WINNER, 2, 0, resigned=[0])) == (3, "9H")


def test_b3_2_neighbours_are_of_those_who_play() -> None:
    assert first_attacker(with_fool(FirstAttackerNext.FROM_UNDER_FOOL, 2, 0, resigned=[3])) == (0, None)
    assert first_attacker(with_fool(FirstAttackerNext.UNDER_FOOL, 2, 0, resigned=[1])) == (0, None)
    assert first_attacker(with_fool(FirstAttackerNext.UNDER_FOOL, 2, 0, resigned=[2])) == (1, None)


# Series.

LAST = ("0 lead 9S", "1 beat 9S TS")


def test_b8_the_fool_deals_the_next_game() -> None:
    step = script(position(["9S", "TS KD"], Options(games=2)), *LAST)
    assert told(step.events, events.GameOver) == [events.GameOver(1, (1,), (1, 2), (0, 1))]
    assert GAME.outcome(step.state) is None
    assert (step.state.series.game, step.state.series.dealer, step.state.phase) == (2, 1, Phase.DEAL)
    dealt = GAME.apply(step.state, stacked(FIVE, 1, trump="7H"))
    assert told(dealt.events, events.FirstAttacker) == [events.FirstAttacker(0, None)]


def test_b8_after_a_draw_the_next_one_deals() -> None:
    step = script(position(["9S", "TS"], Options(games=2)), *LAST)
    assert step.state.series.dealer == 0


def test_b8_games() -> None:
    step = script(position(["9S", "TS KD"], Options(games=2), game=2), *LAST)
    assert GAME.outcome(step.state) == Outcome((1, 2), (0, 1))


@pytest.mark.parametrize(("needed", "over"), [(1, True), (2, False)])
def test_b8_until_losses(needed: int, over: bool) -> None:
    step = script(position(["9S", "TS KD"], Options(until_losses=needed)), *LAST)
    assert (GAME.outcome(step.state) is not None) == over


def test_b8_until_losses_has_an_end() -> None:
    step = script(position(["9S", "TS"], Options(until_losses=5), game=100), *LAST)
    assert GAME.outcome(step.state) == Outcome((1, 1), (0, 0))


def test_b8_places_of_a_match_go_by_losses_then_by_places() -> None:
    state = position(["9S", "TS KD", ""], Options(games=3), game=3, out=[2])
    state = replace(state, series=replace(state.series, losses=(1, 0, 1), points=(5, 3, 4)))
    assert GAME.outcome(script(state, *LAST).state) == Outcome((3, 2, 1), (1, 1, 1))


# Giving up.


def test_b10_whoever_gives_up_is_the_fool_of_the_game() -> None:
    step = GAME.apply(position(["6S 7S", "8S 9S"]), Resign(0, 0))
    assert told(step.events, events.GameOver) == [events.GameOver(1, (0,), (2, 1), (1, 0))]
    assert GAME.outcome(step.state) == Outcome((2, 1), (1, 0))


@pytest.mark.parametrize(("seats", "goes_on"), [(2, False), (3, False), (4, True)])
def test_b10_a_series_goes_on_if_more_than_two_stay(seats: int, goes_on: bool) -> None:
    state = position(["6S", "7S", "8S", "9S"][:seats], Options(games=5))
    after = give_up(state, 0)
    assert (GAME.outcome(after) is None) == goes_on
    if goes_on:
        assert after.series.dealer == 1
        dealt = GAME.apply(after, ordered(size=36)).state
        assert [len(hand) for hand in dealt.hands] == [0, 6, 6, 6]
        assert GAME.choices(dealt, 0) == []


def test_b10_who_gave_up_is_last_and_the_first_to_go_the_very_last() -> None:
    state = give_up(give_up(position(["6S", "7S", "8S", "9S", "TS"], Options(games=9)), 3), 1)
    assert GAME.outcome(state) is None
    ended = give_up(state, 0)
    assert GAME.outcome(ended) == Outcome((3, 4, 1, 5, 1), (1, 1, 0, 1, 0))


def test_b10_his_team_loses() -> None:
    ended = give_up(position(["6S", "7S", "8S", "9S"], Options(teams=2, games=3)), 0)
    assert GAME.outcome(ended) == Outcome((4, 1, 3, 1), (1, 0, 1, 0))


def test_b10_one_who_is_out_only_leaves() -> None:
    state = position(["9S", "TS KD", ""], out=[2])
    after = GAME.apply(state, Resign(2, 0))
    assert after.events == ()
    ended = script(after.state, *LAST).state
    assert GAME.outcome(ended) == Outcome((2, 3, 1), (0, 1, 0))


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (Options(games=5), (1, 2, 3)),
        (Options(until_losses=2), (1, 2, 3)),
        (Options(games=1), (2, 3, 1)),
        (Options(until_losses=1), (2, 3, 1)),
    ],
)
def test_b10_one_whose_leaving_ends_the_series_comes_last(options: Options, places: tuple[int, ...]) -> None:
    left = give_up(position(["9S", "TS KD", ""], options, out=[2]), 2)
    assert GAME.outcome(script(left, *LAST).state) == Outcome(places, (0, 1, 0))


@pytest.mark.parametrize(("games", "places"), [(5, (3, 1, 4, 1)), (1, (1, 3, 1, 3))])
def test_b10_the_team_of_one_whose_leaving_ends_the_series_loses(games: int, places: tuple[int, ...]) -> None:
    left = give_up(position(["9S", "TS KD", "", "QC KC"], Options(teams=2, games=games), out=[2]), 2)
    assert GAME.outcome(script(left, *LAST).state) == Outcome(places, (0, 1, 0, 1))


def test_b10_his_team_loses_the_match_however_it_stood() -> None:
    state = position(["6S", "7S", "8S", "9S"], Options(teams=2, games=9), game=4)
    ahead = replace(state, series=replace(state.series, losses=(0, 3, 0, 3), points=(3, 9, 3, 9)))
    assert GAME.outcome(give_up(ahead, 0)) == Outcome((4, 1, 3, 1), (1, 3, 1, 3))


def test_b10_one_who_is_out_and_leaves_is_not_dealt_in_again() -> None:
    state = position(["9S", "TS KD", "", "", ""], Options(games=2), out=[2, 3, 4])
    after = script(give_up(state, 2), *LAST).state
    assert after.series.left == ()
    dealt = GAME.apply(after, ordered(size=36)).state
    assert [len(hand) for hand in dealt.hands] == [6, 6, 0, 6, 6]
    assert GAME.outcome(give_up(dealt, 0)) == Outcome((4, 3, 5, 1, 2), (1, 1, 0, 0, 0))


def test_b10_nobody_gives_up_twice() -> None:
    state = give_up(position(["6S", "7S", "8S", "9S"], Options(games=5)), 0)
    assert refusal(state, Resign(0, 0)) == (Reason.ALREADY_RESIGNED, {})


def test_b8_losses_are_the_score() -> None:
    state = give_up(position(["6S", "7S", "8S", "9S"], Options(games=5)), 0)
    assert GAME.scores(state) == (1, 0, 0, 0)


def test_b8_the_second_bout_knows_no_dealt_hands() -> None:
    state = script(position(FIVE, bout=1, talon="8D 7H"), "0 lead 6S", "1 take", "0 pass").state
    assert (state.bout.number, state.dealt) == (2, ())


def test_b10_before_the_deal_too() -> None:
    lot = GAME.start(Options(games=3), 4, 0).state
    assert asked(lot) == ("DEAL", ())
    assert give_up(lot, 3).phase is Phase.DEAL
    dealing = GAME.apply(lot, drawn(2, 4)).state
    assert asked(GAME.apply(give_up(dealing, 3), ordered(size=36)).state)[0] == "LEAD"


# 10. Views.


@pytest.mark.parametrize("shown", DiscardView)
def test_b10_discard_view(shown: DiscardView) -> None:
    view = GAME.view(position(["6S", "7S"], Options(discard_view=shown), discard="8S 9S"), 0)
    assert view.discard_size == 2
    assert view.discard == (cards("8S 9S") if shown is DiscardView.OPEN else ())


def test_b10_hands_are_hidden() -> None:
    state = position(["6S 7S", "8S 9S"], talon="7H")
    assert GAME.view(state, 1).hand == cards("8S 9S")
    assert GAME.view(state, None).hand == ()
    assert GAME.view(state, None).hand_sizes == (2, 2)
