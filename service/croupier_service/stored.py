"""What is kept of a match, in its stored form: the fields of a hash, numbers as text and the rest as MessagePack."""

from collections.abc import Mapping

import msgspec

from croupier_engine import codec
from croupier_engine.registry import game_of
from croupier_service.record import Chair, Meta, Phase, Record, Request

_encoder = msgspec.msgpack.Encoder()
_meta = msgspec.msgpack.Decoder(Meta)
_chairs = msgspec.msgpack.Decoder(tuple[Chair, ...])
_requests = msgspec.msgpack.Decoder(tuple[Request, ...])


def to_fields(after: Record, before: Record | None) -> dict[str, bytes]:
    """The stored fields of a record, or only those that differ from the record before."""
    fields: dict[str, bytes] = {
        "version": b"%d" % after.version,
        "name": after.name.encode(),
        "sequence": b"%d" % after.sequence,
        "at": b"%d" % after.at,
    }
    if before is None:
        fields |= {"seed": after.seed, "options": codec.encode_options(after.options)}
    if before is None or before.meta is not after.meta:
        fields["meta"] = _encoder.encode(after.meta)
    if before is None or before.mark != after.mark:
        fields["mark"] = after.mark.encode()
    if before is None or before.deals != after.deals:
        fields["deals"] = b"%d" % after.deals
    if after.state is not None and (before is None or before.state is not after.state):
        fields["state"] = codec.encode_state(after.game, after.state)
    if after.clock is not None and (before is None or before.clock is not after.clock):
        fields["clock"] = codec.encode_clock(after.clock)
    return fields


def from_fields(match: str, fields: Mapping[bytes, bytes]) -> Record:
    """The record that these fields hold."""
    meta = _meta.decode(fields[b"meta"])
    game = game_of(meta.game, meta.rules_version)
    options = codec.decode_options(game, fields[b"options"])
    state, clock = fields.get(b"state"), fields.get(b"clock")
    return Record(
        id=match,
        version=int(fields[b"version"]),
        sequence=int(fields[b"sequence"]),
        at=int(fields[b"at"]),
        meta=meta,
        options=options,
        seed=fields[b"seed"],
        deals=int(fields[b"deals"]),
        state=None if state is None else codec.decode_state(game, state, options),
        clock=None if clock is None else codec.decode_clock(clock),
        packed=b"packed" in fields,
        name=fields.get(b"name", b"").decode(),
        mark=fields.get(b"mark", b"").decode(),
    )


def guard_field(after: Record, before: Record | None) -> bytes:
    """What is kept beside the record of a match where bots may stand in: its chairs.

    Empty: what there was stays; b"-": nothing.
    """
    if after.meta.stand_in is None or (before is not None and before.meta is after.meta):
        return b""
    return _encoder.encode(after.meta.seats) if after.phase is Phase.RUNNING else b"-"


def decode_chairs(data: bytes) -> tuple[Chair, ...]:
    """The chairs that are kept beside the record."""
    return _chairs.decode(data)


def encode_requests(requests: tuple[Request, ...]) -> bytes:
    """The stored form of a caller's last requests."""
    return _encoder.encode(requests)


def decode_requests(data: bytes | None) -> tuple[Request, ...]:
    """A caller's last requests, oldest first."""
    return () if data is None else _requests.decode(data)
