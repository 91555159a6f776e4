"""The committed code that is generated from the proto files is what the generator makes of them today."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_code_is_what_the_generator_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools/generate_proto.py", tmp_path], check=True)
    made = {p.name: p.read_bytes() for p in (tmp_path / "croupier/v1").iterdir()}
    committed = {
        p.name: p.read_bytes()
        for pattern in ("*_pb2*.py", "*_pb2*.pyi", "descriptors.binpb")
        for p in (ROOT / "proto/croupier/v1").glob(pattern)
    }
    different = {name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name)}
    assert not different, f"run `make proto` and commit {sorted(different)}"
