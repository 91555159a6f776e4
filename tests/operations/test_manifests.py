"""The manifests: valid, hardened, and true to the programs that they start."""

import asyncio
import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
from click.testing import CliRunner
from support.manifests import K8S, WORKLOADS, Object, environment, named, pods, rendered, written
from support.processes import eventually

from croupier_cli.app import croupier
from croupier_gateway import config as gateway_config
from croupier_gateway.app import create_app
from croupier_service import config as service_config
from croupier_service.embedded import server_binary
from croupier_service.store.opening import open_store

VERSION = "1.32"
GATEWAY_GRACE = 20  # seconds; of gunicorn, in croupier_gateway.main


@pytest.fixture(scope="module", params=["base", "overlay"])
def objects(request: pytest.FixtureRequest) -> list[Object]:
    """The base as written, and the overlay as rendered; where nothing renders it, the base again."""
    return (rendered() or written()) if request.param == "overlay" else written()


@pytest.fixture
def templates(objects: list[Object]) -> dict[str, Object]:
    return dict(pods(objects))


def only(template: Object) -> Object:
    (container,) = template["spec"]["containers"]
    assert isinstance(container, dict)
    return container


def test_every_object_is_valid(objects: list[Object]) -> None:
    assert len(objects) >= 15
    for each in objects:
        kubernetes_validate.validate(each, VERSION, strict=True)


def test_yamllint_is_content() -> None:
    lint = Path(sys.executable).with_name("yamllint")
    ended = subprocess.run(
        [lint, "--strict", "-c", K8S / ".yamllint", K8S], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "")


def test_every_pod_is_hardened(templates: dict[str, Object]) -> None:
    assert set(templates) == set(WORKLOADS)
    for template in templates.values():
        pod, container = template["spec"], only(template)
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False, "a link to a Service would set CROUPIER_GATEWAY_PORT to an address"
        secured = pod["securityContext"]
        assert (secured["runAsNonRoot"], secured["runAsUser"]) == (True, 10001)
        assert secured["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert "memory" in container["resources"]["limits"]
        assert "livenessProbe" in container


def test_every_pod_has_a_network_policy_of_its_own(objects: list[Object], templates: dict[str, Object]) -> None:
    for component, template in templates.items():
        policy = named(objects, "NetworkPolicy", f"croupier-{component}")["spec"]
        assert policy["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        listens = {port["containerPort"] for port in only(template).get("ports", ())}
        allowed = {port["port"] for rule in policy["ingress"] for port in rule["ports"]}
        assert allowed == listens


def test_variables_are_settings_and_their_values_are_taken(objects: list[Object], templates: dict[str, Object]) -> None:
    values = environment(objects, only(templates["service"]))
    known = {f"CROUPIER_{field.name.upper()}" for field in dataclasses.fields(service_config.Settings)}
    assert values.keys() <= known
    settings = service_config.read_settings(values)
    assert (settings.grpc_host, settings.forwarded) == ("0.0.0.0", "any")
    values = environment(objects, only(templates["gateway"]))
    source = Path(gateway_config.__file__).read_text(encoding="utf-8")
    assert values.keys() <= set(re.findall(r"CROUPIER_\w+", source))
    gateway = gateway_config.Settings.from_environment(values)
    assert gateway.grpc_target == f"dns:///croupier-service:{settings.grpc_port}"
    assert environment(objects, only(templates["bots"]))["CROUPIER_GRPC_TARGET"] == gateway.grpc_target


def test_ports_are_those_of_the_settings(objects: list[Object], templates: dict[str, Object]) -> None:
    def ports(component: str) -> dict[str, int]:
        return {port["name"]: port["containerPort"] for port in only(templates[component])["ports"]}

    service = service_config.read_settings(environment(objects, only(templates["service"])))
    gateway = gateway_config.Settings.from_environment(environment(objects, only(templates["gateway"])))
    assert ports("service") == {"grpc": service.grpc_port, "metrics": service.metrics_port}
    assert ports("gateway") == {"http": gateway.port, "metrics": gateway.metrics_port}
    for component in ("service", "gateway", "redis"):
        spec = named(objects, "Service", f"croupier-{component}")["spec"]
        assert spec["selector"].items() <= templates[component]["metadata"]["labels"].items()
        assert {port["targetPort"] for port in spec["ports"]} <= ports(component).keys()
    assert named(objects, "Service", "croupier-service")["spec"]["clusterIP"] == "None", "clients see all replicas"
    assert service.redis_url.endswith("@croupier-redis:6379/0")
    assert ports("redis") == {"redis": 6379}
    for component, port in (("service", service.metrics_port), ("gateway", gateway.metrics_port)):
        told = templates[component]["metadata"]["annotations"]
        assert (told["prometheus.io/port"], told["prometheus.io/path"]) == (str(port), "/metrics")


def test_probes_ask_what_is_there(templates: dict[str, Object]) -> None:
    kinds = ("startupProbe", "readinessProbe", "livenessProbe")
    assert all(only(templates["service"])[kind]["grpc"] == {"port": 50051} for kind in kinds)
    app = create_app(gateway_config.Settings())
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    asked = [only(templates["gateway"])[kind]["httpGet"] for kind in kinds]
    assert [get["path"] for get in asked] == ["/healthz", "/readyz", "/healthz"]
    assert {get["path"] for get in asked} <= rules
    assert only(templates["bots"])["livenessProbe"]["exec"]["command"] == ["croupier", "health"]


def test_commands_are_those_of_the_image(templates: dict[str, Object]) -> None:
    for component in ("service", "gateway", "bots"):
        container = only(templates[component])
        assert "command" not in container, "the image's own entry point"
        told = CliRunner().invoke(croupier, [container["args"][0], "--help"])
        assert told.exit_code == 0
        for flag in container["args"][1:]:
            assert flag.split("=")[0] in told.output
    assert CliRunner().invoke(croupier, ["health", "--help"]).exit_code == 0


def test_what_is_written_is_a_volume(templates: dict[str, Object]) -> None:
    for component, paths in (("service", {"/tmp"}), ("gateway", {"/tmp"}), ("bots", {"/tmp", "/data"})):
        mounts = only(templates[component])["volumeMounts"]
        assert {mount["mountPath"] for mount in mounts} == paths
        volumes = {volume["name"]: volume for volume in templates[component]["spec"]["volumes"]}
        assert all("emptyDir" in volumes[mount["name"]] for mount in mounts)


def test_a_stop_has_the_time_that_it_takes(objects: list[Object], templates: dict[str, Object]) -> None:
    def pause(container: Object) -> int:
        return int(container["lifecycle"]["preStop"]["sleep"]["seconds"])

    service, gateway = templates["service"]["spec"], templates["gateway"]["spec"]
    settings = service_config.read_settings(environment(objects, service["containers"][0]))
    least = pause(service["containers"][0]) + settings.drain / 1000
    assert service["terminationGracePeriodSeconds"] >= least + 5
    assert gateway["terminationGracePeriodSeconds"] >= pause(gateway["containers"][0]) + GATEWAY_GRACE + 5


def test_replicas_are_spread_and_disruptions_bounded(objects: list[Object], templates: dict[str, Object]) -> None:
    for component in ("service", "gateway"):
        labels = templates[component]["metadata"]["labels"]
        budget = named(objects, "PodDisruptionBudget", f"croupier-{component}")["spec"]
        assert budget["maxUnavailable"] == 1
        assert budget["selector"]["matchLabels"].items() <= labels.items()
        (spread,) = templates[component]["spec"]["topologySpreadConstraints"]
        assert spread["labelSelector"]["matchLabels"].items() <= labels.items()
        deployment = named(objects, "Deployment", f"croupier-{component}")["spec"]
        assert deployment["selector"]["matchLabels"].items() <= labels.items()
        assert named(written(), "Deployment", f"croupier-{component}")["spec"]["replicas"] >= 2


def test_secrets_come_from_secrets(objects: list[Object], templates: dict[str, Object]) -> None:
    for component in ("service", "redis"):
        (password,) = [each for each in only(templates[component])["env"] if each["name"] == "REDIS_PASSWORD"]
        assert password["valueFrom"]["secretKeyRef"]["key"] == "password"
    maps = [each for each in objects if each["kind"] == "ConfigMap"]
    assert not [name for each in maps for name in each["data"] if re.search("PASSWORD|TOKEN|REDIS_URL", name)]


def test_the_redis_of_the_manifests_is_one_that_the_service_takes(templates: dict[str, Object], tmp_path: Path) -> None:
    async def configured() -> list[Any]:
        store = await open_store(f"unix://:s3cret@{socket}", 8)
        answers = await store.pipe.calls(*(("CONFIG", "GET", name) for name in ("appendonly", "appendfsync", "save")))
        await store.close()
        return [next(iter(answer.values())) for answer in answers]

    container = only(templates["redis"])
    socket = tmp_path / "redis.sock"
    changed = {"6379": "0", "/data": str(tmp_path), "$(REDIS_PASSWORD)": "s3cret"}
    words = [changed.get(word, word) for word in container["args"]]
    server = subprocess.Popen(
        [server_binary(), *words, "--unixsocket", str(socket)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert eventually(socket.exists)
        assert asyncio.run(configured()) == [b"yes", b"always", b""]
    finally:
        server.kill()
        server.wait()
