"""Which errands of a demonstration are sent when."""

from collections.abc import Sequence

import pytest

from fleet.commands.demo.cell_errands import cell_errands
from fleet.commands.demo.errands import Errand, ErrandBook
from fleet.commands.demo.factory_errands import factory_errands
from fleet.commands.demo.generated_fleet import home_of
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from fleet.tasks.task_kind import TaskKind
from thymio_base.shipped_files import shipped_file

HERE, THERE, AWAY = Pose2D(0.0, 0.0, 0.0), Pose2D(1.0, 0.0, 0.0), Pose2D(2.0, 0.0, 0.0)
FIRST = Errand(1, TaskKind.TRANSPORT, (HERE, THERE))
SECOND = Errand(2, TaskKind.GO_TO, (HERE,))


def factory() -> list[Errand]:
    fleet = load_config(shipped_file("factory_fleet.yaml", "examples/worlds"))
    return factory_errands({robot.id: robot.home for robot in fleet.robots})


def cells(robot_count: int) -> list[Errand]:
    return cell_errands({index + 1: home_of(index, robot_count) for index in range(robot_count)})


def performed(errands: Sequence[Errand]) -> list[Errand]:
    """Return the errands in the order in which they are sent, if each robot is at its goal at once."""
    book = ErrandBook(errands)
    robot_ids = sorted({errand.robot_id for errand in errands})
    sent: list[Errand] = []
    while batch := list(book.send(robot_ids)):
        for errand in batch:
            for stop in errand.stops:
                book.note_poses({errand.robot_id: stop})
        sent += batch
    return sent


def test_errand_waits_until_the_robot_of_an_earlier_one_has_left_their_place() -> None:
    book = ErrandBook([FIRST, SECOND])
    assert list(book.send([1, 2])) == [FIRST]
    book.note_poses({1: HERE})
    assert list(book.send([2])) == []
    book.note_poses({1: Pose2D(0.3, 0.0, 0.0)})
    assert list(book.send([2])) == [SECOND]


def test_errand_waits_for_an_earlier_one_that_is_not_sent_yet() -> None:
    assert list(ErrandBook([FIRST, SECOND]).send([2])) == []


def test_robot_that_is_busy_gets_no_errand() -> None:
    assert list(ErrandBook([FIRST]).send([])) == []


def test_robot_gets_its_errands_one_after_the_other() -> None:
    later = Errand(1, TaskKind.GO_TO, (AWAY,))
    book = ErrandBook([FIRST, later])
    assert list(book.send([1])) == [FIRST]
    assert list(book.send([1])) == [later]


@pytest.mark.parametrize("errands", [factory(), cells(9), cells(20), cells(100)], ids=["factory", "9", "20", "100"])
def test_all_errands_are_sent_in_the_end(errands: list[Errand]) -> None:
    assert sorted(map(id, performed(errands))) == sorted(map(id, errands))


@pytest.mark.parametrize("robot_count", range(1, 9))
def test_every_robot_in_the_factory_has_three_errands(robot_count: int) -> None:
    homes = {index + 1: home_of(index, 8) for index in range(robot_count)}
    counts = [errand.robot_id for errand in factory_errands(homes)]
    assert sorted(counts) == sorted([*homes] * 3)


def test_places_in_the_factory_have_room_for_a_robot() -> None:
    fleet = load_config(shipped_file("factory_fleet.yaml", "examples/worlds"))
    obstacles = fleet.floor.obstacles
    clearances_m = [obstacles.clearance_m(stop.x_m, stop.y_m) for errand in factory() for stop in errand.stops]
    assert min(clearances_m) >= fleet.traffic.wall_m
