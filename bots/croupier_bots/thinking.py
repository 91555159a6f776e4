"""What bots think of the questions of their matches: at once, for a while, or on and on."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextlib import aclosing

from croupier_bots.bot import Choice, Choices
from croupier_bots.errors import ChoiceInvalid
from croupier_bots.session import Ask, Effect, Session, Stop, Told


class Thinking:
    """The questions that bots of one player think about, one of each match.

    `perform`: is given what follows from an answer.
    """

    def __init__(self, session: Session, perform: Callable[[Iterable[Effect]], None]) -> None:
        self._session = session
        self._perform = perform
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._told: dict[str, asyncio.Future[str | None]] = {}  # who waits for what became of an answer

    def ask(self, ask: Ask) -> None:
        """Put a question; what its bot thought about an earlier one is let go."""
        self._drop(ask.match)
        try:
            choice = ask.bot.choose(ask.view, ask.window)
        except Exception as problem:  # whatever an author's code raises must not end his other matches
            self._perform(self._session.fumble(ask.match, ask.window.id, problem))
            return
        if isinstance(choice, AsyncGenerator):
            self._told[ask.match] = asyncio.get_running_loop().create_future()
            self._begin(ask.match, self._go_on(ask, choice))
        elif inspect.isawaitable(choice):
            self._begin(ask.match, self._think(ask, choice))
        else:
            self._answer(ask, choice)

    def tell(self, told: Told | Stop) -> None:
        """Tell a bot what became of its last answer."""
        if isinstance(told, Stop):
            self._drop(told.match)
        elif (waiting := self._told.get(told.match)) is not None and not waiting.done():
            waiting.set_result(told.reason)

    def disconnect(self) -> None:
        """The connection is lost: an answer can be sent on the next one, but who gives several is asked anew there."""
        for match in list(self._told):
            self._drop(match)
            self._session.forget(match)  # the view that comes with it shows which of its answers counted

    def stop(self) -> None:
        """Nobody waits for an answer any more."""
        for match in list(self._tasks):
            self._drop(match)

    def _begin(self, match: str, thought: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(thought)
        self._tasks[match] = task
        task.add_done_callback(lambda done: self._done(match, done))

    def _done(self, match: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(match) is task:
            del self._tasks[match]
            self._told.pop(match, None)

    def _drop(self, match: str) -> None:
        self._told.pop(match, None)
        task = self._tasks.pop(match, None)
        if task is not None:
            task.cancel()

    async def _think(self, ask: Ask, coming: Awaitable[Choice | None]) -> None:
        try:
            choice = await coming
        except Exception as problem:  # as in `ask`
            self._perform(self._session.fumble(ask.match, ask.window.id, problem))
        else:
            self._answer(ask, choice)

    async def _go_on(self, ask: Ask, choices: Choices) -> None:
        """One answer after another, each when the table has answered the last."""
        said, reason = False, None
        try:
            async with aclosing(choices):
                while True:
                    try:
                        choice = await choices.asend(reason)
                    except StopAsyncIteration:
                        break
                    waiting = self._told[ask.match] = asyncio.get_running_loop().create_future()
                    self._perform(self._session.decide(ask.match, ask.window.id, choice, more=True))
                    said, reason = True, await waiting
        except Exception as problem:  # as in `ask`
            self._perform(self._session.fumble(ask.match, ask.window.id, problem))
        else:
            if not said:
                self._answer(ask, None)

    def _answer(self, ask: Ask, choice: Choice | None) -> None:
        try:
            self._perform(self._session.decide(ask.match, ask.window.id, choice))
        except ChoiceInvalid as problem:
            self._perform(self._session.fumble(ask.match, ask.window.id, problem))
