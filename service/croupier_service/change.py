"""A change of a match under way: pure steps from one record to the next, with the log entry that tells them."""

from typing import Any

from msgspec.structs import replace

from croupier_engine.clock import Clock
from croupier_engine.errors import InvalidOptions
from croupier_engine.game import Act, Awaiting, By, Command, Credit, Deal, Resign, Seat, Tick
from croupier_service.dealer import Dealer
from croupier_service.errors import Refused
from croupier_service.lifecycle import (
    Abandoned,
    Absent,
    Barred,
    Credited,
    Joined,
    Left,
    Over,
    Resigned,
    Returned,
    Started,
    StoodIn,
    TimedOut,
    happened,
)
from croupier_service.log import LogEntry, LogStep
from croupier_service.record import Chair, Meta, Phase, Record, StandIn, awaiting_of


class Change:
    """Starts from a record; each method takes one step or raises, and `record` and `entry` are what came of it.

    All of it happens at `at`, and what is asked anew has its time from then on. `received`: when the act came in, if
    that was earlier: what it took from there to here is taken from nobody's clock.
    """

    def __init__(
        self, before: Record, dealer: Dealer, at: int, *, name: str, received: int | None = None, unsure: bool = False
    ) -> None:
        self.before = before
        self.unsure = (
            unsure  # whether the record is still that is for the commit to say, so nothing is refused for good
        )
        self._dealer = dealer
        # Time in a log never runs backwards, though two servers' clocks may differ by a little.
        self.at = max(at, before.at)
        self._received = None if received is None or received >= self.at else received
        self._name, self._version = name, before.version + 1
        self._record = before  # but for what follows, which changes more often
        self._state, self._clock, self._deals = before.state, before.clock, before.deals
        self._steps: list[LogStep] = []
        self._made: tuple[Record, LogEntry] | None = None  # of the steps so far

    @property
    def record(self) -> Record:
        """The record after the steps so far."""
        return self._result()[0]

    @property
    def entry(self) -> LogEntry:
        """The log entry of the steps so far."""
        return self._result()[1]

    def _result(self) -> tuple[Record, LogEntry]:
        if self._made is None:
            steps = tuple(self._steps)
            entry = LogEntry(self._version, self.before.sequence, self.at, steps, self._name, self._received)
            record = replace(
                self._record,
                version=self._version,
                name=self._name,
                sequence=entry.last,
                mark=self._name if entry.last > entry.first else self.before.mark,
                at=self.at,
                state=self._state,
                clock=self._clock,
                deals=self._deals,
            )
            self._made = record, entry
        return self._made

    @property
    def changed(self) -> bool:
        """Whether any step was taken."""
        return self._record.meta is not self.before.meta or bool(self._steps)

    def tell(self, *payloads: object) -> None:
        """Say what happened to the match itself."""
        self._step(LogStep(None, tuple(happened(payload) for payload in payloads)))

    def _step(self, step: LogStep) -> None:
        self._steps.append(step)
        self._made = None

    def _meta(self, **changes: Any) -> None:
        self._record = replace(self._record, meta=replace(self._record.meta, **changes))
        self._made = None

    # Before the start.

    def sit(self, player: str, name: str, *, bot: bool = False, seat: Seat | None = None) -> None:
        """Take a seat, the first free one unless one is named."""
        meta = self._open()
        taken = self._record.seat_of(player)
        if taken is not None:
            raise Refused("ALREADY_SEATED", {"seat": str(taken)})
        free = [i for i, chair in enumerate(meta.seats) if chair.player is None]
        if not free:
            raise Refused("MATCH_FULL")
        if seat is not None and seat not in free:
            raise Refused("SEAT_TAKEN", {"seat": str(seat)})
        where = free[0] if seat is None else seat
        self._meta(seats=(*meta.seats[:where], Chair(player, name, bot, sat_at=self.at), *meta.seats[where + 1 :]))
        self.tell(Joined(where, player, name, bot))

    def leave(self, player: str) -> None:
        """Give a seat back, or a table that one only watches.

        Of the host the next person becomes the host, and without one the match is abandoned.
        """
        meta = self._open()
        where = self._record.seat_of(player)
        if where is None and meta.host != player:
            raise Refused("NOT_SEATED")
        seats = meta.seats if where is None else (*meta.seats[:where], Chair(), *meta.seats[where + 1 :])
        people = [chair.player for chair in seats if chair.player is not None and not chair.bot]
        host: str | None = meta.host
        if meta.host == player:
            host = people[0] if people else None
        self._meta(seats=seats, host=host or meta.host)
        self.tell(Left(where, player, host))
        if host is None:
            self.abandon("EMPTY")

    def abandon(self, reason: str) -> None:
        """End it before it started."""
        self._open()
        self._meta(phase=Phase.ABANDONED)
        self.tell(Abandoned(reason))

    def start(self) -> None:
        """Begin to play with those who are there."""
        meta = self._open()
        seats = tuple(replace(chair, since=self.at) for chair in meta.seats if chair.player is not None)
        game = self._record.game
        try:
            step = game.start(self._record.options, len(seats), self.at)
        except InvalidOptions as refused:
            raise Refused(refused.reason, refused.details) from refused
        self._meta(phase=Phase.RUNNING, seats=seats, started_at=self.at)
        self.tell(Started(tuple(chair.player for chair in seats if chair.player is not None)))
        self._step(LogStep(None, step.events))
        self._state, self._clock = step.state, Clock.start(meta.limits, len(seats))
        self._settle()

    def start_if_full(self) -> None:
        """Begin to play if the last seat is taken."""
        if all(chair.player is not None for chair in self._record.meta.seats):
            self.start()

    def _open(self) -> Meta:
        if self._record.phase is not Phase.OPEN:
            raise Refused("MATCH_NOT_OPEN", {"state": self._record.phase.value})
        return self._record.meta

    # While it is played.

    def act(self, seat: Seat, action: object, by: By = By.PLAYER) -> None:
        """A player acts, or who stands in for him; IllegalAction if the rules say no."""
        self._command(Act(seat, action, self._in_time(), by))
        self._settle()

    def _in_time(self) -> int:
        """When an act counts as made: one that came in before a timer of the rules was due counts until that fires."""
        awaiting = self._awaiting()
        due = None if awaiting is None else awaiting.deadline
        if due is not None and self._received is not None and self._received < due <= self.at:
            return due - 1
        return self.at

    def resign(self, seat: Seat) -> None:
        """A player gives up."""
        self._chair(seat, resigned=True)
        self.tell(Resigned(seat))
        self._command(Resign(seat, self.at))
        self._settle()

    def bar(self, seat: Seat) -> None:
        """The clock plays for a seat that sent too many illegal actions."""
        self.tell(Barred(seat))
        self._play_for((seat,))
        self._settle()

    def fire(self, turn_grace: int, timer_grace: int) -> bool:
        """Do what the clock has to do by now; False if there is nothing."""
        if self._record.phase is Phase.OPEN:
            if self.at < self._record.meta.expires_at:
                return False
            self.abandon("EXPIRED")
            return True
        awaiting, clock = self.before.awaiting, self._clock
        if awaiting is None or clock is None:
            return False
        if awaiting.deadline is not None and awaiting.deadline + timer_grace <= self.at:
            self._command(Tick(self.at))
        else:
            late = tuple(seat for seat in clock.expired(self.at - turn_grace) if seat in awaiting.must)
            if not late:
                return False
            self.tell(TimedOut(late))
            self._play_for(late)
        self._settle()
        return True

    # Who plays for a seat whose player is away.

    def miss(self, seat: Seat) -> None:
        """Whoever plays for a seat is away: a bot takes over, unless he is back by then."""
        terms = self._record.meta.stand_in
        assert terms is not None, "nobody stands in unless the match allows it"
        until = self.at + terms.after
        self._chair(seat, absent_until=until)
        self.tell(Absent(seat, until))

    def take_over(self, seat: Seat, player: str, name: str) -> None:
        """A bot plays for the seat from here on."""
        chair = self._record.meta.seats[seat]
        self._hand(seat, StandIn(player, name))
        self.tell(StoodIn(seat, player, name, chair.epoch + 1))

    def lack(self, seat: Seat) -> None:
        """No bot is free to take over, of which nothing is told; the clock need not look again for it."""
        self._chair(seat, overdue=True)

    def arrive(self, player: str) -> None:
        """A player who was missed is there: one who sits there plays himself again, a bot that stood in goes on."""
        for seat, chair in enumerate(self._record.meta.seats):
            if not chair.misses(player):
                continue
            if chair.player == player and chair.stand_in is not None:
                self._hand(seat, None)
                self.tell(Returned(seat, chair.epoch + 1))
                continue
            self._chair(seat, absent_until=None, overdue=False)
            if chair.stand_in is None:
                self.tell(Returned(seat, chair.epoch))
            else:
                self.tell(StoodIn(seat, player, chair.stand_in.name, chair.epoch))

    def _hand(self, seat: Seat, stand_in: StandIn | None) -> None:
        """Somebody else plays for the seat."""
        chair = self._record.meta.seats[seat]
        last = () if chair.stand_in is None else (chair.stand_in.player,)
        former = (*(bot for bot in chair.former if bot not in last), *last)
        self._chair(
            seat,
            epoch=chair.epoch + 1,
            stand_in=stand_in,
            since=self.at,
            absent_until=None,
            overdue=False,
            former=former,
        )

    def _chair(self, seat: Seat, **changes: Any) -> None:
        seats = self._record.meta.seats
        self._meta(seats=(*seats[:seat], replace(seats[seat], **changes), *seats[seat + 1 :]))

    def credit(self, ms: int) -> bool:
        """Set back all that runs, for a pause that is not the players' doing; False if no clock and no timer does."""
        clock, awaiting = self._clock, self._awaiting()
        timer = None if awaiting is None else awaiting.deadline
        if clock is None or (clock.next_deadline() is None and timer is None):
            return False
        self.tell(Credited(ms))
        self._command(Credit(ms, self.at))
        self._clock = clock.credit(ms)
        self._settle()
        return True

    def _play_for(self, seats: tuple[Seat, ...]) -> None:
        """The harmless act of each seat, as long as the question that they were late for still stands."""
        game, asked = self._record.game, self._awaiting()
        for seat in seats:
            now = self._awaiting()
            if asked is not None and now is not None and now.window == asked.window and seat in now.must:
                self._command(Act(seat, game.default(self._state, seat), self.at, By.CLOCK))

    def _awaiting(self) -> Awaiting | None:
        return awaiting_of(self._record.game, self._state)

    def _command(self, command: Command[Any]) -> None:
        step = self._record.game.apply(self._state, command)
        self._step(LogStep(command, step.events))
        self._state = step.state

    def _settle(self) -> None:
        """Answer questions of chance, set the clocks, and notice the end."""
        record = self._record
        while (awaiting := self._awaiting()) is not None and awaiting.chance:
            order = self._dealer.order(record.seed, record.id, self._deals, awaiting.chance)
            self._command(Deal(order, self.at))
            self._deals += 1
        if self._clock is not None:
            self._clock = self._clock.follow(awaiting, self.at, self._received)
        if awaiting is None and record.phase is Phase.RUNNING:
            outcome = record.game.outcome(self._state)
            assert outcome is not None, "a game that waits for nothing has an outcome"
            self._meta(phase=Phase.OVER, outcome=outcome)
            self.tell(Over(outcome))
