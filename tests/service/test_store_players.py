"""The contract of the store for players, their lists of matches, and the offers of bots."""

from typing import Any

import pytest

from croupier_service.store import keys
from croupier_service.store.keys import ShardKeys, shard_of
from croupier_service.store.line import Line
from croupier_service.store.opening import Store
from croupier_service.store.players import Player

LONG = 10_000_000


async def offer(
    store: Store, player: str, capacity: int, *, stream: str = "s1", now: int = 0, until: int = 1000
) -> bool:
    return await store.offers.renew(player, {"six_nimmt": ["random"]}, capacity, stream, now, until)


async def test_bots_are_booked_all_or_none(store: Store) -> None:
    offers = store.offers
    for name, capacity in (("p-x", 1), ("p-y", 2), ("p-yy", 0)):
        assert await offer(store, name, capacity)
    await offer(store, "p-late", 9, until=10)
    want = {"level": "random"}
    assert await offers.book("m-1", "six_nimmt", ["p-a"], [want, want, want], 100) == 2
    assert await offers.booked("p-x") == []
    assert await offers.book("m-1", "six_nimmt", ["p-x"], [want], 100) == ["p-y"]
    assert await offers.book("m-1", "six_nimmt", ["p-x"], [want], 100) == 0, "no bot is booked twice for one match"
    assert await offers.book("m-2", "six_nimmt", [], [want, want], 100) == ["p-x", "p-y"]
    assert await offers.book("m-3", "six_nimmt", [], [want], 100) == 0
    assert await offers.book("m-3", "durak", [], [want], 100) == 0
    assert await offers.booked("p-y") == ["m-1", "m-2"]
    assert await store.pipe.call("HEXISTS", keys.OFFERS, "p-late") == 0, "what has lapsed is cleared away"
    await offers.release("m-2", ["p-x", "p-y"])
    assert await offers.book("m-3", "six_nimmt", [], [{"player": "p-y"}], 100) == ["p-y"]


async def test_an_offer_is_that_of_the_newest_stream(store: Store) -> None:
    assert await offer(store, "p-x", 1, stream="s2")
    assert not await offer(store, "p-x", 1, stream="s1")
    assert await offer(store, "p-x", 1, stream="s3")
    await store.offers.withdraw("p-x", "s2")
    assert await store.offers.book("m-3", "six_nimmt", [], [{"player": "p-x"}], 100) == ["p-x"]
    await store.offers.withdraw("p-x", "s3")
    assert await store.offers.book("m-4", "six_nimmt", [], [{"player": "p-x"}], 100) == 0
    assert await offer(store, "p-x", 1, stream="s9", until=50)
    assert await offer(store, "p-x", 1, stream="s1", now=60), "one that has lapsed stands in nobody's way"


async def test_a_bucket_refills(store: Store) -> None:
    take = store.players.take
    assert [await take("l", "w", 60, 0) for _ in range(60)] == [0] * 60
    assert await take("l", "w", 60, 0) == 1000
    assert await take("l", "w", 60, 400) == 600
    assert await take("l", "other", 60, 0) == 0
    assert await take("l", "w", 60, 1000) == 0
    assert await take("l", "w", 60, 1000) == 1000


async def test_players_are_found_by_id_and_by_the_hash_of_their_token(store: Store) -> None:
    player = Player("p-a", "Ann", "uk", 7)
    await store.players.add(player, "digest")
    assert await store.players.get("p-a") == player
    assert await store.players.by_token("digest") == "p-a"
    assert await store.players.get("p-b") is None
    assert await store.players.by_token("other") is None


async def test_lists_of_matches_are_the_newest_first(store: Store) -> None:
    players = store.players
    for created in (1, 3, 2):
        await players.add_live("p-a", f"m-{created}", created)
    assert await players.live("p-a") == [(3, "m-3"), (2, "m-2"), (1, "m-1")]
    await players.move_past("p-a", "m-2", 2)
    await players.drop_live("p-a", "m-1", 1)
    await players.drop_live("p-a", "m-3", 1)
    assert (await players.live("p-a"), await players.past("p-a")) == ([(3, "m-3")], [(2, "m-2")])
    await players.drop_past("p-a", "m-2")
    assert await players.past("p-a") == []


async def test_a_creation_stands_for_what_it_was_first_reserved_with(store: Store) -> None:
    reserve = store.players.reserve_creation
    assert await reserve("p-a", "r", "m-1 f", LONG) == "m-1 f"
    assert await reserve("p-a", "r", "m-2 g", LONG) == "m-1 f"
    assert await reserve("p-b", "r", "m-2 g", LONG) == "m-2 g"


class Broken:
    """Lines that break behind the send: what was sent is done, and its answer is lost."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._exchange = Line.exchange
        self.left = 0  # lines that are still to break
        monkeypatch.setattr(Line, "exchange", lambda line, commands: self._send(line, commands))

    async def _send(self, *arguments: Any) -> list[Any]:
        answers = await self._exchange(*arguments)
        if self.left:
            self.left -= 1
            raise ConnectionError("as told by the test")
        return answers


async def test_what_is_sent_again_as_its_answer_was_lost_is_done_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.players.add_ticket("t", "p-x", "m-1", LONG)
    assert await offer(store, "p-x", 1)
    assert await offer(store, "p-y", 1)
    await store.pipe.call("HSET", ShardKeys(shard_of("m-1", 8)).match("m-1"), "version", 1)
    broken, want = Broken(monkeypatch), {"level": "random"}
    for known in (False, True):  # a server that does not know the script is sent it whole
        broken.left = 1
        assert await store.matches.count_illegal("m-1", 0, f"w{known}") == 1
        assert await store.matches.count_illegal("m-1", 0, f"w{known}") == 2, "another is counted"
        broken.left = 1
        assert await store.offers.book(f"m-{known}", "six_nimmt", [], [want], 100) == [["p-x"], ["p-y"]][known]
    assert await store.offers.book("m-3", "six_nimmt", [], [want], 100) == 0
    broken.left = 1
    assert await store.players.take_ticket("t") == ("p-x", "m-1")
    assert await store.players.take_ticket("t") is None
