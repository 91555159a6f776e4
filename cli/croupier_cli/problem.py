"""What a user is told when a command cannot do its work: a line that says what to do, and exit code 2."""

from typing import IO, Any

import click

EXIT_PROBLEM = 2  # of every program of ours: the user can mend this, and the last lines say how


class Problem(click.ClickException):
    """The command cannot run. The text says what to do."""

    exit_code = EXIT_PROBLEM

    def show(self, file: IO[Any] | None = None) -> None:
        """Write it to standard error."""
        for line in self.message.splitlines():
            # What a file or a server said may hold more than text, such as orders to the terminal.
            text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
            click.echo(f"croupier: {text.removeprefix('croupier: ')}", file=file, err=file is None)
