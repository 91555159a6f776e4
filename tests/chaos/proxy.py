"""A TCP proxy between each replica and Redis that can cut, delay and swallow; a process of its own.

    python -m chaos.proxy REDIS_PORT PORT...

It listens on each port and hears commands on its input, a line each: `cut N`, `delay N MS`, `hole N`, `heal N`; N is
the index of a port. `cut` breaks what is open; new connections are taken again at once. `hole` takes bytes and hands on
none, until `heal`.
"""

import asyncio
import sys
from contextlib import suppress

_CHUNK = 1 << 16


class Line:
    """One replica's way to Redis."""

    def __init__(self, redis_port: int) -> None:
        self._redis_port = redis_port
        self._delay = 0.0
        self._passes = asyncio.Event()
        self._passes.set()
        self._open: set[asyncio.StreamWriter] = set()

    def command(self, word: str, ms: int) -> None:
        """Obey."""
        match word:
            case "cut":
                for writer in self._open:
                    writer.transport.abort()
            case "delay":
                self._delay = ms / 1000
            case "hole":
                self._passes.clear()
            case "heal":
                self._delay = 0.0
                self._passes.set()
            case _:
                raise ValueError(word)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self._open.add(writer)
        onward: asyncio.StreamWriter | None = None
        try:
            answers, onward = await asyncio.open_connection("127.0.0.1", self._redis_port)
            self._open.add(onward)
            done, pending = await asyncio.wait(
                [asyncio.create_task(self._carry(reader, onward)), asyncio.create_task(self._carry(answers, writer))],
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in pending:
                task.cancel()
            await asyncio.gather(*done, *pending, return_exceptions=True)
        except OSError:
            pass  # Redis is away
        finally:
            for end in (writer, onward):
                if end is not None:
                    self._open.discard(end)
                    end.transport.abort()

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(_CHUNK):
            if self._delay:
                await asyncio.sleep(self._delay)
            await self._passes.wait()
            target.write(data)
            with suppress(ConnectionError):
                await target.drain()


async def _main(redis_port: int, ports: list[int]) -> None:
    lines = [Line(redis_port) for _ in ports]
    servers = [
        await asyncio.start_server(line.serve, "127.0.0.1", port) for line, port in zip(lines, ports, strict=True)
    ]
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print("ready", flush=True)
    while command := (await commands.readline()).decode().split():
        lines[int(command[1])].command(command[0], int(command[2]) if len(command) > 2 else 0)
    for server in servers:
        server.close()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
