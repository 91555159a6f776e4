"""Freedom of Speech: partners that give clues and guess. Numbers in brackets: docs/rules/freedom_of_speech.md.

They keep the pace of people, so that a match with them is one; only where a timer is shorter than 20 s they are faster.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots.bot import Bot, Choices
from croupier_bots.brains.freedom_of_speech_index import index_of
from croupier_bots.brains.freedom_of_speech_words import facts, gives_away, is_flagged, known, letters, plain

FIRST_CLUE = 2.0  # seconds from the card to the first clue
CLUE = 4.0  # between two clues
SECOND = 5.0  # that a guesser waits for a second clue before his first guess
THINK = 4.5  # about two clues before it
GUESS = 2.0  # between two guesses
WILD = 8.0  # between two guesses of `random`: they are hardly ever right, and others want to read, too
SKIP = 20.0  # until the buzz, so that a card can be given up for another one
_LEAST = 0.25  # seconds: more than five messages in one are refused [6.4]
_SHORT = 20_000  # ms of a timer from which on these are seconds; of a shorter one they are a part
_TIMER = 60_000  # the game's default
_START = games_pb2.Action(freedom_of_speech=pb.FreedomOfSpeechAction(start=pb.FreedomOfSpeechStart()))


class Careful(Bot):
    """Gives the best clues first, and guesses what its own clues are the most like.

    As an opponent that sees the card it flags clues with a word that begins as the answer does.
    """

    games: ClassVar[Mapping[str, Sequence[str]]] = {"freedom_of_speech": ("careful",)}
    rest: ClassVar[float] = GUESS  # between two guesses

    def __init__(self) -> None:
        self._options = pb.FreedomOfSpeechOptions()
        self._clues: dict[int, str] = {}  # about the present card
        self._guesses: set[str] = set()  # about it, as plain text
        self._open = False  # it may be guessed
        self._won: set[str] = set()  # closed cards, as plain text
        self._dead: set[str] = set()
        self._news = asyncio.Event()

    def seated(self, match: matches_pb2.Match) -> None:
        """Note how it is played."""
        self._options = match.options.freedom_of_speech

    def events(self, events: Sequence[matches_pb2.Event]) -> None:
        """Note what was said, and which cards are closed."""
        for event in events:
            self._note(event.freedom_of_speech)
        self._news.set()

    def _note(self, told: pb.FreedomOfSpeechEvent) -> None:
        match told.WhichOneof("event"):
            case "clue_given":
                self._clues[told.clue_given.clue] = told.clue_given.text
            case "guessed":
                self._guesses.add(plain(told.guessed.text))
            case "scored":
                self._open = False
                self._won.add(plain(told.scored.word.word))
            case "buzzed":
                self._bury(told.buzzed.word)
            case "fouled":
                self._bury(told.fouled.word)
            case "skipped":
                self._bury(told.skipped.word, told.skipped.lost)
            case "dropped":
                self._bury(told.dropped.word)
            case "taken_back":
                self._won.discard(plain(told.taken_back.word.word))
                self._dead.add(plain(told.taken_back.word.word))
            case "shuffled":
                self._dead.clear()  # they are in the deck again
            case "ended":
                self._open = False

    def _bury(self, *cards: pb.FreedomOfSpeechWord) -> None:
        self._open = False
        closed = {plain(card.word) for card in cards}
        self._won -= closed
        self._dead |= closed

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> games_pb2.Action | int | Choices | None:
        """Start at once; clues, one after another; guesses as well. None: others play, and it lets them."""
        table = view.freedom_of_speech
        self._open = False
        if "start" in window.actions:
            return _START  # by itself: where he may write a rule, too, there are no choices
        if not {"clue", "guess"} & set(window.actions):
            return self._flag(table, window)
        self._open = True
        self._clues = {said.clue: said.text for said in table.talk if said.kind == pb.FreedomOfSpeechKind.CLUE}
        self._guesses = {plain(said.text) for said in table.talk if said.kind == pb.FreedomOfSpeechKind.GUESS}
        return self._give(table.word, window) if "clue" in window.actions else self._guess()

    def _flag(self, table: pb.FreedomOfSpeechView, window: matches_pb2.Window) -> int | None:
        """The first clue about the card on the table that has too much of it, by the index of the choice."""
        answers = (table.word.word, *table.word.aliases)
        said = {each.clue: each.text for each in table.talk if each.kind == pb.FreedomOfSpeechKind.CLUE}
        for index, choice in enumerate(window.choices):
            text = said.get(choice.freedom_of_speech.flag.clue, "")
            if is_flagged(text, answers):
                return index
        return None

    async def _give(self, card: pb.FreedomOfSpeechWord, window: matches_pb2.Window) -> Choices:
        answers = (card.word, *card.aliases)
        wanted = {plain(answer) for answer in answers}
        buzz = asyncio.get_running_loop().time() + window.remaining.ToTimedelta().total_seconds()
        clues = [clue for clue in known(self._language, "ALL").get(card.word, ()) if not gives_away(clue, answers)]
        pause = FIRST_CLUE
        for text in (*self._ordered(clues), *facts(answers, self._language), *letters(answers)):
            if text in self._clues.values():
                continue  # before the connection was lost
            if await self._hears(wanted, self._pace(pause)) or not self._open:
                break
            clue = games_pb2.Action()
            clue.freedom_of_speech.clue.text = text
            yield clue
            pause = CLUE
        # It has said all it knows. To be silent for long is worse than to start over with another word.
        skips = "skip" in window.actions and asyncio.get_running_loop().time() + self._pace(CLUE + SKIP) < buzz
        if await self._hears(wanted, self._pace(CLUE) if skips else None):
            accept = games_pb2.Action()
            accept.freedom_of_speech.accept.SetInParent()
            yield accept
        elif skips and self._open:
            skip = games_pb2.Action()
            skip.freedom_of_speech.skip.SetInParent()
            yield skip

    async def _hears(self, wanted: set[str], seconds: float | None) -> bool:
        """Wait, unless it is the giver who judges, and somebody has said the word [6.1]."""
        judges = self._options.judge == pb.FreedomOfSpeechJudge.GIVER
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open and not (judges and wanted & self._guesses):
                    await self._hear()
        return judges and self._open and bool(wanted & self._guesses)

    async def _guess(self) -> Choices:
        await self._read()
        while self._open:
            word = self._best()
            if word is None:
                await self._hear()
                continue
            self._guesses.add(plain(word))
            guess = games_pb2.Action()
            guess.freedom_of_speech.guess.text = word
            yield guess
            await asyncio.sleep(self._pace(self.rest))

    async def _read(self) -> None:
        """Hear two clues and think about them, or about one, if there is no other soon."""
        while self._open and not self._clues:
            await self._hear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pace(SECOND)):
                while self._open and len(self._clues) == 1:
                    await self._hear()
        if len(self._clues) > 1:
            await asyncio.sleep(self._pace(THINK))

    async def _hear(self) -> None:
        self._news.clear()
        await self._news.wait()

    def _ordered(self, clues: Iterable[str]) -> Iterable[str]:
        """In which order they are given."""
        return clues

    def _best(self) -> str | None:
        """What to guess; None: nothing more."""
        return index_of(self._language, self._level).best(self._clues.values(), self._out())

    def _out(self) -> set[str]:
        """What the card cannot be."""
        return self._guesses | self._won | self._dead

    @property
    def _language(self) -> str:
        language = self._options.language or pb.FreedomOfSpeechLanguage.EN
        return pb.FreedomOfSpeechLanguage.Value.Name(language)

    @property
    def _level(self) -> str:
        return pb.FreedomOfSpeechLevel.Value.Name(self._options.level or pb.FreedomOfSpeechLevel.ALL)

    def _pace(self, seconds: float) -> float:
        """Seconds in the match's own time; never slower."""
        options = self._options
        random = (options.timer_min_duration.ToMilliseconds() + options.timer_max_duration.ToMilliseconds()) / 2
        timer = random or options.timer_duration.ToMilliseconds() or _TIMER
        return max(_LEAST, seconds * min(1.0, timer / _SHORT))


class Random(Careful):
    """Gives the same clues in any order, and guesses anything."""

    games: ClassVar[Mapping[str, Sequence[str]]] = {"freedom_of_speech": ("random",)}
    rest = WILD

    def _ordered(self, clues: Iterable[str]) -> Iterable[str]:
        clues = list(clues)
        self.random.shuffle(clues)
        return clues

    def _best(self) -> str | None:
        out = self._out()
        left = [word for word in known(self._language, self._level) if plain(word) not in out]
        return self.random.choice(left) if left else None
