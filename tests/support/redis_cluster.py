"""A Redis Cluster of three primaries, and a primary behind a Sentinel, for tests. They keep nothing on disk."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from support.redis_rig import RedisRig, free_port

_SLOTS = 16384
SERVICE = "croupier"  # what the Sentinel calls its primary


class RunningCluster:
    """The nodes of a cluster; `url` is the store's address of it."""

    def __init__(self, nodes: list[RedisRig]) -> None:
        self.nodes = nodes
        self.ids = [str(node.ask("CLUSTER", "MYID")) for node in nodes]

    @property
    def url(self) -> str:
        """Two of the nodes; the third is to be found."""
        return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in self.nodes[:2])}"

    def owner(self, slot: int) -> int:
        """Which of the nodes has a slot, as the first one sees it."""
        for low, high, primary, *_ in self.nodes[0].ask("CLUSTER", "SLOTS"):
            if low <= slot <= high:
                return [node.port for node in self.nodes].index(primary[1])
        raise AssertionError(f"nobody has slot {slot}")

    def flush(self) -> None:
        """Forget everything."""
        for node in self.nodes:
            node.ask("FLUSHALL")

    def begin_move(self, slot: int, to: int) -> int:
        """Let a slot be on its way from its owner to another node; the owner's number."""
        owner = self.owner(slot)
        self.nodes[to].ask("CLUSTER", "SETSLOT", slot, "IMPORTING", self.ids[owner])
        self.nodes[owner].ask("CLUSTER", "SETSLOT", slot, "MIGRATING", self.ids[to])
        return owner

    def move_keys(self, slot: int, owner: int, to: int) -> int:
        """Bring the keys of a slot that is on its way to where it goes; how many there were."""
        keys = self.nodes[owner].ask("CLUSTER", "GETKEYSINSLOT", slot, 10_000)
        if keys:
            self.nodes[owner].ask("MIGRATE", "127.0.0.1", self.nodes[to].port, "", 0, 5000, "KEYS", *keys)
        return len(keys)

    def end_move(self, slot: int, owner: int, to: int) -> None:
        """The slot is the other node's from now on."""
        for node in (to, owner, *{0, 1, 2} - {to, owner}):
            self.nodes[node].ask("CLUSTER", "SETSLOT", slot, "NODE", self.ids[to])

    def move(self, slot: int, to: int) -> None:
        """Bring a slot and its keys to another node."""
        owner = self.begin_move(slot, to)
        self.move_keys(slot, owner, to)
        self.end_move(slot, owner, to)

    @contextmanager
    def moving(self, slot: int, to: int) -> Iterator[None]:
        """A slot is on its way to another node, where it does not come."""
        owner = self.begin_move(slot, to)
        try:
            yield
        finally:
            for node in (owner, to):
                self.nodes[node].ask("CLUSTER", "SETSLOT", slot, "STABLE")

    @contextmanager
    def joined(self, folder: Path) -> Iterator[int]:
        """One more primary, which has no slots: its number."""
        with _node(folder, None) as (node, bus):
            self._meet(node, bus)
            self.nodes.append(node)
            self.ids.append(str(node.ask("CLUSTER", "MYID")))
            try:
                yield len(self.nodes) - 1
            finally:
                del self.nodes[-1], self.ids[-1]

    @contextmanager
    def copy(self, of: int, folder: Path) -> Iterator[RedisRig]:
        """A copy of a node, which has all of it."""
        with _node(folder, None) as (node, bus):
            self._meet(node, bus)
            node.ask("CLUSTER", "REPLICATE", self.ids[of])
            node.wait_for_link()
            self.nodes[of].wait_for_replicas()
            yield node

    def _meet(self, node: RedisRig, bus: int) -> None:
        """Let a node be known to all, and it know them."""
        self.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
        mine = str(node.ask("CLUSTER", "MYID"))
        give_up = time.monotonic() + 20
        while not (
            all(mine in str(one.ask("CLUSTER", "NODES")) for one in self.nodes)
            and all(one in str(node.ask("CLUSTER", "NODES")) for one in self.ids)
        ):
            assert time.monotonic() < give_up, node.ask("CLUSTER", "NODES")
            time.sleep(0.02)


@contextmanager
def running_cluster(folder: Path, *, appendfsync: str | None = None) -> Iterator[RunningCluster]:
    """A cluster in a folder, with all slots served."""
    with ExitStack() as stack:
        nodes, buses = [], []
        for number in range(3):
            node, bus = stack.enter_context(_node(folder / f"node-{number}", appendfsync))
            nodes.append(node)
            buses.append(bus)
        for number, node in enumerate(nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            node.ask("CLUSTER", "ADDSLOTSRANGE", number * _SLOTS // 3, (number + 1) * _SLOTS // 3 - 1)
        for other, bus in zip(nodes[1:], buses[1:], strict=True):
            nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", other.port, bus)
        _wait_until_formed(nodes)
        yield RunningCluster(nodes)


@contextmanager
def _node(folder: Path, appendfsync: str | None) -> Iterator[tuple[RedisRig, int]]:
    """A server that may become a node, and the port that the others talk to it on."""
    bus = free_port()
    options = {"cluster-enabled": "yes", "cluster-port": str(bus), "cluster-node-timeout": "2000"}
    options |= {"cluster-require-full-coverage": "yes", "cluster-config-file": "nodes.conf"}
    with RedisRig(folder, appendfsync=appendfsync, options=options) as node:
        yield node, bus


@contextmanager
def running_sentinel(folder: Path, primary: RedisRig) -> Iterator[RedisRig]:
    """A Sentinel that watches a primary by the name SERVICE; one vote is enough for it."""
    folder.mkdir(mode=0o700, parents=True)
    config = folder / "sentinel.conf"
    config.write_text(
        f"sentinel monitor {SERVICE} 127.0.0.1 {primary.port} 1\n"
        f"sentinel down-after-milliseconds {SERVICE} 1000\n"
        f"sentinel failover-timeout {SERVICE} 3000\n"
    )
    sentinel = RedisRig(folder, sentinel=config)
    with sentinel:
        yield sentinel


def _wait_until_formed(nodes: list[RedisRig]) -> None:
    give_up = time.monotonic() + 20
    while not all(
        {"cluster_state:ok", "cluster_known_nodes:3", f"cluster_slots_ok:{_SLOTS}"}
        <= set(str(node.ask("CLUSTER", "INFO")).split())
        for node in nodes
    ):
        assert time.monotonic() < give_up, [node.ask("CLUSTER", "INFO") for node in nodes]
        time.sleep(0.02)
