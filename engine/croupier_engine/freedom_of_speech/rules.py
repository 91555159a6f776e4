"""Freedom of Speech: what may be played, who is asked what, and what a command does."""

from typing import Any, assert_never, get_type_hints

from msgspec.structs import replace

from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, invalid_option
from croupier_engine.freedom_of_speech import acts, turns
from croupier_engine.freedom_of_speech.model import TEAMS, Action, Flag, Phase, Start, State
from croupier_engine.freedom_of_speech.move import Move
from croupier_engine.freedom_of_speech.options import Options, TurnMode, Word
from croupier_engine.freedom_of_speech.questions import (
    giver,
    giver_acts,
    guessers,
    is_due,
    is_seat,
    may_flag,
    may_write_rule,
    members,
    team_of,
)
from croupier_engine.freedom_of_speech.words import FEWEST, WordsInvalid, check
from croupier_engine.game import Act, Awaiting, By, Command, Credit, Deal, Resign, Seat, Step, Tick

NAME = "freedom_of_speech"
SEATS = range(4, 11)
_CHANCE = "DEAL"
_NO_REFEREE = -1

_TYPES: dict[str, Any] = get_type_hints(Options)
_RANGES = {
    "timer_duration": range(1_000, 600_001),
    "timer_min_duration": range(600_001),
    "timer_max_duration": range(600_001),
    "start_duration": range(100, 600_001),
    "flag_duration": range(100, 600_001),
    "win_at": range(1, 201),
    "fuzzy": range(2),
    "max_rounds": range(1, 1_001),
}


def validate(options: Options, seats: int) -> None:
    """Raise InvalidOptions for an option out of range, or a number of seats that makes no two teams [1.1]."""
    if type(seats) is not int or seats not in SEATS:
        details = {"game": NAME, "min": str(SEATS[0]), "max": str(SEATS[-1]), "seats": str(seats)}
        raise InvalidOptions(Reason.SEATS_INVALID, details)
    for name in options.__struct_fields__:
        value = getattr(options, name)
        allowed = _RANGES.get(name)
        if name == "words":
            _check_words(options)
        elif type(value) is not _TYPES[name]:
            raise invalid_option(name, f"{value!r} is not one of its values")
        elif allowed is not None and value not in allowed:
            raise invalid_option(name, f"{value} is not one of {allowed[0]}..{allowed[-1]}")
    if not _NO_REFEREE <= options.referee < seats:
        raise invalid_option("referee", f"{options.referee} is no seat of this match")
    if turns.is_random(options):
        if options.turn_mode is not TurnMode.HOT_POTATO:
            raise invalid_option("timer_max_duration", "only HOT_POTATO has a random timer")
        if not 1_000 <= options.timer_min_duration <= options.timer_max_duration:
            raise invalid_option(
                "timer_min_duration", f"{options.timer_min_duration} is not one of 1000..{options.timer_max_duration}"
            )
    elif options.timer_min_duration:
        raise invalid_option("timer_max_duration", "it goes with timerMinDuration: give both, or none")


def _check_words(options: Options) -> None:
    words = options.words
    if type(words) is not tuple or not all(_is_word(each) for each in words):
        raise invalid_option("words", "they are not words with their aliases")
    if not words:
        return
    if len(words) < FEWEST:
        raise invalid_option("words", f"{len(words)} cards are fewer than {FEWEST}")
    try:
        check(words, options.language)
    except WordsInvalid as problem:
        raise invalid_option("words", str(problem)) from None


def _is_word(each: object) -> bool:
    if type(each) is not Word or type(each.aliases) is not tuple:
        return False
    return all(type(text) is str for text in (each.word, *each.aliases))


def start(options: Options, seats: int) -> Step[State]:
    """The table before the lot for the team that begins."""
    validate(options, seats)
    return Step(
        State(options=options, seats=seats, phase=Phase.LOT, stamps=((),) * seats, forfeits=(0,) * seats),
    )


def awaiting(state: State) -> Awaiting | None:
    """What is waited for. Windows: lot, shuffle, q1.ready, r1.timer, c5.clue, reshuffle5: question, round, card."""
    match state.phase:
        case Phase.OVER:
            return None
        case Phase.READY:
            gives = giver(state)
            return Awaiting(
                f"q{state.questions}.ready",
                "READY",
                must=(gives,),
                may=tuple(seat for seat in _active(state) if seat != gives),
                deadline=state.deadline,
            )
        case Phase.CLUE:
            return Awaiting(
                f"c{state.drawn}.clue",
                "CLUE",
                may=_active(state),
                deadline=state.deadline,
                secret=turns.is_random(state.options),
            )
        case Phase.LOT | Phase.SHUFFLE:
            return Awaiting(state.phase.value.lower(), _CHANCE, chance=turns.chance(state))
        case Phase.TIMER:
            return Awaiting(f"r{state.round + 1}.timer", _CHANCE, chance=turns.chance(state))
        case Phase.RESHUFFLE:
            return Awaiting(f"reshuffle{state.drawn}", _CHANCE, chance=turns.chance(state))
        case _:
            assert_never(state.phase)


def _active(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat in range(state.seats) if seat not in state.resigned)


def action_names(state: State, seat: Seat) -> tuple[str, ...]:
    """What the seat may do now."""
    if state.phase not in (Phase.READY, Phase.CLUE) or not is_seat(state, seat) or seat in state.resigned:
        return ()
    gives, names = seat == giver(state), []
    if state.phase is Phase.READY:
        names += ["start"] if gives else []
        names += ["write_rule"] if may_write_rule(state, seat) else []
    elif gives:
        names += giver_acts(state)
    elif seat in guessers(state):
        names += ["guess"]
    names += ["flag"] if _flags(state, seat) else []
    return tuple(names)


def choices(state: State, seat: Seat) -> tuple[Action, ...] | None:
    """Acts that can be listed; None where texts are wanted."""
    names = action_names(state, seat)
    if {"clue", "guess", "write_rule"} & set(names):
        return None
    listed: list[Action] = [Start()] if "start" in names else []
    return (*listed, *_flags(state, seat)) if names else ()


def _flags(state: State, seat: Seat) -> tuple[Flag, ...]:
    return tuple(Flag(clue.number) for clue in state.open_clues if may_flag(state, seat, clue))


def default(state: State, seat: Seat) -> Action:
    """The clock starts the timer for a giver who does not."""
    if state.phase is not Phase.READY or not is_seat(state, seat) or seat != giver(state):
        raise IllegalAction(Reason.NOT_ASKED)
    return Start()


def apply(state: State, command: Command[Action]) -> Step[State]:
    """The next state, or IllegalAction."""
    if state.phase is Phase.OVER:
        raise IllegalAction(Reason.GAME_OVER)
    move = Move(state, command.at)
    open_clues = tuple(clue for clue in state.open_clues if command.at - clue.at < state.options.flag_duration)
    if len(open_clues) != len(state.open_clues):
        move.set(open_clues=open_clues)
    match command:
        case Act(seat, action, _, by):
            _act(move, seat, action, by)
        case Resign(seat):
            _resign(move, seat)
        case Deal(order):
            size = turns.chance(state)
            if not size:
                raise IllegalAction(Reason.DEAL_NOT_ASKED)
            if any(type(index) is not int for index in order) or sorted(order) != list(range(size)):
                raise IllegalAction(Reason.DEAL_INVALID, {"size": str(size)})
            turns.answer(move, order)
        case Tick(at):
            if state.phase not in (Phase.READY, Phase.CLUE) or state.deadline is None or at < state.deadline:
                raise IllegalAction(Reason.TICK_EARLY)
            if state.phase is Phase.READY:
                turns.start(move, By.CLOCK)
            else:
                turns.buzz(move)
        case Credit(ms):
            _credit(move, ms)
        case _:
            assert_never(command)
    return move.step()


def _act(move: Move, seat: Seat, action: Action, by: By) -> None:
    state = move.state
    if not is_seat(state, seat) or state.phase not in (Phase.READY, Phase.CLUE):
        raise IllegalAction(Reason.NOT_ASKED)
    if seat in state.resigned:
        raise IllegalAction(Reason.ALREADY_RESIGNED)
    acts.act(move, seat, action, by)


def _resign(move: Move, seat: Seat) -> None:
    """The others of his team play on, as long as one can give and one can guess [8.1].

    He does not take the place of a buzz that is due: where the turn ends with him, that comes first.
    """
    state = move.state
    if not is_seat(state, seat):
        raise IllegalAction(Reason.NOT_ASKED)
    if seat in state.resigned:
        raise IllegalAction(Reason.ALREADY_RESIGNED)
    gave, stay = seat == giver(state), len(members(state, team_of(seat))) - 1
    if (gave or stay < TEAMS) and state.phase is Phase.CLUE:
        if is_due(state, move.at):
            turns.buzz(move)
        else:
            turns.drop(move, seat)
            if stay >= TEAMS:
                turns.end_turn(move)  # while he counts still: the rotation goes on from him
    move.set(resigned=(*state.resigned, seat))
    if move.state.phase is Phase.OVER:
        return  # the buzz was the last, or the round
    if stay < TEAMS:
        turns.give_up(move, team_of(seat))
        return
    if gave and state.phase is Phase.READY:
        turns.get_ready(move)
    acts.uphold(move)


def _credit(move: Move, ms: int) -> None:
    """Running time is set back: the timer's, and that for flags."""
    state = move.state
    if state.deadline is not None:
        move.set(deadline=state.deadline + ms)
    move.set(open_clues=tuple(replace(clue, at=clue.at + ms) for clue in state.open_clues))
