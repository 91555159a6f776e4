"""`python -m bench scale`, with a few matches and moves."""

from support.benches import bench

_PLACES = ("1_open", "3_open", "first_4", "last_4")


def test_what_it_says() -> None:
    found = bench("scale", "--matches", "1", "3", "--moves", "12", "--entries", "40", "--rounds", "1")
    names = {f"{part}_us_{place}" for part in ("service", "redis") for place in _PLACES}
    names |= {f"{part}_ratio_{what}" for part in ("service", "redis") for what in ("matches", "log")}
    assert found.keys() == {"moves", "entries", "rounds"} | names | {f"{name}_spread" for name in names}
    assert found["service_us_3_open"] > 0
