"""Freedom of Speech"""

from collections.abc import Iterable
from typing import assert_never

from google.protobuf.timestamp_pb2 import Timestamp
from msgspec.structs import replace

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_convert.converter import BY, ConvertError, OptionTable, numbers
from croupier_engine.freedom_of_speech import events, model
from croupier_engine.freedom_of_speech import options as o

_FORFEIT_MODE = numbers(o.ForfeitMode, pb.FreedomOfSpeechForfeitMode.Value.Value)
_FOUL = numbers(model.Foul, pb.FreedomOfSpeechFoul.Value.Value)
_KIND = numbers(model.Kind, pb.FreedomOfSpeechKind.Value.Value)

_OPTIONS = OptionTable(
    turn_mode=numbers(o.TurnMode, pb.FreedomOfSpeechTurnMode.Value.Value),
    language=numbers(o.Language, pb.FreedomOfSpeechLanguage.Value.Value),
    level=numbers(o.Level, pb.FreedomOfSpeechLevel.Value.Value),
    judge=numbers(o.Judge, pb.FreedomOfSpeechJudge.Value.Value),
    forfeit_mode=_FORFEIT_MODE,
)


def options_from(options: games_pb2.Options, base: o.Options) -> o.Options:
    """Options by name, those given over those of `base`."""
    given = _OPTIONS.given(options.freedom_of_speech)
    if "words" in given:
        given["words"] = tuple(o.Word(each.word, tuple(each.aliases)) for each in given["words"])
    return replace(base, **given)


def options_to(options: o.Options) -> games_pb2.Options:
    """Every option with its value."""
    values = _OPTIONS.all_of(options) | {"words": [_word(each) for each in options.words]}
    return games_pb2.Options(freedom_of_speech=pb.FreedomOfSpeechOptions(**values))


def action_from(action: games_pb2.Action) -> model.Action:
    """One of the seven actions."""
    message = action.freedom_of_speech
    match message.WhichOneof("action"):
        case "start":
            return model.Start()
        case "clue":
            return model.Clue(message.clue.text)
        case "guess":
            return model.Guess(message.guess.text)
        case "accept":
            return model.Accept()
        case "skip":
            return model.Skip()
        case "flag":
            return model.Flag(message.flag.clue)
        case "write_rule":
            return model.WriteRule(message.write_rule.text)
        case None:
            raise ConvertError("INVALID_FIELD", {"field": "action.freedom_of_speech", "problem": "it names no action"})


def action_to(action: model.Action) -> games_pb2.Action:
    """One of the seven actions."""
    return games_pb2.Action(freedom_of_speech=_action(action))


def _action(action: model.Action) -> pb.FreedomOfSpeechAction:
    match action:
        case model.Start():
            return pb.FreedomOfSpeechAction(start=pb.FreedomOfSpeechStart())
        case model.Clue(text):
            return pb.FreedomOfSpeechAction(clue=pb.FreedomOfSpeechClue(text=text))
        case model.Guess(text):
            return pb.FreedomOfSpeechAction(guess=pb.FreedomOfSpeechGuess(text=text))
        case model.Accept():
            return pb.FreedomOfSpeechAction(accept=pb.FreedomOfSpeechAccept())
        case model.Skip():
            return pb.FreedomOfSpeechAction(skip=pb.FreedomOfSpeechSkip())
        case model.Flag(clue):
            return pb.FreedomOfSpeechAction(flag=pb.FreedomOfSpeechFlag(clue=clue))
        case model.WriteRule(text):
            return pb.FreedomOfSpeechAction(write_rule=pb.FreedomOfSpeechWriteRule(text=text))
        case _ as never:
            assert_never(never)


def view_to(view: model.View) -> games_pb2.View:
    """The view, field by field."""
    return games_pb2.View(
        freedom_of_speech=pb.FreedomOfSpeechView(
            round=view.round,
            running=view.running,
            team=view.team,
            giver=view.giver,
            scores=view.scores,
            deck_size=view.deck_size,
            dead_size=view.dead_size,
            card=view.drawn,
            word=_word(view.word),
            talk=_talk(view.talk),
            open_clues=[
                pb.FreedomOfSpeechOpenClue(
                    clue=clue.number,
                    seat=clue.seat,
                    flags=clue.flags,
                    expire_time=_time(clue.until),
                    may_flag=clue.may_flag,
                )
                for clue in view.open_clues
            ],
            forfeits=view.forfeits,
            rules=[pb.FreedomOfSpeechRule(team=rule.team, text=rule.text) for rule in view.rules],
            caught=view.caught,
            sudden_death=view.sudden,
            resigned=view.resigned,
            closed=[pb.FreedomOfSpeechClosed(word=closed.word, team=closed.team) for closed in view.closed],
        )
    )


def set_payload(event: matches_pb2.Event, payload: events.Payload) -> None:
    """What happened, in the field of the event's name."""
    event.freedom_of_speech.CopyFrom(_event(payload))


def _event(payload: events.Payload) -> pb.FreedomOfSpeechEvent:
    match payload:
        case events.TeamDrawn(team):
            return pb.FreedomOfSpeechEvent(team_drawn=pb.FreedomOfSpeechTeamDrawn(team=team))
        case events.Shuffled(size, again):
            return pb.FreedomOfSpeechEvent(shuffled=pb.FreedomOfSpeechShuffled(deck_size=size, again=again))
        case events.Ready(team, giver, sudden):
            return pb.FreedomOfSpeechEvent(ready=pb.FreedomOfSpeechReady(team=team, giver=giver, sudden_death=sudden))
        case events.Started(number, giver, by):
            return pb.FreedomOfSpeechEvent(started=pb.FreedomOfSpeechStarted(round=number, giver=giver, by=BY[by]))
        case events.Drawn(giver, number, size, word):
            return pb.FreedomOfSpeechEvent(
                drawn=pb.FreedomOfSpeechDrawn(giver=giver, card=number, deck_size=size, word=_word(word))
            )
        case events.ClueGiven(seat, clue, text):
            return pb.FreedomOfSpeechEvent(clue_given=pb.FreedomOfSpeechClueGiven(seat=seat, clue=clue, text=text))
        case events.Guessed(seat, text, right):
            return pb.FreedomOfSpeechEvent(guessed=pb.FreedomOfSpeechGuessed(seat=seat, text=text, right=right))
        case events.Scored(team, giver, guesser, word, scores):
            return pb.FreedomOfSpeechEvent(
                scored=pb.FreedomOfSpeechScored(
                    team=team, giver=giver, guesser=guesser, word=_word(word), scores=scores
                )
            )
        case events.Skipped(giver, word, lost, scores):
            return pb.FreedomOfSpeechEvent(
                skipped=pb.FreedomOfSpeechSkipped(giver=giver, word=_word(word), lost=_word(lost), scores=scores)
            )
        case events.Flagged(seat, clue):
            return pb.FreedomOfSpeechEvent(flagged=pb.FreedomOfSpeechFlagged(seat=seat, clue=clue))
        case events.Fouled(seat, kind, clue, word):
            return pb.FreedomOfSpeechEvent(
                fouled=pb.FreedomOfSpeechFouled(seat=seat, kind=_FOUL[kind], clue=clue or None, word=_word(word))
            )
        case events.TakenBack(team, clue, word, scores):
            return pb.FreedomOfSpeechEvent(
                taken_back=pb.FreedomOfSpeechTakenBack(team=team, clue=clue, word=_word(word), scores=scores)
            )
        case events.Buzzed(number, team, giver, word):
            return pb.FreedomOfSpeechEvent(
                buzzed=pb.FreedomOfSpeechBuzzed(round=number, team=team, giver=giver, word=_word(word))
            )
        case events.Dropped(seat, word):
            return pb.FreedomOfSpeechEvent(dropped=pb.FreedomOfSpeechDropped(seat=seat, word=_word(word)))
        case events.Forfeited(mode, targets, number):
            return pb.FreedomOfSpeechEvent(
                forfeited=pb.FreedomOfSpeechForfeited(mode=_FORFEIT_MODE[mode], targets=targets, round=number)
            )
        case events.RuleWritten(seat, team, text):
            return pb.FreedomOfSpeechEvent(rule_written=pb.FreedomOfSpeechRuleWritten(seat=seat, team=team, text=text))
        case events.SuddenDeath(number):
            return pb.FreedomOfSpeechEvent(sudden_death=pb.FreedomOfSpeechSuddenDeath(number=number))
        case events.Ended(winner, scores):
            return pb.FreedomOfSpeechEvent(ended=pb.FreedomOfSpeechEnded(winner=winner, scores=scores))
        case _ as never:
            assert_never(never)


def _word(word: o.Word | None) -> pb.FreedomOfSpeechWord | None:
    return None if word is None else pb.FreedomOfSpeechWord(word=word.word, aliases=word.aliases)


def _time(at: int) -> Timestamp:
    return Timestamp(seconds=at // 1000, nanos=at % 1000 * 1_000_000)


def _talk(talk: Iterable[model.Said]) -> list[pb.FreedomOfSpeechSaid]:
    return [
        pb.FreedomOfSpeechSaid(
            kind=_KIND[said.kind],
            seat=said.seat,
            text=said.text,
            time=_time(said.at),
            clue=said.clue or None,
        )
        for said in talk
    ]
