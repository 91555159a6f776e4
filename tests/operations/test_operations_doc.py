"""docs/operations.md tells of the settings and the metrics that there are."""

import dataclasses
import re
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from croupier_gateway import config as gateway_config
from croupier_gateway import metrics as gateway_metrics
from croupier_service import config as service_config
from croupier_service import metrics as service_metrics

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(CROUPIER_\w+)` \|(.*?)\| ", re.MULTILINE)


@pytest.fixture(scope="module")
def text() -> str:
    return (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def rows(text: str, program: str) -> dict[str, str]:
    """Variables and defaults of the table that follows the program's name."""
    table = text.split(f"(`croupier {program}`)", 1)[1].split("\n\n", 2)[1]
    return {variable: default.strip(" `") for variable, default in ROW.findall(table)}


def test_every_setting_of_the_service_stands_there_with_its_default(text: str) -> None:
    real = {
        f"CROUPIER_{field.name.upper()}": ("required" if field.default is dataclasses.MISSING else str(field.default))
        for field in dataclasses.fields(service_config.Settings)
    }
    assert rows(text, "serve") == real


def test_every_setting_of_the_gateway_stands_there_with_its_default(text: str) -> None:
    told = rows(text, "gateway")
    source = Path(gateway_config.__file__).read_text(encoding="utf-8")
    assert told.keys() == set(re.findall(r"\"(CROUPIER_[A-Z_]+)\"", source))
    defaults = gateway_config.Settings()
    assert gateway_config.Settings.from_environment(told) == defaults
    assert len(told) == len(dataclasses.fields(defaults))


def test_requests_are_kept_for_longer_than_a_client_tries() -> None:
    client = (ROOT / "docs" / "retries.md").read_text(encoding="utf-8")

    def told(pattern: str) -> int:
        (number,) = re.findall(pattern, client)
        return int(number)

    tries = told(r"giveUp = Date\.now\(\) \+ (\d+_000)")  # ms, as are the others
    pause = told(r"Math\.min\(2 \* pause, (\d+_000)\)") * 5 // 4
    under_way = told(r"AbortSignal\.timeout\((\d+_000)\)")
    assert service_config.Settings("redis://").compact_after > tries + pause + under_way


def test_every_metric_stands_there(text: str) -> None:
    assert service_metrics.__doc__
    assert gateway_metrics.__doc__
    real = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in REGISTRY.collect()
        if family.name.startswith("croupier_")
    }
    assert set(re.findall(r"^\| `(croupier_\w+)` \|", text, re.MULTILINE)) == real


def test_every_variable_that_is_named_exists(text: str) -> None:
    folders = [ROOT / name for name in ("service", "gateway", "bots", "cli")]
    sources = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    settings = {f"CROUPIER_{field.name.upper()}" for field in dataclasses.fields(service_config.Settings)}
    named = set(re.findall(r"CROUPIER_[A-Z_]+[A-Z]", text))
    assert {name for name in named - settings if name not in sources} == set()
