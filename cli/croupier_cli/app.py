"""The command group. Each command has a file of its own, which is imported when it is asked for."""

from importlib import import_module

import click

from croupier_cli.extras import is_ours

_COMMANDS = (
    "up",
    "serve",
    "gateway",
    "bots",
    "play",
    "watch",
    "replay",
    "verify",
    "export",
    "admin",
    "rules",
    "arena",
    "health",
)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(import_module(f"croupier_cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in _COMMANDS:
            try:
                command = self.get_command(ctx, name)
            except ModuleNotFoundError as problem:
                if is_ours(problem):
                    raise
                rows.append((name, "(Needs the extra `server`.)"))
            else:
                rows.append((name, command.get_short_help_str(limit=80) if command else ""))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="croupier", message="%(prog)s %(version)s")
def croupier() -> None:
    """Card games as a service. `croupier up` runs everything on this machine."""
