"""One record that cannot be read does not keep operators from the others."""

import json

import msgspec
from msgspec.structs import replace
from support.commands import run
from support.service import channel, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_service.record import Meta
from croupier_service.store import keys
from croupier_service.store.keys import ShardKeys
from croupier_service.store.opening import open_store


async def test_what_cannot_be_read_is_named_and_the_rest_goes_on(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        done = []
        for _ in range(3):
            who, match = await seated([over], 2)
            await who[0].matches.Resign(matches_pb2.ResignRequest(match=match), metadata=who[0].auth)
            done.append((who[0].player, match))
    store = await open_store(redis_url, None)
    (player, later), (_, torn), (_, sound) = done
    later_key, torn_key = (ShardKeys(keys.shard_of(m, store.shards)).match(m) for m in (later, torn))
    meta = msgspec.msgpack.decode(await store.pipe.call("HGET", later_key, "meta"), type=Meta)
    later_meta = msgspec.msgpack.encode(replace(meta, rules_version=99))
    await store.pipe.call("HSET", later_key, "meta", later_meta)
    await store.pipe.call("HSET", torn_key, "state", "{")
    code, said, errors = await run("export", url=redis_url)
    assert code == 3
    assert [json.loads(line)["match"] for line in said.splitlines()] == [sound]
    assert "1 matches exported" in errors
    assert f"match {later} cannot be read (UnknownGame: six_nimmt, rules version 99)" in errors
    assert f"match {torn} cannot be read (" in errors
    assert "Traceback" not in errors
    code, said, errors = await run("admin", "reindex", url=redis_url)
    assert code == 3
    assert said.startswith("index")
    assert later in errors
    assert torn in errors
    assert "Traceback" not in errors
    assert later in [listed for _, listed in await store.players.past(player)], "what it wants is not known"
    await store.close()
