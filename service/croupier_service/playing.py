"""One stream for all matches of a player: what `Bots.Play` does, in engine types."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from croupier_engine.registry import GAMES
from croupier_service.acting import Acting
from croupier_service.errors import Refused
from croupier_service.load import Load
from croupier_service.matches import Matches
from croupier_service.messages import Hello
from croupier_service.players import Caller, Names
from croupier_service.session import Session
from croupier_service.store.matches import MatchStore
from croupier_service.store.offers import OfferStore
from croupier_service.store.players import PlayerStore
from croupier_service.store.servertime import ServerTime
from croupier_service.watching import Watching


class Playing:
    """All `Play` streams of this process."""

    def __init__(
        self,
        matches: Matches,
        acting: Acting,
        watching: Watching,
        store: MatchStore,
        players: PlayerStore,
        offers: OfferStore,
        time: ServerTime,
        names: Names,
        load: Load,
        *,
        heartbeat: int,
        stall: int,
    ) -> None:
        self.matches = matches
        self.acting = acting
        self.watching = watching
        self.store = store
        self.players = players
        self.offers = offers
        self.time = time
        self.load = load
        self.heartbeat = heartbeat
        self.stall = stall
        self._names = names
        self._sessions: dict[str, Session] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._greeting: set[asyncio.Timeout] = set()
        self.going_down = False

    @property
    def sessions(self) -> int:
        """How many streams are open."""
        return len(self._sessions)

    async def open(self, caller: Caller, hello: Hello, cut: Callable[[], object]) -> Session:
        """A new stream of a player; an older one, wherever it is, is sent away, unless this one stands by for it.

        `cut` ends its call at once.
        """
        for game in hello.games:
            if game not in GAMES:
                raise Refused("GAME_NOT_FOUND", {"game": game})
        if hello.stand_by and await self.offers.stands(caller.player, self.time.now()):
            session = Session(self, caller, hello, "", cut)
            session.go_away("REPLACED", None)
            return session
        # Names grow, so that of two streams everybody knows which is the newer. A call that ended while this process
        # was frozen is cancelled here, before it has sent any other away.
        number = await self.offers.next_stream()
        session = Session(self, caller, hello, f"{number:017d}-{self._names.stream()}", cut)
        await self.players.note("STREAM", caller.player, session.name)  # without the store, the older one stays
        older = self._sessions.get(caller.player)
        if older is not None and older.name > session.name:
            session.go_away("REPLACED", None)
            return session
        if self.going_down:  # the others were sent away meanwhile
            session.go_away("GOING_DOWN", 0.0)
            return session
        if older is not None:
            older.go_away("REPLACED", None)
        self._sessions[caller.player] = session
        try:
            await session.begin()
        except BaseException:
            self.close(session)
            raise
        return session

    @asynccontextmanager
    async def greeting(self, seconds: float) -> AsyncIterator[None]:
        """The time that a player has to say hello; TimeoutError when it is up, or when this process goes down."""
        async with asyncio.timeout(0 if self.going_down else seconds) as limit:
            self._greeting.add(limit)
            try:
                yield
            finally:
                self._greeting.discard(limit)

    def close(self, session: Session) -> None:
        """A stream has ended. What there is to put away is done in a task that nobody cancels: see `idle`."""
        if self._sessions.get(session.caller.player) is session:
            del self._sessions[session.caller.player]
        task = asyncio.create_task(session.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def idle(self) -> None:
        """Wait until every stream that has ended is put away."""
        while self._closing:
            await asyncio.wait(self._closing)

    def go_away(self) -> None:
        """Send all streams away: this process is going down."""
        self.going_down = True
        for limit in self._greeting:
            limit.reschedule(asyncio.get_running_loop().time())
        for session in self._sessions.values():
            session.go_away("GOING_DOWN", 0.0)  # at once: another replica may be there

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """Of no use here: the feeds tell."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """A player was seated, or has a newer stream somewhere."""
        session = self._sessions.get(player)
        if session is None:
            return
        if kind == "SEATED":
            session.attach(value, None)
        elif kind == "STREAM" and value > session.name:
            session.go_away("REPLACED", None)

    async def lost_touch(self) -> None:
        """Every stream looks again at its next heartbeat."""
