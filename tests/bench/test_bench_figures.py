"""A figure is the median of its rounds, and stands between the least and the most."""

from typing import Any

import pytest

from bench.rounds import figure, ratio


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_the_median_is_within_its_own_bracket(digits: int) -> None:
    found: dict[str, Any] = figure("key", [1.6311, 1.6312, 1.6314], digits)
    least, most = found["key_spread"]
    assert least <= found["key"] <= most


def test_ratios_show_as_many_digits_as_their_bracket() -> None:
    assert ratio("key", [1.6311, 1.6312, 1.6314], [1, 1, 1]) == {"key": 1.631, "key_spread": [1.631, 1.631]}
    assert figure("key", [10.4, 11.6], 0) == {"key": 11, "key_spread": [10, 12]}
