"""`croupier serve`: one replica of the service."""

import os
import sys

import click

from croupier_cli.ports import PORT
from croupier_service.bootstrap import main


@click.command(short_help="One replica of the service: gRPC over Redis.")
@click.option("--redis-url", help="redis://, rediss:// or unix:// address of the store.")
@click.option("--host", help="Address to listen on; 127.0.0.1 without it.")
@click.option("--port", type=PORT, help="Port to listen on, 0 = any free one; 50051 without it.")
def serve(redis_url: str | None, host: str | None, port: int | None) -> None:
    """Run the service: gRPC over Redis.

    Everything can be set by environment variables (CROUPIER_REDIS_URL, CROUPIER_GRPC_HOST, CROUPIER_GRPC_PORT and
    more, see docs/operations.md); the flags go before them.
    """
    given = {"CROUPIER_REDIS_URL": redis_url, "CROUPIER_GRPC_HOST": host, "CROUPIER_GRPC_PORT": port}
    os.environ.update({name: str(value) for name, value in given.items() if value is not None})

    sys.exit(main())
