"""6 nimmt!: the table while one command is worked on.

A `Table` is a working copy of a state: it changes freely, and it is thrown away if the command is refused. Each method
is a step of the rulebook that ends where the next question is put. It trusts its arguments; `rules` checks them.
"""

from dataclasses import dataclass, field
from types import MappingProxyType

from croupier_engine.game import By, Event, Seat, Step
from croupier_engine.six_nimmt import placing
from croupier_engine.six_nimmt.deck import deck_size, total
from croupier_engine.six_nimmt.model import (
    HAND,
    ROWS,
    Cards,
    Committed,
    DealScored,
    Dealt,
    EndCheck,
    EndMode,
    Options,
    Phase,
    Picked,
    Placed,
    Play,
    Revealed,
    RowsLaid,
    RowTaken,
    Side,
    State,
)


def drafter(deal: int, picks: int, seats: int) -> Seat:
    """Whose pick it is after `picks` picks of a deal: plain rotation; the start moves on by a seat each deal [6]."""
    return (deal - 1 + picks) % seats


@dataclass(slots=True)
class Table:
    """The fields of a State, open to change, and the events so far."""

    options: Options
    phase: Phase
    deal: int
    trick: int
    rows: list[tuple[int, ...]]
    hands: list[tuple[int, ...]]
    pool: tuple[int, ...]
    chosen: list[int | None]
    plays: tuple[Play, ...]
    laid: int
    scores: list[int]
    bulls: list[int]
    resigned: tuple[Seat, ...]
    events: list[Event] = field(default_factory=list)

    @classmethod
    def set(cls, options: Options, seats: int) -> "Table":
        """A table at which nothing has been dealt."""
        return cls(
            options=options,
            phase=Phase.DEAL,
            deal=0,
            trick=0,
            rows=[],
            hands=[()] * seats,
            pool=(),
            chosen=[None] * seats,
            plays=(),
            laid=0,
            scores=[options.start_credit] * seats,
            bulls=[0] * seats,
            resigned=(),
        )

    @classmethod
    def of(cls, state: State) -> "Table":
        """A working copy."""
        return cls(
            state.options,
            state.phase,
            state.deal,
            state.trick,
            list(state.rows),
            list(state.hands),
            state.pool,
            list(state.chosen),
            state.plays,
            state.laid,
            list(state.scores),
            list(state.bulls),
            state.resigned,
        )

    def step(self) -> Step[State]:
        """The state that was reached, and the events on the way."""
        state = State(
            self.options,
            self.phase,
            self.deal,
            self.trick,
            tuple(self.rows),
            tuple(self.hands),
            self.pool,
            tuple(self.chosen),
            self.plays,
            self.laid,
            tuple(self.scores),
            tuple(self.bulls),
            self.resigned,
        )
        return Step(state, tuple(self.events))

    def _tell(self, name: str, public: object) -> None:
        self.events.append(Event(f"six_nimmt.{name}", public))

    # The deal [2, 6 Logic].

    def call_deal(self) -> None:
        """Ask for a shuffle; a draft needs none, since its cards all lie open."""
        if self.options.cards is Cards.LOGIC:
            self._open_draft()
        else:
            self.phase = Phase.DEAL

    def deal_out(self, order: tuple[int, ...]) -> None:
        """Ten cards to each seat, from seat 0 on, then one to each row; deck index i is card i + 1."""
        seats = len(self.hands)
        self.deal += 1
        self.trick = 0
        self.bulls = [0] * seats
        cards = tuple([index + 1 for index in order[: HAND * seats + ROWS]])
        self.hands = [tuple(sorted(cards[HAND * seat : HAND * (seat + 1)])) for seat in range(seats)]
        self.rows = [(card,) for card in cards[HAND * seats :]]
        dealt = [Dealt(self.deal, tuple(self.rows), (HAND,) * seats, hand, ()) for hand in ((), *self.hands)]
        self.events.append(Event("six_nimmt.dealt", dealt[0], MappingProxyType(dict(enumerate(dealt[1:])))))
        self._start_trick()

    def _open_draft(self) -> None:
        seats = len(self.hands)
        self.deal += 1
        self.trick = 0
        self.phase = Phase.DRAFT
        self.bulls = [0] * seats
        self.rows = []
        self.plays = ()
        self.laid = 0
        self.pool = tuple(range(1, deck_size(self.options, seats) + 1))
        self._tell("dealt", Dealt(self.deal, (), (0,) * seats, (), self.pool))
        self._draft_for_resigned()

    def pick(self, seat: Seat, card: int, by: By) -> None:
        """A card of the pool goes to a hand."""
        self._pick(seat, card, by)
        self._draft_for_resigned()

    def _pick(self, seat: Seat, card: int, by: By) -> None:
        self.hands[seat] = tuple(sorted((*self.hands[seat], card)))
        self.pool = tuple([left for left in self.pool if left != card])
        self._tell("picked", Picked(seat, card, by))
        if len(self.pool) == ROWS:
            self.rows = [(left,) for left in self.pool]
            self.pool = ()
            self._tell("rows_laid", RowsLaid(tuple(self.rows)))
            self._start_trick()

    def _draft_for_resigned(self) -> None:
        while self.phase is Phase.DRAFT:
            seat = drafter(self.deal, sum(map(len, self.hands)), len(self.hands))
            if seat not in self.resigned:
                return
            self._pick(seat, self.pool[0], By.CLOCK)

    # The trick [3].

    def _start_trick(self) -> None:
        self.trick += 1
        self.phase = Phase.CHOOSE
        self.plays = ()
        self.laid = 0
        for seat in sorted(self.resigned):
            self.commit(seat, self.hands[seat][0], By.CLOCK)

    def commit(self, seat: Seat, card: int, by: By) -> None:
        """A seat chooses face down, or changes its mind, which nobody hears of; the last one reveals."""
        first = self.chosen[seat] is None
        self.chosen[seat] = card
        if first:
            own = MappingProxyType({seat: Committed(seat, card, by)})
            self.events.append(Event("six_nimmt.committed", Committed(seat, None, by), own))
        if None not in self.chosen:
            self._reveal()

    def _reveal(self) -> None:
        plays = [Play(seat, card) for seat, card in enumerate(self.chosen) if card is not None]
        for play in plays:
            self.hands[play.seat] = tuple([card for card in self.hands[play.seat] if card != play.card])
        self.chosen = [None] * len(self.hands)
        self.plays = tuple(sorted(plays, key=lambda play: play.card))
        self._tell("revealed", Revealed(self.trick, self.plays))
        self._resolve()

    def _resolve(self) -> None:
        """Lay the revealed cards, lowest first, each on the table as it then is, until a choice is wanted [3.2]."""
        while self.laid < len(self.plays):
            play = self.plays[self.laid]
            ends = placing.ends(self.rows, play.card, self.options)
            if len(ends) == 1:
                self._lay(play, ends[0], By.PLAYER)
            elif play.seat not in self.resigned:
                self.phase = Phase.CHOOSE_SIDE if ends else Phase.CHOOSE_ROW
                return
            elif ends:
                self._lay_at(play, ends, placing.cheaper_side(self.rows, ends), By.CLOCK)
            else:
                self._take(play, placing.cheapest_row(self.rows), By.CLOCK)
        self._end_trick()

    def choose_row(self, row: int, by: By) -> None:
        """The card that fits nowhere takes this row [3.5]."""
        self._take(self.plays[self.laid], row, by)
        self._resolve()

    def choose_side(self, side: Side, by: By) -> None:
        """The card goes to the one or the other of two ends [6 Professional]."""
        play = self.plays[self.laid]
        self._lay_at(play, placing.ends(self.rows, play.card, self.options), side, by)
        self._resolve()

    def _lay_at(self, play: Play, two: tuple[placing.End, ...], side: Side, by: By) -> None:
        self._lay(play, two[0] if side is Side.LEFT else two[1], by)

    def _lay(self, play: Play, end: placing.End, by: By) -> None:
        cards = self.rows[end.row]
        if placing.is_full(cards):
            self._take(play, end.row, by)
            return
        self.rows[end.row] = (*cards, play.card) if end.side is Side.RIGHT else (play.card, *cards)
        self.laid += 1
        self._tell("placed", Placed(play.seat, play.card, end.row, end.side))

    def _take(self, play: Play, row: int, by: By) -> None:
        taken = self.rows[row]
        bulls = total(taken)
        self.rows[row] = (play.card,)
        self.bulls[play.seat] += bulls
        self.scores[play.seat] -= bulls
        self.laid += 1
        self._tell("row_taken", RowTaken(play.seat, play.card, row, taken, bulls, by))

    # The end [5].

    def _end_trick(self) -> None:
        last = self.trick == HAND
        if (last or self.options.end_check is EndCheck.TRICK) and self._is_decided():
            self.finish()
        elif last:
            self._score_deal()
            self.call_deal()
        else:
            self._start_trick()

    def _is_decided(self) -> bool:
        if self.options.end_mode is EndMode.FIXED_DEALS:
            return self.trick == HAND and self.deal == self.options.deals
        return min(self.scores) <= 0

    def _score_deal(self) -> None:
        self._tell("deal_scored", DealScored(self.deal, tuple(self.bulls), tuple(self.scores)))

    def finish(self) -> None:
        """The game is over; a deal that was going on is scored as it stands."""
        if self.phase is not Phase.DEAL:
            self._score_deal()
        self.phase = Phase.OVER

    # Giving up [9].

    def resign(self, seat: Seat) -> None:
        """A seat leaves the game to its defaults; with fewer than two others it is over."""
        self.resigned = (*self.resigned, seat)
        if len(self.hands) - len(self.resigned) < 2:
            self.finish()
        elif self.phase is Phase.DRAFT:
            self._draft_for_resigned()
        elif self.phase is Phase.CHOOSE:
            if self.chosen[seat] is None:
                self.commit(seat, self.hands[seat][0], By.CLOCK)
        elif self.phase is not Phase.DEAL:
            self._resolve()
