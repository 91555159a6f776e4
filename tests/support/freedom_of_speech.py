"""Freedom of Speech positions for tests, written down instead of played up to. Acts in words: "0 clue big and grey"."""

from collections.abc import Sequence
from itertools import islice, product
from typing import TypeVar

import pytest

from croupier_engine.errors import IllegalAction, Reason
from croupier_engine.freedom_of_speech.game import FreedomOfSpeech
from croupier_engine.freedom_of_speech.model import (
    Accept,
    Action,
    Clue,
    Flag,
    Guess,
    Phase,
    Skip,
    Start,
    State,
    WriteRule,
)
from croupier_engine.freedom_of_speech.options import Language, Options, Word
from croupier_engine.freedom_of_speech.questions import giver
from croupier_engine.game import Act, Awaiting, By, Command, Deal, Event, Step, Tick

GAME = FreedomOfSpeech()
NOW = 1_000_000
"""Server ms at which the timer of a position was started, or its READY began."""
ELEPHANT = Word("elephant", ("tusker",))

_SYLLABLES = {Language.EN: ("bdfgk", "aeiu", "lmnr"), Language.RU: ("бдзгк", "аеиу", "лмнр")}
_SYLLABLES[Language.UK] = _SYLLABLES[Language.RU]

P = TypeVar("P")


def some_words(count: int, language: Language = Language.EN) -> tuple[Word, ...]:
    """Words that nobody says by chance."""
    return tuple(Word("".join(letters) * 2) for letters in islice(product(*_SYLLABLES[language]), count))


def position(
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    word: Word = ELEPHANT,
    phase: Phase = Phase.CLUE,
    seats: int = 4,
    team: int = 0,
    won: tuple[int, int] = (0, 0),
    dead: int = 0,
    deck: int = 12,
    places: tuple[int, int] = (0, 0),
    turns: tuple[int, int] = (0, 0),
    round_: int = 1,
    resigned: Sequence[int] = (),
) -> State:
    """A turn of `team` that began at NOW, with `word` as its card, or as the next one while it is READY.

    `won`, `dead`, `deck`: how many other cards lie there; they are numbered from 1, deck, piles, dead pile.
    """
    sizes = (deck, *won, dead)
    marks = [1 + sum(sizes[:number]) for number in range(5)]
    rest, first, second, gone = (tuple(range(marks[n], marks[n + 1])) for n in range(4))
    runs = phase is Phase.CLUE
    return State(
        options=_with(options, (word, *some_words(sum(sizes), options.language))),
        seats=seats,
        phase=phase,
        deck=rest if runs else (0, *rest),
        current=0 if runs else None,
        piles=(first, second),
        dead=gone,
        team=team,
        places=places,
        turns=turns,
        round=round_ if runs else round_ - 1,
        drawn=1,
        questions=1,
        deadline=NOW + (options.timer_duration if runs else options.start_duration),
        stamps=((),) * seats,
        forfeits=(0,) * seats,
        resigned=tuple(resigned),
    )


def _with(options: Options, words: tuple[Word, ...]) -> Options:
    return Options(
        **{name: getattr(options, name) for name in Options.__struct_fields__ if name != "words"}, words=words
    )


def said(line: str) -> tuple[int, Action]:
    """A seat and what it does, from words."""
    seat, verb, *rest = line.split(" ", 2)
    text = rest[0] if rest else ""
    match verb:
        case "start":
            return int(seat), Start()
        case "clue":
            return int(seat), Clue(text)
        case "guess":
            return int(seat), Guess(text)
        case "accept":
            return int(seat), Accept()
        case "skip":
            return int(seat), Skip()
        case "flag":
            return int(seat), Flag(int(text))
        case "rule":
            return int(seat), WriteRule(text)
        case _:
            raise ValueError(line)


def act(state: State, line: str, at: int = NOW + 1000) -> Step[State]:
    seat, action = said(line)
    return GAME.apply(state, Act(seat, action, at))


def script(state: State, *lines: str, at: int = NOW + 1000) -> Step[State]:
    """Acts in words, "tick" when the clock is due, and "deal" for chance in order, a quarter of a second apart.

    The step of the last one with the events of all of them.
    """
    events: list[Event] = []
    for line in lines:
        if line == "tick":
            at = max(at, asked(state).deadline or 0)
            step = GAME.apply(state, Tick(at))
        elif line == "deal":
            step = GAME.apply(state, Deal(tuple(range(asked(state).chance)), at))
        else:
            step = act(state, line, at)
        at += 250
        state = step.state
        events += step.events
    return Step(state, tuple(events))


def asked(state: State) -> Awaiting:
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    return awaiting


def turn(state: State) -> tuple[Phase, int]:
    """What the table waits for, and who gives."""
    return state.phase, giver(state)


def refusal(state: State, command: Command[Action]) -> tuple[Reason, dict[str, str]]:
    """Why the command is refused; nothing may have changed."""
    before = hash(state), GAME.view(state, None)
    with pytest.raises(IllegalAction) as caught:
        GAME.apply(state, command)
    assert (hash(state), GAME.view(state, None)) == before
    return caught.value.reason, caught.value.details


def refused(state: State, line: str, at: int = NOW + 1000, by: By = By.PLAYER) -> Reason:
    """Why an act in words is refused."""
    seat, action = said(line)
    return refusal(state, Act(seat, action, at, by))[0]


def told(events: Sequence[Event], kind: type[P]) -> list[P]:
    """The public payloads of a kind."""
    return [event.public for event in events if isinstance(event.public, kind)]
