"""`python -m croupier_cli`: how `croupier up` starts its children."""

from croupier_cli import main

main()
