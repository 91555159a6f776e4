"""The positions K01..K51 of docs/rules/durak.md, section 12."""

import pytest
from msgspec.structs import replace
from support.durak import GAME, act, asked, begun, cards, drawn, position, refusal, refused, script, stacked, told

from croupier_engine.cards import pack
from croupier_engine.durak import events
from croupier_engine.durak.dealing import first_attacker
from croupier_engine.durak.model import Beat, Claim, Phase, Transfer
from croupier_engine.durak.options import (
    FirstAttackerNext,
    Kind,
    Limit,
    Options,
    Permission,
    Pogony,
    RedealUntil,
    Throwers,
    ThrowMatch,
    TransferFirstBout,
)
from croupier_engine.durak.questions import beats
from croupier_engine.errors import InvalidOptions, Reason
from croupier_engine.game import Act, Deal, Outcome

TRANSFER = Options(kind=Kind.PEREVODNOY)


def test_k01_a_higher_card_of_the_suit_or_a_trump_beats() -> None:
    assert [beats(card, "7S", "H") for card in ("8S", "6H", "8C", "6S")] == [True, True, False, False]


def test_k02_only_a_joker_beats_the_ace_of_trumps() -> None:
    assert [card for card in pack(54) if beats(card, "AH", "H")] == ["JB", "JR"]


def test_k03_the_lowest_trump_beats_an_ace() -> None:
    assert beats("6H", "AS", "H")


def test_k04_nothing_beats_a_joker() -> None:
    hands = ["JR 2S 3S 4S 5S 6S", "JB AH 2C 3C 4C 5C", "7S 8S 9S TS 7C 8C"]
    state = script(position(hands, Options(deck=54), talon="2H"), "0 lead JR").state
    assert [type(choice).__name__ for choice in GAME.choices(state, 1)] == ["Take"]
    passing = script(position(hands, Options(deck=54, kind=Kind.PEREVODNOY), talon="2H"), "0 lead JR").state
    assert [type(choice).__name__ for choice in GAME.choices(passing, 1)] == ["Transfer", "Take"]


def test_k05_how_many_a_pack_is_enough_for() -> None:
    lot = GAME.apply(GAME.start(Options(deck=54), 8, 0).state, drawn(0, 8))
    dealt = GAME.apply(lot.state, _in_order(54))
    assert [len(hand) for hand in dealt.state.hands] == [6] * 8
    assert len(dealt.state.talon) == 6
    for deck, seats in ((54, 9), (36, 7)):
        with pytest.raises(InvalidOptions) as refusal:
            GAME.validate(Options(deck=deck), seats)
        assert refusal.value.reason is Reason.DECK_SEATS_INVALID


def _in_order(size: int) -> Deal:
    return Deal(tuple(range(size)), 0)


HANDS = ["6S 7S 8S 6C 7C 9H", "9S TS JS 8C 9C 7H", "QS KS AS TC JC QC"]


def test_k06_the_holder_of_the_lowest_trump_leads_any_card() -> None:
    step = begun(stacked(HANDS, 0, trump="KH"), 3, 0)
    assert told(step.events, events.FirstAttacker) == [events.FirstAttacker(1, "7H")]
    assert asked(step.state) == ("LEAD", (1,))
    assert script(step.state, "1 lead 9S").state.phase is Phase.DEFEND


def test_k07_without_trumps_the_dealers_left_neighbour_leads() -> None:
    hands = ["6S 7S 8S 6C 7C 6D", "9S TS JS 8C 9C 7D", "QS KS AS TC JC 8D", "QC KC AC 9D TD JD"]
    step = begun(stacked(hands, 2, trump="KH"), 4, 2)
    assert told(step.events, events.FirstAttacker) == [events.FirstAttacker(3, None)]


@pytest.mark.parametrize(
    ("rule", "leads"),
    [(FirstAttackerNext.FROM_UNDER_FOOL, 3), (FirstAttackerNext.UNDER_FOOL, 1), (FirstAttackerNext.WINNER, 0)],
)
def test_k08_who_leads_the_next_game(rule: FirstAttackerNext, leads: int) -> None:
    state = position(["6S", "7S", "8S", "9S"], Options(first_attacker_next=rule, games=2), game=2)
    state = replace(state, series=replace(state.series, fool=2, winner=0))
    assert first_attacker(state) == (leads, None)


def test_k09_six_players_and_thirty_six_cards_leave_no_talon() -> None:
    step = begun(_in_order(36), 6, 0)
    assert not step.state.talon
    assert step.state.trump == pack(36)[-1][1]
    assert told(step.events, events.TrumpTurned) == [events.TrumpTurned("H", "AH")]
    assert len(step.state.hands[0]) == 6


def test_k10_five_of_a_suit_may_claim_a_new_deal() -> None:
    hands = ["6S 7S 8S 9S JS 6H", "9C TC JC QC 6D 7D"]
    first = position(hands, bout=1, talon="7H")
    assert told(act(first, 0, Claim()).events, events.Claimed)[0].hand == cards("6S 6H 7S 8S 9S JS")
    led = script(first, "0 lead 6S").state
    assert act(led, 0, Claim()).state.phase is Phase.DEAL
    assert refusal(first, Act(1, Claim(), 0))[0] is Reason.CLAIM_WITHOUT_FIVE
    assert refusal(position(hands, bout=2, talon="7H"), Act(0, Claim(), 0))[0] is Reason.CLAIM_TOO_LATE
    strict = script(position(hands, Options(redeal_until=RedealUntil.FIRST_LEAD), bout=1, talon="7H"), "0 lead 6S")
    assert refusal(strict.state, Act(0, Claim(), 0))[0] is Reason.CLAIM_TOO_LATE


def test_k11_no_more_attack_cards_than_the_defender_holds() -> None:
    state = position(["6S 6H 6D AS", "7S 8D"])
    assert refused(state, "0 lead 6S 6H 6D") is Reason.CAP_REACHED


def test_k13_one_who_takes_gets_no_more_than_he_had_cards() -> None:
    state = script(position(["6S 6H 6D 6C AS", "7S 8D 9D"]), "0 lead 6S", "1 take").state
    state = script(state, "0 throw 6H 6D").state
    assert len(state.hands[1]) == 6
    three = script(position(["6S 6H 6D 6C AS", "7S 8D 9D"]), "0 lead 6S", "1 take").state
    assert refused(three, "0 throw 6H 6D 6C") is Reason.CAP_REACHED


FIVE = ["6S 6C 7S 7C 8S 8C", "7H 8H 9H TH JH QH"]
BEATEN = ("0 lead 6S 6C", "1 beat 6S 7H", "1 beat 6C 8H", "0 throw 7S 7C", "1 beat 7S 9H", "1 beat 7C TH")


def test_k14_five_at_most_before_the_first_discard() -> None:
    state = script(position(FIVE, Options(limit_first=5), talon="9S KH"), *BEATEN, "0 throw 8S").state
    step = act(state, 1, Beat("8S", "JH"))
    assert told(step.events, events.Bito)
    assert asked(step.state) == ("LEAD", (1,))


def test_k15_six_once_he_takes() -> None:
    state = script(position(FIVE, Options(limit_first=5), talon="9S KH"), *BEATEN, "0 throw 8S", "1 take").state
    assert refused(state, "0 throw 8S") is Reason.CARD_NOT_HELD
    step = script(state, "0 throw 8C")
    assert "8C" in told(step.events, events.Taken)[0].cards


@pytest.mark.parametrize(("after", "cap"), [(Limit.SIX, 6), (Limit.HAND, 9)])
def test_k17_the_cap_when_the_talon_is_empty(after: Limit, cap: int) -> None:
    nine = "6H 7H 8H 9H TH JH QH KH AH"
    state = position(["6S 6C 7S 7C 8S 8C 9S 9C TS TC", nine], Options(limit_after_talon_empty=after), discard="6D")
    played = script(state, "0 lead 6S 6C", "1 beat 6S 7H", "1 beat 6C 8H", "0 throw 7S 7C", "1 beat 7S 9H").state
    played = script(played, "1 beat 7C TH", "0 throw 8S", "1 beat 8S JH").state
    assert GAME.view(played, None).room == cap - 5


def test_k18_one_rank_only() -> None:
    assert refused(position(["6S 7C", "8S 9S"]), "0 lead 6S 7C") is Reason.RANK_MISMATCH


def test_k19_what_may_be_thrown_in() -> None:
    hands = ["6S 9C TH JD 8S", "9S TC KD AD QD"]
    beaten = ("0 lead 6S", "1 beat 6S 9S")
    state = script(position(hands, talon="7H"), *beaten).state
    assert script(state, "0 throw 9C").state.phase is Phase.DEFEND
    assert [refused(state, f"0 throw {card}") for card in ("TH", "JD", "8S")] == [Reason.THROW_MISMATCH] * 3
    by_suit = script(position(hands, Options(throw_match=ThrowMatch.RANK_OR_SUIT), talon="7H"), *beaten).state
    assert script(by_suit, "0 throw 8S").state.phase is Phase.DEFEND


def test_k20_a_new_rank_is_open_to_all_again() -> None:
    hands = ["6S 9C 6D 7D 8D JD", "9S TC KD AD QD QC", "TH 7C 8C JC QS KS"]
    state = script(position(hands, talon="7H"), "0 lead 6S", "1 beat 6S 9S", "0 throw 9C").state
    state = script(state, "1 beat 9C TC", "0 pass", "2 throw TH").state
    assert GAME.view(state, None).passed == ()
    assert asked(state) == ("DEFEND", (1,))


def test_k22_the_leader_draws_first() -> None:
    state = position(["6S 7S 8S 9S 9C", "7C 8C 9D TC JC QC"], talon="7H")
    step = script(state, "0 lead 9C", "1 beat 9C TC", "0 pass")
    assert told(step.events, events.Drew) == [events.Drew(0, 1, ("7H",))]
    assert not step.state.talon
    assert len(step.state.hands[1]) == 5


def test_k23_who_can_draw_is_not_out() -> None:
    step = script(position(["9S", "TS 8D"], talon="7H"), "0 lead 9S", "1 beat 9S TS")
    assert step.state.hands == (("7H",), ("8D",))
    assert not told(step.events, events.WentOut)
    assert asked(step.state) == ("LEAD", (1,))


def test_k24_who_takes_loses_his_turn() -> None:
    hands = ["6S 7S 8S 9S TS JS", "6C 7C 8C 9C TC JC", "6D 7D 8D 9D TD JD", "QS KS AS QC KC AC"]
    state = script(position(hands, talon="QH KH AH"), "0 lead 6S", "1 take", "0 pass", "2 pass", "3 pass").state
    assert asked(state) == ("LEAD", (2,))
    assert state.bout.defender == 3
    assert len(state.hands[1]) == 7


def test_k25_two_players_the_attacker_leads_again() -> None:
    state = script(position(["6S 7S", "8D 9D"]), "0 lead 6S", "1 take", "0 pass").state
    assert asked(state) == ("LEAD", (0,))


def test_k26_the_last_cards_beaten_by_the_last_are_a_draw() -> None:
    step = script(position(["9S", "TS"]), "0 lead 9S", "1 beat 9S TS")
    assert GAME.outcome(step.state) == Outcome((1, 1), (0, 0))
    assert told(step.events, events.GameOver)[0].losers == ()


def test_k27_who_has_a_card_left_is_the_fool() -> None:
    step = script(position(["9S", "TS KD"]), "0 lead 9S", "1 beat 9S TS")
    assert GAME.outcome(step.state) == Outcome((1, 2), (0, 1))


def test_k29_who_led_his_last_card_is_out() -> None:
    step = script(position(["9S", "6C 7C", "8C 9C"]), "0 lead 9S", "1 take", "2 throw 9C")
    assert told(step.events, events.WentOut) == [events.WentOut(0, 1)]
    assert asked(step.state) == ("LEAD", (2,))
    assert step.state.bout.defender == 1


def test_k30_others_throw_in_though_the_leader_has_no_cards() -> None:
    state = script(position(["9S", "JS KD", "JC 7C"]), "0 lead 9S", "1 beat 9S JS").state
    assert asked(state) == ("THROW", (2,))
    assert script(state, "2 throw JC").state.phase is Phase.DEFEND


FOUR = ["6S 7S 8S", "9S TS JS", "6C 7C 8C", "6D 7D 8D"]


def test_k32_neighbours() -> None:
    state = script(position(FOUR, Options(throwers=Throwers.NEIGHBOURS)), "0 lead 6S", "1 beat 6S 9S").state
    assert refused(state, "3 throw 6D") is Reason.THROW_NOT_ALLOWED
    assert asked(state) == ("THROW", (0,))
    assert asked(script(state, "0 pass").state) == ("THROW", (2,))


def test_k33_team_mates_do_not_throw() -> None:
    state = script(position(FOUR, Options(teams=2)), "0 lead 6S", "1 beat 6S 9S").state
    assert refused(state, "3 throw 6D") is Reason.THROW_AT_TEAM_MATE
    assert asked(script(state, "0 pass").state) == ("THROW", (2,))


def test_k34_a_team_mate_plays_for_one_who_is_out() -> None:
    west, north, east, south = range(4)
    state = position(["6S 7S", "9S TS JD", "6C 7C", ""], Options(teams=2), leader=east, out=[south])
    led = script(state, f"{east} lead 6C").state
    assert asked(led) == ("DEFEND", (north,))
    beaten = script(
        position(["6S 7S", "9C TS JD", "6C 7D", ""], Options(teams=2), leader=east, out=[south]), "2 lead 6C"
    )
    after = script(beaten.state, "1 beat 6C 9C", "2 pass", "0 pass").state
    assert asked(after) == ("LEAD", (north,))
    assert asked(script(after, "1 lead TS").state) == ("DEFEND", (west,))


def test_k35_both_teams_out_in_one_bout_is_a_draw() -> None:
    state = position(["9S", "TS", "", ""], Options(teams=2), out=[2, 3])
    step = script(state, "0 lead 9S", "1 beat 9S TS")
    assert told(step.events, events.GameOver)[0].losers == ()
    assert GAME.outcome(step.state) == Outcome((1, 1, 1, 1), (0, 0, 0, 0))


def test_k36_simple_whoever_does_not_beat_all_takes_all() -> None:
    hands = ["8S 8C 6D", "9S 7D 6C", "QS KS AS"]
    step = script(position(hands, Options(kind=Kind.PROSTOY)), "0 lead 8S 8C", "1 beat 8S 9S", "1 take")
    assert told(step.events, events.Taken) == [events.Taken(1, ("8S", "9S", "8C"))]
    assert asked(step.state) == ("LEAD", (2,))


def test_k37_simple_nothing_is_thrown_in() -> None:
    step = script(position(["8S 9C 6D", "9S 7D 6C"], Options(kind=Kind.PROSTOY)), "0 lead 8S", "1 beat 8S 9S")
    assert told(step.events, events.Bito)
    assert refused(step.state, "0 throw 9C") is Reason.THROW_NOT_ALLOWED


def test_k38_a_transfer_makes_the_next_the_defender() -> None:
    state = script(position(["6S 7S", "6C 7C", "8C 9C"], TRANSFER), "0 lead 6S", "1 transfer 6C").state
    assert asked(state) == ("DEFEND", (2,))
    assert (state.bout.principal, state.bout.leader) == (1, 0)


def test_k39_not_to_a_hand_that_is_too_small() -> None:
    state = script(position(["7C 8C", "7D 8D", "9D"], TRANSFER), "0 lead 7C").state
    assert refused(state, "1 transfer 7D") is Reason.TRANSFER_HAND_TOO_SMALL


def test_k42_two_players_pass_it_back() -> None:
    state = script(position(["7C 8S 9S", "7D 8D"], TRANSFER), "0 lead 7C", "1 transfer 7D").state
    assert asked(state) == ("DEFEND", (0,))


def test_k43_but_not_two_cards_to_one() -> None:
    state = script(position(["7C 8S", "7D 8D"], TRANSFER), "0 lead 7C").state
    assert refused(state, "1 transfer 7D") is Reason.TRANSFER_HAND_TOO_SMALL


def test_k44_nor_to_nobody() -> None:
    state = script(position(["7C", "7D 8D"], TRANSFER), "0 lead 7C").state
    assert refused(state, "1 transfer 7D") is Reason.TRANSFER_NO_TARGET


def test_k45_no_transfer_past_a_trump() -> None:
    options = Options(kind=Kind.PEREVODNOY, transfer_with_trump_on_table=Permission.FORBIDDEN)
    state = script(position(["7C 8C", "7H 8D", "7S 9S TS"], options), "0 lead 7C", "1 transfer 7H").state
    assert refusal(state, Act(2, Transfer(("7S",)), 0)) == (
        Reason.TRANSFER_NOT_ALLOWED,
        {"option": "transferWithTrumpOnTable"},
    )


@pytest.mark.parametrize(("game", "bout", "legal"), [(1, 1, False), (1, 2, True), (2, 1, True)])
def test_k46_no_transfer_in_the_very_first_bout(game: int, bout: int, legal: bool) -> None:
    options = Options(
        kind=Kind.PEREVODNOY, transfer_first_bout=TransferFirstBout.FORBIDDEN_FIRST_GAME, games=2, limit_first=5
    )
    hands = ["6S 7S 8C", "6C 7C 9D", "8S 9C TD"]
    state = script(position(hands, options, game=game, bout=bout), "0 lead 6S").state
    if legal:
        assert script(state, "1 transfer 6C").state.bout.defender == 2
    else:
        assert refused(state, "1 transfer 6C") is Reason.TRANSFER_NOT_ALLOWED


def test_k49_epaulettes() -> None:
    step = script(position(["6S 6D", "8C 9C"], Options(pogony=Pogony.RECORD)), "0 lead 6S 6D", "1 take")
    assert told(step.events, events.Epaulettes) == [events.Epaulettes(1, 0, ("6S", "6D"))]


def test_k50_bouts_without_end_are_a_draw() -> None:
    step = script(position(["6S 7S", "8C 9C"], bout=500), "0 lead 6S", "1 take", "0 pass")
    assert GAME.outcome(step.state) == Outcome((1, 1), (0, 0))


def test_k51_what_a_defender_cannot_do() -> None:
    state = script(position(["6S 6C 7S", "7C 8S 9S"]), "0 lead 6S 6C", "1 beat 6S 8S").state
    assert refused(state, "1 beat 6S 9S") is Reason.BEATEN_ALREADY
    assert refused(state, "1 beat 6C TC") is Reason.CARD_NOT_HELD
    assert refused(state, "0 beat 6C 7S") is Reason.NOT_ASKED
    assert refused(state, "1 beat 6C 9S") is Reason.DOES_NOT_BEAT
    assert refused(state, "1 beat 7D 9S") is Reason.CARD_NOT_ON_TABLE
