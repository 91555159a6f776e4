"""Fair dealing, scheme 1: a secret seed, committed to before the first deal, settles every shuffle of a match.

docs/fair-dealing.md tells the same in prose, with test vectors, for whoever checks a match in another language.
"""

import hashlib
import hmac
from collections.abc import Iterator

SCHEME = 1
SEED_BYTES = 32
_WORDS = 1 << 32


def commitment(seed: bytes) -> str:
    """What is published before the first deal: the SHA-256 of the seed, in lower-case hexadecimal digits."""
    return hashlib.sha256(seed).hexdigest()


def permutation(seed: bytes, match: str, index: int, size: int) -> tuple[int, ...]:
    """The answer to a question of chance: a permutation of 0..size-1, each equally likely over all seeds.

    `match` is the match's id; `index` counts the match's questions of chance from 0.
    """
    return shuffle(words(seed, match, index), size)


def words(seed: bytes, match: str, index: int) -> Iterator[int]:
    """An endless stream of 32-bit words for one question of chance."""
    counter = 0
    while True:
        message = f"croupier/{SCHEME}/{index}/{counter}/{match}"
        block = hmac.digest(seed, message.encode(), "sha256")
        for start in range(0, len(block), 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def shuffle(stream: Iterator[int], size: int) -> tuple[int, ...]:
    """Fisher-Yates from the top down over 0..size-1, fed with 32-bit words."""
    order = list(range(size))
    for top in range(size - 1, 0, -1):
        other = below(stream, top + 1)
        order[top], order[other] = order[other], order[top]
    return tuple(order)


def below(stream: Iterator[int], bound: int) -> int:
    """A number of 0..bound-1: words of the ragged end of the range are passed over, so that none is likelier."""
    limit = _WORDS - _WORDS % bound
    word = next(stream)
    while word >= limit:
        word = next(stream)
    return word % bound
