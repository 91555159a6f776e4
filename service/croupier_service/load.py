"""How much is being worked on, and the bound beyond which more is refused at once, so that what was taken finishes."""

from croupier_service.errors import Refused

_RETRY = 1.0  # seconds


class Load:
    """What is under way of one kind in this process, at most `limit`: calls and acts, or streams and long polls."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.under_way = 0

    def __enter__(self) -> None:
        """Work on one; OVERLOADED if there are too many."""
        if self.under_way >= self._limit:
            raise Refused("OVERLOADED", {"limit": str(self._limit), "retry_after": f"{_RETRY:g}"}, retry_after=_RETRY)
        self.under_way += 1

    def __exit__(self, *_: object) -> None:
        self.under_way -= 1
