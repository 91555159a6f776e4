"""Whether what this process knows of the store is fresh, for all streams to tell."""

import asyncio
import contextlib
from collections.abc import Iterator


class Touch:
    """In touch with the store, or out of it. Kept by the hub; everybody may report that a read was not answered."""

    def __init__(self) -> None:
        self.fresh = True
        self.doubted = asyncio.Event()  # somebody was not answered: look whether the store is there
        self.losses = 0  # how often a read has failed
        self._pokes: set[asyncio.Event] = set()

    @contextlib.contextmanager
    def poke(self, event: asyncio.Event) -> Iterator[None]:
        """Have an event set whenever touch is lost or found again."""
        self._pokes.add(event)
        try:
            yield
        finally:
            self._pokes.discard(event)

    def doubt(self) -> None:
        """The store has not answered; it may be that it could not do just this."""
        self.doubted.set()

    def lose(self) -> None:
        """What is known may be old from now on."""
        self.losses += 1
        self._turn(fresh=False)

    def find(self) -> None:
        """All that is known has been compared."""
        self._turn(fresh=True)

    def _turn(self, *, fresh: bool) -> None:
        if self.fresh is not fresh:
            self.fresh = fresh
            for poke in self._pokes:
                poke.set()
