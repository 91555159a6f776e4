"""The benches of moves run and say what they should; how fast, is no matter here."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TINY = ("--matches", "1", "--seats", "2", "--seconds", "0.3", "--rounds", "1")
RIG = {"server_us_move": 100.0, "moves_s": 50.0, "p50_ms": 1.0}
LATENCIES = {"p50_ms", "p99_ms", "p999_ms"}
EVENTS = {f"event_{name}" for name in LATENCIES}


def bench(name: str, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", name, *TINY, *arguments],
        cwd=ROOT,
        env=os.environ | ({"PATH": path} if path else {}),
        capture_output=True,
        text=True,
        check=False,
    )


def figures(name: str, *arguments: str, path: str = "") -> dict[str, Any]:
    said = bench(name, "--json", *arguments, path=path)
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_moves_with_shared_streams() -> None:
    found = figures("moves", "--streams", "3", "--beside", "memory")
    assert found["memory_service_cpu_us_per_move"] > 0 < found["ratio_of_durability"]
    assert (found["streams"], found["seats"]) == (3, 2)
    keys = {"moves_per_s", "service_cpu_us_per_move", "redis_cpu_us_per_move", "client_cpu_us_per_move", "rss_mb"}
    keys |= {"ratio_to_floor", "ratio_to_frames", *LATENCIES, *EVENTS}
    assert keys | {f"{key}_spread" for key in keys - {"rss_mb"}} <= found.keys()
    assert found["event_p50_ms"] > 0


def test_one_replica_beside_two() -> None:
    found = figures("replicas", "--matches", "2")
    keys = {f"{who}_cpu_us_per_move" for who in ("service", "redis", "client")} | {"moves_per_s", "service_cores"}
    assert {f"{count}_{key}" for count in ("one", "two") for key in keys} <= found.keys()
    assert found["one_moves_per_s"] > 0 < found["two_moves_per_s"]
    assert {"moves_ratio", "capacity_ratio"} <= found.keys()
    refused = bench("replicas", "--matches", "1")
    assert (refused.returncode, "--matches" in refused.stderr) == (2, True)


def test_sizes_stand_side_by_side() -> None:
    sizes = {"1": {"a": 1.5, "a_spread": [1, 2], "b": None}, "8": {"a": 2.5, "a_spread": [2, 3], "b": 4}}
    show = f"from bench.printing import table; print(table({ {'rounds': 3, 'by_matches': sizes} }))"
    said = subprocess.run([sys.executable, "-c", show], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [line.split() for line in said.stdout.splitlines()] == [
        ["rounds", "3"],
        ["by_matches", "1", "8"],
        ["a", "1.5", "(1..2)", "2.5", "(2..3)"],
        ["b", "None", "4"],
    ]


def test_fewer_streams_than_seats_are_refused() -> None:
    said = bench("moves", "--streams", "1")
    assert said.returncode == 2
    assert said.stderr.strip() == "nobody sits at a table twice: --streams must be 2 or more, or 0"


@pytest.mark.parametrize(
    ("name", "cost"), [("unary", "service_cpu_us_per_move"), ("rest", "gateway_cpu_us_per_request")]
)
def test_calls_alone_and_with_streams(name: str, cost: str) -> None:
    found = figures(name)
    keys = {"moves_per_s", cost, "floor_cpu_us", "ratio_to_floor", *LATENCIES}
    keys |= {f"watched_{key}" for key in keys | EVENTS}
    assert keys | {f"{key}_spread" for key in keys} <= found.keys()
    assert found["watched_event_p50_ms"] > 0


def rigs(folder: Path, *names: str) -> Path:
    """Peers that say what they would have measured."""
    for name in names:
        (folder / name / "node_modules").mkdir(parents=True)
    return folder


def node(folder: Path, script: str) -> str:
    """A PATH with a `node` that is this script."""
    folder.mkdir()
    (folder / "node").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "node").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_peers(tmp_path: Path) -> None:
    path = node(tmp_path / "bin", f"echo '{json.dumps(RIG)}'")
    found = figures("peers", "--rigs", str(rigs(tmp_path / "rigs", "bgio")), path=path)
    assert found["boardgame_io_server_cpu_us_per_move"] == 100
    assert {"one_stream_ratio_to_boardgame_io", "shared_ratio_to_boardgame_io"} <= found.keys()
    assert {"one_stream_server_cpu_us_per_move_spread", "shared_moves_per_s", "pinned"} <= found.keys()
    assert "colyseus" in found["left_out"]
    assert "one_stream_ratio_to_colyseus" not in found


def test_peers_that_cannot_run_are_told_in_a_line(tmp_path: Path) -> None:
    path = node(tmp_path / "bin", "echo it broke >&2; exit 1")
    no_folder = bench("peers", "--rigs", str(tmp_path / "none"), path=path)
    assert (no_folder.returncode, no_folder.stderr) == (2, f"there is no folder {tmp_path}/none\n")
    no_packages = bench("peers", "--rigs", str(tmp_path), path=path)
    assert no_packages.returncode == 2
    assert no_packages.stderr.startswith("no rig can run: run `npm install` in ")
    no_node = bench("peers", "--rigs", str(tmp_path), path=str(tmp_path))
    assert no_node.returncode == 2
    assert "no `node` on the PATH" in no_node.stderr
    broken = bench("peers", "--rigs", str(rigs(tmp_path / "rigs", "colyseus")), path=path)
    assert broken.returncode == 2
    assert broken.stderr.strip().endswith("load.js failed: it broke")
