"""Freedom of Speech: what players do [5, 6]."""

from msgspec.structs import replace

from croupier_engine.errors import IllegalAction, Reason
from croupier_engine.freedom_of_speech import events, turns
from croupier_engine.freedom_of_speech.lexicon import CLUE, GUESS, RULE, foul_of, is_right
from croupier_engine.freedom_of_speech.model import (
    OPEN,
    TALK,
    Accept,
    Action,
    Clue,
    Flag,
    Foul,
    Given,
    Guess,
    Kind,
    Phase,
    Rule,
    Said,
    Skip,
    Start,
    WriteRule,
)
from croupier_engine.freedom_of_speech.move import Move
from croupier_engine.freedom_of_speech.options import Judge
from croupier_engine.freedom_of_speech.questions import (
    giver,
    giver_acts,
    is_due,
    is_upheld,
    may_flag,
    may_skip,
    may_write_rule,
    other,
    scores,
    team_of,
    turn,
    word,
)
from croupier_engine.freedom_of_speech.script import problem_of
from croupier_engine.game import By, Seat

RATE = 5  # messages of a player in any second [6.4]
_SECOND = 1_000
_NAMES = ("start", "clue", "guess", "accept", "skip", "flag", "writeRule")


def act(move: Move, seat: Seat, action: Action, by: By) -> None:
    """One act of a player who is asked."""
    match action:
        case Start():
            _start(move, seat, by)
        case Clue(text):
            _clue(move, seat, text)
        case Guess(text):
            _guess(move, seat, text)
        case Accept():
            _accept(move, seat)
        case Skip():
            _skip(move, seat)
        case Flag(number):
            _flag(move, seat, number)
        case WriteRule(text):
            _write_rule(move, seat, text)
        case _:  # whatever the types say, it comes from outside
            raise IllegalAction(Reason.WRONG_ACTION, {"actions": ", ".join(_NAMES)})


def _start(move: Move, seat: Seat, by: By) -> None:
    _is_part_of(move, seat, "start", gives=True)
    if move.state.phase is not Phase.READY:
        raise IllegalAction(Reason.WRONG_ACTION, {"actions": ", ".join(giver_acts(move.state))})
    turns.start(move, by)


def _clue(move: Move, seat: Seat, text: str) -> None:
    _is_part_of(move, seat, "clue", gives=True)
    _is_in_time(move)
    _check(move, text, CLUE)
    _count(move, seat)
    state = move.state
    assert state.current is not None, "a clue is about a card"
    wrong = foul_of(text, word(state, state.current), state.options.language)
    if wrong is not None:
        turns.foul(move, seat, wrong)  # and nobody sees what was said
        return
    number = state.clues + 1
    move.set(
        clues=number,
        open_clues=(*move.state.open_clues, Given(number, seat, state.current, turn(state), move.at))[-OPEN:],
    )
    _say(move, Said(Kind.CLUE, seat, text, move.at, number))
    move.tell("clue_given", events.ClueGiven(seat, number, text))


def _guess(move: Move, seat: Seat, text: str) -> None:
    _is_part_of(move, seat, "guess", gives=False)
    _is_in_time(move)
    _check(move, text, GUESS)
    _count(move, seat)
    state = move.state
    assert state.current is not None, "a guess is about a card"
    options = state.options
    right = options.judge is Judge.AUTO and is_right(
        text, word(state, state.current), fuzzy=options.fuzzy, contain=options.contain
    )
    _say(move, Said(Kind.GUESS, seat, text, move.at))
    move.tell("guessed", events.Guessed(seat, text, right))
    if right:
        turns.score(move, seat)


def _accept(move: Move, seat: Seat) -> None:
    _is_part_of(move, seat, "accept", gives=True)
    if move.state.options.judge is not Judge.GIVER:
        raise IllegalAction(Reason.WRONG_ACTION, {"actions": ", ".join(giver_acts(move.state))})
    _is_in_time(move)
    turns.score(move, None)


def _skip(move: Move, seat: Seat) -> None:
    _is_part_of(move, seat, "skip", gives=True)
    _is_in_time(move)
    if not may_skip(move.state):
        raise IllegalAction(Reason.SKIP_WITHOUT_CARDS)
    turns.skip(move)


def _flag(move: Move, seat: Seat, number: int) -> None:
    state = move.state
    clue = next((clue for clue in state.open_clues if clue.number == number), None)
    if clue is None:
        known = type(number) is int and 0 < number <= state.clues
        raise IllegalAction(Reason.FLAG_TOO_LATE if known else Reason.CLUE_UNKNOWN, {"clue": str(number)[:20]})
    if seat in clue.flags:
        raise IllegalAction(Reason.FLAGGED_ALREADY, {"clue": str(number)})
    if not may_flag(state, seat, clue):
        raise IllegalAction(Reason.NOT_YOUR_PART, {"action": "flag"})
    clue = replace(clue, flags=(*clue.flags, seat))
    move.set(open_clues=tuple(clue if each.number == number else each for each in state.open_clues))
    move.tell("flagged", events.Flagged(seat, number))
    uphold(move)


def uphold(move: Move) -> None:
    """Whatever enough of the opponents call a foul by now, those who gave up not counted."""
    while clue := next((each for each in move.state.open_clues if is_upheld(move.state, each)), None):
        _uphold(move, clue)


def _uphold(move: Move, clue: Given) -> None:
    """A card that was guessed meanwhile is taken back; the turn is lost if it is still under way [6.3].

    A turn whose time is up is left to the buzz, which says who owes something.
    """
    state, team = move.state, team_of(clue.seat)
    move.set(open_clues=tuple(each for each in state.open_clues if each.number != clue.number))
    if clue.card is not None and clue.card in state.piles[team]:
        move.pile(team, tuple(card for card in state.piles[team] if card != clue.card))
        move.bury(clue.card)
        totals = scores(move.state)
        move.tell("taken_back", events.TakenBack(team, clue.number, word(state, clue.card), totals))
    if state.phase is Phase.CLUE and clue.turn == turn(state) and not is_due(state, move.at):
        turns.foul(move, clue.seat, Foul.FLAGGED, clue.number)


def _write_rule(move: Move, seat: Seat, text: str) -> None:
    state = move.state
    if not may_write_rule(state, seat):
        raise IllegalAction(Reason.NOT_YOUR_PART, {"action": "writeRule"})
    _check(move, text, RULE)
    caught = other(team_of(seat))
    move.set(rules=(*state.rules, Rule(caught, text)), caught=None)
    move.tell("rule_written", events.RuleWritten(seat, caught, text))


def _is_part_of(move: Move, seat: Seat, action: str, *, gives: bool) -> None:
    """The giver gives, his team-mates guess, and opponents do neither [6.1]."""
    if team_of(seat) != move.state.team or (seat == giver(move.state)) is not gives:
        raise IllegalAction(Reason.NOT_YOUR_PART, {"action": action})
    if move.state.phase is not Phase.CLUE and action != "start":
        raise IllegalAction(Reason.WRONG_ACTION, {"actions": "start"})


def _is_in_time(move: Move) -> None:
    if is_due(move.state, move.at):
        raise IllegalAction(Reason.TIMER_RUN_OUT)


def _check(move: Move, text: str, most: int) -> None:
    problem = problem_of(text, move.state.options.language, most) if type(text) is str else "it is no text"
    if problem:
        raise IllegalAction(Reason.TEXT_INVALID, {"problem": problem})


def _count(move: Move, seat: Seat) -> None:
    """No more messages in a second than RATE."""
    stamps = [stamp for stamp in move.state.stamps[seat] if move.at - stamp < _SECOND]
    if len(stamps) >= RATE:
        raise IllegalAction(Reason.TOO_FAST, {"limit": str(RATE), "retry_after": "1"})
    kept = (*stamps, move.at)
    move.set(stamps=tuple(kept if index == seat else each for index, each in enumerate(move.state.stamps)))


def _say(move: Move, said: Said) -> None:
    move.set(talk=(*move.state.talk, said)[-TALK:])
