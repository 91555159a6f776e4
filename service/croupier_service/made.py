"""Things made of a value once, and used for everybody who wants the same of the same value."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Made(Generic[K, V]):
    """What `make` makes of values, which are told apart by identity; of the last `kept` of them it is remembered.

    What else `make` needs must be the same whenever the value is.
    """

    def __init__(self, make: Callable[..., V], kept: int) -> None:
        self._make = make
        self._kept = kept
        self._found: OrderedDict[int, tuple[K, V]] = OrderedDict()

    def of(self, value: K, *more: Any) -> V:
        """What is made of a value."""
        found = self._found.get(id(value))
        if found is not None and found[0] is value:  # an id may come again once its value is gone
            return found[1]
        made = self._make(value, *more)
        self._found[id(value)] = value, made
        if len(self._found) > self._kept:
            self._found.popitem(last=False)
        return made
