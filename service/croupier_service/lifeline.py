"""Run a command that ends with its parent, even when the parent is killed with SIGKILL.

This file is also the small program that stands between the two: it asks the kernel to send SIGTERM when the parent
dies, then becomes the command, so that the process id is the command's own. A program, not a `preexec_fn`: Python code
between fork and exec can deadlock in a process with threads.

The kernel watches the *thread* that started the command, so start it from one that lives as long as the process.
Only Linux can do this; elsewhere the command runs without the tie.
"""

import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def lifeline(command: Sequence[str]) -> list[str]:
    """The command line that runs `command` tied to the calling process."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def _main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before the tie was made
            sys.exit(1)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command is the caller's own
    except OSError as problem:
        sys.exit(f"cannot run {command[0]}: {problem.strerror}")


if __name__ == "__main__":
    _main()
