"""The supervisor and its programs, with small programs in place of the real ones."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.processes import eventually, is_running

from croupier_cli.problem import Problem
from croupier_cli.program import Program
from croupier_cli.supervisor import StopRequested, Supervisor

# Announces a port, the given one or any; says in `diary` when it stops.
SERVER = """
import os, signal, socket, sys
name, diary = sys.argv[1:]
server = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
print("[a log record]")
print(f"web: http://127.0.0.1:{server.getsockname()[1]}")
def stop(*_):
    with open(diary, "a") as file:
        file.write(f"{name}\\n")
    sys.exit()
signal.signal(signal.SIGTERM, stop)
while True:
    signal.pause()
"""


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture
def supervisor(reports: list[str]) -> Iterator[Supervisor]:
    supervisor = Supervisor(reports.append)
    yield supervisor
    supervisor.stop_all()


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Program]:
    def make(name: str, code: str = SERVER, grace: float = 10) -> Program:
        return Program(
            name,
            (sys.executable, "-c", code, name, str(tmp_path / "diary")),
            announces="web",
            log=tmp_path / "logs" / f"{name}.log",
            environment={"PORT": "0"},
            port_variable="PORT",
            grace=grace,
        )

    return make


def pid_of(program: Program) -> int:
    assert program.pid is not None
    return program.pid


class Running:
    """A supervisor that keeps its parts running while a test looks on."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._thread = threading.Thread(target=supervisor.keep_running)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._supervisor.request_stop()
        self._thread.join()


def test_parts_stop_in_reverse_order(supervisor: Supervisor, program: Callable[..., Program], tmp_path: Path) -> None:
    for name in ("first", "second", "third"):
        supervisor.bring_up(program(name))
    supervisor.stop_all()
    assert (tmp_path / "diary").read_text().split() == ["third", "second", "first"]


def test_a_dead_program_starts_again_on_the_same_port(
    supervisor: Supervisor, program: Callable[..., Program], reports: list[str], tmp_path: Path
) -> None:
    web = program("gateway")
    supervisor.bring_up(web)
    address, pid = web.address, pid_of(web)
    assert address.startswith("http://127.0.0.1:")
    assert not address.endswith(":0")
    # A thread launches here, and the kernel ties a child to the thread that launched it; it outlives the check.
    with Running(supervisor):
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: (tmp_path / "logs/gateway.log").read_text().count(f"web: {address}\n") == 2)
        assert pid_of(web) != pid
    assert reports == ["gateway ended (SIGKILL); starting it again in 0.2 s"]


def test_pauses_between_restarts_grow(
    supervisor: Supervisor, program: Callable[..., Program], reports: list[str]
) -> None:
    supervisor.bring_up(program("brief", "print('web: x:1'); import time; time.sleep(0.2)"))
    with Running(supervisor):
        assert eventually(lambda: len(reports) >= 3)
    assert [line.rsplit(" in ")[1] for line in reports[:3]] == ["0.2 s", "0.4 s", "0.8 s"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print('[a record]'); sys.stderr.write('set A\\nset B\\n'); sys.exit(2)", "set A\nset B"),
        ("import sys; print('[a record]'); sys.exit(2)", "[a record]"),
        ("import sys; sys.exit(2)", "bad ended (exit code 2): without a word; see {log}"),
        ("raise SystemExit('oh dear')", "bad ended (exit code 1): oh dear; see {log}"),
        ("import os; os.kill(os.getpid(), 9)", "bad ended (SIGKILL): without a word; see {log}"),
    ],
)
def test_a_program_that_cannot_start(
    supervisor: Supervisor, program: Callable[..., Program], tmp_path: Path, code: str, said: str
) -> None:
    with pytest.raises(Problem) as raised:
        supervisor.bring_up(program("bad", code))
    assert raised.value.message == said.format(log=tmp_path / "logs/bad.log")


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    gone = Program("gone", ("no-such-program",), announces="x", log=tmp_path / "log", environment={})
    gone.launch()
    with pytest.raises(Problem, match="cannot run no-such-program: No such file"):
        eventually(gone.ready)


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    program = Program("x", ("true",), announces="x", log=tmp_path / "file" / "log", environment={})
    with pytest.raises(Problem, match="choose another folder with --data"):
        program.launch()


def test_a_program_that_does_not_stop_is_killed_with_its_children(
    supervisor: Supervisor, program: Callable[..., Program], tmp_path: Path
) -> None:
    deaf = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    print(f"web: {child}")
time.sleep(60)
"""
    supervisor.bring_up(parent := program("deaf", deaf, grace=0.1))
    pids = [pid_of(parent), int(parent.address)]
    supervisor.stop_all()
    assert eventually(lambda: not any(map(is_running, pids)))


def test_a_stop_while_parts_are_brought_up(supervisor: Supervisor, program: Callable[..., Program]) -> None:
    threading.Timer(0.1, supervisor.request_stop).start()
    with pytest.raises(StopRequested):
        supervisor.bring_up(program("silent", "import time; time.sleep(60)"))
