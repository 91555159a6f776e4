"""What authors declare and where they point it, refused in a line when it cannot work."""

import re
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from croupier.v1 import games_pb2, matches_pb2
from croupier_bots import AddressInvalid, Bot, BotInvalid, Choice, Server
from croupier_bots.address import checked_target, outage
from croupier_bots.bot import checked
from croupier_bots.declaration import KNOWN, declared
from croupier_bots.errors import ChoiceInvalid
from croupier_engine.registry import GAMES


class Lowest(Bot):
    games = {"six_nimmt": ["lowest"]}  # noqa: RUF012 - as authors write it

    def choose(self, view: games_pb2.View, window: matches_pb2.Window) -> Choice:
        return 0


def lowest(**attributes: Any) -> type[Bot]:
    """The bot, declared otherwise."""
    return type("Other", (Lowest,), attributes)


class Idle(Bot):
    games = {"six_nimmt": ["idle"]}  # noqa: RUF012


class Needy(Lowest):
    def __init__(self, weights: str) -> None:
        self.weights = weights


class Dear(Lowest):
    def __init__(self) -> None:
        raise AssertionError("made, though only its declaration was wanted")


class Stranger:
    def choose(self, view: object, window: object) -> int:
        return 0


def test_what_is_declared_well() -> None:
    assert declared(Lowest, offering=True) == {"six_nimmt": ["lowest"]}
    assert declared(lambda: Lowest(), offering=True) == {"six_nimmt": ["lowest"]}
    assert declared(Dear, offering=True) == {"six_nimmt": ["lowest"]}
    assert declared(lowest(games={}), offering=False) == {}
    assert declared(lowest(games={"six_nimmt": ()}), offering=True) == {"six_nimmt": ()}
    assert declared(lowest(choose=lambda self, *given: 0), offering=True)
    assert declared(lowest(choose=staticmethod(lambda view, window: 0)), offering=True)


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (Lowest(), "Lowest, not Lowest()"),
        (7, "a subclass of croupier_bots.Bot is wanted, not int"),
        (Stranger, "Stranger is not a subclass of croupier_bots.Bot"),
        (lambda: Stranger(), "makes a Stranger, not a croupier_bots.Bot"),
        (Needy, "Needy() must need no arguments"),
        (Idle, "Idle has no choose(self, view, window)"),
        (lowest(choose=3), "Other.choose must take (self, view, window)"),
        (lowest(choose=lambda self, view: 0), "Other.choose must take (self, view, window)"),
        (lowest(events=lambda self: None), "Other.events must take (self, events)"),
        (lowest(games="six_nimmt"), "Other.games must be a dict of levels by game, such as games = {"),
        (lowest(games=["six_nimmt"]), "Other.games must be a dict"),
        (lowest(games={"sixNimmt": ["x"]}), "'sixNimmt', and there is no such game; there is six_nimmt"),
        (lowest(games={7: ["x"]}), "names 7, and there is no such game"),
        (lowest(games={"six_nimmt": "lowest"}), "must have a list of levels for six_nimmt"),
        (lowest(games={"six_nimmt": [1]}), "must have a list of levels for six_nimmt"),
        (lowest(games={"six_nimmt": None}), "must have a list of levels for six_nimmt"),
        (lowest(games={}), "Other offers no games; name them, such as games = {"),
    ],
)
def test_what_cannot_play_is_refused_in_a_line(bot: Callable[[], Bot], text: str) -> None:
    with pytest.raises(BotInvalid, match=re.escape(text)) as problem:
        declared(bot, offering=True)
    assert "\n" not in str(problem.value)


def test_every_game_is_known() -> None:
    assert set(KNOWN) == set(GAMES)


class Whole:
    """As the integers of numeric libraries are."""

    def __index__(self) -> int:
        return 4


def test_choices() -> None:
    action = games_pb2.Action()
    assert checked(action) is action
    assert checked(3) == 3
    assert type(checked(Whole())) is int


@pytest.mark.parametrize(
    ("choice", "what"),
    [({}, "not dict"), (None, "not None"), ("8", "not str"), (1.0, "not float"), (True, "not bool"), (2**31, "214748")],
)
def test_what_is_no_choice(choice: object, what: str) -> None:
    with pytest.raises(ChoiceInvalid, match=what):
        checked(choice)


@pytest.mark.parametrize(
    "target", ["127.0.0.1:50051", "cards.example:1", "[::1]:50051", "dns:///croupier:50051", "unix:/run/croupier"]
)
def test_addresses(target: str) -> None:
    assert Server(target).target == target


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("http://127.0.0.1:8080", "an address of http, and not of gRPC"),
        ("https://cards.example", "an address of https"),
        ("127.0.0.1", "127.0.0.1 is not host:port"),
        ("localhost", "localhost is not host:port"),
        ("50051", "50051 is not host:port"),
        (":50051", "is not host:port"),
        ("localhost:", "is not host:port"),
        ("localhost:fifty", "is not host:port"),
        ("localhost:50051/v1", "is not host:port"),
        ("::1:50051", "is not host:port"),
        ("grpc: 127.0.0.1:50051", "is not host:port"),
        ("", "an empty address is not host:port"),
        ("localhost:0", "no port from 1 to 65535"),
        ("localhost:70000", "no port from 1 to 65535"),
        ("127.0.0.1:1,localhost:2", "localhost:2 has a name, and a list has addresses"),
        ("127.0.0.1:1,[::1]:2", "mixes IPv4 and IPv6"),
        ("127.0.0.1:1,", "an empty address is not host:port"),
        ("127.0.0.1:1,127.0.0.1", "127.0.0.1 is not host:port"),
        ("127.0.0.1:1,127.0.0.1:0", "127.0.0.1:0 has no port from 1 to 65535"),
        ("dns:///one:1,dns:///two:1", "cannot be a list"),
    ],
)
def test_what_is_no_address(target: str, text: str) -> None:
    with pytest.raises(AddressInvalid, match=re.escape(text)) as problem:
        Server(target)
    assert "`grpc:`, such as 127.0.0.1:50051" in str(problem.value)


@pytest.mark.parametrize(
    ("listed", "target"),
    [
        ("127.0.0.1:1,127.0.0.1:2", "ipv4:127.0.0.1:1,127.0.0.1:2"),
        ("10.0.0.1:1, 10.0.0.2:1, 10.0.0.1:1", "ipv4:10.0.0.1:1,10.0.0.2:1"),
        ("[::1]:1,[fe80::1%eth0]:2", "ipv6:[::1]:1,[fe80::1%eth0]:2"),
        ("ipv4:127.0.0.1:1,127.0.0.1:2", "ipv4:127.0.0.1:1,127.0.0.1:2"),
        ("dns:///croupier:50051", "dns:///croupier:50051"),
        ("cards.example:1", "cards.example:1"),
    ],
)
def test_several_replicas_are_a_list(listed: str, target: str) -> None:
    assert Server(listed).target == listed
    assert checked_target(listed) == target


def test_outages_for_people() -> None:
    code = grpc.StatusCode.UNAVAILABLE
    assert outage(code, "Connection refused (111)") == "no server listens there"
    assert outage(code, "errors resolving nowhere") == "there is no host of this name"
    assert outage(code, "other") == "UNAVAILABLE other"
