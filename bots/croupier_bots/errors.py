"""Why a bot stops."""


class BotStopped(Exception):  # noqa: N818 - it names what happened
    """The server will not have this bot back; `reason` is a name of the error catalogue, or of a gRPC code."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason


class Replaced(BotStopped):
    """A newer stream of the same player took over: this token is in use elsewhere."""


class Unauthenticated(BotStopped):
    """The server does not know this token."""


class TokenFileInvalid(Exception):  # noqa: N818 - it names what is wrong
    """The file that tokens are kept in cannot be used; the text says why."""


class UnknownLevel(Exception):  # noqa: N818 - it names what is wrong
    """The house has no bots of this level; the text says which it has."""
