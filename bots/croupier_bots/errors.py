"""Why a bot stops, or does not start. The texts are for people, a line each."""


class BotError(Exception):
    """Any of these."""


class BotStopped(BotError):  # noqa: N818 - it names what happens
    """The server will not have this bot back; `reason` is a name of the error catalogue, or of a gRPC code."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason


class Replaced(BotStopped):
    """A newer stream of the same player took over: this token is in use elsewhere."""


class Unauthenticated(BotStopped):
    """The server does not know this token."""


class AddressInvalid(BotError):  # noqa: N818 - it names what happens
    """No gRPC server can be at this address; the text says what one looks like."""


class BotInvalid(BotError):  # noqa: N818 - it names what happens
    """The bot cannot play as it is declared; the text says what to change."""


class ChoiceInvalid(BotError):  # noqa: N818 - it names what happens
    """What `choose` returned is neither an index nor an action."""


class TokenFileInvalid(BotError):  # noqa: N818 - it names what happens
    """The file that tokens are kept in cannot be used; the text says why."""


class UnknownLevel(BotError):  # noqa: N818 - it names what happens
    """The house has no bots of this level; the text says which it has."""
