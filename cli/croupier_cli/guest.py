"""What the commands that play have in common: which server, and as whom."""

import asyncio
import shlex
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import grpc.aio
from click.core import ParameterSource

from croupier_bots.errors import TokenFileInvalid
from croupier_bots.guests import TokenFile
from croupier_cli.problem import Problem
from croupier_cli.remote import Player, Refused, channel_to, sit_down

F = TypeVar("F", bound=Callable[..., Any])

_NAME = "Guest"
_TOKENS = "tokens.json"


@dataclass(frozen=True, slots=True)
class Guest:
    """Whose token is used where. `token_file` holds tokens by name and server, so that a restart is the same player."""

    target: str
    tls: bool
    name: str
    token_file: Path

    def run(self, what: Callable[[Player], Coroutine[Any, Any, None]]) -> None:
        """Do something as this player. Whatever is refused in the end is told as a Problem."""
        try:
            asyncio.run(self._run(what))
        except Refused as refused:
            raise Problem(str(refused)) from None

    async def _run(self, what: Callable[[Player], Coroutine[Any, Any, None]]) -> None:
        try:
            tokens = TokenFile(self.token_file)
        except TokenFileInvalid as problem:
            raise Problem(str(problem)) from None
        channel: grpc.aio.Channel
        async with channel_to(self.target, tls=self.tls) as channel:
            await what(await sit_down(channel, tokens, self.target, self.name))


@dataclass(frozen=True, slots=True)
class Given:
    """Which of these options were given, each text to be put behind a command that is shown to be copied."""

    server: str = ""  # to come to the same server
    player: str = ""  # to be the same player there


NOT_GIVEN = Given()


def given_options(context: click.Context) -> Given:
    """What was given on the command line."""

    def text(*names: str, told: tuple[ParameterSource, ...] = (ParameterSource.COMMANDLINE,)) -> str:
        words = []
        for name in names:
            if context.get_parameter_source(name) in told:
                value = context.params[name]
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [shlex.quote(str(value))])]
        return "".join(f" {word}" for word in words)

    elsewhere = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)  # others do not share the environment
    return Given(text("target", "tls", told=elsewhere), text("target", "tls", "name", "token_file"))


def guest_options(command: F) -> F:
    """--target, --tls, --name and --token-file."""
    kept = Path(click.get_app_dir("croupier")) / _TOKENS
    for option in (
        click.option(
            "--token-file",
            type=click.Path(path_type=Path),
            default=kept,
            help=f"Tokens.  [default: {kept.name} in the user's settings]",
        ),
        click.option("--name", default=_NAME, show_default=True, help="The name that others see; a player for each."),
        click.option("--tls", is_flag=True, help="The server speaks TLS."),
        click.option(
            "--target",
            default="127.0.0.1:50051",
            show_default=True,
            envvar="CROUPIER_GRPC_TARGET",
            help="gRPC address of the service, or a list of replicas.",
        ),
    ):
        command = option(command)
    return command
