"""Writing down what goes over a `Play` stream, message by message, before anything else looks at it."""

import hashlib
import time

from chaos.history import Answer, Asked, Dismissed, Done, History, Seated, Seen, Sent, Stream
from croupier.v1 import bots_pb2, games_pb2, matches_pb2


def now() -> float:
    """Milliseconds by the machine's clock, which is that of Redis here."""
    return time.time() * 1000


def action_name(action: games_pb2.Action) -> str:
    """An action of 6 nimmt! as the logs are read."""
    inner = action.six_nimmt
    return f"commit {inner.commit.card}" if inner.HasField("commit") else f"row {inner.row.row}"


def seen(match: str, event: matches_pb2.Event) -> Seen:
    """An event as it came."""
    told = hashlib.blake2b(event.SerializeToString(deterministic=True), digest_size=8).digest()
    return Seen(match, event.sequence, event.type, told, now())


def done(over: bots_pb2.MatchDone) -> Done | Dismissed:
    """Nothing more comes of a match: it is over, or it is for whoever is back at the seat."""
    return (Done if over.HasField("outcome") else Dismissed)(over.match, now())


class Recorder:
    """What one player says and hears, over all its connections."""

    def __init__(self, history: History, player: str, *, stands_in: bool) -> None:
        self._history = history
        self._player = player
        self._stands_in = stands_in
        self._streams = 0
        self.seats: dict[str, int] = {}  # by match
        self.stream = Stream("", player, -1, 0.0, {})

    def opened(self, replica: int, hello: bots_pb2.Hello) -> None:
        """A connection is tried, and this goes out first."""
        self._streams += 1
        resume = {cursor.match: cursor.sequence for cursor in hello.resume}
        self.stream = Stream(f"{self._player}/{self._streams}", self._player, replica, now(), resume)
        self._history.streams.append(self.stream)

    def closed(self, why: str) -> None:
        """The connection is no more."""
        self.stream.closed, self.stream.why = now(), why

    def sent(self, act: bots_pb2.PlayAct) -> None:
        """An act goes out."""
        seat = self.seats[act.match]
        what = action_name(act.action)
        sent = Sent(act.request_id, self._player, act.match, act.window, seat, what, now(), act.epoch)
        self._history.sent.append(sent)

    def answered(self, request: str, match: str, applied: int | None, reason: str) -> None:
        """An act was answered."""
        answer = Answer(request, match, applied is not None, applied or 0, reason, now())
        self._history.answers.append(answer)

    def heard(self, message: bots_pb2.TableMessage) -> None:
        """A message came."""
        items, at = self.stream.items, now()
        match message.WhichOneof("message"):
            case "welcome":
                self.stream.welcomed = at
            case "seated":
                match = message.seated.match
                self.seats[match.id] = match.you.seat
                items.append(Seated(match.id, match.sequence, at))
                self._asked(match.id, match.you.seat, match.you.window)
            case "question":
                question = message.question
                self._asked(question.match, question.seat, question.window)
            case "events":
                items += [seen(message.events.match, event) for event in message.events.events]
            case "over":
                items.append(done(message.over))
            case "acted":
                self.answered(message.acted.request_id, message.acted.match, message.acted.applied_sequence, "")
            case "refused" if message.refused.request_id:
                self.answered(message.refused.request_id, message.refused.match, None, message.refused.reason)
            case "refused" if self._stands_in and message.refused.reason == "NOT_SEATED":
                # It came back for what is not its own any more, as a bot that stood in; if it is again, it begins anew.
                items.append(Dismissed(message.refused.match, at))
            case _:
                pass

    def _asked(self, match: str, seat: int, window: matches_pb2.Window) -> None:
        if seat in window.must and window.HasField("deadline_time"):
            self._history.asked.append(Asked(match, window.id, seat, window.deadline_time.ToMilliseconds()))
