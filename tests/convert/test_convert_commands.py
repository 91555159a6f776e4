"""Commands as entries of a replay's log, there and back."""

from typing import Any

import pytest

from croupier.v1 import matches_pb2
from croupier_convert import ConvertError
from croupier_convert.commands import command_from_proto, command_to_proto
from croupier_engine.game import Act, By, Command, Credit, Deal, Resign, Tick
from croupier_engine.six_nimmt.model import ChooseRow, ChooseSide, Commit, Pick, Side

AT = 1_796_000_000_123


@pytest.mark.parametrize(
    "command",
    [
        Act(2, Commit(104), AT),
        Act(0, ChooseRow(3), AT, By.CLOCK),
        Act(1, ChooseSide(Side.LEFT), AT, By.STAND_IN),
        Act(9, Pick(1), AT),
        Resign(4, AT),
        Deal((2, 0, 1), AT),
        Tick(AT),
        Credit(1500, AT),
    ],
)
def test_commands_come_back_as_they_were(command: Command[Any]) -> None:
    entry = command_to_proto("six_nimmt", 7, command)
    assert entry.sequence == 7
    assert command_from_proto("six_nimmt", matches_pb2.LogEntry.FromString(entry.SerializeToString())) == command


def test_an_entry_without_a_command_is_refused() -> None:
    with pytest.raises(ConvertError) as wrong:
        command_from_proto("six_nimmt", matches_pb2.LogEntry(sequence=1))
    assert wrong.value.reason == "INVALID_FIELD"
