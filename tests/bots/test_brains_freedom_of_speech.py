"""The house's bots for Freedom of Speech at a table: when they speak, what they hear, when they stop."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import Bot, Choices
from croupier_bots.brains.freedom_of_speech import GUESS, SECOND, THINK, Careful, Random
from croupier_bots.brains.freedom_of_speech_words import facts, known, letters
from croupier_convert import action_from_proto, action_to_proto, options_to_proto, set_payload, view_to_proto
from croupier_engine.freedom_of_speech import events, model, turns
from croupier_engine.freedom_of_speech.options import ForfeitMode, Judge, Level, Options, Word
from croupier_engine.freedom_of_speech.words import shipped
from croupier_engine.game import Act, Deal, Event, Tick
from croupier_engine.registry import GAMES

GAME = GAMES["freedom_of_speech"]
ROOT = Path(__file__).parents[2]
FAST = Options(timer_duration=3_750)


class Table:
    """A table of four of which one seat is a bot that is told what it would be told; the test plays the others."""

    def __init__(self, bot: Bot, seat: int, options: Options = FAST, first: Sequence[int] = ()) -> None:
        self.bot, self.seat, self.at = bot, seat, 0
        bot.random = random.Random(1)
        bot.seated(
            matches_pb2.Match(
                options=options_to_proto(GAME.name, options), you=matches_pb2.You(seat=seat), game=GAME.name
            )
        )
        step = GAME.start(options, 4, 0)
        self.state = step.state
        while size := turns.chance(self.state):
            order = list(range(size))
            if size > 2 and first:
                order = [*first, *(card for card in order if card not in first)]
            self.command(Deal(tuple(order), 0))

    def command(self, command: Any) -> None:
        step = GAME.apply(self.state, command)
        self.state = step.state
        self.tell(step.events)

    def tell(self, happened: Sequence[Event]) -> None:
        told = []
        for event in happened:
            message = matches_pb2.Event(type=event.type)
            set_payload(message, GAME.name, event.seen_by(self.seat))
            told.append(message)
        self.bot.events(told)

    def act(self, seat: int, action: model.Action) -> None:
        self.at += 300
        self.command(Act(seat, action, self.at))

    def asked(self) -> Any:
        """What the bot answers."""
        window = matches_pb2.Window(id="w", actions=GAME.action_names(self.state, self.seat))
        for action in GAME.choices(self.state, self.seat) or ():
            choice = window.choices.add()
            if isinstance(action, model.Start):
                choice.freedom_of_speech.start.SetInParent()
            else:
                choice.freedom_of_speech.flag.clue = 1
        return self.bot.choose(view_to_proto(GAME.name, GAME.view(self.state, self.seat)), window)

    def text(self, action: games_pb2.Action) -> str:
        """Its act is done; what it said."""
        made = action_from_proto(GAME.name, action)
        self.act(self.seat, made)
        return str(getattr(made, "text", made))


async def said(choices: Choices) -> games_pb2.Action:
    answer = await asyncio.wait_for(anext(choices), 10)
    assert isinstance(answer, games_pb2.Action)
    return answer


@asynccontextmanager
async def silent(choices: Choices) -> AsyncIterator[asyncio.Task[games_pb2.Action]]:
    """Nothing is said until the block is done with it."""
    coming = asyncio.create_task(said(choices))
    await asyncio.sleep(1.2)
    assert not coming.done()
    try:
        yield coming
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)


def word_of(table: Table) -> str:
    assert table.state.current is not None
    return str(shipped(table.state.options.language, Level.ALL)[table.state.current].word)


async def test_it_starts_at_once_and_gives_the_best_clues_first() -> None:
    table = Table(Careful(), 0)
    assert table.asked() == action_to_proto("freedom_of_speech", model.Start())
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        given = [table.text(await said(choices)) for _ in range(3)]
    assert given == list(known("EN", "ALL")[word_of(table)][:3])


async def test_the_random_one_gives_them_in_any_order() -> None:
    table = Table(Random(), 0)
    table.act(0, model.Start())
    clues = known("EN", "ALL")[word_of(table)]
    async with aclosing(table.asked()) as choices:
        given = [table.text(await said(choices)) for _ in range(len(clues))]
    assert given != list(clues)
    assert sorted(given) == sorted(clues)


async def test_asked_anew_it_does_not_repeat_itself() -> None:
    table = Table(Careful(), 0)
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        table.text(await said(choices))
    async with aclosing(table.asked()) as choices:
        assert table.text(await said(choices)) == known("EN", "ALL")[word_of(table)][1]


async def test_of_a_list_of_ones_own_it_says_what_it_can() -> None:
    words = (Word("elephant", ("trunk", "grey thing")), Word("zzyzx"), *(Word(f"thing{'x' * n}") for n in range(20)))
    table = Table(Careful(), 0, Options(timer_duration=5_000, words=words), first=[0])
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        first = table.text(await said(choices))
    assert first in known("EN", "ALL")["elephant"]
    assert "trunk" not in first
    assert table.state.current == 0, "it was no foul"
    table = Table(Careful(), 0, Options(timer_duration=5_000, words=words), first=[1])
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        given = [table.text(await said(choices)) for _ in range(4)]
        assert given == ["words: 1", "letters: 5", "z _ _ _ _", "z _ _ _ x"]
        async with silent(choices):
            pass


async def test_as_the_judge_it_accepts_what_is_right() -> None:
    table = Table(Careful(), 0, Options(timer_duration=3_750, judge=Judge.GIVER))
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        table.text(await said(choices))
        table.act(2, model.Guess("something else"))
        table.text(await said(choices))
        table.act(2, model.Guess(f"{word_of(table).upper()}!"))
        assert table.text(await said(choices)) == str(model.Accept())
    assert GAME.scores(table.state)[0] == 1


async def test_it_guesses_only_once_there_is_a_clue_and_nothing_twice() -> None:
    table = Table(Careful(), 2)
    table.act(0, model.Start())
    async with aclosing(table.asked()) as choices:
        async with silent(choices) as coming:
            table.act(0, model.Clue("something that people eat with a spoon"))
            guesses = [table.text(await asyncio.wait_for(asyncio.shield(coming), 10))]
        async with aclosing(table.asked()) as again:
            guesses += [table.text(await said(again)) for _ in range(2)]
    assert len(set(guesses)) == 3


async def test_it_guesses_nothing_that_is_closed_until_that_is_in_the_deck_again() -> None:
    bot = Careful()
    table = Table(bot, 2)
    table.act(0, model.Start())
    elephant = Word("elephant")

    def happened(payload: Any, kind: str) -> None:
        table.tell([Event(f"freedom_of_speech.{kind}", payload)])

    clue = known("EN", "ALL")["elephant"][0]
    for payload, kind in (
        (events.Scored(0, 0, 2, elephant, (1, 0)), "scored"),
        (events.Buzzed(1, 0, 0, elephant), "buzzed"),
        (events.Fouled(0, model.Foul.WORD, 0, elephant), "fouled"),
        (events.Skipped(0, Word("cow"), elephant, (0, 0)), "skipped"),
        (events.Dropped(0, elephant), "dropped"),
        (events.TakenBack(0, 1, elephant, (0, 0)), "taken_back"),
    ):
        happened(payload, kind)
        async with aclosing(table.asked()) as choices:
            happened(events.ClueGiven(0, 1, clue), "clue_given")
            assert (await said(choices)).freedom_of_speech.guess.text != "elephant"
        happened(events.Shuffled(9, again=True), "shuffled")
        async with aclosing(table.asked()) as choices:
            happened(events.ClueGiven(0, 1, clue), "clue_given")
            guess = (await said(choices)).freedom_of_speech.guess.text
            assert (guess == "elephant") == (kind != "scored")
        happened(events.TakenBack(0, 1, elephant, (0, 0)), "taken_back")
        happened(events.Shuffled(9, again=True), "shuffled")


@pytest.mark.parametrize("kind", [Careful, Random])
async def test_it_ends_when_the_card_is_closed(kind: type[Bot]) -> None:
    giver, guesser = Table(kind(), 0), Table(kind(), 2)
    for table in (giver, guesser):
        table.act(0, model.Start())
    async with aclosing(giver.asked()) as clues, aclosing(guesser.asked()) as guesses:
        giver.text(await said(clues))
        guesser.act(0, model.Clue("a thing"))
        for table in (giver, guesser):
            table.act(2, model.Guess(word_of(table)))
        for choices in (clues, guesses):
            with pytest.raises(StopAsyncIteration):
                await said(choices)


async def test_without_anything_to_say_it_takes_another_card_if_there_is_time_for_one() -> None:
    def out_of_clues(left: float) -> Choices:
        table = Table(Careful(), 0)
        table.act(0, model.Start())
        view = view_to_proto(GAME.name, GAME.view(table.state, 0))
        word = view.freedom_of_speech.word
        said_so_far = (
            *known("EN", "ALL")[word.word],
            *facts((word.word, *word.aliases), "EN"),
            *letters((word.word, *word.aliases)),
        )
        for number, text in enumerate(said_so_far, 1):
            view.freedom_of_speech.talk.add(kind=pb.FreedomOfSpeechKind.CLUE, text=text, clue=number)
        window = matches_pb2.Window(id="w", actions=["clue", "skip"])
        window.remaining.FromMilliseconds(int(left * 1000))
        choices = table.bot.choose(view, window)
        assert isinstance(choices, AsyncGenerator)
        return choices

    async with aclosing(out_of_clues(60)) as choices:
        assert (await said(choices)).freedom_of_speech.HasField("skip")
    for left in (3, 0):  # 0: of a secret timer nothing is known
        async with aclosing(out_of_clues(left)) as choices, silent(choices):
            pass


async def test_it_hears_a_second_clue_before_it_guesses_and_does_not_wait_for_it_forever() -> None:
    table = Table(Careful(), 2, Options(timer_duration=10_000))  # the pace is a half of that of people
    table.act(0, model.Start())
    table.act(0, model.Clue("something that people eat with a spoon"))
    loop = asyncio.get_running_loop()
    async with aclosing(table.asked()) as choices:
        began = loop.time()
        await said(choices)
        assert loop.time() - began >= SECOND / 2 - 0.1
    async with aclosing(table.asked()) as choices:
        coming = asyncio.create_task(said(choices))
        await asyncio.sleep(SECOND / 2 - 0.5)
        began = loop.time()
        table.act(0, model.Clue("hot"))
        await coming
        assert loop.time() - began >= THINK / 2 - 0.1


def test_as_an_opponent_it_lets_the_others_play() -> None:
    table = Table(Careful(), 1)
    table.act(0, model.Start())
    table.act(0, model.Clue("something"))
    assert GAME.choices(table.state, 1)
    assert table.asked() is None


def test_as_an_opponent_it_flags_what_begins_as_the_word_does() -> None:
    table = Table(Careful(), 1)
    table.act(0, model.Start())
    table.act(0, model.Clue("something"))
    table.act(0, model.Clue("more of it"))
    view = view_to_proto(GAME.name, GAME.view(table.state, 1))
    view.freedom_of_speech.word.word = "luck"
    view.freedom_of_speech.talk[1].text = "Lucky you"
    window = matches_pb2.Window(id="w", actions=["flag"])
    for number in (1, 2):
        window.choices.add().freedom_of_speech.flag.clue = number
    assert table.bot.choose(view, window) == 1
    del window.choices[1]  # it has flagged that one
    assert table.bot.choose(view, window) is None
    window.choices[0].freedom_of_speech.flag.clue = 2
    view.freedom_of_speech.ClearField("word")  # the rules of this table
    assert table.bot.choose(view, window) is None


@pytest.mark.parametrize(
    ("options", "guess"),
    [
        (Options(), 2.0),
        (Options(timer_duration=20_000), 2.0),
        (Options(timer_duration=600_000), 2.0),
        (Options(timer_duration=10_000), 1.0),
        (Options(timer_duration=1_000), 0.25),
        (Options(timer_min_duration=2_000, timer_max_duration=18_000), 1.0),
    ],
)
def test_its_pace_is_that_of_people_and_of_a_short_match(options: Options, guess: float) -> None:
    table = Table(Careful(), 0, options)
    assert table.bot._pace(GUESS) == guess  # type: ignore[attr-defined]


async def test_it_starts_where_it_may_write_a_rule_too() -> None:
    table = Table(Careful(), 1, Options(forfeit_mode=ForfeitMode.RULE))
    table.act(0, model.Start())
    table.command(Tick(table.at + 60_000))
    assert GAME.action_names(table.state, 1) == ("start", "write_rule")
    assert table.asked() == action_to_proto("freedom_of_speech", model.Start())
