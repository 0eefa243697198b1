"""Robots on circles in ir-sim, each with a lidar of seven rays, in front of four walls."""

import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from bench.instruments.speed import NOT_INSTALLED, STEP_S, arguments, places, print_speed, side_m

try:
    import irsim
    import numpy as np
except ImportError:
    sys.exit(NOT_INSTALLED)

_RADIUS_M, _RANGE_M, _RAYS = 0.08, 0.14, 7
_SPEED_MPS, _TURN_RADPS = 0.033, 0.14


def main() -> None:
    """Measure and print."""
    robots, seconds = arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.yaml"
        path.write_text(_world(robots))
        environment = irsim.make(str(path), display=False, save_ani=False, log_level="ERROR")
    commands = [np.array([[_SPEED_MPS], [_TURN_RADPS]])] * robots
    print_speed(lambda: environment.step(commands), seconds)


def _world(robots: int) -> str:
    side = side_m(robots)
    corners = [(0, 0), (side, 0), (side, side), (0, side), (0, 0)]
    lidar = f"{{name: lidar2d, range_min: 0, range_max: {_RANGE_M}, angle_range: 6.28, number: {_RAYS}}}"
    return "\n".join(
        [
            f"world: {{width: {side}, height: {side}, step_time: {STEP_S}, sample_time: {STEP_S}, offset: [0, 0]}}",
            "robot:",
            *(
                f"  - {{kinematics: {{name: diff}}, shape: {{name: circle, radius: {_RADIUS_M}}}, "
                f"state: [{x}, {y}, 0], vel_max: [1, 3], sensors: [{lidar}]}}"
                for x, y in places(robots)
            ),
            "obstacle:",
            *(
                f"  - {{shape: {{name: linestring, vertices: [{list(one)}, {list(other)}]}}, state: [0, 0, 0]}}"
                for one, other in pairwise(corners)
            ),
        ]
    )


if __name__ == "__main__":
    main()
