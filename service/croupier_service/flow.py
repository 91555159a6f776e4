"""Sending to readers who may be slow: one message at a time, and not for ever."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any


class Behind(Exception):  # noqa: N818 - it names what happens
    """The reader has taken nothing for too long.

    Raised in a stream where it waits for its message to be taken. It ends what it follows, and may then yield one last
    message, which says where to resume. `told`: the reader has got it.
    """

    def __init__(self, told: bool = False) -> None:
        super().__init__()
        self.told = told


async def relay(responses: AsyncGenerator[Any, None], write: Callable[[Any], Awaitable[None]], stall: float) -> bool:
    """Write all messages; False if the reader was too slow, and was told so.

    A write that takes `stall` seconds ends the stream on this side. Should the reader come back within as many seconds
    again, the last message is what he finds behind that write; else Behind is raised.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "a stream runs in a task"
    late: asyncio.Task[Any] | None = None
    gave_up = False
    writing: float | None = None  # since when, in the loop's time
    timer: asyncio.TimerHandle

    def look() -> None:
        # One timer that looks now and then, since to set one for each message costs more than the message.
        nonlocal late, timer
        waited = 0.0 if writing is None else loop.time() - writing
        if waited < stall:
            timer = loop.call_later(stall - waited, look)
            return
        late = asyncio.create_task(_last(responses))
        timer = loop.call_later(stall, give_up)

    def give_up() -> None:
        nonlocal gave_up
        gave_up = True
        task.cancel()

    timer = loop.call_later(stall, look)
    try:
        async for response in responses:
            writing = loop.time()
            await write(response)
            writing = None
            if late is not None:
                last = await late
                if last is not None:
                    await write(last)
                return False
    except asyncio.CancelledError:
        if not gave_up:
            raise
        task.uncancel()
        raise Behind from None
    finally:
        timer.cancel()
        if late is not None:
            await asyncio.wait([late])
    return True


async def _last(responses: AsyncGenerator[Any, None]) -> Any | None:
    try:
        return await responses.athrow(Behind())
    except (StopAsyncIteration, Behind):
        return None
