"""The log of a match that is done, as one compressed value: a field of its record, and gone when that goes.

Form 1: zlib over a MessagePack list of [version, name of the commit, stored entry], in order.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

FORM = 1


class Stored(NamedTuple):
    """An entry of a log as it is kept. `name`: that of the commit which wrote it."""

    version: int
    name: str
    data: bytes


_decoder = msgspec.msgpack.Decoder(list[Stored])


def pack(entries: Sequence[Stored]) -> bytes:
    """All entries of a log in one value."""
    return zlib.compress(msgspec.msgpack.encode(entries), 9)


def unpack(form: int, packed: bytes) -> list[Stored]:
    """The entries that were packed; ValueError for a form that a later version made."""
    if form != FORM:
        raise ValueError(f"a log is packed in form {form}; this version knows {FORM}")
    return _decoder.decode(zlib.decompress(packed))


def stored(item: tuple[bytes, dict[bytes, bytes] | list[bytes]]) -> Stored:
    """An entry as the stream answers it."""
    entry_id, fields = item
    pairs = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return Stored(int(entry_id.split(b"-")[0]), pairs[b"n"].decode(), pairs[b"e"])
