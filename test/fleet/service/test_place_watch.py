"""Who stands at stations, and who is on the way there."""

from pathlib import Path

from fleet.geometry import Pose2D
from fleet.service.place_watch import place_reports
from harness.shared_floor import SharedFloor

STATIONS = """
stations:
- {name: press, pose: {x_m: 0.5, y_m: 0.5}, role: load}
- {name: packing, pose: {x_m: 1.5, y_m: 0.5}, role: unload}
"""


def who(floor: SharedFloor) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the robots at each station, and those on their way there."""
    reports = place_reports(floor.lab.service, floor.lab.now_ns)
    return {report.station.name: (report.robot_ids, report.coming_ids) for report in reports}


def test_robots_are_at_a_station_or_on_their_way(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.52, 0.5, 0.0), Pose2D(0.5, 1.5, 0.0)], 2.0, settings=STATIONS)
    floor.run(0.1)
    assert who(floor) == {"press": ((1,), ()), "packing": ((), ())}
    floor.send({2: Pose2D(1.5, 0.5, 0.0)})
    floor.run(1.0)
    assert who(floor) == {"press": ((1,), ()), "packing": ((), (2,))}
    floor.run_until_ended(1)
    assert who(floor) == {"press": ((1,), ()), "packing": ((2,), ())}
