"""The talk between a bot and the table, without a network: messages in, messages and questions out.

It outlives connections: what was received of each match, and the last answer given in it, are kept here.
"""

import logging
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from google.protobuf import text_format

from croupier.errors import CATALOGUE
from croupier.v1 import bots_pb2, games_pb2, matches_pb2
from croupier_bots.bot import Bot, Choice, checked
from croupier_bots.errors import BotStopped, ChoiceInvalid, Replaced, Unauthenticated

log = logging.getLogger("croupier_bots")

ATTEMPTS = 3  # acts refused by the rules in one window, after which it is left to the clock
# Refusals after which there is nothing to answer, or nothing yet.
_SETTLED = frozenset({"GAME_OVER", "NOT_ASKED", "ALREADY_COMMITTED", "ALREADY_RESIGNED", "MATCH_NOT_STARTED"})
_GONE = frozenset({"MATCH_NOT_FOUND", "NOT_SEATED"})
_LATER = frozenset({"UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "INTERNAL"})  # gRPC codes


class ComeBack(Exception):  # noqa: N818 - it names what happens
    """This connection is of no more use; a new one is wanted after `after` seconds, None: after the usual delay."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


@dataclass(slots=True)
class Ask:
    """A question to the bot of a match; answer with `Session.decide` or, if it fails, `Session.fumble`."""

    match: str
    bot: Bot
    view: games_pb2.View
    window: matches_pb2.Window


@dataclass(slots=True)
class Later:
    """An act to be sent again after `seconds` if its window is still open: `Session.again`."""

    match: str
    request_id: str
    seconds: float


Effect: TypeAlias = bots_pb2.PlayerMessage | Ask | Later


@dataclass(slots=True)
class _Table:
    """One match, as far as it was received."""

    bot: Bot
    sequence: int | None  # of the last event received; None: it must be sent whole again
    mark: str = ""  # its mark
    view: games_pb2.View = field(default_factory=games_pb2.View)
    window: matches_pb2.Window = field(default_factory=matches_pb2.Window)  # the last question
    act: bots_pb2.PlayAct | None = None  # the answer to it
    sent_on: int = 0  # the connection that the answer went out on
    refusals: int = 0  # of answers to it
    delay: float = 1.0  # s, before the answer is sent once more
    later: bool = False  # it is to be sent once more
    seat: int = 0
    faults: int = 0  # times that the bot failed, or that the rules refused it


class Session:
    """One player's matches over any number of connections."""

    def __init__(
        self,
        make: Callable[[matches_pb2.Match], Bot],
        offers: Mapping[str, Sequence[str]],
        capacity: int,
        seed: int | None = None,
        quiet: bool = False,
    ) -> None:
        """`quiet`: the log does not tell of every match, as where thousands are played."""
        self._make = make
        self._offers = offers
        self._capacity = capacity
        self._seed = seed
        self._level = logging.DEBUG if quiet else logging.INFO
        self._chance = random.Random(seed)  # noqa: S311 - play, not secrets
        self._tables: dict[str, _Table] = {}
        self._connection = 0
        # Distinct in every process: a restarted bot must not repeat the names of the acts that it no longer knows.
        self._prefix = secrets.token_hex(8)
        self._acts = 0
        self._stale = False  # the server has said that its store is away
        self.player = ""
        self.stand_by = False  # a newer stream has taken over, and is not to be sent away

    @property
    def matches(self) -> tuple[str, ...]:
        """Ids of the matches that are played."""
        return tuple(self._tables)

    def hello(self) -> bots_pb2.PlayerMessage:
        """The first message of a new connection."""
        self._connection += 1
        return bots_pb2.PlayerMessage(
            hello=bots_pb2.Hello(
                offers=[bots_pb2.Offer(game=game, levels=levels) for game, levels in self._offers.items()],
                capacity=self._capacity,
                stand_by=self.stand_by,
                resume=[
                    bots_pb2.MatchCursor(match=match, sequence=table.sequence, mark=table.mark)
                    for match, table in self._tables.items()
                    if table.sequence is not None
                ],
            )
        )

    def receive(self, message: bots_pb2.TableMessage) -> Iterator[Effect]:
        """Take in one message. Raises ComeBack, or BotStopped for good; consume the answer before the next."""
        match message.WhichOneof("message"):
            case "welcome":
                self.player = message.welcome.player
                self.stand_by = False
            case "seated":
                yield from self._seated(message.seated.match)
            case "question":
                yield from self._question(message.question)
            case "events":
                yield from self._events(message.events)
            case "refused":
                yield from self._refused(message.refused)
            case "over":
                self._over(message.over)
            case "go_away":
                self._go_away(message.go_away)
            case "pong":  # a heartbeat was heard by arriving
                yield from self._pong(message.pong)
            case "acted" | None:  # an answered act needs nothing more
                pass

    def _pong(self, pong: bots_pb2.Pong) -> Iterator[Effect]:
        if pong.stale and not self._stale:
            log.warning("the server cannot reach its store at present; the matches go on when it can")
        elif self._stale and not pong.stale:
            log.info("the server has its store again")
            # What was to be sent again later can be sent now.
            for match, table in self._tables.items():
                table.delay = 1.0
                if table.act is not None and table.later:
                    yield from self.again(Later(match, table.act.request_id, 0.0))
        self._stale = pong.stale

    def decide(self, match: str, window: str, choice: Choice | None) -> Iterator[Effect]:
        """The bot's answer; of no account if the window is no longer asked. None: it declines, where it may."""
        table = self._tables.get(match)
        if table is None or table.window.id != window or table.act is not None:
            return
        answer = checked(choice, must=table.seat not in table.window.may)
        if answer is not None:
            yield self._act(match, table, answer)

    def fumble(self, match: str, window: str, problem: BaseException) -> Iterator[Effect]:
        """The bot failed to answer: any legal choice is played, so that the match goes on."""
        table = self._tables.get(match)
        if table is None or table.window.id != window or table.act is not None:
            return
        if isinstance(problem, ChoiceInvalid):
            self._fault(table, f"match {match}: {problem}; a random choice is played")
        else:
            self._fault(table, f"match {match}: choose failed, a random choice is played", problem)
        yield from self._any_choice(match, table)

    def again(self, later: Later) -> Iterator[Effect]:
        """Send an act again, unless its window closed or another act took its place."""
        table = self._tables.get(later.match)
        if table is not None and table.later and table.act is not None and table.act.request_id == later.request_id:
            table.later = False
            table.sent_on = self._connection
            yield bots_pb2.PlayerMessage(act=table.act)

    def _seated(self, match: matches_pb2.Match) -> Iterator[Effect]:
        table = self._tables.get(match.id)
        if table is None:
            table = self._tables[match.id] = _Table(self._make(match), match.sequence)
            table.bot.random = random.Random(  # noqa: S311 - play, not secrets
                None if self._seed is None else f"{self._seed}/{match.id}"
            )
            table.seat = match.you.seat
            log.log(self._level, "match %s: seated, %s with %d seats", match.id, match.game, len(match.seats))
        table.sequence, table.mark = match.sequence, match.mark
        table.sent_on = 0  # the store may have lost an answer: the same one again is safe
        self._hook(table, match.id, lambda: table.bot.seated(match))
        yield self._ack(match.id, match.sequence)
        if match.you.HasField("window") and match.you.window.actions:
            yield from self._ask(match.id, table, match.you.view, match.you.window)

    def _question(self, question: bots_pb2.Question) -> Iterator[Effect]:
        table = self._tables.get(question.match)
        if table is not None:
            yield from self._ask(question.match, table, question.view, question.window)

    def _ask(self, match: str, table: _Table, view: games_pb2.View, window: matches_pb2.Window) -> Iterator[Effect]:
        same = (window.id, window.epoch) == (table.window.id, table.window.epoch)
        if same and window.choices == table.window.choices:
            # Asked and answered. On a new connection the answer may not have got through: the same one again is safe,
            # since its request id has one outcome. With other choices it is a question of its own: an act, this
            # seat's or another's, may leave more to do in the same window.
            if table.act is not None and table.sent_on != self._connection:
                table.sent_on = self._connection
                yield bots_pb2.PlayerMessage(act=table.act)
            return
        table.view, table.window = view, window
        table.act, table.refusals, table.delay, table.later = None, 0, 1.0, False
        yield Ask(match, table.bot, view, window)

    def _events(self, message: bots_pb2.MatchEvents) -> Iterator[Effect]:
        table = self._tables.get(message.match)
        if table is None or table.sequence is None:
            return
        news: list[matches_pb2.Event] = []
        for event in message.events:
            if event.sequence <= table.sequence:
                continue
            if event.sequence != table.sequence + 1:
                gap = f"match {message.match}: event {event.sequence} came after {table.sequence}"
                table.sequence = None
                raise ComeBack(gap)
            table.sequence, table.mark = event.sequence, event.mark
            news.append(event)
        if news:
            self._hook(table, message.match, lambda: table.bot.events(news))
        yield self._ack(message.match, table.sequence)

    def _refused(self, refused: bots_pb2.Refused) -> Iterator[Effect]:
        reason = refused.reason
        table = self._tables.get(refused.match)
        if reason == "UNAUTHENTICATED":
            raise Unauthenticated(reason, refused.message)
        if table is None:
            log.warning("refused: %s %s", reason, refused.message)
            return
        if reason in _GONE:
            self._over(bots_pb2.MatchDone(match=refused.match))
            return
        if table.act is None or table.act.request_id != refused.request_id or reason in _SETTLED:
            return
        code = CATALOGUE[reason].code if reason in CATALOGUE else ""
        if code in _LATER:
            seconds = max(_seconds(refused.metadata.get("retry_after", "")), table.delay)
            table.delay = min(table.delay * 2, 30.0)
            table.later = True
            yield Later(refused.match, refused.request_id, seconds)
        elif code != "ABORTED":  # another question is open, and comes by itself together with its view
            why = f"{reason} {refused.message}".strip()
            self._fault(table, f"match {refused.match}: {_told(table.act)} was refused, {why}")
            table.refusals += 1
            if refused.HasField("window") and refused.window.id == table.window.id and refused.window.choices:
                table.window = refused.window
            if table.refusals < ATTEMPTS:
                yield from self._any_choice(refused.match, table)

    def _over(self, done: bots_pb2.MatchDone) -> None:
        table = self._tables.pop(done.match, None)
        if table is not None:
            outcome = done.outcome if done.HasField("outcome") else None
            self._hook(table, done.match, lambda: table.bot.over(outcome))
            result = _result(outcome, table.seat)
            log.log(self._level, "match %s: over, %s; %d faults", done.match, result, table.faults)

    def _go_away(self, go_away: bots_pb2.GoAway) -> None:
        if go_away.reason == "REPLACED":
            self.stand_by = True
            raise Replaced(go_away.reason, "a newer stream of this player took over")
        if go_away.reason == "UNAUTHENTICATED":
            raise Unauthenticated(go_away.reason, "the server does not know this token")
        if not go_away.HasField("retry_after_duration"):
            raise BotStopped(go_away.reason, f"the server ended the stream for good: {go_away.reason}")
        raise ComeBack(go_away.reason, go_away.retry_after_duration.ToTimedelta().total_seconds())

    def _any_choice(self, match: str, table: _Table) -> Iterator[Effect]:
        if table.window.choices:
            yield self._act(match, table, self._chance.randrange(len(table.window.choices)))

    def _act(self, match: str, table: _Table, choice: Choice) -> bots_pb2.PlayerMessage:
        if isinstance(choice, int) and table.seat in table.window.may and 0 <= choice < len(table.window.choices):
            # While others act in the window, the list may become another one on the way.
            choice = table.window.choices[choice]
        self._acts += 1
        act = bots_pb2.PlayAct(
            request_id=f"{self._prefix}-{self._acts}",
            match=match,
            window=table.window.id,
            epoch=table.window.epoch,
        )
        if isinstance(choice, games_pb2.Action):
            act.action.CopyFrom(choice)
        else:
            act.choice = choice
        table.act, table.sent_on = act, self._connection
        return bots_pb2.PlayerMessage(act=act)

    def _ack(self, match: str, sequence: int) -> bots_pb2.PlayerMessage:
        return bots_pb2.PlayerMessage(ack=bots_pb2.PlayAck(match=match, sequence=sequence))

    def _hook(self, table: _Table, match: str, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as problem:  # whatever an author's code raises must not end his other matches
            self._fault(table, f"match {match}: the bot failed on what happened", problem)

    def _fault(self, table: _Table, text: str, problem: BaseException | None = None) -> None:
        """Once a match at a level that is shown, so that a bot that fails every time does not fill the log."""
        log.log(logging.DEBUG if table.faults else logging.WARNING, text, exc_info=problem)
        table.faults += 1


def _told(act: bots_pb2.PlayAct) -> str:
    if act.HasField("choice"):
        return f"choice {act.choice}"
    return text_format.MessageToString(act.action, as_one_line=True) or "an empty Action"


def _result(outcome: matches_pb2.Outcome | None, seat: int) -> str:
    if outcome is None:
        return "without a result"
    if seat >= len(outcome.places):
        return "done"
    score = f", score {outcome.scores[seat]}" if seat < len(outcome.scores) else ""
    return f"place {outcome.places[seat]} of {len(outcome.places)}{score}"


def _seconds(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
