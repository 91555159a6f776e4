"""A bench as a process, with figures too small to mean anything."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def bench(name: str, *arguments: str) -> Any:
    """What it says with `--json`."""
    command = [sys.executable, "-m", "bench", name, *arguments, "--json"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=150)
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)
