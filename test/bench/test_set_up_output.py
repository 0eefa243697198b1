import math

from bench.instruments.set_up_output import SetUpOutput

LINES = (
    (1.0, "  Python and ROS 2 jazzy packages: 15 s, 3 of 22 large files downloaded\n"),
    (20.0, "Python and ROS 2 jazzy packages     19 s\n"),
    (45.0, "Interface packages                  25 s\n"),
    (46.0, "8 simulated robots; configuration and logs are in /tmp/demo\n"),
    (52.0, "first pose after 5.6 s\n"),
    (90.0, "12 of 12 jobs done and 8 of 8 robots at home within 3 cm and 6°, in 36 s\n"),
)


def read() -> SetUpOutput:
    output = SetUpOutput()
    for instant_s, line in LINES:
        output.take(line, instant_s)
    return output


def test_stages_have_the_durations_that_set_up_prints() -> None:
    assert read().stages == {"Python and ROS 2 jazzy packages": 19.0, "Interface packages": 25.0}


def test_demo_and_first_pose_have_the_instants_of_their_lines() -> None:
    assert (read().demo_start_s, read().first_pose_s) == (46.0, 52.0)


def test_what_was_not_printed_has_no_instant() -> None:
    assert math.isnan(SetUpOutput().demo_start_s)
    assert math.isnan(SetUpOutput().first_pose_s)
