"""The `croupier` command."""

import sys

from croupier_cli.extras import is_ours


def main() -> None:
    """Run the command line. Without the extra that a command needs, say in one line what to install and exit with 2."""
    try:
        from croupier_cli.app import croupier

        croupier(prog_name="croupier")
    except ModuleNotFoundError as problem:
        if is_ours(problem):
            raise
        sys.stderr.write(
            f"croupier: there is no {problem.name} here; install Croupier with its extra `server`: "
            "`pip install '.[server]'` in its checkout (for `croupier arena` alone, '.[arena]')\n"
        )
        sys.exit(2)
