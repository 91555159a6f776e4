"""A variable that nobody reads is told at start."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import croupier_gateway.config
from croupier.variables import GATEWAY, SERVICE, unknown
from croupier_service.config import Settings

ROOT = Path(__file__).resolve().parents[2]


def test_every_setting_is_known() -> None:
    assert [field.name.upper() for field in fields(Settings)] == SERVICE
    read = re.findall(r'"CROUPIER_([A-Z_]+)"', Path(croupier_gateway.config.__file__).read_text("utf-8"))
    assert set(read) == set(GATEWAY)
    listed = re.findall(r"^\| `(CROUPIER_[A-Z_]+)`", (ROOT / "docs" / "operations.md").read_text("utf-8"), re.MULTILINE)
    assert not unknown(dict.fromkeys(listed, ""))


def test_others_are_not() -> None:
    assert unknown({"CROUPIER_BOGUS": "1", "CROUPIER_SHARDS": "2", "PATH": "/bin"}) == ["CROUPIER_BOGUS"]


@pytest.mark.parametrize("role", ["serve", "gateway"])
def test_it_is_logged_with_its_name(role: str) -> None:
    environment = os.environ | {
        "CROUPIER_BOGUS": "1",
        "CROUPIER_REDIS_URL": "redis://127.0.0.1:1",
        "CROUPIER_GATEWAY_PORT": "0",
        "CROUPIER_GRPC_TARGET": "127.0.0.1:1",
    }
    command = [sys.executable, "-P", "-m", "croupier_cli", role]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        if role == "gateway":
            assert child.stdout is not None
            child.stdout.readline()
            child.terminate()
        _, said = child.communicate(timeout=60)
    (line,) = [line for line in said.splitlines() if "settings.unknown" in line]
    assert "CROUPIER_BOGUS" in line
    assert "warning" in line
