"""What waits to be sent on a stream of `Bots.Play`: little, however slow its reader is."""

import asyncio

from croupier_service.messages import GoAway, Message, Question

_WAITING = 32  # messages, of which each may hold a view, or a hundred events; what follows waits in its match's log


class Outbox:
    """Messages in order, up to a GoAway: what is put behind that is dropped.

    A question takes the place of an older one of its match that nobody has read.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._asking: set[str] = set()  # matches with a question among them
        self._ended = False  # there was a GoAway
        self._filled = asyncio.Event()
        self._room = asyncio.Event()

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def full(self) -> bool:
        """There is no room for more than what must be said."""
        return len(self._messages) >= _WAITING

    def put(self, message: Message) -> None:
        """Add a message, whether or not there is room."""
        if self._ended:
            return
        if isinstance(message, Question):
            if message.match in self._asking:
                self._messages = [
                    each for each in self._messages if not (isinstance(each, Question) and each.match == message.match)
                ]
            self._asking.add(message.match)
        elif isinstance(message, GoAway):
            self._ended = True
        self._messages.append(message)
        self._filled.set()

    async def send(self, message: Message) -> None:
        """Add a message once there is room for it: a slow reader holds his own matches up, nothing else."""
        while self.full:
            self._room.clear()
            await self._room.wait()
        self.put(message)

    async def frame(self) -> list[Message]:
        """Wait for messages, and take all that there are."""
        await self._filled.wait()
        self._filled.clear()
        messages, self._messages = self._messages, []
        self._asking.clear()
        self._room.set()
        return messages
