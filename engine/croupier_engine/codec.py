"""Values to bytes and back, as they are stored: MessagePack, structs as arrays of their fields in order.

All decoders raise DecodeError for bytes that are not such a value. States, options, clocks and outcomes, with all that
they hold, are none with a field too many either: the next change would cut off what a later version has put there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never

import msgspec

from croupier_engine.clock import Clock
from croupier_engine.game import Act, AnyGame, By, Command, Credit, Deal, Event, Outcome, Resign, Tick

DecodeError: TypeAlias = msgspec.DecodeError

_encoder = msgspec.msgpack.Encoder()

_Decoder: TypeAlias = msgspec.msgpack.Decoder[Any]


@dataclass(frozen=True, slots=True)
class _Forms:
    """What is written of one game, compiled once."""

    state: _Decoder
    kept: Callable[[Any], tuple[Any, ...]]  # the fields of a state that are written
    options: _Decoder
    actions: dict[str, _Decoder]
    payloads: dict[str, _Decoder]
    action_names: dict[type[Any], str]

    @classmethod
    def of(cls, game: AnyGame) -> "_Forms":
        """The game's own; made when it is first asked for."""
        forms = _all_forms.get(game)
        if forms is None:
            forms = _all_forms[game] = cls(
                msgspec.msgpack.Decoder(kept := _kept(game.state)),
                attrgetter(*kept.__struct_fields__),
                msgspec.msgpack.Decoder(game.options),
                {name: msgspec.msgpack.Decoder(kind) for name, kind in game.actions.items()},
                {name: msgspec.msgpack.Decoder(kind | None) for name, kind in game.payloads.items()},
                {kind: name for name, kind in game.actions.items()},
            )
        return forms


_all_forms: dict[AnyGame, _Forms] = {}

_OPTIONS = "options"  # the field of a state that is written once, beside it


def _kept(state: type[Any]) -> type[msgspec.Struct]:
    """What is written of such a state."""
    kept = [field for field in msgspec.structs.fields(state) if field.name != _OPTIONS]
    fields = [(field.name, field.type, field.default) for field in kept]
    return msgspec.defstruct(state.__name__, fields, array_like=True, forbid_unknown_fields=True)


# How commands and events are written. Actions and payloads stay raw until the name beside them has told their class.


class _Act(msgspec.Struct, tag_field="command", tag="act", frozen=True, array_like=True):
    seat: int
    action: dict[str, msgspec.Raw]  # one entry: the action's name in the API, and its fields
    at: int
    by: By


class _Resign(msgspec.Struct, tag_field="command", tag="resign", frozen=True, array_like=True):
    seat: int
    at: int


class _Deal(msgspec.Struct, tag_field="command", tag="deal", frozen=True, array_like=True):
    order: tuple[int, ...]
    at: int


class _Tick(msgspec.Struct, tag_field="command", tag="tick", frozen=True, array_like=True):
    at: int


class _Credit(msgspec.Struct, tag_field="command", tag="credit", frozen=True, array_like=True):
    ms: int
    at: int


class _Event(msgspec.Struct, frozen=True, array_like=True):
    type: str
    public: msgspec.Raw
    private: dict[int, msgspec.Raw]


_command_decoder = msgspec.msgpack.Decoder(_Act | _Resign | _Deal | _Tick | _Credit)
_events_decoder = msgspec.msgpack.Decoder(list[_Event])
_outcome_decoder = msgspec.msgpack.Decoder(Outcome)
_clock_decoder = msgspec.msgpack.Decoder(Clock)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(_encoder.encode(value))


def encode_state(game: AnyGame, state: Any) -> bytes:
    """A game's state without its options, which never change and may be long."""
    return _encoder.encode(_Forms.of(game).kept(state))


def decode_state(game: AnyGame, data: bytes, options: object) -> Any:
    """The state of that game with its options: a value of `game.state`."""
    return game.state(options=options, **msgspec.structs.asdict(_Forms.of(game).state.decode(data)))


def encode_options(options: object) -> bytes:
    """A game's options, all of them."""
    return _encoder.encode(options)


def decode_options(game: AnyGame, data: bytes) -> Any:
    """The options of that game, a value of `game.options`; what is absent has its default. They are not validated."""
    return _Forms.of(game).options.decode(data)


def encode_command(game: AnyGame, command: Command[Any]) -> bytes:
    """A command: ["act", seat 0, {"commit": [5]}, at 1, "PLAYER"], ["deal", [2, 0, 1], 1], and so on."""
    match command:
        case Act(seat, action, at, by):
            name = _Forms.of(game).action_names[type(action)]
            return _encoder.encode(_Act(seat, {name: _raw(action)}, at, by))
        case Resign(seat, at):
            return _encoder.encode(_Resign(seat, at))
        case Deal(order, at):
            return _encoder.encode(_Deal(order, at))
        case Tick(at):
            return _encoder.encode(_Tick(at))
        case Credit(ms, at):
            return _encoder.encode(_Credit(ms, at))
        case _:
            assert_never(command)


def decode_command(game: AnyGame, data: bytes) -> Command[Any]:
    """The command; an action is of the class that `game.actions` has for its name."""
    written = _command_decoder.decode(data)
    match written:
        case _Act():
            return Act(written.seat, _action(game, written.action), written.at, written.by)
        case _Resign():
            return Resign(written.seat, written.at)
        case _Deal():
            return Deal(written.order, written.at)
        case _Tick():
            return Tick(written.at)
        case _Credit():
            return Credit(written.ms, written.at)
        case _:
            assert_never(written)


def _action(game: AnyGame, written: dict[str, msgspec.Raw]) -> Any:
    if len(written) != 1:
        raise DecodeError("an act has one action")
    ((name, raw),) = written.items()
    decoder = _Forms.of(game).actions.get(name)
    if decoder is None:
        raise DecodeError(f"{game.name} has no action {name!r}")
    return decoder.decode(raw)


def encode_events(events: Sequence[Event]) -> bytes:
    """Events in order: [[type, public payload or nil, {seat: private payload}], ...]."""
    return _encoder.encode(
        [
            _Event(event.type, _raw(event.public), {seat: _raw(payload) for seat, payload in event.private.items()})
            for event in events
        ]
    )


def decode_events(game: AnyGame, data: bytes) -> tuple[Event, ...]:
    """The events; payloads are of the class that `game.payloads` has for their type."""
    return tuple([_event(game, written) for written in _events_decoder.decode(data)])


def _event(game: AnyGame, written: _Event) -> Event:
    decoder = _Forms.of(game).payloads.get(written.type)
    if decoder is None:
        raise DecodeError(f"{game.name} has no event {written.type!r}")
    private = {seat: decoder.decode(raw) for seat, raw in written.private.items()}
    return Event(written.type, decoder.decode(written.public), MappingProxyType(private))


def encode_outcome(outcome: Outcome) -> bytes:
    """A result."""
    return _encoder.encode(outcome)


def decode_outcome(data: bytes) -> Outcome:
    """The result."""
    return _outcome_decoder.decode(data)


def encode_clock(clock: Clock) -> bytes:
    """The clocks of a match."""
    return _encoder.encode(clock)


def decode_clock(data: bytes) -> Clock:
    """The clocks."""
    return _clock_decoder.decode(data)
