"""The house's own bots, by game and level."""

from collections.abc import Mapping

from croupier_bots.bot import Bot
from croupier_bots.brains import durak, freedom_of_speech, six_nimmt

BRAINS: Mapping[str, Mapping[str, type[Bot]]] = {
    "six_nimmt": {"random": six_nimmt.Random, "careful": six_nimmt.Careful},
    "durak": {"random": durak.Random, "careful": durak.Careful},
    "freedom_of_speech": {"random": freedom_of_speech.Random, "careful": freedom_of_speech.Careful},
}
