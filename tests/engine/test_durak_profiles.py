"""Durak: the profiles, option by option, as their sources have them; written out here a second time."""

from typing import Any

import pytest
from support.durak import GAME

from croupier_engine.durak.options import Options

# A dash: the option is of no account; ?: the source is silent. Both mean what `house` has.
TABLES = (
    """
option                        house            a_simple      a_throw_in    a_transfer
kind                          PODKIDNOY        PROSTOY       PODKIDNOY     PEREVODNOY
deck                          36               36            36            36
lead_size                     SAME_RANK        SINGLE        SINGLE        SINGLE
first_attacker_next           FROM_UNDER_FOOL  LOWEST_TRUMP  LOWEST_TRUMP  LOWEST_TRUMP
trump_if_no_talon             LAST_DEALT       LAST_DEALT    LAST_DEALT    LAST_DEALT
redeal                        CLAIM_5PLUS      CLAIM_5PLUS   CLAIM_5PLUS   CLAIM_5PLUS
redeal_until                  FIRST_BOUT       FIRST_LEAD    FIRST_LEAD    FIRST_LEAD
throwers                      ALL              -             ALL           ALL
throw_match                   RANK             -             RANK_OR_SUIT  RANK_OR_SUIT
throw_batch                   MANY             -             ONE           ONE
throw_after_take              True             -             ?             ?
table_limit                   SIX              HAND          SIX           SIX
limit_first                   0                -             0             0
limit_after_talon_empty       SIX              -             ?             ?
transfer_after_beat           False            -             -             False
transfer_first_bout           ALLOWED          -             -             ALLOWED
transfer_with_trump_on_table  ALLOWED          -             -             ALLOWED
transfer_multi                True             -             -             False
""",
    """
option                        b_transfer   c_simple   c_throw_in  c_transfer
kind                          PEREVODNOY   PROSTOY    PODKIDNOY   PEREVODNOY
deck                          36           36         36          36
lead_size                     SINGLE       SAME_RANK  SAME_RANK   SAME_RANK
first_attacker_next           ?            WINNER     WINNER      WINNER
trump_if_no_talon             RANDOM_SUIT  ?          ?           ?
redeal                        CLAIM_5PLUS  ?          ?           ?
redeal_until                  FIRST_BOUT   ?          ?           ?
throwers                      NEIGHBOURS   -          ALL         ALL
throw_match                   RANK         -          RANK        RANK
throw_batch                   ?            -          MANY        MANY
throw_after_take              True         -          True        True
table_limit                   SIX          HAND       SIX         SIX
limit_first                   0            -          5           5
limit_after_talon_empty       SIX          -          HAND        HAND
transfer_after_beat           False        -          -           False
transfer_first_bout           ALLOWED      -          -           FORBIDDEN_FIRST_GAME
transfer_with_trump_on_table  ALLOWED      -          -           FORBIDDEN
transfer_multi                ?            -          -           False
""",
    """
option                        d_throw_in    k_throw_in
kind                          PODKIDNOY     PODKIDNOY
deck                          36            36
lead_size                     SAME_RANK     ?
first_attacker_next           LOWEST_TRUMP  FROM_UNDER_FOOL
trump_if_no_talon             ?             ?
redeal                        CLAIM_5PLUS   ?
redeal_until                  FIRST_LEAD    ?
throwers                      -             ?
throw_match                   RANK          ?
throw_batch                   ?             ?
throw_after_take              ?             ?
table_limit                   ?             ?
limit_first                   ?             ?
limit_after_talon_empty       ?             ?
transfer_after_beat           -             -
transfer_first_bout           -             -
transfer_with_trump_on_table  -             -
transfer_multi                -             -
""",
)
ALWAYS = {
    "teams": "0",
    "games": "1",
    "until_losses": "0",
    "throw_order": "TOKEN",
    "throw_timing": "WHEN_ALL_BEATEN",
    "limit_first_scope": "UNTIL_FIRST_DISCARD",
    "pogony": "OFF",
    "discard_view": "COUNT",
    "max_bouts": "500",
}
"""What no source sets."""
LIKE = {
    "a_transfer_after_beat": ("a_transfer", {"transfer_after_beat": "True"}),
    "k_throw_in_under": ("k_throw_in", {"first_attacker_next": "UNDER_FOOL"}),
}
"""Profiles that differ from another in one option."""
PLAYERS = {"d_throw_in": (2,)} | dict.fromkeys(
    ("a_simple", "a_throw_in", "a_transfer", "a_transfer_after_beat"), (2, 3, 4, 5)
)
"""For how many, where it is not 2 to 6."""


def written() -> dict[str, dict[str, str]]:
    """All options of all profiles, in words."""
    profiles: dict[str, dict[str, str]] = {}
    for table in TABLES:
        (_, *names), *rows = [line.split() for line in table.strip().splitlines()]
        for option, *values in rows:
            for name, value in zip(names, values, strict=True):
                house = profiles["house"][option] if value in "-?" else value
                profiles.setdefault(name, dict(ALWAYS))[option] = house
    for name, (other, differs) in LIKE.items():
        profiles[name] = profiles[other] | differs
    return profiles


WRITTEN: dict[str, Any] = written()


def test_b11_these_are_all_profiles() -> None:
    assert set(GAME.presets) == set(WRITTEN)


@pytest.mark.parametrize("name", WRITTEN)
def test_b11_a_profile_is_as_its_source_has_it(name: str) -> None:
    preset = GAME.presets[name]
    assert {name: str(getattr(preset.options, name)) for name in Options.__struct_fields__} == WRITTEN[name]
    assert preset.seats == PLAYERS.get(name, (2, 3, 4, 5, 6))
