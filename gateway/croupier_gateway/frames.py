"""A message of a stream, written once for all who get it."""


class Frame:
    """A message as it is sent; `cursor` is what to resume with behind it."""

    __slots__ = ("_chunk", "cursor", "text")

    def __init__(self, text: bytes, cursor: str) -> None:
        self.text = text
        self.cursor = cursor
        self._chunk = b""

    @property
    def chunk(self) -> bytes:
        """As one chunk of a chunked body."""
        if not self._chunk:
            self._chunk = b"%x\r\n%b\r\n" % (len(self.text), self.text)
        return self._chunk
