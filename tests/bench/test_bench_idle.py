"""`python -m bench idle`, with a few matches."""

from support.benches import bench

_SPREAD = {
    "waiting_bytes_per_match",
    "untouched_bytes_per_match",
    "finished_bytes_per_match",
    "finished_record_bytes",
    "finished_moves",
    "service_percent",
    "redis_percent",
    "redis_commands_per_s_at_rest",
    "startup_empty_ms",
    "startup_ms",
}


def test_what_it_says() -> None:
    found = bench("idle", "--matches", "6", "--finished", "1", "--seconds", "0.2", "--rounds", "2")
    assert found.keys() == (
        {"matches", "finished", "seconds", "rounds", "service_rss_mb", "redis_commands_at_rest"}
        | {f"{name}_{part}_bytes" for name in ("waiting", "untouched") for part in ("record", "log")}
        | _SPREAD
        | {f"{name}_spread" for name in _SPREAD}
    )
    assert found["finished_moves"] >= 40  # a deal at least
    assert found["waiting_record_bytes"] > 0
    assert "info" not in found["redis_commands_at_rest"], "what the bench asks itself is not counted"
