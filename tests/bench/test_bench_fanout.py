"""`python -m bench fanout`, with a few watchers."""

from support.benches import bench

_TIMES = ("p50_ms", "p99_ms", "max_ms")


def test_what_it_says() -> None:
    found = bench("fanout", "--watchers", "3", "--moves", "5", "--rounds", "1")
    names = {f"{kind}_{time}" for kind in ("grpc", "sse") for time in _TIMES}
    names |= {
        f"{kind}_{part}_{what}"
        for kind, part in (("grpc", "service"), ("sse", "service"), ("sse", "gateway"))
        for what in ("us_per_event", "kb_per_stream")
    }
    assert found.keys() == (
        {"moves", "rounds", "grpc_watchers", "sse_watchers"} | names | {f"{name}_spread" for name in names}
    )
    assert (found["grpc_watchers"], found["sse_watchers"]) == (3, 3)
    assert found["sse_max_ms"] > 0
