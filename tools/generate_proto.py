"""Make the Python code and the descriptor set from the proto files, into OUT (default: beside them).

Run by `make proto`; the drift test runs it into an empty folder and compares.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def generate(out: Path) -> None:
    """Write `croupier/v1/*_pb2*.py[i]` and `croupier/v1/descriptors.binpb` below `out`."""
    import grpc_tools

    protos = sorted(str(p.relative_to(ROOT / "proto")) for p in (ROOT / "proto/croupier/v1").glob("*.proto"))
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    (out / "croupier/v1").mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, "-m", "grpc_tools.protoc",
        f"--proto_path={ROOT / 'proto'}", f"--proto_path={ROOT / 'third_party'}", f"--proto_path={well_known}",
        f"--plugin=protoc-gen-mypy={Path(sys.executable).parent / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={Path(sys.executable).parent / 'protoc-gen-mypy_grpc'}",
        f"--python_out={out}", f"--grpc_python_out={out}", f"--mypy_out=quiet:{out}", f"--mypy_grpc_out=quiet:{out}",
        f"--descriptor_set_out={out / 'croupier/v1/descriptors.binpb'}", "--include_imports", "--include_source_info",
        *protos,
    ]  # fmt: skip
    subprocess.run(command, check=True, cwd=ROOT)
    for name in protos:  # files without a service make empty grpc modules
        stem = name.removesuffix(".proto")
        if "service " not in (ROOT / "proto" / name).read_text(encoding="utf-8"):
            for suffix in ("_pb2_grpc.py", "_pb2_grpc.pyi"):
                (out / f"{stem}{suffix}").unlink(missing_ok=True)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "proto")
