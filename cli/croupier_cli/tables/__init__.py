"""How each game looks in a terminal: a module of this package and a line of the table below."""

from collections.abc import Mapping

from croupier_cli.tables import durak, six_nimmt
from croupier_cli.tables.table import GameTable, Scene

__all__ = ["TABLES", "GameTable", "Scene"]

TABLES: Mapping[str, GameTable] = {
    "six_nimmt": six_nimmt.TABLE,
    "durak": durak.TABLE,
}
