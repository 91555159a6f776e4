"""A message of a stream, written once for all who get it."""

from collections.abc import Set

NOBODY: Set[str] = frozenset()


class Frame:
    """A message as it is sent; `cursor` is what to resume with behind it, `seated` who has a seat as it tells."""

    __slots__ = ("_chunk", "cursor", "seated", "text")

    def __init__(self, text: bytes, cursor: str = "", seated: Set[str] = NOBODY) -> None:
        self.text = text
        self.cursor = cursor
        self.seated = seated
        self._chunk = b""

    @property
    def chunk(self) -> bytes:
        """As one chunk of a chunked body."""
        if not self._chunk:
            self._chunk = b"%x\r\n%b\r\n" % (len(self.text), self.text)
        return self._chunk
