"""What the rules refuse, and why.

Reasons are stable names; their texts live in the error catalogue beside the proto files.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Reason(StrEnum):
    """Why a command or a set of options is refused."""

    GAME_OVER = "GAME_OVER"  # nothing more can be done
    NOT_ASKED = "NOT_ASKED"  # the window does not wait for this seat
    ALREADY_COMMITTED = "ALREADY_COMMITTED"  # this seat has answered this window
    ALREADY_RESIGNED = "ALREADY_RESIGNED"  # this seat gave up, and the rules play for it
    WRONG_ACTION = "WRONG_ACTION"  # another kind of action is asked for
    CARD_NOT_HELD = "CARD_NOT_HELD"
    CARD_NOT_OFFERED = "CARD_NOT_OFFERED"  # a draft: taken already, or never there
    ROW_OUT_OF_RANGE = "ROW_OUT_OF_RANGE"
    SIDE_INVALID = "SIDE_INVALID"
    CARD_MISSING = "CARD_MISSING"  # none is named, or an empty text
    CARD_TWICE = "CARD_TWICE"  # one is named twice
    ONE_CARD_ONLY = "ONE_CARD_ONLY"  # an option of this table allows one card for this act
    CARD_NOT_ON_TABLE = "CARD_NOT_ON_TABLE"
    RANK_MISMATCH = "RANK_MISMATCH"  # cards that are laid together are of several ranks
    THROW_MISMATCH = "THROW_MISMATCH"  # a card thrown in has nothing in common with those on the table
    CAP_REACHED = "CAP_REACHED"  # more attack cards than the defender's hand or the table's limit allows
    BEATEN_ALREADY = "BEATEN_ALREADY"
    DOES_NOT_BEAT = "DOES_NOT_BEAT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"  # to throw in
    THROW_NOT_ALLOWED = "THROW_NOT_ALLOWED"  # the rules of this table let others throw in
    THROW_AT_TEAM_MATE = "THROW_AT_TEAM_MATE"
    TRANSFER_NOT_ALLOWED = "TRANSFER_NOT_ALLOWED"  # the option is in the details
    TRANSFER_MISMATCH = "TRANSFER_MISMATCH"  # a card that is not of the attack's rank
    TRANSFER_MIXED = "TRANSFER_MIXED"  # what is not beaten is of several ranks
    TRANSFER_AFTER_BEAT = "TRANSFER_AFTER_BEAT"
    TRANSFER_NO_TARGET = "TRANSFER_NO_TARGET"  # nobody else has cards
    TRANSFER_HAND_TOO_SMALL = "TRANSFER_HAND_TOO_SMALL"  # the next player holds too few cards
    CLAIM_NOT_ALLOWED = "CLAIM_NOT_ALLOWED"
    CLAIMS_USED_UP = "CLAIMS_USED_UP"  # as many new deals in this game as there may be
    CLAIM_TOO_LATE = "CLAIM_TOO_LATE"
    CLAIM_WITHOUT_FIVE = "CLAIM_WITHOUT_FIVE"
    NOT_YOUR_PART = "NOT_YOUR_PART"  # the giver gives, his team-mates guess, opponents do neither
    SKIP_WITHOUT_CARDS = "SKIP_WITHOUT_CARDS"  # nothing is won that could be given up
    TEXT_INVALID = "TEXT_INVALID"  # empty, too long, or of signs that are not wanted
    TOO_FAST = "TOO_FAST"  # too many messages in a second
    TIMER_RUN_OUT = "TIMER_RUN_OUT"  # it came after the buzz was due
    CLUE_UNKNOWN = "CLUE_UNKNOWN"
    FLAG_TOO_LATE = "FLAG_TOO_LATE"
    FLAGGED_ALREADY = "FLAGGED_ALREADY"
    DEAL_NOT_ASKED = "DEAL_NOT_ASKED"
    DEAL_INVALID = "DEAL_INVALID"  # not a permutation of the size asked for
    TICK_EARLY = "TICK_EARLY"  # no timer of the rules is due
    SEATS_INVALID = "SEATS_INVALID"  # too few or too many for this game
    DECK_SEATS_INVALID = "DECK_SEATS_INVALID"  # too few, or too many for this deck
    OPTION_INVALID = "OPTION_INVALID"  # out of range


def option_name(field: str) -> str:
    """An option as the API's JSON names it: limitFirst for limit_first."""
    first, *others = field.split("_")
    return first + "".join(map(str.capitalize, others))


class Refusal(Exception):  # noqa: N818 - it names what happens, as the rulebook would
    """Something asked for is against the rules; the state it was asked of is unchanged.

    `reason` is a stable name. `details` are facts that the asker may know, as text, never another seat's cards.
    """

    def __init__(self, reason: Reason, details: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(reason.value, dict(details))
        self.reason = reason
        self.details = dict(details)


class IllegalAction(Refusal):
    """A command that the rules do not allow in this state."""


class InvalidOptions(Refusal):
    """Options, or a number of seats, that the game cannot be played with."""


def invalid_option(field: str, problem: str) -> InvalidOptions:
    """What an option is refused with. `problem` says what is wrong with its value."""
    return InvalidOptions(Reason.OPTION_INVALID, {"option": option_name(field), "problem": problem})
