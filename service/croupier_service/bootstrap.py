"""The only place where parts are put together."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from croupier.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    catalog_pb2,
    catalog_pb2_grpc,
    matches_pb2,
    matches_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
)
from croupier.variables import unknown
from croupier_service import metrics, telemetry
from croupier_service.absence import Absence
from croupier_service.acting import Acting
from croupier_service.auth import Authentication
from croupier_service.changing import Changing
from croupier_service.clock import Deadlines
from croupier_service.config import ConfigError, Settings, read_settings
from croupier_service.dealer import Dealer, FairDealer
from croupier_service.draining import Draining
from croupier_service.home import Home
from croupier_service.hub import Hub
from croupier_service.interceptors import Front
from croupier_service.load import Load
from croupier_service.matches import Matches
from croupier_service.players import Names, Players, RandomNames
from croupier_service.playing import Playing
from croupier_service.presence import Presence
from croupier_service.queueing import Queue, own_address
from croupier_service.reading import Reading
from croupier_service.seating import Seating
from croupier_service.servicers.bots import BotsServicer
from croupier_service.servicers.catalog import CatalogServicer
from croupier_service.servicers.matches import MatchesServicer
from croupier_service.servicers.players import PlayersServicer
from croupier_service.store.address import without_password
from croupier_service.store.notices import Listener
from croupier_service.store.opening import Store, StoreUnfit, open_store
from croupier_service.store.servertime import ServerTime
from croupier_service.watching import Watching

_log = structlog.get_logger()

_GARBAGE = (10_000, 10, 10)  # see gc.set_threshold
# The defaults shed a burst of a few thousand calls by cancelling it; here it waits its turn.
_OPTIONS = (
    ("grpc.server.max_pending_requests", 20_000),
    ("grpc.server.max_pending_requests_hard_limit", 40_000),
    ("grpc.server_max_unrequested_time_in_server", 600),  # seconds; it would cancel what has waited for 30
    ("grpc.max_receive_message_length", 1 << 20),
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
)


_START = 10.0  # seconds that the store has to let its channels be listened to
_CREDIT = 2.0  # seconds that clocks are set back for, at most, when it goes down
_REFUSE = 0.2  # seconds before their end in which calls are refused that have no answer yet
_CLOSE = 0.4  # seconds that are left after the calls for what they have left behind, and as many for closing


class PortTaken(Exception):  # noqa: N818
    """The address to serve on is not to be had; the text says what to do."""


class Service:
    """A running service. Made by `open_service`."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        dealer: Dealer,
        names: Names,
        time: ServerTime,
    ) -> None:
        self._settings = settings
        self._store = store
        self._names = names
        self.hub = Hub(store.matches, time, settings.heartbeat)
        seating = Seating(
            store.matches,
            store.players,
            store.offers,
            self.hub,
            time,
            dealer,
            names,
            open_ttl=settings.open_ttl,
            retention=settings.retention,
            compact_after=settings.compact_after,
            matches_per_minute=settings.matches_per_minute,
            open_tables=settings.open_tables,
        )
        self._seating = seating
        presence = Presence(store.matches, time, settings.heartbeat)
        changing = Changing(
            store.matches, seating, self.hub, time, dealer, names, presence, retention=settings.retention
        )
        self._absence = Absence(changing, seating, store.matches, self.hub, presence, time, settings.heartbeat)
        matches = Matches(changing, seating)
        acting = Acting(changing, self._absence, store.matches, time, illegal_limit=settings.illegal_limit)
        players = Players(store.players, time, names, settings.players_per_minute)
        watching = Watching(store.matches, self.hub, changing, presence, self._absence, time, settings.heartbeat)
        self._load, self._waiting = Load(settings.calls), Load(settings.waiting)
        self.playing = Playing(
            matches,
            acting,
            watching,
            store.matches,
            store.players,
            store.offers,
            time,
            names,
            self._load,
            heartbeat=settings.heartbeat,
            stall=settings.stall,
        )
        self.deadlines = Deadlines(
            store.leases,
            time,
            acting.fire,
            replica=names.stream(),
            count=store.shards,
            lease=settings.lease,
            turn_grace=settings.turn_grace,
            timer_grace=settings.timer_grace,
        )
        self._draining = Draining(changing, watching, store.matches, time, credit=settings.drain_credit)
        home = Home(store.matches, store.players, self.hub, time, settings.heartbeat)
        reading = Reading(store.matches, store.players, time)
        listeners: list[Listener] = [changing, self.hub, self.playing, home, self.deadlines, self._absence]
        self._notices = store.notices(listeners, self.hub.touch.doubt)
        self._health = health.aio.HealthServicer()
        self._tasks: list[asyncio.Task[None]] = []
        self._queue = Queue(settings.queue / 1000)
        stall = settings.stall / 1000
        self._front = Front(
            Authentication(players), time.now, self._queue, self._load, self._waiting, self.hub.touch, stall
        )
        self._server = grpc.aio.server(interceptors=[self._front], options=list(_OPTIONS))
        catalog_pb2_grpc.add_CatalogServicer_to_server(CatalogServicer(time), self._server)
        players_pb2_grpc.add_PlayersServicer_to_server(
            PlayersServicer(players, home, time, settings.forwarded), self._server
        )
        matches_pb2_grpc.add_MatchesServicer_to_server(
            MatchesServicer(matches, acting, seating, watching, reading, players, time),
            self._server,
        )
        bots_pb2_grpc.add_BotsServicer_to_server(BotsServicer(self.playing, time), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names_served = [
            module.DESCRIPTOR.services_by_name[name].full_name
            for module, name in (
                (catalog_pb2, "Catalog"),
                (players_pb2, "Players"),
                (matches_pb2, "Matches"),
                (bots_pb2, "Bots"),
            )
        ]
        reflection.enable_server_reflection([*names_served, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)
        self.port = 0
        self._exporter: metrics.Exporter | None = None
        self._begun = False
        self._stopped = False
        self.failed = asyncio.Event()  # it cannot go on

    async def start(self) -> None:
        """Listen to notices, then to callers; PortTaken if the address is not to be had."""
        host, port = self._settings.grpc_host, self._settings.grpc_port
        metrics.look_at(
            lambda: self.hub.watched,
            lambda: self.playing.sessions,
            lambda: self.deadlines.leads,
            lambda: self._load.under_way,
            lambda: self._waiting.under_way,
        )
        if metrics_port := self._settings.metrics_port:
            try:
                self._exporter = metrics.Exporter(host, metrics_port)
            except OSError as problem:
                raise PortTaken(
                    f"{host}:{metrics_port} cannot be served on ({problem.strerror}); stop what uses it, or set "
                    "CROUPIER_METRICS_PORT to another port, or to 0 for no metrics"
                ) from None
        try:
            self.port = self._server.add_insecure_port(f"{host}:{port}")
        except RuntimeError:
            self.port = 0
        if self.port == 0:
            raise PortTaken(f"{host}:{port} cannot be served on; stop what uses it, or set CROUPIER_GRPC_PORT")
        self._begin(self._notices.run(), self.hub.run(), self.deadlines.run())
        self._begin(self._absence.run(lambda: self.deadlines.led))
        try:
            async with asyncio.timeout(_START):
                await self._notices.ready.wait()
        except TimeoutError:
            raise StoreUnfit("Redis answers, but its channels cannot be listened to; see the log") from None
        await self._server.start()
        self._begun = True
        self._begin(self._queue.run(own_address(host, self.port)))
        await self._health.set("", health_pb2.HealthCheckResponse.SERVING)

    def _begin(self, *parts: Coroutine[Any, Any, None]) -> None:
        for part in parts:
            task = asyncio.create_task(part)
            task.add_done_callback(self._part_ended)
            self._tasks.append(task)

    def _part_ended(self, task: "asyncio.Task[None]") -> None:
        """Without one of its parts a service is worth nothing: better that another one takes its place."""
        if not self._stopped:
            _log.error("part.ended", exc_info=None if task.cancelled() else task.exception())
            self.failed.set()

    async def stop(self) -> None:
        """Send streams elsewhere, let calls under way finish, and close, within `drain`, and at least a second.

        The second time it does nothing.
        """
        if self._stopped:
            return
        self._stopped = True
        now, drain = asyncio.get_running_loop().time, self._settings.drain / 1000
        end = now() + max(drain, 1.0)
        await self._health.enter_graceful_shutdown()
        # Kept before anybody is sent away, so that nobody loses time by it.
        await self._draining.credit(min(_CREDIT, drain / 4))
        self.playing.go_away()
        self.hub.close()
        calls = max(_REFUSE, end - now() - 2 * _CLOSE)
        asyncio.get_running_loop().call_later(calls - _REFUSE, self._front.give_up)
        await self._server.stop(calls)
        for part, limit in (
            (self._front.idle, end - _CLOSE),
            (self.playing.idle, end - _CLOSE),
            (self._seating.idle, end - _CLOSE),
            (self.end_parts, end),
            (self._store.close, end),
        ):
            # A store that does not answer must not hold it up.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(limit):
                    await part()

    async def end_parts(self) -> None:
        """End what runs beside the calls."""
        self._stopped = True
        if not self._begun:  # a server that was never started complains when the process ends
            await self._server.start()
            await self._server.stop(None)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._exporter is not None:
            await asyncio.to_thread(self._exporter.close)


async def open_service(
    settings: Settings, *, dealer: Dealer | None = None, names: Names | None = None, time: ServerTime | None = None
) -> Service:
    """A service that runs; chance, names and time are handed in by tests. StoreUnfit, PortTaken if it cannot."""
    store = await open_store(
        settings.redis_url,
        settings.shards,
        durability=settings.durability,
        replicas=settings.replicas,
        within=settings.store_timeout / 1000,
    )
    clock = time or ServerTime(store.pipe)
    service: Service | None = None
    try:
        await clock.measure()
        service = Service(settings, store, dealer or FairDealer(), names or RandomNames(), clock)
        await service.start()
    except BaseException:
        if service is not None:
            await service.end_parts()
        await store.close()
        raise
    return service


async def _serve(settings: Settings) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    _log.info("settings", **(asdict(settings) | {"redis_url": without_password(settings.redis_url)}))
    if names := unknown(os.environ):
        _log.warning("settings.unknown", variables=names)
    service = await open_service(settings)
    # What is there by now stays; hardly anything that comes and goes holds itself, so it need not be looked for often.
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    if settings.metrics_port:
        print(f"metrics: http://{settings.grpc_host}:{settings.metrics_port}/metrics", flush=True)
    print(f"grpc: {settings.grpc_host}:{service.port}", flush=True)
    _log.info("serving", port=service.port)
    ends = [asyncio.create_task(event.wait()) for event in (stop, service.failed)]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    _log.info("stopping", failed=service.failed.is_set())
    for end in ends:
        end.cancel()
    await service.stop()
    return 1 if service.failed.is_set() else 0


def main() -> int:
    """Serve until SIGTERM.

    Answers 0; 1 if a part of the service ended by itself; or 2, with a line on standard error for each thing that must
    be put right before it can start.
    """
    try:
        settings = read_settings(os.environ)
    except ConfigError as wrong:
        for problem in wrong.problems:
            print(f"croupier: {problem}", file=sys.stderr)
        return 2
    telemetry.configure(settings.log_level)
    try:
        with suppress(KeyboardInterrupt):
            return asyncio.run(_serve(settings))
    except (StoreUnfit, PortTaken) as problem:
        print(f"croupier: {problem}", file=sys.stderr)
        return 2
    return 0
