"""A copy of the data folder is a backup."""

import shutil
from pathlib import Path

from support.house import running_house
from support.rest import RestPlayer


def test_a_house_on_a_copy_of_the_data_goes_on_where_it_was(tmp_path: Path) -> None:
    with running_house(tmp_path / "data") as house:
        ann = RestPlayer(house.web)
        match = ann.create(seats=2, preset="single_deal", bots=[{"level": "random"}])
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    with running_house(tmp_path / "copy") as house:
        back = RestPlayer(house.web)
        back.token = ann.token
        assert back.get(match["id"])["you"]["seat"] == 0
        assert back.play(match["id"])["state"] == "OVER"
