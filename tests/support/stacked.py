"""A service whose chance, names and time are set by hand, so that two runs can be compared byte for byte."""

from collections.abc import Sequence

from croupier_service.store.servertime import ServerTime

SEED = bytes(range(32))


class StackedDealer:
    """Deals in the orders given; the seed, and so the commitment, is always the same."""

    def __init__(self) -> None:
        self.orders: Sequence[tuple[int, ...]] = ()

    def seed(self) -> bytes:
        return SEED

    def order(self, seed: bytes, match: str, index: int, size: int) -> tuple[int, ...]:
        order = self.orders[index]
        assert len(order) == size
        return order


class CountedNames:
    """p-1, p-2, ..."""

    def __init__(self) -> None:
        self._count = 0

    def restart(self) -> None:
        self._count = 0

    def _next(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def player(self) -> str:
        return self._next("p-")

    def match(self) -> str:
        return self._next("match-")

    def token(self) -> str:
        return self._next("crp_token-")

    def join_code(self) -> str:
        return self._next("CODE")

    def stream(self) -> str:
        return self._next("s-")

    def change(self) -> str:
        return self._next("c-")


class StoppedTime(ServerTime):
    """It is always the same moment."""

    def __init__(self) -> None:
        pass

    async def measure(self) -> None:
        pass

    def now(self) -> int:
        return 1_900_000_000_000
