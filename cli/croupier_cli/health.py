"""`croupier health`: whether what runs on this machine works."""

import sys
import urllib.error
import urllib.request
from pathlib import Path

import click
import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from croupier_cli.alive import is_alive
from croupier_cli.ports import HOST, PORT, is_open

_WAIT_S = 3.0


@click.command(short_help="Whether what runs on this machine works.")
@click.option("--port", type=PORT, default=8080, show_default=True, envvar="CROUPIER_GATEWAY_PORT", help="REST's.")
@click.option("--grpc-port", type=PORT, default=50051, show_default=True, envvar="CROUPIER_GRPC_PORT", help="gRPC's.")
@click.option(
    "--alive-file", type=click.Path(path_type=Path), envvar="CROUPIER_ALIVE_FILE", help="The file that bots touch."
)
def health(port: int, grpc_port: int, alive_file: Path | None) -> None:
    """Ask what runs here, the service, the gateway, house bots, whether it works.

    Prints a line for each. Exits with 0 if all of them work, with 1 if one does not, or if nothing runs. Made for
    probes of containers: it looks at 127.0.0.1 only.
    """
    found = {
        "service": _serves(grpc_port) if is_open(grpc_port) else None,
        "gateway": _answers(port) if is_open(port) else None,
        "bots": is_alive(alive_file) if alive_file is not None else None,
    }
    running = {name: works for name, works in found.items() if works is not None}
    for name, works in running.items():
        click.echo(f"{name}: {'works' if works else 'does not work'}")
    if not running:
        click.echo("nothing runs here", err=True)
    sys.exit(0 if running and all(running.values()) else 1)


def _serves(port: int) -> bool:
    with grpc.insecure_channel(f"{HOST}:{port}") as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=_WAIT_S)
        except grpc.RpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=_WAIT_S) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
