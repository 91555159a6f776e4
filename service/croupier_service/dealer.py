"""Where chance comes from: a secret seed per match, committed to before the first deal."""

import secrets
from typing import Protocol

from croupier_engine import dealing


class Dealer(Protocol):
    """Makes seeds, and derives every permutation of a match from its seed."""

    def seed(self) -> bytes:
        """A new secret of 32 bytes."""

    def order(self, seed: bytes, match: str, index: int, size: int) -> tuple[int, ...]:
        """The answer to the match's question of chance number `index`, from 0: a permutation of 0..size-1."""


class FairDealer:
    """Deal scheme 1: see docs/fair-dealing.md."""

    def seed(self) -> bytes:
        """A new secret of 32 bytes from the operating system."""
        return secrets.token_bytes(32)

    def order(self, seed: bytes, match: str, index: int, size: int) -> tuple[int, ...]:
        """The permutation that anybody can derive again once the seed is known."""
        return dealing.permutation(seed, match, index, size)
