"""What waits to be sent on a stream of `Bots.Play`."""

import asyncio

from croupier_service.messages import Acted, GoAway, Message, Question
from croupier_service.outbox import Outbox
from croupier_service.projection import YouView


def question(match: str, sequence: int) -> Question:
    return Question(match, sequence, YouView("six_nimmt", sequence, 0, None, None))


async def test_a_question_takes_the_place_of_an_older_one_of_its_match_alone() -> None:
    outbox = Outbox()
    messages: list[Message] = [question("a", 1), Acted("a", "r", 2), question("b", 1), question("a", 3)]
    for message in messages:
        outbox.put(message)
    assert await outbox.frame() == messages[1:]


async def test_a_question_that_was_sent_is_not_taken_back() -> None:
    outbox = Outbox()
    outbox.put(question("a", 1))
    assert await outbox.frame() == [question("a", 1)]
    outbox.put(question("a", 3))
    assert await outbox.frame() == [question("a", 3)]


async def test_nothing_comes_behind_the_last_message() -> None:
    outbox = Outbox()
    for message in (Acted("a", "r", 2), GoAway("REPLACED", None), Acted("a", "s", 3), GoAway("STALLED", 1.0)):
        outbox.put(message)
    assert await outbox.frame() == [Acted("a", "r", 2), GoAway("REPLACED", None)]
    assert not outbox


async def test_whoever_must_wait_for_room_goes_on_when_a_frame_is_taken() -> None:
    outbox = Outbox()
    while not outbox.full:
        outbox.put(Acted("a", "r", 2))
    sending = asyncio.create_task(outbox.send(question("a", 1)))
    await asyncio.sleep(0)
    assert not sending.done()
    await outbox.frame()
    await asyncio.wait_for(sending, 5)
    assert await outbox.frame() == [question("a", 1)]
