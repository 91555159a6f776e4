"""Whether a replay is what was played, checked offline: docs/fair-dealing.md says what each part proves."""

from dataclasses import dataclass
from typing import Any

from croupier.v1 import matches_pb2
from croupier_cli.replay_file import Played, Wrong, game_and_options, place, play
from croupier_engine import dealing
from croupier_engine.game import Act, AnyGame, By, Command, Credit, Deal, Resign


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in order: numbers of deals that follow from the seed, and of commands that the rules allow."""

    deals: int
    commands: int
    places: tuple[int, ...]
    scores: tuple[int, ...]


def verify(message: matches_pb2.Replay, commitment: str | None = None) -> Findings:
    """Check all of a replay; raises Wrong at the first thing that is not as it must be.

    `commitment`: what was noted of the match before its first deal; None: the replay's own is all there is.
    """
    seed = _check_seed(message, commitment)
    game, _ = game_and_options(message)
    look = _Look(message, game, seed)
    last: Played | None = None
    for last in play(message):
        look.at(last)
    assert last is not None, "a game has a start"
    outcome = game.outcome(last.step.state)
    if outcome is None:
        raise Wrong("end of the log", f"the game is not over: {len(message.log)} commands, and more are missing")
    for name, said, found in (
        ("places", tuple(message.outcome.places), outcome.places),
        ("scores", tuple(message.outcome.scores), outcome.scores),
    ):
        if said != found:
            raise Wrong("outcome", f"the {name} are {_list(found)}, not {_list(said)}")
    return Findings(look.deals, len(message.log), outcome.places, outcome.scores)


def _check_seed(message: matches_pb2.Replay, commitment: str | None) -> bytes:
    try:
        seed = bytes.fromhex(message.seed)
    except ValueError:
        seed = b""
    if len(seed) != dealing.SEED_BYTES or seed.hex() != message.seed:
        raise Wrong("seed", f"it is not {dealing.SEED_BYTES} bytes in lower-case hex")
    found = dealing.commitment(seed)
    if found != message.commitment:
        raise Wrong("seed", f"its SHA-256 is {found}, and the commitment is {message.commitment or 'missing'}")
    if commitment is not None and commitment.strip().lower() != found:
        raise Wrong("commitment", f"the replay was made from another seed: {found}, not {commitment.strip().lower()}")
    return seed


@dataclass(slots=True)
class _Look:
    """Looks at each command before the rules have applied it: the state is that of the step before."""

    message: matches_pb2.Replay
    game: AnyGame
    seed: bytes
    deals: int = 0
    state: Any = None  # after the entry before
    sequence: int | None = None  # of the entry before; None before the first
    at_ms: int = 0
    clock: tuple[int, str] | None = None  # when, and in which window, the clock played last; None: a player acted since
    start_events: int = 0

    def at(self, played: Played) -> None:
        """One entry; they come in order."""
        if played.entry is None or played.command is None:
            self.start_events = len(played.step.events)
            self.at_ms = self.message.start_time.ToMilliseconds()
        else:
            where = place(played.number, played.entry)
            self._check_chance(where, played.command)
            self._check_clock(where, played.command)
            self._check_time(where, played.command)
            self._check_sequence(where, played)
        self.state = played.step.state
        self._look_ahead(played.number + 1)

    def _look_ahead(self, index: int) -> None:
        """A deal that is not the seed's must be called that, before the rules find fault with what follows from it."""
        if index < len(self.message.log) and self.message.log[index].HasField("deal"):
            entry = self.message.log[index]
            self._check_order(place(index, entry), tuple(entry.deal.order))

    def _check_order(self, where: str, order: tuple[int, ...]) -> None:
        awaiting = self.game.awaiting(self.state)
        if awaiting is None or not awaiting.chance:
            return  # the rules refuse it
        derived = dealing.permutation(self.seed, self.message.match, self.deals, awaiting.chance)
        if order == derived:
            return
        if len(order) != len(derived):
            raise Wrong(where, f"deal {self.deals + 1} has {len(order)} entries; the seed gives {len(derived)}")
        first = next(n for n, (said, found) in enumerate(zip(order, derived, strict=True)) if said != found)
        raise Wrong(
            where,
            f"deal {self.deals + 1} is not the seed's: entry {first} is {order[first]}, not {derived[first]}",
        )

    def _check_chance(self, where: str, command: Command[Any]) -> None:
        if isinstance(command, Deal):
            self.deals += 1
            if command.at != self.at_ms:
                raise Wrong(where, "a deal is made in the moment in which it is asked for, and this one is not")

    def _check_clock(self, where: str, command: Command[Any]) -> None:
        if isinstance(command, Act) and command.by is By.CLOCK:
            harmless = self.game.default(self.state, command.seat)
            if command.action != harmless:
                raise Wrong(where, f"the clock plays {harmless}, not {command.action}")

    def _check_time(self, where: str, command: Command[Any]) -> None:
        if command.at < self.at_ms:
            raise Wrong(where, "it is earlier than what was before it")
        self.at_ms = command.at

    def _check_sequence(self, where: str, played: Played) -> None:
        """Every event has a number: the game's own, and before them those that tell of the match itself."""
        assert played.entry is not None
        found, own = played.entry.sequence, len(played.step.events)
        allowed = self._told_before(played.command)
        if self.sequence is None:
            # Created, joined by each seat, started, and what the game's start told; some may have left meanwhile.
            least = 2 + len(self.message.seats) + self.start_events + own + min(allowed)
            if found < least:
                raise Wrong(where, f"its sequence is {found}; it cannot be below {least}")
        elif self.message.HasField("stand_in"):
            # Players may have gone and come back in between.
            if found - self.sequence - own < min(allowed):
                least = self.sequence + own + min(allowed)
                raise Wrong(where, f"its sequence is {found}; after {self.sequence} it cannot be below {least}")
        elif found - self.sequence - own not in allowed:
            expected = " or ".join(str(self.sequence + own + told) for told in allowed)
            raise Wrong(where, f"its sequence is {found}; after {self.sequence} it must be {expected}")
        self.sequence = found

    def _told_before(self, command: Command[Any] | None) -> tuple[int, ...]:
        """How many events of the match itself may stand before those of a command."""
        before, self.clock = self.clock, None
        if isinstance(command, Resign | Credit):
            return (1,)  # match.resigned, match.credited
        if isinstance(command, Act) and command.by is By.CLOCK:
            awaiting = self.game.awaiting(self.state)
            self.clock = (command.at, awaiting.window if awaiting else "")
            # match.timed_out stands before the first of several seats that are played for together.
            return (0, 1) if before == self.clock else (1,)
        return (0,)


def _list(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "missing"
