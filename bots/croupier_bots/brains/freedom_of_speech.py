"""Freedom of Speech: partners that give clues and guess. Numbers in brackets: docs/rules/freedom_of_speech.md.

They keep the match's pace: with a timer of 60 s a clue each 4 s and a guess each 2 s; with a shorter one, faster.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots.bot import Bot, Choices
from croupier_bots.brains.freedom_of_speech_index import index_of
from croupier_bots.brains.freedom_of_speech_words import facts, gives_away, known, plain

CLUE = 4.0  # seconds of a minute between two clues
GUESS = 2.0
_LEAST = 0.25  # seconds: more than five messages in one are refused [6.4]
_MINUTE = 60_000


class Careful(Bot):
    """Gives the best clues first, and guesses what its own clues are the most like. It never flags."""

    games: ClassVar[Mapping[str, Sequence[str]]] = {"freedom_of_speech": ("careful",)}

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

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> int | Choices | None:
        """Start at once; clues, one after another; guesses as well. None: others play, and it leaves them alone."""
        table = view.freedom_of_speech
        self._open = False
        if "start" in window.actions:
            return [choice.freedom_of_speech.HasField("start") for choice in window.choices].index(True)
        if not {"clue", "guess"} & set(window.actions):
            return None
        self._open = True
        self._clues = {said.clue: said.text for said in table.talk if said.kind == pb.FreedomOfSpeechKind.CLUE}
        self._guesses = {plain(said.text) for said in table.talk if said.kind == pb.FreedomOfSpeechKind.GUESS}
        return self._give(table.word) if "clue" in window.actions else self._guess()

    async def _give(self, card: pb.FreedomOfSpeechWord) -> Choices:
        answers = (card.word, *card.aliases)
        wanted = {plain(answer) for answer in answers}
        clues = [clue for clue in known(self._language, "ALL").get(card.word, ()) if not gives_away(clue, answers)]
        for text in (*self._ordered(clues), *facts(answers, self._language)):
            if text in self._clues.values():
                continue  # before the connection was lost
            clue = games_pb2.Action()
            clue.freedom_of_speech.clue.text = text
            yield clue
            if await self._hears(wanted, self._pace(CLUE)) or not self._open:
                break
        if await self._hears(wanted, None):
            accept = games_pb2.Action()
            accept.freedom_of_speech.accept.SetInParent()
            yield accept

    async def _hears(self, wanted: set[str], seconds: float | None) -> bool:
        """Wait, unless it is the giver who judges, and somebody has said the word [6.1]."""
        judges = self._options.judge == pb.FreedomOfSpeechJudge.GIVER
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open and not (judges and wanted & self._guesses):
                    await self._hear()
        return judges and self._open and bool(wanted & self._guesses)

    async def _guess(self) -> Choices:
        while self._open:
            if not self._clues:
                await self._hear()
                continue
            if not await self._pause(self._pace(GUESS)):
                break
            word = self._best()
            if word is None:
                await self._hear()
                continue
            self._guesses.add(plain(word))
            guess = games_pb2.Action()
            guess.freedom_of_speech.guess.text = word
            yield guess

    async def _pause(self, seconds: float) -> bool:
        """Whether the card is still open afterwards."""
        await asyncio.sleep(seconds)
        return self._open

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
        """Seconds of a minute, in the match's own time; never slower."""
        options = self._options
        random = (options.timer_min_duration.ToMilliseconds() + options.timer_max_duration.ToMilliseconds()) / 2
        timer = random or options.timer_duration.ToMilliseconds() or _MINUTE
        return max(_LEAST, seconds * min(1.0, timer / _MINUTE))


class Random(Careful):
    """Gives the same clues in any order, and guesses anything as soon as there is a clue."""

    games: ClassVar[Mapping[str, Sequence[str]]] = {"freedom_of_speech": ("random",)}

    def _ordered(self, clues: Iterable[str]) -> Iterable[str]:
        clues = list(clues)
        self.random.shuffle(clues)
        return clues

    def _best(self) -> str | None:
        out = self._out()
        left = [word for word in known(self._language, self._level) if plain(word) not in out]
        return self.random.choice(left) if left else None
