"""6 nimmt!: what is played with. Numbers in brackets are those of docs/rules/six_nimmt.md."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from croupier_engine.game import By, Seat

ROWS = 4
HAND = 10  # cards per seat and tricks per deal [2.2, 2.5]
ROW_LIMIT = 5  # the next card is the sixth: it takes the row [3.4]


class Cards(StrEnum):
    """The card set [6]."""

    STANDARD = "STANDARD"  # 1..104
    TACTIC = "TACTIC"  # 1..10K+4 for K players
    LOGIC = "LOGIC"  # the tactic deck, drafted openly


class Placement(StrEnum):
    """Where a card may go [6]."""

    NORMAL = "NORMAL"  # on the right of a row
    PROFESSIONAL = "PROFESSIONAL"  # on the left too


class EndCheck(StrEnum):
    """When the end is tested [5.3]."""

    DEAL = "DEAL"
    TRICK = "TRICK"


class EndMode(StrEnum):
    """What ends the game [5.5]."""

    CREDIT = "CREDIT"  # somebody's score has fallen to 0 or below
    FIXED_DEALS = "FIXED_DEALS"  # a set number of deals


class ProChoice(StrEnum):
    """When a professional player picks the end of a row himself [6]."""

    TIE_ONLY = "TIE_ONLY"
    ALWAYS = "ALWAYS"


class Side(StrEnum):
    """An end of a row."""

    LEFT = "LEFT"
    RIGHT = "RIGHT"


class Options(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How it is played; the defaults here are the only ones there are."""

    cards: Cards = Cards.STANDARD
    placement: Placement = Placement.NORMAL
    recommit: bool = False  # a chosen card may be changed until all have chosen [3.1]
    end_mode: EndMode = EndMode.CREDIT
    end_check: EndCheck = EndCheck.DEAL  # of no effect with FIXED_DEALS
    start_credit: int = 66  # 1..1000 [5.1, 5.4]
    deals: int = 1  # 1..100, of effect with FIXED_DEALS
    pro_choice: ProChoice = ProChoice.TIE_ONLY  # of effect with PROFESSIONAL


class Pick(Struct, frozen=True, array_like=True):
    """Take a card from the open pool of a draft."""

    card: int


class Commit(Struct, frozen=True, array_like=True):
    """Choose a hand card for this trick, face down."""

    card: int


class ChooseRow(Struct, frozen=True, array_like=True):
    """Take this row, 0..3, for a card that fits nowhere."""

    row: int


class ChooseSide(Struct, frozen=True, array_like=True):
    """Lay the card at the right end of the row below it, or at the left end of the row above it."""

    side: Side


Action: TypeAlias = Pick | Commit | ChooseRow | ChooseSide


class Play(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A card played by a seat."""

    seat: Seat
    card: int


class Phase(StrEnum):
    """What the table waits for; all but OVER are the window kinds of the API [8]."""

    DEAL = "DEAL"
    DRAFT = "DRAFT"
    CHOOSE = "CHOOSE"
    CHOOSE_ROW = "CHOOSE_ROW"
    CHOOSE_SIDE = "CHOOSE_SIDE"
    OVER = "OVER"


class State(Struct, frozen=True, array_like=True):
    """The whole truth of a match between two commands. Undealt cards are in no field: nobody needs them [2.3]."""

    options: Options
    phase: Phase
    deal: int  # from 1; 0 before the first
    trick: int  # 1..10; 0 during a draft
    rows: tuple[tuple[int, ...], ...]  # four, in the order dealt; empty during a draft and before the first deal
    hands: tuple[tuple[int, ...], ...]  # by seat, ascending; a committed card stays until it is revealed
    pool: tuple[int, ...]  # of the draft, ascending
    chosen: tuple[int | None, ...]  # committed cards, by seat
    plays: tuple[Play, ...]  # revealed in this trick, ascending
    laid: int  # how many of `plays` lie in a row
    scores: tuple[int, ...]  # running, by seat
    bulls: tuple[int, ...]  # taken in this deal, by seat
    resigned: tuple[Seat, ...]  # in the order of giving up


# What happened; each class is the payload of the event type named in its docstring.


class Dealt(Struct, frozen=True, array_like=True):
    """six_nimmt.dealt: a deal begins. With a draft the pool lies open, and hands and rows are empty still."""

    deal: int  # from 1
    rows: tuple[tuple[int, ...], ...]
    hand_sizes: tuple[int, ...]
    hand: tuple[int, ...]  # the viewer's own, ascending; empty for a spectator
    pool: tuple[int, ...]  # ascending


class Picked(Struct, frozen=True, array_like=True):
    """six_nimmt.picked: a card left the pool for a hand."""

    seat: Seat
    card: int
    by: By


class RowsLaid(Struct, frozen=True, array_like=True):
    """six_nimmt.rows_laid: the draft is done and the cards left over start the rows."""

    rows: tuple[tuple[int, ...], ...]


class Committed(Struct, frozen=True, array_like=True):
    """six_nimmt.committed: a seat has chosen; which card is for that seat alone."""

    seat: Seat
    card: int | None
    by: By


class Revealed(Struct, frozen=True, array_like=True):
    """six_nimmt.revealed: all have chosen; the cards, ascending, in the order in which they will be laid."""

    trick: int  # 1..10
    plays: tuple[Play, ...]


class Placed(Struct, frozen=True, array_like=True):
    """six_nimmt.placed: a card was laid at an end of a row."""

    seat: Seat
    card: int
    row: int
    side: Side


class RowTaken(Struct, frozen=True, array_like=True):
    """six_nimmt.row_taken: a seat took a row, and its card is now that row's only one."""

    seat: Seat
    card: int
    row: int
    taken: tuple[int, ...]
    bulls: int
    by: By  # who chose the row; PLAYER also where the sixth card forced it


class DealScored(Struct, frozen=True, array_like=True):
    """six_nimmt.deal_scored: ten tricks are done, or the game ended within a deal."""

    deal: int
    bulls: tuple[int, ...]  # taken in this deal, by seat
    scores: tuple[int, ...]  # running, by seat


Payload: TypeAlias = Dealt | Picked | RowsLaid | Committed | Revealed | Placed | RowTaken | DealScored


class View(Struct, frozen=True, array_like=True):
    """What one viewer may know."""

    deal: int  # from 1; 0 before the first deal
    trick: int  # 1..10; 0 during a draft
    rows: tuple[tuple[int, ...], ...]  # four, in the order dealt; empty during a draft
    hand: tuple[int, ...]  # own, ascending, a committed card included; empty for a spectator
    hands: tuple[tuple[int, ...], ...]  # by seat, where the draft made them public; else empty
    hand_sizes: tuple[int, ...]  # a committed card counts until it is revealed
    pool: tuple[int, ...]  # what can still be picked, ascending
    chosen: int | None  # own committed card
    plays: tuple[Play, ...]  # this trick's revealed cards, ascending; empty while cards are chosen
    waiting: tuple[Play, ...]  # those of `plays` not laid yet; the first is the one a choice is wanted for
    scores: tuple[int, ...]
    bulls: tuple[int, ...]  # taken in this deal
    resigned: tuple[Seat, ...]  # in the order of giving up
