"""`python -m bench payload`, with a few moves."""

from support.benches import bench

_EACH = {
    *(f"act_{way}_{part}" for way in ("grpc", "rest", "play") for part in ("sent", "answer")),
    "act_rest_gzip_answer",
    *(f"snapshot_{way}" for way in ("grpc", "rest", "rest_gzip")),
    *(f"table_{way}" for way in ("watch", "play", "sse")),
}


def test_what_it_says() -> None:
    found = bench("payload", "--moves", "8", "--rounds", "1")
    names = {f"{game}_{each}" for game in ("six_nimmt", "durak", "freedom_of_speech") for each in _EACH}
    assert found.keys() == {"moves", "rounds", "seats"} | names | {f"{name}_spread" for name in names}
    assert all(found[name] > 0 for name in names)
