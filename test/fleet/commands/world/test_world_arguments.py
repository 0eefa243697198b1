"""Arguments of `thymio-fleet world` and `script`: quantities and names, and what is said about wrong ones."""

import argparse
import math
from collections.abc import Callable

import pytest

from fleet.client.robot_node import RobotName, robot_name
from fleet.commands.main import main, read_options
from fleet.commands.world.action import WorldAction, entity_name
from fleet.commands.world.quantities import factor, share
from fleet.commands.world.world_command import WORLD_ACTIONS
from thymio_base.argument_types import positive_seconds


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (positive_seconds, "2", 2.0),
        (share, "0.15", 0.15),
        (share, "15%", 0.15),
        (factor, "max", math.inf),
        (factor, "0.5", 0.5),
    ],
)
def test_quantities_are_read_in_their_units(read: Callable[[str], float], text: str, value: float) -> None:
    assert read(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (positive_seconds, "0", "must be a number of seconds, 0.001 to 1e+06, such as 0.5, got '0'"),
        (share, "15", "must be a share from 0 to 1, such as 0.15, or in percent, such as 15%, got '15'"),
        (factor, "-1", "must be a number from 0.001 to 1000, such as 2, or max, got '-1'"),
        (robot_name, "node:", "'node:' is neither a robot's ID, such as 3, nor a node id, such as node:3"),
        (robot_name, "4294967296", "'4294967296' is neither a robot's ID, such as 3, nor a node id, such as node:3"),
        (entity_name, "-1", "'-1' is neither a robot's ID, such as 3, nor a node id, such as node:3"),
    ],
)
def test_wrong_arguments_are_named_with_what_is_expected(
    read: Callable[[str], object], text: str, expected: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        read(text)
    assert str(caught.value) == expected


def test_robots_are_named_by_id_or_node() -> None:
    assert robot_name("3") == RobotName(3, is_node=False)
    assert robot_name("node:3") == RobotName(3, is_node=True)
    assert [robot_name(text).argument for text in ("3", "node:3")] == ["3", "node:3"]
    assert [entity_name(text) for text in ("3", "crate")] == [RobotName(3, is_node=False), "crate"]


@pytest.mark.parametrize(
    "arguments",
    [*(["world", action.name] for action in WORLD_ACTIONS), ["script", "load"], ["script", "default"]],
    ids=" ".join,
)
def test_help_of_every_action_has_an_example(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*arguments, "--help"])
    assert f"example: thymio-fleet {' '.join(arguments)}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("action", WORLD_ACTIONS, ids=lambda action: action.name)
def test_examples_are_valid_arguments(action: WorldAction) -> None:
    parser = argparse.ArgumentParser()
    action.add_to(parser)
    parser.parse_args(action.example.split())


@pytest.mark.parametrize(
    ("text", "name", "got"),
    [("STEP", "NAME", "STEP"), ("STEP=x", "STEP", "x"), ("STEP=40000", "STEP", "40000"), ("=1", "NAME", "=1")],
)
def test_constant_that_is_not_a_number_is_refused(
    text: str, name: str, got: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["script", "load", "a.aesl", "1", "--constant", text])
    assert caught.value.code == 2
    expected = f"must be {name}=VALUE with a whole number from -32768 to 32767, got {got!r}"
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("name", ["вперёд", "vitesse.été", "_x1", "速度"])
def test_constant_has_any_name_of_the_language(name: str) -> None:
    (constant,) = read_options(["script", "load", "a.aesl", "1", "--constant", f"{name}=-9"]).constants
    assert (constant.name, constant.value) == (name, -9)
