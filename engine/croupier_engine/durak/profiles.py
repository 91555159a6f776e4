"""Durak: options by name, as the sources of docs/rules/durak.md describe their games [11]."""

from collections.abc import Mapping
from types import MappingProxyType

from croupier_engine.durak.options import (
    FirstAttackerNext,
    Kind,
    LeadSize,
    Limit,
    Options,
    Permission,
    RedealUntil,
    ThrowBatch,
    Throwers,
    ThrowMatch,
    TransferFirstBout,
    TrumpIfNoTalon,
)
from croupier_engine.game import Preset

_A_PROSTOY = Options(
    kind=Kind.PROSTOY,
    lead_size=LeadSize.SINGLE,
    first_attacker_next=FirstAttackerNext.LOWEST_TRUMP,
    redeal_until=RedealUntil.FIRST_LEAD,
    table_limit=Limit.HAND,
)
_A_THROW_IN = Options(
    kind=Kind.PODKIDNOY,
    lead_size=LeadSize.SINGLE,
    first_attacker_next=FirstAttackerNext.LOWEST_TRUMP,
    redeal_until=RedealUntil.FIRST_LEAD,
    throw_match=ThrowMatch.RANK_OR_SUIT,
    throw_batch=ThrowBatch.ONE,
)
_A_TRANSFER = Options(
    kind=Kind.PEREVODNOY,
    lead_size=LeadSize.SINGLE,
    first_attacker_next=FirstAttackerNext.LOWEST_TRUMP,
    redeal_until=RedealUntil.FIRST_LEAD,
    throw_match=ThrowMatch.RANK_OR_SUIT,
    throw_batch=ThrowBatch.ONE,
    transfer_multi=False,
)
_A_TRANSFER_AFTER_BEAT = Options(
    kind=Kind.PEREVODNOY,
    lead_size=LeadSize.SINGLE,
    first_attacker_next=FirstAttackerNext.LOWEST_TRUMP,
    redeal_until=RedealUntil.FIRST_LEAD,
    throw_match=ThrowMatch.RANK_OR_SUIT,
    throw_batch=ThrowBatch.ONE,
    transfer_after_beat=True,
    transfer_multi=False,
)
_B_TRANSFER = Options(
    kind=Kind.PEREVODNOY,
    lead_size=LeadSize.SINGLE,
    trump_if_no_talon=TrumpIfNoTalon.RANDOM_SUIT,
    throwers=Throwers.NEIGHBOURS,
)
_C_SIMPLE = Options(kind=Kind.PROSTOY, first_attacker_next=FirstAttackerNext.WINNER, table_limit=Limit.HAND)
_C_THROW_IN = Options(
    kind=Kind.PODKIDNOY,
    first_attacker_next=FirstAttackerNext.WINNER,
    limit_first=5,
    limit_after_talon_empty=Limit.HAND,
)
_C_TRANSFER = Options(
    kind=Kind.PEREVODNOY,
    first_attacker_next=FirstAttackerNext.WINNER,
    limit_first=5,
    limit_after_talon_empty=Limit.HAND,
    transfer_first_bout=TransferFirstBout.FORBIDDEN_FIRST_GAME,
    transfer_with_trump_on_table=Permission.FORBIDDEN,
    transfer_multi=False,
)
_D_THROW_IN = Options(first_attacker_next=FirstAttackerNext.LOWEST_TRUMP, redeal_until=RedealUntil.FIRST_LEAD)

_TO_FIVE, _TO_SIX = tuple(range(2, 6)), tuple(range(2, 7))

PRESETS: Mapping[str, Preset[Options]] = MappingProxyType(
    {
        "house": Preset(Options(), _TO_SIX),
        "a_simple": Preset(_A_PROSTOY, _TO_FIVE),
        "a_throw_in": Preset(_A_THROW_IN, _TO_FIVE),
        "a_transfer": Preset(_A_TRANSFER, _TO_FIVE),
        "a_transfer_after_beat": Preset(_A_TRANSFER_AFTER_BEAT, _TO_FIVE),
        "b_transfer": Preset(_B_TRANSFER, _TO_SIX),
        "c_simple": Preset(_C_SIMPLE, _TO_SIX),
        "c_throw_in": Preset(_C_THROW_IN, _TO_SIX),
        "c_transfer": Preset(_C_TRANSFER, _TO_SIX),
        "d_throw_in": Preset(_D_THROW_IN, (2,)),
        "k_throw_in": Preset(Options(), _TO_SIX),
        "k_throw_in_under": Preset(Options(first_attacker_next=FirstAttackerNext.UNDER_FOOL), _TO_SIX),
    }
)
