"""Why a run is not made."""


class ArenaError(Exception):
    """The run cannot be made as asked; the text says what to change."""
