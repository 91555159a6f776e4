"""`croupier serve` or `croupier gateway` under cProfile: `python -m bench.profiled serve|gateway FILE`.

It is CPU time: of the service's one thread that runs Python; of all of the gateway that serve requests.
"""

import atexit
import cProfile
import pstats
import sys
import threading
import time
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from croupier_gateway.main import run
from croupier_service.bootstrap import main


def _serve(file: str) -> int:
    profile = cProfile.Profile(time.thread_time)
    code = profile.runcall(main)
    profile.dump_stats(file)
    return code


def _gateway(file: str) -> int:
    profiles: list[cProfile.Profile] = []
    thread = threading.local()
    plain = ThreadWorker.handle

    def handle(worker: ThreadWorker, connection: Any) -> Any:
        if not hasattr(thread, "profile"):
            thread.profile = cProfile.Profile(time.thread_time)
            profiles.append(thread.profile)
        return thread.profile.runcall(plain, worker, connection)

    def dump() -> None:
        if profiles:  # in the worker
            pstats.Stats(*profiles).dump_stats(file)

    ThreadWorker.handle = handle
    atexit.register(dump)
    return run()


if __name__ == "__main__":
    sys.exit({"serve": _serve, "gateway": _gateway}[sys.argv[1]](sys.argv[2]))
