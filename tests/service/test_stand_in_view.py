"""Who stands in sees what his player may see, and nobody else learns anything by it."""

from random import Random

import pytest
from msgspec import structs
from support.played import START, opened

from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Cards, Options
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.home import Standing, standing
from croupier_service.lifecycle import Absent, Returned, StoodIn
from croupier_service.log import LogEntry, decode_entry, encode_entry
from croupier_service.players import RandomNames
from croupier_service.projection import MatchView, SeatView, event_views, match_view, you_view
from croupier_service.record import Record, StandInTerms

GAME = GAMES["six_nimmt"]
TERMS = StandInTerms("careful", 1_000)
NOBODY: frozenset[str] = frozenset()


def table(cards: Cards = Cards.STANDARD, *, public: bool = True) -> Record:
    record, _ = opened(GAME, Options(cards=cards), 3, Random(7), TERMS)
    return structs.replace(record, meta=structs.replace(record.meta, public=public))


def stood_in(record: Record, seat: int = 1) -> tuple[Record, list[LogEntry]]:
    missed = Change(record, FairDealer(), START, name=RandomNames().change())
    missed.miss(seat)
    taken = Change(missed.record, FairDealer(), START + 1_000, name=RandomNames().change())
    taken.take_over(seat, "bot", "Robo")
    return taken.record, [missed.entry, taken.entry]


def without_control(view: MatchView) -> MatchView:
    """What a viewer saw before there was a stand-in."""
    seats = tuple(structs.replace(seat, stand_in=None, stand_in_at=None, epoch=0) for seat in view.seats)
    window = view.you.window
    you = structs.replace(view.you, sequence=0, window=None if window is None else structs.replace(window, epoch=0))
    return structs.replace(view, sequence=0, mark="", seats=seats, you=you)


@pytest.mark.parametrize("cards", Cards)
def test_he_sees_what_his_player_sees(cards: Cards) -> None:
    record = table(cards)
    after, _ = stood_in(record)
    own, his = you_view(after, "p-1"), you_view(after, "bot")
    assert his == own
    assert his.seat == 1
    assert his.window is not None
    assert bool(his.window.choices) == (1 in his.window.must)
    assert his.window.epoch == 1
    assert standing(after, "bot") == standing(after, "p-1")
    assert standing(after, "bot").standing is (Standing.YOUR_TURN if his.window.choices else Standing.WAITING)


@pytest.mark.parametrize("public", [True, False])
def test_others_see_who_plays_and_nothing_else(public: bool) -> None:
    record = table(public=public)
    after, entries = stood_in(record)
    for viewer in ("p-0", "p-2", "stranger"):
        before, now = (match_view(each, viewer, NOBODY) for each in (record, after))
        assert without_control(now) == without_control(before)
    for entry in entries:
        shown = [event_views(entry, "six_nimmt", seat, 0) for seat in (None, 0, 1, 2)]
        assert all(each == shown[0] for each in shown)
    assert not after.visible_to("stranger") or public
    assert after.visible_to("bot")
    assert not record.visible_to("bot") or public


def test_afterwards_he_is_a_stranger() -> None:
    after, _ = stood_in(table(public=False))
    back = Change(after, FairDealer(), START + 2_000, name=RandomNames().change())
    back.arrive("p-1")
    assert not back.record.visible_to("bot")
    assert not back.record.concerns("bot")
    assert you_view(back.record, "bot").seat is None
    assert standing(back.record, "bot").standing is Standing.GONE
    assert back.record.meta.seats[1].former == ("bot",)


def test_what_happened_to_the_seat_is_told_and_kept() -> None:
    after, entries = stood_in(table())
    back = Change(after, FairDealer(), START + 2_000, name=RandomNames().change())
    back.arrive("p-1")
    told = [event.public for entry in (*entries, back.entry) for _, event in entry.numbered()]
    assert told == [Absent(1, START + 1_000), StoodIn(1, "bot", "Robo", 1), Returned(1, 2)]
    for entry in (*entries, back.entry):
        assert decode_entry(GAME, entry.version, encode_entry(GAME, entry)) == entry


def test_the_clock_wakes_for_the_end_of_the_countdown_and_not_again() -> None:
    record = table()
    turn = record.next_deadline
    missed = Change(record, FairDealer(), START, name=RandomNames().change())
    missed.miss(1)
    assert missed.record.next_deadline == START + 1_000
    assert missed.record.clock == record.clock
    lacking = Change(missed.record, FairDealer(), START + 1_000, name=RandomNames().change())
    lacking.lack(1)
    assert lacking.record.next_deadline == turn
    assert lacking.record.sequence == missed.record.sequence
    seat: SeatView = match_view(lacking.record, "p-0", NOBODY).seats[1]
    assert seat.stand_in_at == START + 1_000


def test_a_player_back_in_time_has_lost_nothing() -> None:
    record = table()
    missed = Change(record, FairDealer(), START, name=RandomNames().change())
    missed.miss(1)
    back = Change(missed.record, FairDealer(), START + 500, name=RandomNames().change())
    back.arrive("p-1")
    assert back.record.meta.seats == record.meta.seats
    assert back.record.state is record.state
    assert back.record.next_deadline == record.next_deadline
