"""What holds of every file of the project."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = re.compile(r"_pb2(_grpc)?\.pyi?$")
BINARY = {".binpb"}
TABLES = {"proto/croupier/errors.py"}  # one table of data each
LONGEST = 400  # lines; most files are under 300

# A lock or a script with these in it works on one machine only.
PLACES = re.compile(
    r"(?<![\w.])/(?:home|Users|root|work)/\w"
    r"|pypi\.org|pythonhosted\.|registry\.npmjs\.|proxy\.golang\."
    r"|--(?:extra-)?index-url[ =]\S*://"
    r"|https?://[\w.-]*(?:artifactory|nexus|mirror)[\w.-]*"
)


def files() -> Iterator[Path]:
    """Every file of the project itself; what .gitignore names is left out."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name == ".ci" or not name.startswith((".", "__pycache__", "dist"))]
        yield from (Path(folder, name) for name in names if not name.startswith(".coverage"))


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in files()
        if path.suffix not in BINARY and not GENERATED.search(path.name)
    }


def test_no_file_is_tied_to_one_machine_or_registry(texts: dict[str, str]) -> None:
    found = {name: match.group() for name, text in texts.items() if (match := PLACES.search(text))}
    assert not found


def test_no_file_is_too_long(texts: dict[str, str]) -> None:
    lengths = {name: text.count("\n") for name, text in texts.items() if name.endswith(".py")}
    assert not {name: length for name, length in lengths.items() if length > LONGEST and name not in TABLES}


def test_the_lock_pins_everything_with_hashes(texts: dict[str, str]) -> None:
    lock = texts["requirements.lock"]
    packages = re.findall(r"^[a-z0-9][\w.\[\]-]*.*$", lock, re.MULTILINE | re.IGNORECASE)
    assert packages
    assert not [line for line in packages if "==" not in line]
    assert lock.count("==") <= lock.count("--hash=sha256:")
    assert "://" not in lock


def test_no_work_is_left_over(texts: dict[str, str]) -> None:
    marks = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X{3})\b|pytest\.mark\.(?:skip|xfail)|pytest\.skip\(")
    assert not {name: match.group() for name, text in texts.items() if (match := marks.search(text))}
