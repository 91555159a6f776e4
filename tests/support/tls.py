"""TLS before a server that has none: each connection is encrypted up to here, and passed on over loopback."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def tls_before(port: int, context: ssl.SSLContext) -> AsyncIterator[int]:
    """The port of 127.0.0.1 that speaks TLS for the one at `port`."""
    going: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        going.add(task)
        task.add_done_callback(going.discard)
        with suppress(OSError, asyncio.CancelledError):
            behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                ways = (_pass_on(reader, behind_writer), _pass_on(behind_reader, writer))
                both = [asyncio.create_task(way) for way in ways]
                try:
                    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for each in both:
                        each.cancel()
                    await asyncio.gather(*both, return_exceptions=True)
            finally:
                behind_writer.close()
                writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(going):
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)
        await server.wait_closed()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
