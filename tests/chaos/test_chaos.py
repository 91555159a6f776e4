"""The checker on a real house that is broken while it is played in: the short form of `make soak-chaos`."""

from pathlib import Path

import pytest

from chaos.driver import Plan
from chaos.rig import run

FAULTS = (("kill", 2.0), ("redis", 2.0), ("cut", 1.0), ("pause", 2.0))


@pytest.mark.timeout(300)
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    plan = Plan([], "", matches=16, players=10, watchers=3, stand_ins=2, window=1.5, seconds=15)
    report = run(tmp_path, "fsync", plan, FAULTS)
    assert report.findings == []
    summary = report.summary
    assert summary["matches"] == summary["over"]
    happened = ("acknowledged", "deadlines", "acts_of_stand_ins", "kills", "redis_kills", "pauses", "broken_lines")
    assert all(summary[what] for what in happened)
