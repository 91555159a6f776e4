"""A match as a player on a stream of `Bots.Play` is told of it."""

from croupier_service.errors import Refused
from croupier_service.following import Beat, End, Events, Item, Snapshot, WindowChange
from croupier_service.log import Cursor
from croupier_service.messages import Done, Happened, Message, Question, Seated
from croupier_service.projection import WindowView, YouView


class Table:
    """Turns what happens in a match into messages."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.sent: Cursor | None = None  # the last event that was told
        self.left = False  # whom the player stood in for is back, and nothing more is told
        self._asked: WindowView | None = None
        self._seated = False

    def messages(self, item: Item) -> list[Message]:
        """What is said of an item; NOT_SEATED if the player does not play there."""
        match item:
            case Events(events):
                self.sent = Cursor(events[-1].sequence, events[-1].mark)
                return [Happened(self.match, events)]
            case WindowChange(_, YouView(seat=None)) if self._seated:
                self.left = True
                return [Done(self.match, None)]
            case WindowChange(sequence, you):
                return self._question(sequence, you)
            case Snapshot(view):
                self.sent = Cursor(view.sequence, view.mark)
                self._asked = None  # whatever was asked before may have been answered in vain
                return [Seated(view), *self._question(view.sequence, view.you)]
            case End("GO_AWAY"):
                self.left = True
                return []
            case End(_, _, view):
                return [Done(self.match, None if view is None else view.outcome)]
            case Beat():
                return []

    def _question(self, sequence: int, you: YouView) -> list[Message]:
        if you.seat is None:
            raise Refused("NOT_SEATED")
        self._seated = True
        asked, self._asked = self._asked, you.window
        return [Question(self.match, sequence, you)] if _asks_anew(you, asked) else []


def _asks_anew(you: YouView, asked: WindowView | None) -> bool:
    """Whether a player is asked something that he was not asked before; others' answers do not repeat a question."""
    window = you.window
    if window is None or not window.actions:
        return False
    if asked is None:
        return True
    return (window.id, window.choices, window.epoch) != (asked.id, asked.choices, asked.epoch)
