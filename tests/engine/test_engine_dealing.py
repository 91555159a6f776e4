"""Fair dealing: the published algorithm, its test vector, and that no permutation is likelier than another."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from croupier_engine.cards import pack
from croupier_engine.dealing import SEED_BYTES, below, commitment, permutation, shuffle, words
from croupier_engine.durak.game import Durak
from croupier_engine.durak.options import Options, TrumpIfNoTalon
from croupier_engine.game import Deal

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


def test_the_published_order_of_french_cards() -> None:
    told = tuple(PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0].split())
    assert told == pack(54)
    assert told[:52] == pack(52)
    assert told[told.index("6S") : told.index("AH") + 1] == pack(36)


def test_the_published_deals_of_durak() -> None:
    game = Durak()
    told = json.loads(PAGE.read_text(encoding="utf-8").split("```json\n")[2].split("```")[0])
    asked = set()
    for vector in told:
        trump = TrumpIfNoTalon(vector["options"].get("trumpIfNoTalon", "LAST_DEALT"))
        options = Options(deck=vector["options"].get("deck", 36), trump_if_no_talon=trump)
        state = game.start(options, vector["seats"], 0).state
        for question in vector["questions"]:
            awaiting = game.awaiting(state)
            assert awaiting is not None
            assert (awaiting.window, awaiting.chance) == (question["window"], question["size"])
            order = permutation(SEED, vector["match"], question["index"], question["size"])
            assert order[0] == question["first"]
            state = game.apply(state, Deal(order, 0)).state
            asked.add(question["window"].rpartition(".")[2])
        assert state.phase == "LEAD"
        assert state.series.dealer == vector["dealer"]
        assert [list(hand) for hand in state.hands] == vector["hands"]
        assert list(state.talon) == vector["talon"]
        assert state.trump == vector["trump"]
        assert by_hand(vector) == (vector["hands"], vector["talon"], vector["trump"])
    assert {"lot", "deal", "turn1", "suit"} <= asked


def by_hand(vector: dict[str, Any]) -> tuple[list[list[str]], list[str], str]:
    """Hands, talon and trump by the words of the page alone."""
    pack = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0].split()
    deck = pack if vector["options"].get("deck") == 54 else pack[pack.index("6S") : pack.index("AH") + 1]
    orders = [permutation(SEED, vector["match"], each["index"], each["size"]) for each in vector["questions"]]
    cards = [deck[index] for index in orders[1]]
    seats = vector["seats"]
    numbered = [(orders[0][0] + 1 + number) % seats for number in range(seats)]
    hands: list[list[str]] = [[] for _ in range(seats)]
    for k in range(6 * seats):
        hands[numbered[k % seats]].append(cards[k])
    for hand in hands:
        hand.sort(key=deck.index)
    if len(cards) == 6 * seats:
        return hands, [], "SCDH"[orders[2][0]]
    talon = [*cards[6 * seats + 1 :], cards[6 * seats]]
    for order in orders[2:]:
        joker = talon.pop()
        turned, *others = talon
        talon = [*others[: order[0]], joker, *others[order[0] :], turned]
    return hands, talon, talon[-1][1]


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
