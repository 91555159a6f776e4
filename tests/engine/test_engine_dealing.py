"""Fair dealing: the published algorithm, its test vector, and that no permutation is likelier than another."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import pytest

from croupier_engine.dealing import SEED_BYTES, below, commitment, permutation, shuffle, words

PAGE = Path(__file__).parents[2] / "docs" / "fair-dealing.md"
SEED = bytes(range(SEED_BYTES))


def test_the_published_test_vector() -> None:
    vector = json.loads(PAGE.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0])
    seed = bytes.fromhex(vector["seed"])
    assert len(seed) == SEED_BYTES
    assert commitment(seed) == vector["commitment"]
    first = vector["words"]
    assert list(islice(words(seed, vector["match"], 0), len(first))) == first
    for wanted in vector["permutations"]:
        order = permutation(seed, vector["match"], wanted["index"], wanted["size"])
        assert list(order) == wanted["permutation"]


def test_every_part_of_the_question_matters() -> None:
    orders = {
        permutation(seed, match, index, 104)
        for seed, match, index in product((SEED, SEED[::-1]), ("a-match", "b-match"), (0, 1, 10))
    }
    assert len(orders) == 12


@pytest.mark.parametrize("size", [0, 1, 2, 24, 104])
def test_it_is_a_permutation(size: int) -> None:
    assert sorted(permutation(SEED, "a-match", 3, size)) == list(range(size))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_each_permutation_comes_from_exactly_one_row_of_draws(size: int) -> None:
    draws = product(*[range(top + 1) for top in range(size - 1, 0, -1)])
    counted = Counter(shuffle(iter(draw), size) for draw in draws)
    assert set(counted.values()) == {1}
    assert len(counted) == [1, 1, 2, 6, 24, 120][size]


def test_words_of_the_ragged_end_are_passed_over() -> None:
    top = 2**32 - 1  # 2**32 = 3 * 1431655765 + 1, so only the very last word is too many for a bound of 3
    assert below(iter([top, top, 4]), 3) == 1
    assert below(iter([top - 1]), 3) == 2
    assert below(iter([top]), 2) == 1


def test_the_stream_is_even() -> None:
    counted = Counter(word % 16 for word in islice(words(SEED, "a-match", 0), 16_000))
    chi_square = sum((counted[value] - 1000) ** 2 / 1000 for value in range(16))
    assert chi_square < 37.7  # 15 degrees of freedom, one in a thousand


def test_every_card_gets_everywhere_equally_often() -> None:
    size, rounds = 6, 3000
    counted: Counter[tuple[int, int]] = Counter()
    for index in range(rounds):
        counted.update(enumerate(permutation(SEED, "a-match", index, size)))
    expected = rounds / size
    cells = [(place, card) for place in range(size) for card in range(size)]
    chi_square = sum((counted[cell] - expected) ** 2 / expected for cell in cells)
    assert chi_square < 52.6  # 25 degrees of freedom, one in a thousand


def test_the_stream_never_ends() -> None:
    stream: Iterator[int] = words(SEED, "a-match", 0)
    assert len(set(islice(stream, 1000))) == 1000
