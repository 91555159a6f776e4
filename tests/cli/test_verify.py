"""`croupier verify`: true replays pass, and of tampered ones it says where they are wrong."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from google.protobuf import json_format
from support.played import played_match
from support.playing import Habits

from croupier.v1 import act_by_pb2
from croupier_cli.app import croupier
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.model import Cards, EndCheck, EndMode, Options, Placement, ProChoice

TAMPERINGS = 300
GAME = GAMES["six_nimmt"]


def verified(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(croupier, ["verify", str(file), *arguments], prog_name="croupier")


def a_replay(dice: Random, *, options: Options | None = None, resign: float = 0.0) -> dict[str, Any]:
    """The JSON of a match; without resigning every card that was dealt is played."""
    if options is None:
        options = Options(
            cards=dice.choice(list(Cards)),
            placement=dice.choice(list(Placement)),
            pro_choice=dice.choice(list(ProChoice)),
            recommit=False,
            end_mode=EndMode.FIXED_DEALS,
            deals=dice.choice((1, 1, 2)),
        )
    message = played_match(GAME, options, dice.randrange(2, 5), dice, Habits(resign=resign))
    written: dict[str, Any] = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    return written


def write(path: Path, replay: Any) -> Path:
    path.write_text(json.dumps(replay), encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(6))
def test_players_come_and_go_where_bots_may_stand_in(tmp_path: Path, seed: int) -> None:
    options = Options(end_mode=EndMode.FIXED_DEALS)
    message = played_match(GAME, options, 3, Random(seed), Habits(), away=0.3)
    log = message.log
    assert act_by_pb2.ActBy.STAND_IN in {entry.act.by for entry in log if entry.HasField("act")}
    written = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    assert verified(write(tmp_path / "replay.json", written)).exit_code == 0
    # Numbers may be left out between commands, but not said twice; and only where the match allowed it.
    fewer = copy.deepcopy(written)
    fewer["log"][5]["sequence"] = fewer["log"][4]["sequence"]
    assert "log[5]" in verified(write(tmp_path / "fewer.json", fewer)).output
    del written["standIn"]
    assert "its sequence is" in verified(write(tmp_path / "never.json", written)).output


@pytest.mark.parametrize("seed", range(12))
def test_what_was_played_is_found_true(tmp_path: Path, seed: int) -> None:
    dice = Random(seed)
    options = Options(
        cards=dice.choice(list(Cards)),
        placement=dice.choice(list(Placement)),
        recommit=dice.random() < 0.5,
        end_check=dice.choice(list(EndCheck)),
        start_credit=20,
    )
    replay = a_replay(dice, options=options, resign=0.02 * (seed % 2))
    file = write(tmp_path / "replay.json", replay)
    result = verified(file, "--commitment", replay["commitment"].upper())
    assert result.exit_code == 0, result.output
    assert result.output.endswith("\nok\n")
    assert "the one noted\n" in result.output
    assert verified(file).exit_code == 0


# Each kind of tampering changes the replay and answers the index in the log from which on it must be found, with None
# for a place outside the log, and whether it must be found right there.

Kind = Callable[[dict[str, Any], Random], tuple[int | None, bool]]


def an_entry(replay: dict[str, Any], dice: Random, command: str) -> int:
    return dice.choice([index for index, entry in enumerate(replay["log"]) if command in entry])


def a_card(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    cards = [
        (index, name)
        for index, entry in enumerate(replay["log"])
        if "act" in entry
        for name in ("commit", "pick")
        if name in entry["act"]["action"]["sixNimmt"]
    ]
    index, name = dice.choice(cards)
    action = replay["log"][index]["act"]["action"]["sixNimmt"][name]
    action["card"] = dice.choice([card for card in range(1, 105) if card != action["card"]])
    return index, False


def an_order(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    deals = [index for index, entry in enumerate(replay["log"]) if "deal" in entry]
    if not deals:  # a draft deals nothing
        return a_card(replay, dice)
    index = dice.choice(deals)
    order = replay["log"][index]["deal"]["order"]
    one, other = dice.sample(range(len(order)), 2)
    if dice.random() < 0.5:
        order[one], order[other] = order[other], order[one]
    else:
        order[one] = order[other]
    return index, True


def a_seed_byte(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    seed = bytearray.fromhex(replay["seed"])
    seed[dice.randrange(32)] ^= dice.randrange(1, 256)
    replay["seed"] = seed.hex()
    return None, True


def a_commitment(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    digits = list(replay["commitment"])
    place = dice.randrange(64)
    digits[place] = dice.choice([digit for digit in "0123456789abcdef" if digit != digits[place]])
    replay["commitment"] = "".join(digits)
    return None, True


def a_seat(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = an_entry(replay, dice, "act")
    act = replay["log"][index]["act"]
    act["seat"] = dice.choice([seat for seat in range(-1, 12) if seat != act["seat"]])
    return index, True


def an_outcome(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    numbers = replay["outcome"][dice.choice(("places", "scores"))]
    numbers[dice.randrange(len(numbers))] += dice.choice((-1, 1))
    return None, True


def a_sequence(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = dice.randrange(1, len(replay["log"]))
    replay["log"][index]["sequence"] += dice.choice((-1, 1, 7))
    return index, False


def who_acted(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = dice.randrange(1, len(replay["log"]))
    act, before = replay["log"][index].get("act"), replay["log"][index - 1]
    # Of several that the clock played for together only the first is told apart by an event of its own.
    if act is None or before["at"] == replay["log"][index]["at"]:
        return a_seat(replay, dice)
    act["by"] = "PLAYER" if act["by"] == "CLOCK" else "CLOCK"
    return index, False


def one_dropped(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = dice.randrange(len(replay["log"]))
    del replay["log"][index]
    return index, False


def one_doubled(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = dice.randrange(len(replay["log"]))
    replay["log"].insert(index, copy.deepcopy(replay["log"][index]))
    return index, False


def two_exchanged(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    log = replay["log"]
    index = dice.randrange(1, len(log) - 1)
    log[index], log[index + 1] = log[index + 1], log[index]
    return index, False


def the_end_cut_off(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    left = dice.randrange(1, len(replay["log"]))
    del replay["log"][left:]
    return None, True


def a_time(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    index = dice.randrange(1, len(replay["log"]))
    replay["log"][index]["at"] = "2001-01-01T00:00:00Z"
    return index, True


def a_number_of_seats(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    replay["seats"] = replay["seats"][1:] if dice.random() < 0.5 else [*replay["seats"], "p-99"]
    return None, False


def a_credit(replay: dict[str, Any], dice: Random) -> tuple[int | None, bool]:
    replay["options"]["sixNimmt"]["startCredit"] += dice.choice((-1, 1))
    return None, True


KINDS: list[Kind] = [
    a_card,
    an_order,
    a_seed_byte,
    a_commitment,
    a_seat,
    an_outcome,
    a_sequence,
    who_acted,
    one_dropped,
    one_doubled,
    two_exchanged,
    the_end_cut_off,
    a_time,
    a_number_of_seats,
    a_credit,
]


def test_every_tampering_is_found_and_its_step_named(tmp_path: Path) -> None:
    dice = Random(2026)
    replays = [a_replay(dice) for _ in range(12)]
    for number in range(TAMPERINGS):
        kind = KINDS[number % len(KINDS)]
        replay = copy.deepcopy(dice.choice(replays))
        index, exactly = kind(replay, dice)
        result = verified(write(tmp_path / "replay.json", replay))
        said = f"{number} {kind.__name__} at {index}: {result.output}"
        assert result.exit_code == 1, said
        assert re.fullmatch(r"not what was played: .+\n", result.output), said
        found = re.match(r"not what was played: log\[(\d+)\], sequence \d+: ", result.output)
        if index is None:
            places = ("seed", "commitment", "outcome", "seats", "options", "end of the log")
            assert not exactly or result.output.startswith(tuple(f"not what was played: {place}: " for place in places))
        else:
            at_end = result.output.startswith("not what was played: end of the log: ")
            assert found or (at_end and not exactly), said
            if found:
                assert int(found[1]) == index if exactly else int(found[1]) >= index, said


@pytest.mark.parametrize("cards", Cards)
@pytest.mark.parametrize("kind", [a_card, an_order, a_seed_byte])
def test_one_card_one_order_or_the_seed(tmp_path: Path, cards: Cards, kind: Kind) -> None:
    """34 tamperings each in nine combinations: more than 300 of the three kinds that matter most."""
    dice = Random(f"{cards} {kind.__name__}")
    options = Options(cards=cards, end_mode=EndMode.FIXED_DEALS)
    replay = a_replay(dice, options=options)
    for _ in range(34):
        tampered = copy.deepcopy(replay)
        kind(tampered, dice)
        result = verified(write(tmp_path / "replay.json", tampered))
        assert result.exit_code == 1
        assert re.match(r"not what was played: (seed|log\[\d+\], sequence \d+): \w", result.output), result.output


def test_another_seed_with_all_that_follows_is_found_by_the_noted_commitment(tmp_path: Path) -> None:
    options = Options(end_mode=EndMode.FIXED_DEALS)
    noted, other = (a_replay(Random(seed), options=options) for seed in (1, 2))
    file = write(tmp_path / "replay.json", other)
    assert verified(file).exit_code == 0
    result = verified(file, "--commitment", noted["commitment"])
    assert result.exit_code == 1
    assert result.output.startswith("not what was played: commitment: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no replay"),
        ("{", "is no replay"),
        ("[]", "is no replay"),
        ("null", "is no replay"),
        ("{}", "it names no game"),
        ('{"id": "m-1"}', "is no replay"),
        ('{"game": "chess", "rulesVersion": 1, "dealScheme": 1}', "chess"),
        ('{"game": "six_nimmt", "rulesVersion": 99, "dealScheme": 1}', "rules version 99"),
        ('{"game": "six_nimmt", "rulesVersion": 1, "dealScheme": 7}', "scheme 7"),
        ('{"game": "six_nimmt", "log": 3}', "is no replay"),
        ('{"game": "six_nimmt", "log": [{"sequence": 1e99}]}', "is no replay"),
        ('{"game": "six_nimmt", "log": [{"sequence": "x"}]}', "is no replay"),
        ('{"game": "six_nimmt", "startTime": "yesterday"}', "is no replay"),
        ("[" * 100_000, "is no replay"),
        ('{"log": [{"at": {}}]}', "is no replay"),
    ],
)
def test_what_is_no_replay(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "replay.json"
    file.write_text(text)
    for command in ("verify", "replay"):
        result = CliRunner().invoke(croupier, [command, str(file)], prog_name="croupier")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("croupier: ")
        assert result.stderr.count("\n") == 1
        assert said in result.stderr


def test_an_export_of_a_time_without_matches_is_sound(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    found = CliRunner().invoke(croupier, ["verify", str(tmp_path / "none.jsonl")])
    assert (found.exit_code, found.output) == (0, "0 of 0 replays are what was played\nok\n")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    for path, said in (
        (tmp_path, "cannot be read"),
        (tmp_path / "none", "cannot be read"),
        (tmp_path / "latin", "UTF-8"),
    ):
        result = verified(path)
        assert result.exit_code == 2
        assert said in result.stderr
        assert result.stderr.count("\n") == 1


def test_odd_replays_are_told_in_a_line(tmp_path: Path) -> None:
    """A replay may be any message of the API, whatever its numbers are."""
    dice = Random(5)
    replay = a_replay(dice, options=Options(end_mode=EndMode.FIXED_DEALS))
    odd: list[dict[str, Any]] = [
        {"seed": ""},
        {"seed": "zz"},
        {"seed": replay["seed"].upper()},
        {"seats": []},
        {"options": {}},
        {"options": {"sixNimmt": {"cards": 77}}},
        {"log": []},
        {"log": [{}]},
        {"log": [{"sequence": 5, "act": {}}]},
        {"log": [{"sequence": 5, "act": {"seat": 0, "action": {"sixNimmt": {}}}}]},
        {"log": [{"sequence": 5, "deal": {"order": []}}]},
        {"log": [{"sequence": 5, "tick": {}}]},
        {"log": [{"sequence": 5, "resign": {"seat": -1}}]},
        {"log": [{"sequence": 5, "credit": {"ms": 5}}]},
        {"startTime": "9999-01-01T00:00:00Z"},
        {"outcome": {}},
        {"match": ""},
    ]
    for change in odd:
        result = verified(write(tmp_path / "replay.json", replay | change))
        assert result.exit_code == 1, f"{change}: {result.output} {result.exception}"
        assert result.output.count("\n") == 1


def test_a_commitment_is_of_no_match_in_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    found = verified(tmp_path / "none.jsonl", "--commitment", "0" * 64)
    assert found.exit_code == 2
    assert "there is no match that the commitment could be of" in found.output
