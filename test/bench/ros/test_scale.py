"""The programs that `bench.scale` measures."""

from pathlib import Path

from bench.scale import Design, command
from fleet.commands.processes import driver_command

CONFIG = Path("fleet.yaml")


def test_each_design_is_a_program_of_its_own() -> None:
    assert command(CONFIG, Design.DRIVER) == driver_command(CONFIG)
    assert command(CONFIG, Design.NAIVE)[1:] == ["-m", "bench.naive_driver", "--config", "fleet.yaml"]
