"""An app is killed in mid-match; a new one, with nothing but the token, knows within one call what to do next."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.house import House, running_house
from support.rest import RestPlayer

TESTS = Path(__file__).resolve().parents[1]

# It plays until it has seen its third question, says so, and thinks for ever.
APP = """
import sys, time
from support.rest import RestPlayer

player = RestPlayer(sys.argv[1])
print(player.token, flush=True)
bots = [{"level": "careful"}, {"level": "random"}]
match = player.create(seats=3, preset="single_deal", bots=bots)
view = player.play(match["id"], until=lambda view: view["you"]["view"]["sixNimmt"]["trick"] == 3
    and view["you"]["window"]["choices"])
print(match["id"], view["you"]["window"]["id"], flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house") / "data") as house:
        yield house


@pytest.fixture
def killed(house: House) -> tuple[str, str, str]:
    """Token, match and open window of an app that was killed while it was asked."""
    app = subprocess.Popen([sys.executable, "-c", APP, house.web], cwd=TESTS, stdout=subprocess.PIPE, text=True)
    try:
        assert app.stdout is not None
        token = app.stdout.readline().strip()
        match, window = app.stdout.readline().split()
        app.send_signal(signal.SIGKILL)
        assert app.wait(10) == -signal.SIGKILL
    finally:
        app.kill()
        app.communicate()
    return token, match, window


def test_the_list_shows_the_question(house: House, killed: tuple[str, str, str]) -> None:
    token, match, window = killed
    player = RestPlayer(house.web, token)
    (found,) = player.call("GET", "/v1/matches?player=me&state=RUNNING&yourTurn=true")["matches"]
    assert (found["id"], found["you"]["window"]["id"]) == (match, window)
    hand = found["you"]["view"]["sixNimmt"]["hand"]
    assert found["you"]["window"]["choices"] == [{"sixNimmt": {"commit": {"card": card}}} for card in hand]
    acted = player.answer(found)
    types = [event["type"] for event in acted["events"]]
    assert types[0] == "six_nimmt.committed"
    finish(player, match)


def test_the_home_feed_shows_the_question(house: House, killed: tuple[str, str, str]) -> None:
    token, match, window = killed
    player = RestPlayer(house.web, token)
    home = player.call("GET", "/v1/players/me/events")
    (found,) = home["events"]
    assert (found["type"], found["match"], found["window"]) == ("YOUR_TURN", match, window)
    assert found["deadlineTime"]
    # All that it takes to go on is here.
    body = {"requestId": "first-after-the-crash", "window": found["window"], "choice": 0}
    player.call("POST", f"/v1/matches/{match}:act", body)
    finish(player, match)
    changed = player.call("GET", f"/v1/players/me/events?after={home['next']}&wait=20s")["events"]
    assert [(each["match"], each["type"]) for each in changed] == [(match, "OVER")], "and the feed tells the end"


def finish(player: RestPlayer, match: str) -> None:
    """Play to the end, in one's own name all the way."""
    over = player.play(match)
    assert over["state"] == "OVER"
    types = [event["type"] for event in player.events(match)["events"]]
    assert "match.timed_out" not in types
    assert types.count("six_nimmt.revealed") == 10
