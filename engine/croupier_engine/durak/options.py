"""Durak: how it is played. Numbers in brackets are those of docs/rules/durak.md."""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """The kind of game [7]."""

    PROSTOY = "PROSTOY"  # nothing is thrown in
    PODKIDNOY = "PODKIDNOY"  # cards of ranks on the table may be thrown in
    PEREVODNOY = "PEREVODNOY"  # and the defender may pass the attack on


class LeadSize(StrEnum):
    """How many cards may be led [7]."""

    SAME_RANK = "SAME_RANK"  # one or more of one rank
    SINGLE = "SINGLE"


class FirstAttackerNext(StrEnum):
    """Who attacks first in a game after the first [3.2]."""

    FROM_UNDER_FOOL = "FROM_UNDER_FOOL"  # the fool's left neighbour
    UNDER_FOOL = "UNDER_FOOL"  # his right neighbour, so that the fool defends
    WINNER = "WINNER"
    LOWEST_TRUMP = "LOWEST_TRUMP"


class TrumpIfNoTalon(StrEnum):
    """What is trump when all cards are dealt [2.3]."""

    LAST_DEALT = "LAST_DEALT"  # the suit of the dealer's last card, which is shown
    RANDOM_SUIT = "RANDOM_SUIT"


class Redeal(StrEnum):
    """Whether five or more cards of a suit let a player ask for a new deal [2.4]."""

    CLAIM_5PLUS = "CLAIM_5PLUS"
    OFF = "OFF"


class RedealUntil(StrEnum):
    """How long he may ask [2.4]."""

    FIRST_BOUT = "FIRST_BOUT"  # to the end of the first bout
    FIRST_LEAD = "FIRST_LEAD"  # before the first card is led


class Throwers(StrEnum):
    """Who may throw in [7]."""

    ALL = "ALL"
    NEIGHBOURS = "NEIGHBOURS"  # the attacker, and the player on the defender's left
    LEADER_ONLY = "LEADER_ONLY"  # the attacker


class ThrowMatch(StrEnum):
    """What a card that is thrown in must have in common with one on the table [7]."""

    RANK = "RANK"
    RANK_OR_SUIT = "RANK_OR_SUIT"


class ThrowOrder(StrEnum):
    """In what order is thrown in [7]."""

    TOKEN = "TOKEN"  # one after another, the attacker first  # noqa: S105
    FREE = "FREE"  # all at once, sealed


class ThrowBatch(StrEnum):
    """How many cards a turn to throw in is good for; an act, where there are no turns [7]."""

    MANY = "MANY"
    ONE = "ONE"  # one, for all but the attacker


class ThrowTiming(StrEnum):
    """When is thrown in [7]."""

    WHEN_ALL_BEATEN = "WHEN_ALL_BEATEN"
    ANYTIME = "ANYTIME"  # also while the defender still beats: open, without turns, first come


class Limit(StrEnum):
    """How many attack cards may lie on the table, beside what the defender's hand allows [6]."""

    SIX = "SIX"  # six in a bout
    HAND = "HAND"  # nothing but his hand counts


class LimitFirstScope(StrEnum):
    """How long `limit_first` holds [6]."""

    UNTIL_FIRST_DISCARD = "UNTIL_FIRST_DISCARD"
    FIRST_BOUT = "FIRST_BOUT"


class TransferFirstBout(StrEnum):
    """Whether an attack may be passed on in the first bout [7]."""

    ALLOWED = "ALLOWED"
    FORBIDDEN_FIRST_GAME = "FORBIDDEN_FIRST_GAME"  # not in the first game of a match
    FORBIDDEN = "FORBIDDEN"


class Permission(StrEnum):
    """Whether something is allowed."""

    ALLOWED = "ALLOWED"
    FORBIDDEN = "FORBIDDEN"


class Pogony(StrEnum):
    """Whether epaulettes are told of [10]."""

    OFF = "OFF"
    RECORD = "RECORD"


class DiscardView(StrEnum):
    """What the view shows of the discard [10]."""

    COUNT = "COUNT"
    OPEN = "OPEN"


class Options(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How it is played; the defaults here are the only ones there are."""

    kind: Kind = Kind.PODKIDNOY
    deck: int = 36  # 36, 52 or 54 cards [1.1]
    teams: int = 0  # 2: two teams, seated alternately; 0: everybody for himself [9]
    games: int = 1  # 1..100 games make a match
    until_losses: int = 0  # 1..100: games go on until somebody was the fool so often; 0: `games` counts
    lead_size: LeadSize = LeadSize.SAME_RANK
    first_attacker_next: FirstAttackerNext = FirstAttackerNext.FROM_UNDER_FOOL
    trump_if_no_talon: TrumpIfNoTalon = TrumpIfNoTalon.LAST_DEALT
    redeal: Redeal = Redeal.CLAIM_5PLUS
    redeal_until: RedealUntil = RedealUntil.FIRST_BOUT
    throwers: Throwers = Throwers.ALL
    throw_match: ThrowMatch = ThrowMatch.RANK
    throw_order: ThrowOrder = ThrowOrder.TOKEN
    throw_batch: ThrowBatch = ThrowBatch.MANY
    throw_timing: ThrowTiming = ThrowTiming.WHEN_ALL_BEATEN
    throw_after_take: bool = True
    table_limit: Limit = Limit.SIX  # while the talon has cards
    limit_first: int = 0  # 5: five attack cards at first, six once he takes, whatever `table_limit` says; 0: not so
    limit_first_scope: LimitFirstScope = LimitFirstScope.UNTIL_FIRST_DISCARD
    limit_after_talon_empty: Limit = Limit.SIX  # SIX: six; HAND: only the hand counts, no limit else
    transfer_after_beat: bool = False
    transfer_first_bout: TransferFirstBout = TransferFirstBout.ALLOWED
    transfer_with_trump_on_table: Permission = Permission.ALLOWED
    transfer_multi: bool = True  # several cards of the rank at once
    pogony: Pogony = Pogony.OFF
    discard_view: DiscardView = DiscardView.COUNT
    max_bouts: int = 500  # 1..10000: after so many bouts a game is a draw [8.7]
