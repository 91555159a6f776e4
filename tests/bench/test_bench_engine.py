"""`python -m bench engine`, for a moment."""

from support.benches import bench


def test_what_it_says() -> None:
    found = bench("engine", "--seconds", "0.1", "--rounds", "2")
    names = {
        f"{game}_{what}_per_s" for game in ("six_nimmt", "durak", "freedom_of_speech") for what in ("commands", "plays")
    }
    names |= {key for key in found if key.endswith("_deals_per_s")}
    assert "six_nimmt_deals_per_s" in names
    assert found.keys() == {"seconds", "rounds"} | names | {f"{name}_spread" for name in names}
