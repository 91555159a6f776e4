"""Packed logs as they were read of late: to read one is to play its match again, and readers come back page by page."""

from croupier_service.log import LogEntry

Log = tuple[LogEntry, ...]


class UnpackedLogs:
    """The logs that were wanted last: `most` entries in all, or a single log of more.

    They are known by match and last change, and never change; so nothing here grows old.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._logs: dict[tuple[str, str], Log] = {}  # the one that was wanted last is the last
        self._entries = 0  # of all of them

    def get(self, match: str, name: str) -> Log | None:
        """The log of a match that ended with the change of that name; None if it is not kept."""
        log = self._logs.pop((match, name), None)
        if log is not None:
            self._logs[match, name] = log
        return log

    def keep(self, match: str, log: Log) -> None:
        """Keep a whole log, and let others go for it."""
        name = log[-1].name
        if not name or (match, name) in self._logs:
            return  # a change without a name cannot be told from others
        self._logs[match, name] = log
        self._entries += len(log)
        while self._entries > self._most and len(self._logs) > 1:
            self._entries -= len(self._logs.pop(next(iter(self._logs))))
