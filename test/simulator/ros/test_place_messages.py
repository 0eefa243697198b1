"""Places in requests to the simulator."""

import math

import pytest
from geometry_msgs.msg import Pose, Quaternion

from simulator.ros.place_messages import place_from_ros
from simulator.simulation.refusal import RefusedError


@pytest.mark.parametrize("part", [1e160, 1e308, math.inf, math.nan])
def test_huge_orientation_is_refused(part: float) -> None:
    with pytest.raises(RefusedError, match="is not that of an upright robot"):
        place_from_ros("map", Pose(orientation=Quaternion(x=part, w=1.0)))
