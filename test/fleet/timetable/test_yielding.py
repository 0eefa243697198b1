from fleet.geometry import Pose2D
from fleet.timetable.motion import standing
from fleet.timetable.timetable import YIELDS_S, Timetable, motions_with_yielding


def test_robot_entered_after_yielding_stays_where_it_is_entered() -> None:
    timetable = Timetable()
    timetable.enter(1, [standing(Pose2D(0.4, 0.8, 0.0), 20.0, 30.0)])
    stands = motions_with_yielding(timetable, (), (1,), 2.0)[-1]
    assert (stands.x_m, stands.y_m, stands.end_s) == (0.4, 0.8, 2.0 + YIELDS_S)
