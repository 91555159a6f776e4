"""The command group; each command has a file of its own."""

import click

from croupier_cli.arena import arena
from croupier_cli.bots import bots
from croupier_cli.gateway import gateway
from croupier_cli.serve import serve
from croupier_cli.up import up


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="croupier", message="%(prog)s %(version)s")
def croupier() -> None:
    """Card games as a service. `croupier up` runs everything on this machine."""


for command in (up, serve, gateway, bots, arena):
    croupier.add_command(command)
