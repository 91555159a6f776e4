"""Durak: two teams at a table; the numbers in the names are those of docs/rules/durak.md."""

from support.durak import GAME, asked, position, script, told

from croupier_engine.durak import events
from croupier_engine.durak.options import Kind, Options


def test_b9_a_team_wins_when_all_its_players_are_out() -> None:
    state = position(["9S", "TC JC", "", "QC KC"], Options(teams=2), out=[2])
    step = script(state, "0 lead 9S", "1 take")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (1, 3), (1, 3, 1, 3), (0, 1, 0, 1))]
    outcome = GAME.outcome(step.state)
    assert outcome is not None
    assert outcome.places == (1, 3, 1, 3)


def test_b9_teams_sit_by_turns() -> None:
    assert [GAME.team(Options(teams=2), seat) for seat in range(4)] == [0, 1, 0, 1]
    assert GAME.team(Options(), 3) is None


def test_b9_the_view_tells_who_plays_for_the_two_places() -> None:
    hands = ["", "9S TS", "6C 7C", "8D KD"]
    view = GAME.view(position(hands, Options(teams=2), leader=0, out=[0]), None)
    assert (view.principal, view.attacking, view.defender, view.defending) == (0, 2, 1, 1)
    passed = script(position(["6S 7S", "6C 9S", "TS JS"], Options(Kind.PEREVODNOY)), "0 lead 6S", "1 transfer 6C")
    view = GAME.view(passed.state, None)
    assert (view.attacking, view.defending) == (1, 2)


def test_b9_nothing_lies_there_once_it_is_over() -> None:
    state = script(position(["9S", "", "", "QC KC"], Options(teams=2), out=[1, 2]), "0 lead 9S", "3 take").state
    view = GAME.view(state, None)
    assert GAME.outcome(state) is not None
    assert (view.defender, view.defending, view.taking, view.table) == (1, 3, False, ())


def test_b9_one_who_stands_in_takes_and_defends() -> None:
    hands = ["6S 7S", "", "6C 7C", "8D 9D TD", "6D 7D", "8H 9H"]
    state = script(position(hands, Options(teams=2), leader=0, out=[1]), "0 lead 6S").state
    assert asked(state) == ("DEFEND", (3,))
    assert GAME.view(state, None).defending == 3
    step = script(state, "3 take", "0 pass", "2 pass", "4 pass")
    assert told(step.events, events.Taken) == [events.Taken(3, ("6S",))]
    assert asked(step.state) == ("LEAD", (2,))
