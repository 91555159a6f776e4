"""How gateway and service agree on streams that many clients share. Imports nothing of ours."""

SHAREABLE = "x-croupier-shareable"
"""With a call of WatchMatch, metadata of any value: who has no seat shall be shown the same to the end, even if he
takes one, so that others can be shown it too."""

SPECTATOR = "x-croupier-spectator"
"""With its answer, before the first message: it is so, for the match is public and the caller has no seat. His id."""
