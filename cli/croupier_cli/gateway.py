"""`croupier gateway`: REST and the web pages in front of a service."""

import os
import sys

import click

from croupier_cli.ports import PORT
from croupier_gateway.main import run


@click.command(short_help="REST, event streams and web pages before a service.")
@click.option("--target", help="gRPC address of the service, or a list of replicas; 127.0.0.1:50051 without it.")
@click.option("--host", help="Address to listen on; 127.0.0.1 without it.")
@click.option("--port", type=PORT, help="Port to listen on, 0 = any free one; 8080 without it.")
def gateway(target: str | None, host: str | None, port: int | None) -> None:
    """Run the gateway: REST, event streams and the web pages; it talks gRPC to the service.

    The environment variables CROUPIER_GRPC_TARGET, CROUPIER_GATEWAY_HOST and CROUPIER_GATEWAY_PORT set the same; the
    flags go before them.
    """
    given = {"CROUPIER_GRPC_TARGET": target, "CROUPIER_GATEWAY_HOST": host, "CROUPIER_GATEWAY_PORT": port}
    os.environ.update({name: str(value) for name, value in given.items() if value is not None})

    sys.exit(run())
