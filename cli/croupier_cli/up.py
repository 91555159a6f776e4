"""`croupier up`: everything on this machine, supervised."""

import signal
import sys
from pathlib import Path
from typing import NamedTuple

import click

from croupier_cli.embedded_part import EmbeddedPart
from croupier_cli.ports import HOST, PORT, check_free
from croupier_cli.program import Program
from croupier_cli.supervisor import StopRequested, Supervisor

# -P: the folder it is called in must not stand before the installed packages.
_CROUPIER = (sys.executable, "-P", "-m", "croupier_cli")


@click.command(short_help="Everything on this machine, supervised.")
@click.option("--port", type=PORT, default=8080, show_default=True, help="Port of REST and the web pages; 0 = any.")
@click.option("--grpc-port", type=PORT, default=50051, show_default=True, help="Port of gRPC; 0 = any.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path(".croupier"),
    show_default=True,
    help="Folder for the embedded Redis and the logs.",
)
@click.option("--redis-url", help="Address of a running Redis or Valkey, instead of the embedded one.")
@click.option("--host", default=HOST, show_default=True, help="Address to listen on.")
@click.option(
    "--metrics-port",
    type=click.IntRange(1, 65534),
    help="Port where Prometheus reads the service; the gateway's is the next one. Off without it.",
)
def up(port: int, grpc_port: int, data: Path, redis_url: str | None, host: str, metrics_port: int | None) -> None:
    """Run everything on this machine: Redis, the service, the gateway and house bots.

    Prints the addresses, one a line, and runs until Ctrl-C. Logs are in DATA/logs.
    """
    metrics = {} if metrics_port is None else {"service": metrics_port, "gateway": metrics_port + 1}
    check_free({"--port": port, "--grpc-port": grpc_port}, host)
    for each in metrics.values():
        check_free({"--metrics-port": each}, host)
    supervisor = Supervisor(report=lambda line: click.echo(f"croupier: {line}", err=True))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: supervisor.request_stop())
    try:
        addresses = _bring_up_house(supervisor, host, port, grpc_port, data.absolute(), redis_url, metrics)
        for each in metrics.values():
            click.echo(f"metrics: http://{host}:{each}/metrics")
        click.echo(f"web: {addresses.web}\ndocs: {addresses.web}/docs\ngrpc: {addresses.grpc}")
        supervisor.keep_running()
    except StopRequested:
        pass
    finally:
        supervisor.stop_all()


class Addresses(NamedTuple):
    """Where the house can be reached."""

    web: str  # http://HOST:PORT
    grpc: str  # HOST:PORT


def _bring_up_house(
    supervisor: Supervisor,
    host: str,
    port: int,
    grpc_port: int,
    data: Path,
    redis_url: str | None,
    metrics: dict[str, int],
) -> Addresses:
    logs = data / "logs"
    if redis_url is None:
        redis = EmbeddedPart(data, logs / "redis.log")
        supervisor.bring_up(redis)
        redis_url = redis.url
    service = Program(
        "service",
        (*_CROUPIER, "serve"),
        announces="grpc",
        log=logs / "service.log",
        environment={
            "CROUPIER_REDIS_URL": redis_url,
            "CROUPIER_GRPC_HOST": host,
            "CROUPIER_GRPC_PORT": str(grpc_port),
            "CROUPIER_METRICS_PORT": str(metrics.get("service", 0)),
        },
        port_variable="CROUPIER_GRPC_PORT",
    )
    supervisor.bring_up(service)
    gateway = Program(
        "gateway",
        (*_CROUPIER, "gateway"),
        announces="web",
        log=logs / "gateway.log",
        environment={
            "CROUPIER_GRPC_TARGET": service.address,
            "CROUPIER_GATEWAY_HOST": host,
            "CROUPIER_GATEWAY_PORT": str(port),
            "CROUPIER_METRICS_PORT": str(metrics.get("gateway", 0)),
        },
        port_variable="CROUPIER_GATEWAY_PORT",
    )
    supervisor.bring_up(gateway)
    house_bots = Program(
        "bots",
        (*_CROUPIER, "bots", "--target", service.address, "--token-file", str(data / "bots.json")),
        announces="bots",
        log=logs / "bots.log",
        environment={},
    )
    supervisor.bring_up(house_bots)
    return Addresses(web=gateway.address, grpc=service.address)
