"""An option of these tests: `python -m pytest tests/engine --regenerate-golden` writes the golden playthroughs anew."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-golden", action="store_true", help="write tests/engine/golden/*.txt anew")
