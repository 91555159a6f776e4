"""Freedom of Speech: how it is played. Numbers in brackets are those of docs/rules/freedom_of_speech.md."""

from enum import StrEnum

from msgspec import Struct


class TurnMode(StrEnum):
    """What a turn is [4.1]."""

    HOT_POTATO = "HOT_POTATO"  # a card for each giver, and one timer that runs on from team to team
    TEAM_RELAY = "TEAM_RELAY"  # a timer for each team, whose players give in turn
    SOLO = "SOLO"  # a timer for each giver


class Language(StrEnum):
    """Of the words, and of what is said about them [6]."""

    EN = "EN"
    RU = "RU"
    UK = "UK"


class Level(StrEnum):
    """Which of the language's words are played with [1.2]."""

    ALL = "ALL"
    EASY = "EASY"
    HARD = "HARD"


class Judge(StrEnum):
    """Who says that a guess is right [6.1]."""

    AUTO = "AUTO"  # the table: by the letters
    GIVER = "GIVER"  # the giver, who hears it


class ForfeitMode(StrEnum):
    """Whom a forfeit is for when the timer buzzes [4.6]."""

    OFF = "OFF"
    TEAM = "TEAM"  # the whole guessing team
    GIVER = "GIVER"
    RULE = "RULE"  # the whole guessing team; its opponents write a rule for it


class Word(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A word card: what is to be guessed, and other names that count as well."""

    word: str
    aliases: tuple[str, ...] = ()


class Options(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How it is played; the defaults here are the only ones there are. Times are milliseconds."""

    turn_mode: TurnMode = TurnMode.HOT_POTATO
    language: Language = Language.EN
    level: Level = Level.ALL
    words: tuple[Word, ...] = ()  # a list of one's own in place of the language's; secret until the match is over
    timer_duration: int = 60_000  # 1_000..600_000
    timer_min_duration: int = 0  # with `timer_max_duration`: each timer is a random and secret time between them
    timer_max_duration: int = 0  # 0, both: `timer_duration` counts
    start_duration: int = 10_000  # 100..600_000: then the timer starts by itself
    flag_duration: int = 10_000  # 100..600_000: how long a clue can be flagged as a foul
    win_at: int = 21  # cards, 1..200
    equal_turns: bool = False  # the other team has its turn, too, before it is over
    judge: Judge = Judge.AUTO
    fuzzy: int = 0  # 1: a letter may be wrong in answers of six letters or more
    contain: bool = False  # the answer may stand among other words
    opponents_see_card: bool = True
    referee: int = -1  # seat whose flag is upheld at once; -1: nobody's
    forfeit_mode: ForfeitMode = ForfeitMode.OFF
    max_rounds: int = 200  # timers, 1..1000: then the match is over; with equal_turns perhaps one more
