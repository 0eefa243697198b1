import json
from typing import Any

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.floor_entries import FloorPicture
from fleet.dashboard.model.pose_frames import HEADER, ROW
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.model.story import Story
from fleet.geometry import Pose2D
from fleet.interface.seen_floor import Material, Patch, SceneFloor

SECOND = 1_000_000_000
IDLE = {
    "busy": "no",
    "state": "idle",
    "link": "connected",
    "localization": "tracked",
    "node": "17",
    "battery_pct": "80",
}
DRIVER = SeenDriver("lab-pc", "/driver", "token", (1, 2))


def entry(story: Story, section: Section, key: str) -> Any:
    return story.state.get(section, key)


def events(story: Story) -> list[str]:
    return [entry(story, Section.EVENTS, key)["text"] for key in story.state.keys(Section.EVENTS)]


def words(story: Story) -> dict[str, str]:
    return {key: entry(story, Section.ROBOTS, key)["word"] for key in story.state.keys(Section.ROBOTS)}


def told(story: Story, now_s: float, robot_id: int = 1, **values: str) -> None:
    story.on_status(robot_id, 0, "idle", {**IDLE, **values}, round(now_s * SECOND))


def test_nothing_is_explained_as_no_driver() -> None:
    empty = entry(Story(5), Section.FLEET, "empty")
    assert empty["reason"] == "no_driver"
    assert "domain 5" in empty["text"]
    assert "thymio-fleet up" in empty["commands"]


def test_driver_without_robots_is_explained() -> None:
    story = Story(0)
    story.on_driver(SeenDriver("lab-pc", "/driver", "token"), 0)
    story.advance(SECOND)
    assert entry(story, Section.FLEET, "empty")["reason"] == "no_robots"


def test_robots_without_poses_are_explained_until_one_arrives() -> None:
    story = Story(0)
    told(story, 0.0)
    story.advance(SECOND)
    assert entry(story, Section.FLEET, "empty")["reason"] == "no_poses"
    story.on_poses({1: Pose2D(1.0, 2.0, 0.5)}, 2 * SECOND)
    story.advance(2 * SECOND)
    assert entry(story, Section.FLEET, "empty") is None


def test_robots_that_appear_are_counted_at_once() -> None:
    story = Story(0)
    story.advance(SECOND)
    told(story, 1.05)
    story.advance(SECOND + SECOND // 20)
    count = entry(story, Section.FLEET, "count")
    assert (count["robots"], count["idle"]) == (1, 1)


def test_robot_whose_statuses_end_turns_silent_and_returns() -> None:
    story = Story(0)
    told(story, 0.0)
    story.advance(4 * SECOND)
    assert words(story) == {"1": "idle"}
    story.advance(6 * SECOND)
    assert words(story) == {"1": "silent"}
    assert entry(story, Section.ROBOTS, "1")["tone"] == "lost"
    told(story, 7.0)
    assert words(story) == {"1": "idle"}


def test_same_status_again_is_a_sign_of_life() -> None:
    story = Story(0)
    told(story, 0.0)
    story.on_same_status(1, 5 * SECOND)
    story.advance(6 * SECOND)
    assert words(story) == {"1": "idle"}


def test_truth_is_known_by_the_node_id_that_the_status_names() -> None:
    story = Story(0)
    story.on_truth(17, Pose2D(9.0, 9.0, 0.0), 0)
    told(story, 0.0)
    story.on_truth(17, Pose2D(1.0, 0.0, 0.0), SECOND)
    story.on_poses({1: Pose2D(1.001, 0.0, 0.0)}, SECOND)
    frame = story.frame(SECOND)
    assert HEADER.unpack_from(frame)[2:6] == (1, 0, 1.0, 1)
    assert [ROW.unpack_from(frame, 24 + 16 * index)[3] for index in (0, 1)] == [10010, 10000]


def test_age_of_a_pose_is_counted_from_its_reception() -> None:
    story = Story(0)
    story.on_poses({1: Pose2D(0.0, 0.0, 0.0)}, SECOND)
    assert ROW.unpack_from(story.frame(3 * SECOND), 24)[6] == 200


def test_lost_robot_stays_until_it_is_dismissed() -> None:
    story = Story(0)
    told(story, 0.0)
    assert not story.is_silent(1, SECOND)
    story.advance(10 * SECOND)
    assert story.is_silent(1, 10 * SECOND)
    story.dismiss(1, 10 * SECOND)
    assert words(story) == {}
    assert list(story.picture) == []


def test_fleet_is_stopped_when_all_drivers_say_so() -> None:
    story = Story(0)
    story.on_driver(DRIVER, 0)
    other = SeenDriver("other", "/driver", "token2", (3,), is_stopped=True)
    story.on_driver(other, 0)
    assert not story.is_stopped
    story.on_driver(SeenDriver("lab-pc", "/driver", "token", (1, 2), is_stopped=True), SECOND)
    assert story.is_stopped
    assert entry(story, Section.FLEET, "is_stopped") is True
    assert HEADER.unpack_from(story.frame(SECOND))[6] == 1


def test_silent_driver_is_an_alarm_until_another_one_takes_its_place() -> None:
    story = Story(0)
    story.on_driver(DRIVER, 0)
    story.advance(6 * SECOND)
    story.advance(7 * SECOND)
    assert "lab-pc" in entry(story, Section.ALARMS, "fleet:driver")["text"]
    story.on_driver(SeenDriver("lab-pc", "/driver", "new", (1, 2)), 8 * SECOND)
    story.advance(9 * SECOND)
    story.advance(12 * SECOND)
    assert entry(story, Section.ALARMS, "fleet:driver")["cleared_s"] == 12.0


def test_driver_that_shuts_down_is_not_an_alarm() -> None:
    story = Story(0)
    story.on_driver(DRIVER, 0)
    story.on_driver_left("token", SECOND)
    story.advance(9 * SECOND)
    story.advance(11 * SECOND)
    assert story.state.keys(Section.ALARMS) == []


def test_driver_that_comes_is_logged_once_with_all_robots_that_it_finds() -> None:
    story = Story(0)
    found: list[tuple[int, ...]] = [(), (), (), (1,), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2, 3), (1, 2, 3), (1, 2, 3)]
    for second, serves in enumerate(found):
        story.on_driver(SeenDriver("lab-pc", "/driver", "token", serves), second * SECOND)
        story.advance(second * SECOND)
    assert events(story) == ["driver on lab-pc serves 2 robots"]


def test_driver_that_leaves_without_robots_is_logged_when_it_leaves() -> None:
    story = Story(0)
    story.on_driver(SeenDriver("lab-pc", "/driver", "token"), 0)
    story.on_driver_left("token", SECOND)
    story.advance(9 * SECOND)
    assert events(story) == ["driver on lab-pc has shut down"]


def test_robots_are_named_by_the_host_of_their_driver() -> None:
    story = Story(0)
    story.on_driver(DRIVER, 0)
    told(story, 0.0)
    assert (entry(story, Section.ROBOTS, "1")["host"], entry(story, Section.ROBOTS, "1")["driver"]) == (
        "lab-pc",
        "/driver",
    )


def test_map_joins_the_configuration_and_the_simulator() -> None:
    story = Story(0)
    story.configure(FloorPicture(arena_m=(0.0, 0.0, 4.0, 2.0), keep_out_m=(((1.0, 1.0), (2.0, 1.0), (1.0, 2.0)),)))
    story.on_floor(SceneFloor((((0.0, 0.0), (4.0, 0.0)),), (Patch(Material.CHARGER, ((1.0, 1.0),) * 3, 0.8, "dock"),)))
    assert entry(story, Section.MAP, "walls") == [[0.0, 0.0, 4.0, 0.0]]
    assert [patch["material"] for patch in entry(story, Section.MAP, "patches")] == ["charger", "keep_out"]
    assert entry(story, Section.MAP, "arena") == [0.0, 0.0, 4.0, 2.0]
    assert entry(story, Section.MAP, "bounds") == [-0.1, -0.1, 4.1, 2.1]


def test_map_without_walls_has_room_for_all_robots_and_does_not_tremble() -> None:
    story = Story(0)
    story.on_poses({1: Pose2D(1.1, 1.1, 0.0)}, 0)
    story.advance(SECOND)
    bounds, version = entry(story, Section.MAP, "bounds"), story.state.version
    story.on_poses({1: Pose2D(1.2, 1.05, 0.0)}, 2 * SECOND)
    story.advance(2 * SECOND)
    assert entry(story, Section.MAP, "bounds") == bounds
    assert story.state.version == version
    assert bounds[0] < 1.1 < bounds[2]


def test_everything_is_json() -> None:
    story = Story(0)
    story.on_driver(DRIVER, 0)
    told(story, 0.0, battery_pct="nan", progress="inf", waiting_for="2 x", home="1,2,90", cross_track_mm="-inf")
    story.on_poses({1: Pose2D(1.0, 2.0, 0.0)}, 0)
    story.advance(SECOND)
    assert json.loads(story.state.update_since(0, 1.0))["robots"]["1"]["battery_pct"] is None


def test_history_has_a_frame_every_half_second() -> None:
    story = Story(0)
    story.on_poses({1: Pose2D(1.0, 2.0, 0.0)}, 0)
    for step in range(60):
        story.advance(step * SECOND // 20)
    frames = list(story.history.between(0.0, 10.0, 0.5))
    assert [len(frame) for frame in frames] == 6 * [24 + 16]
    assert len(list(story.history.between(0.9, 2.1, 0.5))) == 3
    assert len(list(story.history.between(0.0, 10.0, 1.0))) == 3


def test_numbers_of_a_robot_are_kept_with_gaps() -> None:
    story = Story(0)
    told(story, 1.0, cross_track_mm="1.5", pose_age_s="0.05")
    told(story, 2.0, cross_track_mm="")
    assert story.series.between(1, 0.0, 1e6) == {
        "robot": 1,
        "time_s": [1.0, 2.0],
        "cross_track_mm": [1.5, None],
        "battery_pct": [80.0, 80.0],
        "pose_age_ms": [50.0, None],
    }
    assert (story.series.between(1, 1.5, 1e6) or {})["time_s"] == [2.0]
    assert story.series.between(9, 0.0, 1e6) is None
