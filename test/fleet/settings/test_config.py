from pathlib import Path

import pytest

from aseba_link.thymio.events import NO_REPORTS
from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig, config_schema, load_config
from fleet.settings.motion_capture import Axis, FloorAxes
from fleet.settings.traffic_config import IdleRobots
from harness.fleets import ONE_ROBOT, problems_of, read

ROOT = Path(__file__).parents[3]


def test_the_shipped_configuration_is_valid_and_serves_eight_robots() -> None:
    config = load_config(ROOT / "config" / "fleet.yaml")
    assert [robot.id for robot in config.robots] == list(range(1, 9))


def test_the_shipped_configuration_shows_the_defaults(tmp_path: Path) -> None:
    shipped, bare = load_config(ROOT / "config" / "fleet.yaml"), read(tmp_path)
    for part in (
        "frame",
        "rates",
        "link",
        "body",
        "motion",
        "tracker",
        "tasks",
        "localization",
        "motion_capture",
        "battery",
    ):
        assert getattr(shipped, part) == getattr(bare, part)


def test_robot_starts_at_home_by_default(tmp_path: Path) -> None:
    text = "robots:\n- {id: 1, node_id: 1, home: {x_m: 1, y_m: 2}, initial_pose: {x_m: 3, y_m: 4, heading_rad: 1}}\n"
    robot = read(tmp_path, text).robots[0]
    assert (robot.home, robot.initial_pose) == (Pose2D(1, 2, 0), Pose2D(3, 4, 1))


def test_a_uuid_is_read_with_and_without_dashes(tmp_path: Path) -> None:
    text = "robots:\n- {id: 1, uuid: 00112233-4455-6677-8899-AABBCCDDEEFF, home: {x_m: 1, y_m: 2}}\n"
    assert read(tmp_path, text).robots[0].uuid == "00112233445566778899aabbccddeeff"


def test_six_mistakes_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    text = """rates: {pose_hz: 0}
motion: {sped_mps: 0.1}
link: {targets: ['carrier-pigeon']}
robots:
- {id: -1, node_id: 1, home: {x_m: 0, y_m: 0}}
- {id: 2, node_id: 2, home: {x_m: 1}}
- {id: 3, node_id: 3, home: {x_m: 2, y_m: 0}}
- {id: 3, node_id: 4, home: {x_m: 3, y_m: 0}}
"""
    assert problems_of(tmp_path, text) == [
        "1: rates.pose_hz: 0 is less than or equal to the minimum of 0",
        "2: motion.sped_mps: unknown key, did you mean 'speed_mps'?",
        "3: link.targets[0]: target 'carrier-pigeon': it does not start with 'tcp:' or 'ser:'",
        "5: robots[0].id: -1 is less than the minimum of 1",
        "6: robots[1].home: key 'y_m' is missing",
        "8: robots[3].id: 3 is taken by robots[2]",
    ]


def test_mistakes_beside_others_are_reported_together(tmp_path: Path) -> None:
    text = """rates: {pose_hz: 30, odometry_hz: often}
motion: {sped_mps: 0.1}
link:
  lost_grace_s: -1
  targets: ['tcp:host=lab;port=99999', 'tcp:host=lab;port=x', '']
robots:
- {id: 1, node_id: 1, home: {x_m: 0, y_m: 0}, pose_topic: '/mo cap/pose'}
- {id: 1, node_id: 1, home: {x_m: .inf, y_m: 0}}
- {id: 3, node_id: 4, home: {x_m: 0.05, y_m: 0}, target: 5}
"""
    assert problems_of(tmp_path, text) == [
        "1: rates.odometry_hz: 'often' is not of type 'number'",
        "1: rates.pose_hz: 30 is above rates.control_hz, 20",
        "2: motion.sped_mps: unknown key, did you mean 'speed_mps'?",
        "4: link.lost_grace_s: -1 is less than the minimum of 0",
        "5: link.targets[2]: '' should be non-empty",
        "5: link.targets[0]: target 'tcp:host=lab;port=99999': port 99999 is not in 1 to 65535",
        "5: link.targets[1]: target 'tcp:host=lab;port=x': port 'x' is not a number",
        "7: robots[0].pose_topic: '/mo cap/pose' does not fit: it has ' '; topic names may contain only letters "
        "a to z, digits, _ and /",
        "8: robots[1].home.x_m: inf is not a finite number",
        "8: robots[1].id: 1 is taken by robots[0]",
        "8: robots[1].node_id: 1 is taken by robots[0]",
        "9: robots[2].target: 5 is not of type 'string': write it in quotes",
        "9: robots[2].home: only 0.050 m from the home of robots[0]; robots need 0.165 m",
    ]


def test_misspelt_node_id_is_one_mistake(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "robots:\n- {id: 1, nod_id: 1, home: {x_m: 0, y_m: 0}}\n") == [
        "2: robots[0].nod_id: unknown key, did you mean 'node_id'?"
    ]


@pytest.mark.parametrize("topic", ["/mocap/thymio_1/pose", "pose", "~/pose", "a/b2/_c"])
def test_names_of_topics_are_accepted(tmp_path: Path, topic: str) -> None:
    text = f"robots:\n- {{id: 1, node_id: 1, home: {{x_m: 0, y_m: 0}}, pose_topic: {topic}}}\n"
    assert read(tmp_path, text).robots[0].pose_topic == topic


NAMED = """frame: map
link: {targets: ['tcp:host=lab;port=33333']}
hosts: {name: lab}
motion_capture: {frame: map}
stations:
- {name: press, role: load, pose: {x_m: 2, y_m: 2}}
robots:
- {id: 1, node_id: 1, home: {x_m: 0, y_m: 0}, pose_topic: /mocap/r1}
- {id: 2, node_id: 2, home: {x_m: 1, y_m: 0}, pose_topic: /mocap/r2}
"""


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        (
            "frame: map\nlink",
            "frame: /map\nlink",
            "1: frame: '/map' does not fit: it has a leading slash, which tf2 refuses; write map",
        ),
        ("frame: map\nlink", "frame: robot_2/odom\nlink", "1: frame: 'robot_2/odom' is a frame of a robot; name that"),
        ("node_id: 2", "node_id: 0", "9: robots[1].node_id: 0 is less than the minimum of 1"),
        (
            "tcp:host=lab;port=33333",
            "tcp://localhost:33333",
            "2: link.targets[0]: target 'tcp://localhost:33333': write tcp:host=localhost;port=33333",
        ),
        (
            "host=lab",
            "host=local host",
            "2: link.targets[0]: target 'tcp:host=local host;port=33333': host 'local host' has ' '; host names "
            "may contain only letters, digits, - and dots",
        ),
        ("name: lab", 'name: "lab\\n"', "3: hosts.name: 'lab\\n' does not fit: it has '\\n', which cannot be printed"),
        (
            "{frame: map}",
            '{frame: " map"}',
            "4: motion_capture.frame: ' map' does not fit: it begins or ends with a blank",
        ),
        ("name: press", 'name: "press "', "6: stations[0].name: 'press ' does not fit: it begins or ends with a blank"),
        (
            "name: press",
            'name: "pre\u0301s"',
            "6: stations[0].name: 'pre\u0301s' does not fit: it has a decomposed letter",
        ),
        ("/mocap/r2", "mocap/r1", "9: robots[1].pose_topic: 'mocap/r1' is taken by robots[0]"),
        (
            "/mocap/r2",
            "~/x y",
            "9: robots[1].pose_topic: '~/x y' does not fit: it has ' '; topic names may contain only letters",
        ),
        ("/mocap/r2", '"/mocap/r2\\n"', "9: robots[1].pose_topic: '/mocap/r2\\n' does not fit: it has '\\n'"),
        (
            "/mocap/r2",
            "/factory/robot_1/pose",
            "9: robots[1].pose_topic: '/factory/robot_1/pose' is published by the driver itself",
        ),
    ],
)
def test_name_that_later_doors_refuse_is_a_mistake(tmp_path: Path, good: str, bad: str, problem: str) -> None:
    (found,) = problems_of(tmp_path, NAMED.replace(good, bad))
    assert found.startswith(problem)


def test_frame_of_motion_capture_may_have_a_leading_slash(tmp_path: Path) -> None:
    config = read(tmp_path, NAMED.replace("{frame: map}", "{frame: /world}"))
    assert config.motion_capture.frame == "/world"


@pytest.mark.parametrize("topic", ["", "/", "a b", "/a//b", "/a/", "/1a", "/a-b"])
def test_invalid_name_of_a_topic_is_refused(tmp_path: Path, topic: str) -> None:
    text = f"robots:\n- {{id: 1, node_id: 1, home: {{x_m: 0, y_m: 0}}, pose_topic: '{topic}'}}\n"
    assert problems_of(tmp_path, text)[0].startswith(f"2: robots[0].pose_topic: {topic!r} does not fit")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rates: {control_hz: 10, pose_hz: 20}" + ONE_ROBOT, "1: rates.pose_hz: 20 is above rates.control_hz, 10"),
        (
            "localization: {lost_s: 0.2}" + ONE_ROBOT,
            "1: localization.lost_s: 0.2 is below degraded_s, 0.5",
        ),
        ("rates: {odometry_hz: 3}" + ONE_ROBOT, "1: link.stale_s: 0.5 is less than two odometry periods"),
        ("motion: {backward: 1}" + ONE_ROBOT, "1: motion.backward: 1 is not of type 'boolean'"),
        ("motion: {jerk_mps3: 0}" + ONE_ROBOT, "1: motion.jerk_mps3: 0 is less than the minimum of 0.05"),
        ("motion: {wheel_mps: 9}" + ONE_ROBOT, "1: motion.wheel_mps: 9 is greater than the maximum of 0.2"),
        ("battery: {critical_v: 3.9}" + ONE_ROBOT, "1: battery.critical_v: 3.9 is above low_v, 3.6"),
        (
            "arena: {x_min_m: 1, y_min_m: 0, x_max_m: 0, y_max_m: 1}" + ONE_ROBOT,
            "1: arena: the maximum is not above the minimum",
        ),
        (
            "arena: {x_min_m: 1, y_min_m: 1, x_max_m: 2, y_max_m: 2}" + ONE_ROBOT,
            "3: robots[0].home: (0, 0) is not inside the arena, 0.08 m from its edges",
        ),
        (
            "floor: {walls: [{x1_m: 0.05, y1_m: -1, x2_m: 0.05, y2_m: 1}]}" + ONE_ROBOT,
            "3: robots[0].home: (0, 0) is 0.050 m from a wall or area of `floor`; a body needs 0.08 m",
        ),
        (
            "floor: {keep_out: [[{x_m: -1, y_m: -1}, {x_m: 1, y_m: -1}, {x_m: 0, y_m: 1}]]}" + ONE_ROBOT,
            "3: robots[0].home: (0, 0) is 0.000 m from a wall or area of `floor`; a body needs 0.08 m",
        ),
        ("robots:\n- {id: 1, home: {x_m: 0, y_m: 0}}", "2: robots[0]: robot 1 needs either node_id or uuid"),
        (
            "robots:\n- {id: 1, node_id: 1, target: 'tcp:nowhere', home: {x_m: 0, y_m: 0}}",
            "2: robots[0].target: 'tcp:nowhere' is not one of link.targets",
        ),
        (ONE_ROBOT + "- {id: 1, node_id: 2, home: {x_m: 1, y_m: 1}}", "4: robots[1].id: 1 is taken by robots[0]"),
        (ONE_ROBOT + "- {id: 2, node_id: 1, home: {x_m: 1, y_m: 1}}", "4: robots[1].node_id: 1 is taken by robots[0]"),
        (
            ONE_ROBOT + "- {id: 2, node_id: 2, home: {x_m: 0.1, y_m: 0}}",
            "4: robots[1].home: only 0.100 m from the home of robots[0]; robots need 0.165 m",
        ),
        ("robots: []", "1: robots: [] should be non-empty"),
    ],
)
def test_contradiction_is_reported_with_its_line(text: str, problem: str, tmp_path: Path) -> None:
    assert problems_of(tmp_path, text) == [problem]


@pytest.mark.parametrize(("traffic", "distance_m"), [("{}", 0.166), ("{enabled: false}", 0.13)])
def test_homes_may_be_as_near_as_traffic_lets_robots_come(tmp_path: Path, traffic: str, distance_m: float) -> None:
    text = f"traffic: {traffic}\n{ONE_ROBOT}- {{id: 2, node_id: 2, home: {{x_m: {distance_m}, y_m: 0}}}}"
    assert len(read(tmp_path, text).robots) == 2


@pytest.mark.parametrize(
    ("traffic", "distance_m", "needed"),
    [
        ("{}", 0.164, "0.165"),
        ("{enabled: false}", 0.11, "0.12"),
        ("{radius_m: 0.15}", 0.3, "0.305"),
        ("{radius_m: 0}", 0.11, "0.12"),
    ],
)
def test_homes_that_are_nearer_than_traffic_lets_robots_come_are_a_mistake(
    tmp_path: Path, traffic: str, distance_m: float, needed: str
) -> None:
    text = f"traffic: {traffic}\n{ONE_ROBOT}- {{id: 2, node_id: 2, home: {{x_m: {distance_m}, y_m: 0}}}}"
    assert problems_of(tmp_path, text)[-1] == (
        f"5: robots[1].home: only {distance_m:.3f} m from the home of robots[0]; robots need {needed} m"
    )


def test_idle_robots_stay_or_give_way(tmp_path: Path) -> None:
    assert read(tmp_path).traffic.idle is IdleRobots.STAY
    assert read(tmp_path, f"traffic: {{idle: give_way}}\n{ONE_ROBOT}").traffic.idle is IdleRobots.GIVE_WAY


def test_unknown_conduct_of_idle_robots_is_a_mistake(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, f"traffic: {{idle: leave}}\n{ONE_ROBOT}")
    assert problems == ["1: traffic.idle: 'leave' is unknown; known: give_way, stay"]


def test_priority_of_a_robot_is_a_digit(tmp_path: Path) -> None:
    robot = "robots: [{{id: 1, node_id: 1, home: {{x_m: 0, y_m: 0}}{}}}]"
    assert read(tmp_path, robot.format("")).robots[0].priority == 5
    assert read(tmp_path, robot.format(", priority: 9")).robots[0].priority == 9
    assert problems_of(tmp_path, robot.format(", priority: 10")) == [
        "1: robots[0].priority: 10 is greater than the maximum of 9"
    ]


def test_same_node_id_on_two_targets_means_two_robots(tmp_path: Path) -> None:
    text = """link: {targets: ['tcp:localhost;34000', 'tcp:localhost;34001']}
robots:
- {id: 1, node_id: 1, target: 'tcp:localhost;34000', home: {x_m: 0, y_m: 0}}
- {id: 2, node_id: 1, target: 'tcp:localhost;34001', home: {x_m: 1, y_m: 0}}
"""
    assert len(read(tmp_path, text).robots) == 2


def test_every_key_of_the_schema_is_described() -> None:
    def undescribed(schema: dict, path: str) -> list[str]:
        found = []
        for key, sub in schema.get("properties", {}).items():
            leaf = sub.get("type") not in ("object",)
            if leaf and "description" not in sub:
                found.append(f"{path}.{key}")
            found += undescribed(sub, f"{path}.{key}") + undescribed(sub.get("items", {}), f"{path}.{key}[]")
        return found

    assert undescribed(config_schema(), "") == []


def test_invalid_up_axis_is_named(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "motion_capture: {up: w}" + ONE_ROBOT) == [
        "1: motion_capture.up: 'w' is unknown; known: -x, -y, -z, x, y, z"
    ]


def test_floor_axis_that_points_up_is_named(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "motion_capture: {up: y, x_axis: -y}" + ONE_ROBOT) == [
        "1: motion_capture.x_axis: '-y' is not an axis of the floor where 'y' is up"
    ]


def test_published_motion_capture_setup_takes_one_short_line(tmp_path: Path) -> None:
    capture = read(tmp_path, "motion_capture: {up: y}" + ONE_ROBOT).motion_capture
    assert (capture.frame, capture.unit_m, capture.origin) == ("map", 1.0, Pose2D(0.0, 0.0, 0.0))
    assert capture.axes == FloorAxes(Axis.Y, Axis.X, Axis.MINUS_Z)


def test_marker_is_above_the_middle_of_the_axle_by_default(tmp_path: Path) -> None:
    robots = """robots:
- {id: 1, node_id: 1, home: {x_m: 0, y_m: 0}}
- {id: 2, node_id: 2, home: {x_m: 1, y_m: 0}, marker: {x_m: 0.03}}
"""
    markers = [robot.marker for robot in read(tmp_path, robots).robots]
    assert markers == [Pose2D(0.0, 0.0, 0.0), Pose2D(0.03, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("motion_capture: {unit_m: 0}", "motion_capture.unit_m: 0 is less than the minimum of 1e-06"),
        ("motion_capture: {origin: {x: 1}}", "motion_capture.origin.x: unknown key, did you mean 'x_m'?"),
        ("localization: {position_std_m: 0}", "localization.position_std_m: 0 is less than the minimum of 0.0001"),
        ("localization: {heading_std_rad: 1}", "localization.heading_std_rad: 1 is greater than the maximum of 0.5"),
    ],
)
def test_bad_localization_value_is_named(text: str, problem: str, tmp_path: Path) -> None:
    assert problems_of(tmp_path, text + ONE_ROBOT) == [f"1: {problem}"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("hosts: {listen_s: 0}", "hosts.listen_s"),
        ("hosts: {silent_s: 1}", "hosts.silent_s"),
        ("hosts: {forget_s: -1}", "hosts.forget_s"),
        ("hosts: {name: 7}", "hosts.name"),
        ("tasks: {client_lost_s: -1}", "tasks.client_lost_s"),
    ],
)
def test_bad_value_for_several_hosts_is_reported_with_its_key(tmp_path: Path, text: str, key: str) -> None:
    assert [problem.split(": ")[1] for problem in problems_of(tmp_path, text + ONE_ROBOT)] == [key]


def test_valid_walls_beside_invalid_walls_obstruct_homes(tmp_path: Path) -> None:
    text = """floor:
  walls: [{x1_m: 0, y1_m: 0.05, x2_m: 1, y2_m: 0.05}, {x1_m: 0}, {x1_m: 0, y1_m: x, x2_m: 1, y2_m: 1}]
  keep_out: [[{x_m: 2, y_m: 0}], [{x_m: 2, y_m: 1}, {x_m: 3, y_m: 1}, {x_m: 3}]]
robots:
- {id: 1, node_id: 1, home: {x_m: 0.5, y_m: 0}}
- {id: 2, node_id: 2, home: {x_m: 0.5, y_m: 2}, pose_topic: 3}
"""
    assert [problem.partition(": ")[2].partition(": ")[0] for problem in problems_of(tmp_path, text)] == [
        "floor.walls[1]",
        "floor.walls[1]",
        "floor.walls[1]",
        "floor.walls[2].y1_m",
        "floor.keep_out[0]",
        "floor.keep_out[1][2]",
        "robots[0].home",
        "robots[1].pose_topic",
    ]


def test_robots_report_their_proximity_sensors_where_they_detect_obstacles(tmp_path: Path) -> None:
    assert read(tmp_path).reports.proximity_hz == 0.0
    detects = "traffic: {detects_obstacles: true}"
    assert read(tmp_path, f"{detects}\n{ONE_ROBOT}").reports.proximity_hz == 10.0
    assert read(tmp_path, f"traffic: {{detects_obstacles: true, enabled: false}}\n{ONE_ROBOT}").reports == NO_REPORTS


def test_obstacles_are_not_detected_by_a_bad_value_or_by_sensors_that_report_seldom(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, f"traffic: {{detects_obstacles: 10}}\n{ONE_ROBOT}")
    assert problems == ["1: traffic.detects_obstacles: 10 is not of type 'boolean'"]
    text = f"traffic: {{detects_obstacles: true}}\ndriver: {{rates: {{proximity_hz: 2}}}}\n{ONE_ROBOT}"
    assert problems_of(tmp_path, text) == [
        "2: driver.rates.proximity_hz: 2 is too slow for traffic.detects_obstacles; at least 5"
    ]


@pytest.mark.parametrize(
    ("x_m", "y_m", "margin_m"), [(0.4, 1.0, 0.4), (2.8, 1.0, 0.2), (1.5, 0.3, 0.3), (1.5, 1.9, 0.1), (-0.5, 1.0, -0.5)]
)
def test_margin_is_the_distance_to_the_nearest_edge(x_m: float, y_m: float, margin_m: float) -> None:
    arena = ArenaConfig(x_min_m=0.0, y_min_m=0.0, x_max_m=3.0, y_max_m=2.0)
    assert arena.margin_m(x_m, y_m) == pytest.approx(margin_m)
