import pytest

from fleet.geometry import Pose2D
from fleet.settings.station_config import StationRole
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KIND_NAMES, KINDS, kind_named
from fleet.work.path_wish import path_of_wish
from fleet.work.work import PathWish, Place, Work


def test_work_is_described_by_its_kind_and_its_places() -> None:
    places = (Place(Pose2D(1.0, 2.0, 0.0), "press"), Place(Pose2D(0.5, 0.25, 0.0)))
    assert str(Work(TaskKind.TRANSPORT, places)) == "transport press > (0.50, 0.25)"
    assert str(Work(TaskKind.GO_HOME)) == "go_home"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("eight", "follow eight"),
        (' {"shape": "straight", "size_m": 0.3}', "follow straight"),
        ("{size_m: 0.3, shape: star}", "follow star"),
        ("# shape: of our floor\nlaps: 2\nshape: 'circle'\n", "follow circle"),
        ("waypoints_m:\n- [0.0, 0.0]\n- [1.0, 0.0]\n", "follow path"),
        ("", "follow path"),
    ],
)
def test_path_to_follow_is_described_by_its_shape(text: str, words: str) -> None:
    assert str(Work(TaskKind.FOLLOW_PATH, path=PathWish(text))) == words


def test_name_of_a_path_is_found_at_once_in_a_text_of_blank_lines() -> None:
    assert PathWish("waypoints_m:\n- [0, 0]" + "\n" * 60_000 + "- [1, 0]").name == "path"
    assert PathWish("{" + "\n" * 60_000 + "shape: star}").name == "star"


def test_every_kind_has_one_public_name_and_former_names_are_understood() -> None:
    assert KIND_NAMES == ("go_to", "go_home", "transport", "follow_path", "follow_route", "dock")
    assert [kind_named(name) for name in KIND_NAMES] == list(KINDS)
    assert kind_named("follow") is TaskKind.FOLLOW_PATH
    assert kind_named("task_go_to") is None


def test_roles_of_places_match_those_of_stations() -> None:
    roles = {role.value for role in StationRole}
    assert all(facts.role in {"", *roles} for facts in KINDS.values())
    assert all(facts.places or not facts.role for facts in KINDS.values())


def test_waypoints_can_be_written_as_one_text() -> None:
    points_m = ((0.0, 0.0), (0.3, 0.1), (0.1 + 0.2, 0.25))
    wish = PathWish(relative_to="map", waypoints_m=points_m)
    assert path_of_wish(PathWish(wish.written)).lap.length_m == path_of_wish(wish).lap.length_m
    assert PathWish("circle").written == "circle"
