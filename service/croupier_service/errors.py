"""What a caller is refused: the reasons of the catalogue as exceptions, without knowledge of any wire."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from croupier_service.projection import WindowView


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """A request was refused, and nothing was changed.

    `reason` is a name of the catalogue (croupier.errors), `metadata` fills its text; both may be shown to the caller.
    `retry_after` is in seconds. `game` and `window` are the present question as the caller may see it.
    """

    def __init__(
        self,
        reason: str,
        metadata: Mapping[str, str] = MappingProxyType({}),
        *,
        retry_after: float | None = None,
        game: str | None = None,
        window: "WindowView | None" = None,
    ) -> None:
        super().__init__(reason, dict(metadata))
        self.reason = reason
        self.metadata = dict(metadata)
        self.retry_after = retry_after
        self.game = game
        self.window = window


class StoreUnavailable(Exception):  # noqa: N818
    """The store did not answer; whether a write was kept is unknown, so the same request must be sent again."""


class Unreadable(Exception):  # noqa: N818
    """What is stored of a match cannot be read here, as after a change by a later version; `why`: for operators.

    `version`: that of the log entry; 0: the record cannot be read.
    """

    def __init__(self, match: str, problem: Exception, version: int = 0) -> None:
        self.match = match
        self.version = version
        self.why = reason_of(problem)
        super().__init__(f"match {match}: {self.why}")


class LeadLost(Exception):  # noqa: N818
    """The lead of a shard is another's by now, so nothing was written."""


def reason_of(problem: Exception) -> str:
    """Why something stored could not be read, for an operator, on one line."""
    return " ".join(f"{type(problem).__name__}: {problem}".split())


@contextmanager
def lasting(log: Any, what: str) -> Iterator[None]:
    """For one round of work that goes on as long as the process: a fault is logged, and the next round tries again."""
    try:
        yield
    except StoreUnavailable as gone:
        log.warning(what, unavailable=str(gone))
    except Exception as fault:  # one bad round must not end all later ones
        log.exception(what, exc_info=fault)


def unavailable() -> Refused:
    """The refusal of a call that the store did not answer."""
    return Refused("UNAVAILABLE", {"retry_after": "1"}, retry_after=1.0)


def unreadable(match: str) -> Refused:
    """The refusal of whatever is asked of a match that cannot be read here."""
    return Refused("MATCH_UNREADABLE", {"match": match})


def invalid(field: str, problem: str) -> Refused:
    """The refusal of a malformed field, named as in the API's JSON."""
    return Refused("INVALID_FIELD", {"field": field, "problem": problem})
