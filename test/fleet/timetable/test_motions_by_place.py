import math

import numpy as np
import pytest

from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.motions_by_place import MotionsByPlace
from fleet.timetable.occupancy import Occupancy


def motions(count: int, seed: int) -> list[UniformMotion]:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        start_s, duration_s = random.uniform(0.0, 60.0), random.choice([0.5, 3.0, 25.0])
        heading_rad, speed_mps = random.uniform(-math.pi, math.pi), random.choice([0.0, 0.14])
        vx_mps, vy_mps = speed_mps * math.cos(heading_rad), speed_mps * math.sin(heading_rad)
        during = Interval(start_s, start_s + duration_s)
        found.append(UniformMotion(during, *random.uniform(-4.0, 4.0, 2).tolist(), vx_mps, vy_mps))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_motions_by_place_are_those_whose_rectangles_overlap(seed: int) -> None:
    known = motions(300, seed)
    by_place = MotionsByPlace(known)
    random = np.random.default_rng(seed)
    for _ in range(20):
        (low_x_m, low_y_m), (width_m, height_m) = random.uniform(-5.0, 5.0, 2), random.uniform(0.01, 3.0, 2)
        rectangle = (low_x_m, low_x_m + width_m, low_y_m, low_y_m + height_m)
        found = by_place.within(*rectangle)
        assert len({id(motion) for motion in found}) == len(found)
        assert {id(motion) for motion in found} == {id(motion) for motion in known if motion.is_within(*rectangle)}


def test_departures_past_many_motions_combine_those_past_each_part() -> None:
    known, own = motions(600, 1), motions(20, 2)
    whole = Occupancy(known, 0.2, 0.0)
    parts = [Occupancy(known[first : first + 100], 0.2, 0.0) for first in range(0, 600, 100)]
    for one in own:
        for delay_s in np.linspace(-30.0, 60.0, 91).tolist():
            assert whole.meets([one], delay_s) == any(part.meets([one], delay_s) for part in parts)
