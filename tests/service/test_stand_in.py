"""A bot plays for a player who is away: announced by a countdown, until he is back."""

import asyncio
from dataclasses import replace

from google.protobuf.duration_pb2 import Duration
from redis.asyncio import Redis
from support.away import LEVEL, TYPE, act_of, events, happened, kinds, staying, stood_in, terms
from support.play_stream import playing
from support.replays import check_replay
from support.service import QUICK, Client, channel, guest, reason, running_service
from support.tables import seated

from croupier.v1 import act_by_pb2, matches_pb2, players_pb2
from croupier_service.store.keys import ShardKeys, shard_of


async def test_an_absence_is_announced_and_costs_nothing_if_he_is_back_in_time(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker = await guest(over, "Eve")
        (ann, ben), match = await seated([over], 2, stand_in=terms(20_000))
        async with staying(ben, match=match):
            absent = (await happened(onlooker, match, "match.absent")).match.absent
            assert absent.seat == 0
            seen = await onlooker.get(match)
            assert seen.stand_in == terms(20_000)
            assert seen.seats[0].stand_in_time == absent.stand_in_time
            assert seen.server_time.ToMilliseconds() < absent.stand_in_time.ToMilliseconds()
            assert not seen.seats[0].HasField("stand_in")
            assert not seen.seats[0].present
            assert not seen.seats[1].HasField("stand_in_time")
            back = await ann.get(match)
            assert not back.seats[0].HasField("stand_in_time")
            assert (back.seats[0].epoch, back.you.window.epoch) == (0, 0)
            await ann.choose(back, epoch=0)
        returned = await happened(onlooker, match, "match.returned")
        assert (returned.match.returned.seat, returned.match.returned.epoch) == (0, 0)


async def test_a_bot_takes_over_and_hands_back(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, ben, onlooker, table, match):
        bot = table.client
        seen = await onlooker.get(match)
        assert seen.seats[0].stand_in == bot.player
        assert seen.seats[0].player == ann.player
        assert seen.seats[0].epoch == 1
        assert not seen.seats[0].HasField("stand_in_time")
        whole = (await table.next("seated")).match
        assert whole.you.seat == 0
        assert len(whole.you.view.six_nimmt.hand) == 10
        question = await table.next("question")
        assert (question.seat, question.window.epoch) == (0, 1)
        mine = matches_pb2.ListMatchesRequest(player="me", your_turn=True)
        listed = await bot.matches.ListMatches(mine, metadata=bot.auth)
        assert [each.id for each in listed.matches] == [match]
        assert (
            await reason(bot.matches.Resign(matches_pb2.ResignRequest(match=match), metadata=bot.auth)) == "NOT_SEATED"
        )
        await table.send(act=act_of(question, "a"))
        assert (await table.next("acted")).request_id == "a"
        committed = await happened(onlooker, match, "six_nimmt.committed")
        assert committed.six_nimmt.committed.seat == 0
        # Its player is back: he sees what was played for him, and plays on.
        back = await ann.get(match)
        assert (back.you.seat, back.seats[0].epoch) == (0, 2)
        assert not back.seats[0].HasField("stand_in")
        assert back.you.view.six_nimmt.HasField("chosen")
        done = await table.next("over")
        assert done.match == match
        assert not done.HasField("outcome")
        returned = (await happened(onlooker, match, "match.returned")).match.returned
        assert (returned.seat, returned.epoch) == (0, 2)
        # The bot is free for another table.
        other = await ben.create(2, bots=[LEVEL])
        assert other.seats[1].player == bot.player
        listed = await bot.matches.ListMatches(matches_pb2.ListMatchesRequest(player="me"), metadata=bot.auth)
        assert [each.id for each in listed.matches] == [other.id]


async def test_the_home_feed_of_a_stand_in(redis_url: str) -> None:
    async with stood_in(redis_url) as (ann, _, _, table, match):
        bot = table.client
        await table.next("question")

        async def news(after: str) -> players_pb2.ListPlayerEventsResponse:
            request = players_pb2.ListPlayerEventsRequest(player="me", after=after, wait=Duration(seconds=10))
            return await bot.players.ListPlayerEvents(request, metadata=bot.auth)

        first = await news("")
        assert [(event.match, event.type) for event in first.events] == [(match, TYPE.YOUR_TURN)]
        await ann.get(match)
        then = await news(first.next)
        assert [(event.match, event.type) for event in then.events] == [(match, TYPE.GONE)]


async def test_a_match_is_played_to_its_end_and_the_replay_tells_who_played(redis_url: str) -> None:
    async with stood_in(redis_url, preset="single_deal") as (ann, ben, onlooker, table, match):
        bot = table.client
        over = None
        acts = 0
        while over is None:
            seen = await ben.get(match)
            if seen.you.window.choices:
                await ben.choose(seen)
            message = await table.next()
            match message.WhichOneof("message"):
                case "question":
                    acts += 1
                    await table.send(act=act_of(message.question, f"a{acts}"))
                case "over":
                    over = message.over
        assert sorted(over.outcome.places) in ([1, 2], [1, 1])
        replay = await onlooker.matches.GetReplay(matches_pb2.GetReplayRequest(match=match), metadata=onlooker.auth)
        check_replay(replay, (await onlooker.get(match)).commitment)
        assert list(replay.seats) == [ann.player, ben.player]
        by = [entry.act.by for entry in replay.log if entry.HasField("act") and entry.act.seat == 0]
        assert len(by) >= acts > 0
        assert set(by) == {act_by_pb2.ActBy.STAND_IN}
        past = matches_pb2.ListMatchesRequest(player="me", state=matches_pb2.MatchState.OVER)
        for player, listed in ((ann, [match]), (bot, [])):
            found = await player.matches.ListMatches(past, metadata=player.auth)
            assert [each.id for each in found.matches] == listed
        assert (await ben.create(2, bots=[LEVEL])).seats[1].player == bot.player


async def test_c12_whoever_acts_without_a_stream_is_there(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker = await guest(over, "Eve")
        (ann, ben), match = await seated([over], 2, stand_in=terms(100))
        async with staying(ben, match=match):
            async with staying(ann, match=match):
                pass  # his stream dies
            for _ in range(12):
                await ann.get(match)
                await asyncio.sleep(0.1)
            assert not kinds(await events(onlooker, match))
            # A long poll is as good, however long it takes.
            await events(ann, match, after=(await onlooker.get(match)).sequence, wait=1)
            assert not kinds(await events(onlooker, match))


async def test_a_stand_in_that_dies_is_replaced(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker, bots = await guest(over, "Eve"), [await guest(over, name) for name in ("R1", "R2")]
        (ann, ben), match = await seated([over], 2, stand_in=terms())
        async with staying(ben, match=match):
            async with playing(bots[0], capacity=1):
                first = await happened(onlooker, match, "match.stood_in")
                assert first.match.stood_in.player == bots[0].player
            async with playing(bots[1], capacity=1) as table:
                missed = await happened(onlooker, match, "match.absent", first.sequence)
                assert missed.match.absent.seat == 0
                second = await happened(onlooker, match, "match.stood_in", missed.sequence)
                assert second.match.stood_in.player == bots[1].player
                assert second.match.stood_in.epoch == 2
                assert (await table.next("question")).window.epoch == 2
                # The first may not act any more; it was in nobody's place for good.
                assert await reason(bots[0].choose(await onlooker.get(match))) == "SEAT_EPOCH_STALE"
                assert (await ann.get(match)).seats[0].epoch == 3


async def test_a_stand_in_that_comes_back_goes_on(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker, bot = await guest(over, "Eve"), await guest(over, "Robo")
        (_, ben), match = await seated([over], 2, stand_in=terms(2_000))
        async with staying(ben, match=match):
            async with playing(bot, capacity=1):
                first = await happened(onlooker, match, "match.stood_in")
            missed = await happened(onlooker, match, "match.absent", first.sequence)
            async with playing(bot, capacity=1) as table:
                again = await happened(onlooker, match, "match.stood_in", missed.sequence)
                assert again.match.stood_in == first.match.stood_in
                assert (await table.next("question")).window.epoch == 1
            assert not (await onlooker.get(match)).seats[0].HasField("stand_in_time")


async def test_a_stream_that_ended_with_its_replica_is_missed_by_the_leader(redis_url: str) -> None:
    slow = replace(QUICK, heartbeat=1_500)
    async with running_service(redis_url, settings=slow) as one, channel(one) as first:
        onlooker = await guest(first, "Eve")
        async with running_service(redis_url, settings=slow) as two:
            second = channel(two)
            (ann, ben), match = await seated([second, first], 2, stand_in=terms(20_000))
            call = ann.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=ann.auth)
            await call.read()
        # Sent elsewhere, he is not missed at once; but he goes nowhere.
        assert (await onlooker.get(match)).seats[0].present
        async with staying(ben, match=match):
            assert (await happened(onlooker, match, "match.absent")).match.absent.seat == 0
            assert not (await onlooker.get(match)).seats[0].present
        await second.close()


async def test_without_a_free_bot_the_seat_waits_for_one(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker, bot = await guest(over, "Eve"), await guest(over, "Robo")
        (_, ben), match = await seated([over], 2, stand_in=terms(100))
        keys = ShardKeys(shard_of(match, QUICK.shards))
        async with staying(ben, match=match), Redis.from_url(redis_url) as redis:
            await happened(onlooker, match, "match.absent")
            await asyncio.sleep(0.5)
            version = await redis.hget(keys.match(match), "version")
            deadline = await redis.zscore(keys.deadlines, match)
            assert deadline is not None
            assert deadline > (await onlooker.get(match)).server_time.ToMilliseconds()
            await asyncio.sleep(1)
            assert await redis.hget(keys.match(match), "version") == version
            assert kinds(await events(onlooker, match)) == ["match.absent"]
            async with playing(bot, capacity=1):
                taken = await happened(onlooker, match, "match.stood_in")
                assert taken.match.stood_in.player == bot.player


async def test_a_bot_whose_own_stream_ends_is_missed_as_well(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann, bots = await guest(over), [await guest(over, "R1"), await guest(over, "R2")]
        onlooker = await guest(over, "Eve")
        async with playing(bots[0], capacity=1) as table:
            match = (await ann.create(2, bots=[LEVEL], stand_in=terms())).id
            await table.next("question")
        async with staying(ann, match=match), playing(bots[1], capacity=1):
            taken = (await happened(onlooker, match, "match.stood_in")).match.stood_in
            assert (taken.seat, taken.player) == (1, bots[1].player)
            async with playing(bots[0], capacity=1) as table:
                assert (await table.next("question")).window.epoch == 2
                seen = await onlooker.get(match)
                assert not seen.seats[1].HasField("stand_in")


async def test_without_stand_in_nothing_is_noticed(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker, bot = await guest(over, "Eve"), await guest(over, "Robo")
        (ann, ben), match = await seated([over], 2)
        async with playing(bot, capacity=1), Redis.from_url(redis_url) as redis:
            async with staying(ann, ben, match=match):
                pass
            keys = ShardKeys(shard_of(match, QUICK.shards))
            await ann.get(match)
            await asyncio.sleep(1.5)
            assert not await redis.hexists(keys.guarded, match)
            assert not await redis.exists(keys.present(match))
            seen = await onlooker.get(match)
            assert not seen.HasField("stand_in")
            assert not kinds(await events(onlooker, match))


async def test_two_replicas_notice_at_once_and_it_is_told_once(redis_url: str) -> None:
    async with running_service(redis_url) as one, running_service(redis_url) as two:
        async with channel(one) as first, channel(two) as second:
            onlooker = await guest(first, "Eve")
            (ann, ben), match = await seated([first], 2, stand_in=terms(20_000))
            also = Client(second, ann.player, ann.token)
            async with staying(ben, match=match):
                async with staying(ann, also, match=match):
                    pass
                await happened(onlooker, match, "match.absent")
                await asyncio.sleep(1)
                assert kinds(await events(onlooker, match)) == ["match.absent"]
                # He comes back by both at once, too.
                await asyncio.gather(ann.get(match), also.get(match))
                assert kinds(await events(onlooker, match)) == ["match.absent", "match.returned"]


async def test_a_player_who_resigned_is_not_missed(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker = await guest(over, "Eve")
        (ann, ben, cay), match = await seated([over], 3, stand_in=terms(100))
        await ann.matches.Resign(matches_pb2.ResignRequest(match=match), metadata=ann.auth)
        async with staying(ben, cay, match=match):
            await asyncio.sleep(1.5)
            assert not kinds(await events(onlooker, match))


async def test_the_clock_runs_on_while_nobody_plays(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker = await guest(over, "Eve")
        clock = matches_pb2.ClockOptions(window_duration=Duration(seconds=2))
        (_, ben), match = await seated([over], 2, stand_in=terms(100), clock=clock)
        before = await onlooker.get(match)
        async with staying(ben, match=match):
            await happened(onlooker, match, "match.absent")
            after = await onlooker.get(match)
            assert after.seats[0].clock.deadline_time == before.seats[0].clock.deadline_time
            late = await happened(onlooker, match, "match.timed_out")
            assert 0 in late.match.timed_out.seats


async def test_terms_that_cannot_be_are_refused(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        ann = await guest(over)
        assert await reason(ann.create(2, stand_in=terms(99))) == "INVALID_FIELD"
        assert await reason(ann.create(2, stand_in=terms(86_400_001))) == "INVALID_FIELD"
        assert await reason(ann.create(2, stand_in=terms(level=""))) == "INVALID_FIELD"
        usual = await ann.create(2, stand_in=matches_pb2.StandInOptions(level="careful"))
        assert usual.stand_in == terms(30_000, "careful")
        again = await (await guest(over)).join(usual.id)
        assert again.stand_in == usual.stand_in
