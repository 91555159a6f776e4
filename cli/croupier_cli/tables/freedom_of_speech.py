"""Freedom of Speech in a terminal."""

from collections.abc import Sequence
from typing import Any

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.tables import lifecycle
from croupier_cli.tables.freedom_of_speech_acts import SPEECH
from croupier_cli.tables.freedom_of_speech_marks import clue_lines, flag_line, seat_lines, word_lines
from croupier_cli.tables.freedom_of_speech_told import item, told
from croupier_cli.tables.table import Scene, Speech
from croupier_cli.terminal.ink import Line, line, short, wrap
from croupier_engine.freedom_of_speech import text
from croupier_engine.freedom_of_speech.model import TEAMS

_LINES = 15  # of the table, at most
_CLUE_LINES = 4
_HELP = (
    "The giver explains a word, and his team-mates guess it, before the timer",
    "buzzes. Seats 0, 2, 4... are team 1, the others team 2; givers take turns.",
    "A guessed card is a point. A clue with the word, a form or a part of it, or",
    "with what it sounds like, is a foul: the turn is lost, and the card is dead.",
    "Clues can be flagged by the opponents; it takes more than half of them.",
    "",
    "^K skip: give up this card and one that your team has won",
    "^A accept: as the giver in spoken play, when somebody has said the word",
    "^F flag: call the clue whose number is shown a foul    (^F is Ctrl-F)",
    "`croupier rules freedom_of_speech` prints the rules, also in ru and uk.",
)
_MODES = pb.FreedomOfSpeechTurnMode.Value


class FreedomOfSpeechTable:
    """The methods are those of GameTable."""

    title = "Freedom of Speech"
    bots = "careful,careful,careful"  # one of them is the partner
    speech: Speech | None = SPEECH

    def heading(self, scene: Scene) -> str:
        """Mode and timer."""
        view, options = scene.view.freedom_of_speech, scene.match.options.freedom_of_speech
        mode = _MODES.Name(options.turn_mode or _MODES.HOT_POTATO).lower().replace("_", " ")
        sudden = [f"sudden death {view.sudden_death}"] if view.sudden_death else []
        timer = "secret timer" if options.timer_max_duration.ToMilliseconds() else "timer"
        return ", ".join([mode, *([f"{timer} {view.round}"] if view.round else []), *sudden])

    def table(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """Teams and piles, the card for those who may see it, what was said about it."""
        view = scene.view.freedom_of_speech
        win_at = scene.match.options.freedom_of_speech.win_at
        wins = f"   {win_at} cards win" if win_at else ""
        lines = [
            *seat_lines(scene, view, width),
            line(f" deck {view.deck_size}   dead pile {view.dead_size}{wins}"),
            *_rules(view, width),
            *word_lines(view, width),
        ]
        if view.running:
            lines += clue_lines(scene, view, width, min(_CLUE_LINES, _LINES - len(lines)))
        return lines

    def hand(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """The clue that can be flagged."""
        return [] if picked is None else [flag_line(scene, picked, width)]

    def question(self, scene: Scene) -> str:
        """What the viewer is asked."""
        if scene.window is None:
            return ""
        view, actions, giver = scene.view.freedom_of_speech, scene.window.actions, scene.view.freedom_of_speech.giver
        if "start" in actions:
            rule = f" Or write a rule for team {view.caught + 1}." if "write_rule" in actions else ""
            return f"Enter starts the timer, and you see the word.{rule}"
        if "write_rule" in actions:
            return f"Write a rule for team {view.caught + 1}, or wait for {scene.brief(giver)}."
        if scene.window.kind == matches_pb2.WindowKind.READY:
            return f"Waiting for {scene.names([giver])} to start the timer."
        if "clue" in actions:
            return "Explain the word." + (" Accept when somebody has said it." if "accept" in actions else "")
        if "guess" in actions:
            return f"Guess what {scene.brief(giver)} means."
        return f"{scene.brief(giver)} explains the word to team {view.team + 1}."

    def typed(self, action: games_pb2.Action, number: int) -> str:
        """No digits."""
        return ""

    def story(self, scene: Scene, width: int) -> list[Line]:
        """The cards of late, a paragraph each; clues that stand on the table are left out."""
        shown = {said.clue for said in scene.view.freedom_of_speech.talk if said.HasField("clue")}
        paragraphs: list[list[str]] = []
        for event in scene.events:
            if event.freedom_of_speech.WhichOneof("event") in ("ready", "drawn") or not paragraphs:
                paragraphs.append([])
            news = event.match.WhichOneof("event") in lifecycle.NEWS
            if event.freedom_of_speech.clue_given.clue in shown:
                continue
            words = lifecycle.told(scene, event) if news else item(scene, event.freedom_of_speech)
            if words:
                words = short(words, width - 5)
                paragraphs[-1].append(words if paragraphs[-1] else f" {words}")
        return [line(words) for items in paragraphs for words in wrap(items, width, indent="   ")]

    def told(self, scene: Scene, event: matches_pb2.Event) -> str:
        """An event in a line."""
        return told(scene, event.freedom_of_speech) or event.type

    def help(self) -> Sequence[str]:
        """The game in a few lines."""
        return _HELP

    def notation(self, payload: Any) -> str:
        """As in the engine's logs."""
        return text.event(payload)

    def act(self, action: Any) -> str:
        """As in the engine's logs."""
        return text.action(action)


TABLE = FreedomOfSpeechTable()


def _rules(view: pb.FreedomOfSpeechView, width: int) -> list[Line]:
    """The rules that were written for each team, the latest first."""
    lines = []
    for team in range(TEAMS):
        texts = [f"“{rule.text}”" for rule in reversed(view.rules) if rule.team == team]
        if texts:
            lines.append(line(short(f" Team {team + 1} keeps to: {', '.join(texts)}", width)))
    return lines
