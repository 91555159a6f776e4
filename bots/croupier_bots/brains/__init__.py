"""The house's own bots, by game and level."""

from collections.abc import Mapping

from croupier_bots.bot import Bot
from croupier_bots.brains import durak, six_nimmt

BRAINS: Mapping[str, Mapping[str, type[Bot]]] = {
    "six_nimmt": {"random": six_nimmt.Random, "careful": six_nimmt.Careful},
    "durak": {"random": durak.Random, "careful": durak.Careful},
}
