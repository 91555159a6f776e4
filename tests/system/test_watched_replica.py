"""Spectators of a match when replicas go, one after the other: their streams go on."""

import signal
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from support.gateway_process import running_gateway
from support.replicas import Replica, running_replicas
from support.rest import RestPlayer


def connections(replica: Replica) -> int:
    """How many a replica has taken that are open."""
    address = f"0100007F:{int(replica.target.rpartition(':')[2]):04X}"
    tables = [Path(f"/proc/net/{name}").read_text(encoding="ascii") for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table.splitlines()[1:]]
    return sum(row[1].endswith(address) and row[3] == "01" for row in rows)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_spectators_hear_all_while_replicas_go(redis_url: str, tmp_path: Path, how: signal.Signals) -> None:
    with (
        running_replicas(redis_url, tmp_path, 2) as replicas,
        running_gateway(",".join(replica.target for replica in replicas)) as gateway,
        ExitStack() as stack,
    ):
        web = f"http://{gateway.host}:{gateway.port}"
        match = RestPlayer(web).create(seats=6)
        path = f"/v1/matches/{match['id']}/events"
        watches = [
            stack.enter_context(closing(gateway.watch(path, Authorization=f"Bearer {RestPlayer(web).token}")))
            for _ in range(3)
        ]

        def joins(name: str) -> None:
            """Somebody takes a seat, and every spectator hears it."""
            joined = RestPlayer(web).call("POST", f"/v1/matches/{match['id']}:join", {"requestId": name})
            for watch in watches:
                while (block := watch.block())[0] != "event: event":
                    assert block[0].startswith((":", "retry: ", "event: window"))
                assert block[1] == f"id: {joined['sequence']}:{joined['mark']}"

        joins("first")
        for replica, name in zip(replicas, ("second", "third"), strict=True):
            if not replicas[0].alive:
                replicas[0].start()
                while connections(replicas[0]) < 2:  # for calls and for streams: the gateway has found it again
                    time.sleep(0.05)
            replica.send(how)
            replica.wait()
            joins(name)
