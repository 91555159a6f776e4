"""The manifests of k8s/ as objects: as kubectl renders them where it is there, else as the files have them."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
K8S = ROOT / "k8s"
WORKLOADS = ("service", "gateway", "bots", "redis")

Object = dict[str, Any]


def rendered() -> list[Object] | None:
    """The overlay for a machine of one's own; None where there is no kubectl."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        return None
    made = subprocess.run(
        [kubectl, "kustomize", str(K8S / "overlays" / "dev")], capture_output=True, text=True, timeout=60, check=False
    )
    assert made.returncode == 0, made.stderr
    return [each for each in yaml.safe_load_all(made.stdout) if each]


def written() -> list[Object]:
    """The objects of the base's files, with the config maps that kustomize would make of its literals."""
    found: list[Object] = []
    for workload in WORKLOADS:
        folder = K8S / "base" / workload
        kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
        for name in kustomization["resources"]:
            found += [each for each in yaml.safe_load_all((folder / name).read_text(encoding="utf-8")) if each]
        for made in kustomization.get("configMapGenerator", ()):
            data = dict(literal.split("=", 1) for literal in made["literals"])
            found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": made["name"]}, "data": data})
    return found


def pods(objects: list[Object]) -> Iterator[tuple[str, Object]]:
    """The pod templates by component."""
    for each in objects:
        if each["kind"] in ("Deployment", "StatefulSet"):
            template = each["spec"]["template"]
            yield template["metadata"]["labels"]["app.kubernetes.io/component"], template


def named(objects: list[Object], kind: str, name: str) -> Object:
    """An object by kind and name; kustomize may have put a hash behind the name."""
    (found,) = [
        each
        for each in objects
        if each["kind"] == kind
        and (each["metadata"]["name"] == name or each["metadata"]["name"].startswith(f"{name}-"))
    ]
    return found


def environment(objects: list[Object], container: Object) -> dict[str, str]:
    """The plain variables of a container: its config maps, then its own."""
    values: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        values |= named(objects, "ConfigMap", source["configMapRef"]["name"])["data"]
    return values | {each["name"]: each["value"] for each in container.get("env", ()) if "value" in each}
