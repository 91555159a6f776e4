"""A run: replicas, Redis and the proxy between them, clients, and faults; then the checker, and a summary."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from support.redis_rig import RedisRig
from support.replicas import Replica

from chaos.checker import KINDS, Finding, acknowledged, check
from chaos.driver import Plan
from chaos.figures import Faults, figures
from chaos.history import History, Log
from chaos.lines import Proxy, environment
from chaos.logs import read_logs
from croupier_service.lifeline import lifeline

GRACE = 250  # ms
LEASE = 3_000  # ms
APPENDFSYNC = {"memory": None, "process": "no", "fsync": "always", "replica": "always"}
SETTINGS = {
    "LOG_LEVEL": "WARNING",
    "HEARTBEAT": "2000",
    "LEASE": str(LEASE),
    "TURN_GRACE": str(GRACE),
    "COMPACT_AFTER": "86400000",  # the logs are read as they were written
    "PLAYERS_PER_MINUTE": "100000",
    "MATCHES_PER_MINUTE": "100000",
    "OPEN_TABLES": "10000",
}


@dataclass
class House:
    """What runs: any of it may be broken by the faults."""

    redis: RedisRig
    copy: RedisRig | None
    replicas: list[Replica]
    proxy: Proxy
    faults: Faults = field(default_factory=Faults)

    def kill_replica(self) -> None:
        """kill -9, and a new one on the same port."""
        index = random.randrange(len(self.replicas))
        self.faults.killed.append((index, time.time() * 1000))
        self.replicas[index].kill9()
        self.replicas[index].launch()

    def kill_redis(self, away: float = 0.5) -> None:
        """kill -9, and back on the same data after a while; with a copy it is back when that has all of it again."""
        self.redis.kill9()
        time.sleep(away)
        self.redis.start()
        if self.copy is not None:
            self.copy.wait_for_link()
        self.faults.redis_back.append(time.time() * 1000)

    def pause_replica(self, seconds: float) -> None:
        """SIGSTOP for longer than its lease, SIGCONT."""
        replica = random.choice(self.replicas)
        replica.await_ready()
        replica.send(signal.SIGSTOP)
        time.sleep(seconds)
        replica.send(signal.SIGCONT)
        self.faults.paused += 1

    def break_line(self, word: str, seconds: float = 0.0, ms: int = 0) -> None:
        """Cut, delay or swallow what one replica and Redis say to each other, for a while."""
        line = random.randrange(len(self.replicas))
        self.proxy.tell(word, line, ms)
        self.faults.lines += 1
        if seconds:
            time.sleep(seconds)
            self.proxy.tell("heal", line)


@contextmanager
def running_house(folder: Path, durability: str, replicas: int) -> Iterator[House]:
    """A Redis of that durability (with a copy where it takes one), and replicas that serve."""
    with ExitStack() as stack:
        redis = stack.enter_context(RedisRig(folder / "redis", appendfsync=APPENDFSYNC[durability]))
        copy = None
        if durability == "replica":
            copy = stack.enter_context(RedisRig(folder / "copy", appendfsync="always", replica_of=redis))
        proxy = stack.enter_context(Proxy(redis.port, replicas))
        settings = {**SETTINGS, "DURABILITY": durability}
        house = House(
            redis,
            copy,
            [
                Replica(f"redis://127.0.0.1:{port}", folder / f"replica-{index}.log", settings)
                for index, port in enumerate(proxy.ports)
            ],
            proxy,
        )
        for replica in house.replicas:
            stack.callback(replica.stop)
            replica.launch()
        for replica in house.replicas:
            replica.await_ready()
        yield house


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a run: `findings` must be empty."""

    findings: list[Finding]
    summary: dict[str, float | int | str]


def run(folder: Path, durability: str, plan: Plan, faults: Sequence[tuple[str, float]], replicas: int = 3) -> Report:
    """Play as planned while faults happen, one after another and from the start again until the time is up.

    `faults`: name of a fault and seconds to wait after it. Everything is over when this returns.
    """
    with running_house(folder, durability, replicas) as house:
        plan = msgspec.structs.replace(
            plan, targets=[replica.target for replica in house.replicas], history=str(folder / "history")
        )
        with (folder / "driver.log").open("ab") as said:
            driver = subprocess.Popen(
                lifeline([sys.executable, "-m", "chaos.driver", msgspec.json.encode(plan).decode()]),
                stdout=said,
                stderr=said,
                env=environment(),
                start_new_session=True,
            )
        try:
            _break_things(house, driver, plan, faults)
            for replica in house.replicas:
                replica.await_ready()
            code = driver.wait(timeout=180 + 60 * plan.window)
        finally:
            driver.kill()
            driver.wait()
        if code != 0:
            raise AssertionError(f"the clients failed: {(folder / 'driver.log').read_text()[-4000:]}")
        history = msgspec.msgpack.decode(Path(plan.history).read_bytes(), type=History)
        logs = _read(house.redis.port, history)
    findings = check(history, logs, GRACE)
    counts = Counter(finding.kind for finding in findings)
    gaps = sum(counts[kind] for kind in ("gap", "repeat", "disorder"))
    summary: dict[str, float | int | str] = {
        "durability": durability,
        "acknowledged": acknowledged(history),
        "lost": counts["lost"],
        "doubled": counts["doubled"],
        "gaps": gaps,
        "early": counts["early"],
        **{kind: counts[kind] for kind in KINDS if kind not in ("lost", "doubled", "gap", "early")},
        **figures(history, logs, house.faults, GRACE),
    }
    return Report(findings, summary)


def _break_things(
    house: House, driver: "subprocess.Popen[bytes]", plan: Plan, faults: Sequence[tuple[str, float]]
) -> None:
    began = time.monotonic()
    if not faults:
        return
    time.sleep(min(plan.window + 2, plan.seconds / 4))
    while time.monotonic() - began < plan.seconds:
        for name, wait in faults:
            if time.monotonic() - began >= plan.seconds or driver.poll() is not None:
                return
            for replica in house.replicas:
                replica.revive()
            match name:
                case "kill":
                    house.kill_replica()
                case "redis":
                    house.kill_redis()
                case "pause":
                    house.pause_replica(LEASE / 1000 + 1.5)
                case "cut":
                    house.break_line("cut")
                case "delay":
                    house.break_line("delay", 3.0, 60)
                case "hole":
                    house.break_line("hole", 4.0)
                case _:
                    raise ValueError(name)
            time.sleep(wait)


def _read(port: int, history: History) -> dict[str, Log]:
    logs = {}
    matches = {sent.match for sent in history.sent} | history.replays.keys()
    for match, log in read_logs(port, sorted(matches)):
        if log is None:
            history.unreadable.append(match)
        else:
            logs[match] = log
    return logs
