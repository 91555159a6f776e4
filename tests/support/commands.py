"""A command of `croupier` as a child process that ends by itself."""

import asyncio
import os
import subprocess

from support.house import CROUPIER


async def run(*arguments: str, url: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors; `url` is the CROUPIER_REDIS_URL that it finds."""
    ended = await asyncio.to_thread(
        subprocess.run,
        [*CROUPIER, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"CROUPIER_REDIS_URL": url},
    )
    return ended.returncode, ended.stdout, ended.stderr
