"""Twins: settings that simulated robots were given are recovered, and runs that were kept out are repeated."""

import dataclasses
from typing import Any

import pytest

from experiments.lab.simulated_bringup import SimulatedBringup
from experiments.twin.recorded_run import recorded_run
from experiments.twin.twin_error import TwinFitError
from experiments.twin.twin_fit import TwinFit, twin_of_report, twin_of_run
from experiments.twin.twin_replay import repeat_run
from fleet.bringup.bringup_report import BringupReport, read_report, report_text
from fleet.bringup.stage_result import BringupStage
from harness.recorded_drive import recorded_drive, tour
from simulator.world.config import WorldConfig, build_world

_OTHERS = (BringupStage.PORT, BringupStage.CAPTURE, BringupStage.TASKS)
STAGES = tuple(stage for stage in BringupStage if stage not in _OTHERS)
# gains left and right, wheel distance, time constant, dead band, noise of readings, marker, radio
ROBOTS: tuple[dict[str, Any], ...] = (
    {"left": 1.02, "right": 0.97, "axle_m": 0.0955, "lag_s": 0.12, "dead_band": 13, "noise": 5.0},
    {"left": 0.93, "right": 0.95, "axle_m": 0.092, "lag_s": 0.05, "noise": 3.0, "marker_m": 0.005, "radio": True},
    {"left": 1.04, "right": 1.05, "lag_s": 0.2, "dead_band": 22, "noise": 8.0, "late_s": 0.05},
)


def world_of(robot: dict[str, Any], seed: int = 1, **motors: float) -> WorldConfig:
    return build_world(
        {
            "arena": {"width_m": 40.0, "height_m": 40.0},
            "seed": seed,
            "robots": [
                {
                    "node_id": 1,
                    "x_m": 20.0,
                    "y_m": 20.0,
                    "left_wheel_gain": robot.get("left", 1.0),
                    "right_wheel_gain": robot.get("right", 1.0),
                    "axle_m": robot.get("axle_m", 0.094),
                    "charge": 0.6,
                }
            ],
            "radio": {"enabled": robot.get("radio", False), "latency_s": 0.02, "jitter_s": 0.012},
            "motors": {
                "time_constant_s": robot.get("lag_s", 0.1),
                "dead_band_raw": robot.get("dead_band", 0),
                "reading_noise_raw": robot.get("noise", 0.0),
                **motors,
            },
            "motion_capture": {"marker_x_m": robot.get("marker_m", 0.0), "latency_s": robot.get("late_s", 0.0)},
        }
    )


def report_of(world: WorldConfig) -> BringupReport:
    simulated = SimulatedBringup(world)
    results = tuple(simulated.bring_up(STAGES))
    report = BringupReport("it", "2026-11-28", simulated.bench.versions, results)
    return read_report("it", report_text(report))


def found(twin: TwinFit) -> dict[str, Any]:
    return {".".join(estimate.key): estimate.value for estimate in twin.estimates}


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_report_yields_the_robot_and_its_twin_repeats_the_held_out_run(robot: dict[str, Any]) -> None:
    twin = twin_of_report("it", report_of(world_of(robot)))
    values = found(twin)
    assert values["robot.left_wheel_gain"] == pytest.approx(robot["left"], rel=0.01)
    assert values["robot.right_wheel_gain"] == pytest.approx(robot["right"], rel=0.01)
    assert values["robot.axle_m"] == pytest.approx(robot.get("axle_m", 0.094), abs=0.001)
    assert values["motors.time_constant_s"] == pytest.approx(robot["lag_s"], abs=0.01)
    assert values["motors.dead_band_raw"] == pytest.approx(robot.get("dead_band", 0), abs=2)
    assert values["motors.reading_noise_raw"] == pytest.approx(robot["noise"], rel=0.2)
    assert values["motion_capture.position_noise_m"] == pytest.approx(0.001, rel=0.2)
    assert values["motion_capture.heading_noise_rad"] == pytest.approx(0.005, rel=0.2)
    assert values["motion_capture.latency_s"] == pytest.approx(robot.get("late_s", 0.0), abs=0.01)
    assert values["robot.charge"] == pytest.approx(0.6, abs=0.1)
    assert ("radio.latency_s" in values) is robot.get("radio", False)
    assert twin.kept_out is not None
    repeated = repeat_run(twin.world(), twin.kept_out, twin.motion.model.delay_s, twin.motion.model.marker_x_m)
    assert repeated.distance_m == pytest.approx(2.0, abs=0.15)
    assert repeated.end_m < 0.01


@pytest.mark.parametrize("speed_noise", [0.01, 0.05])
def test_a_long_run_gives_back_the_noise_of_the_wheels(speed_noise: float) -> None:
    robot = {"left": 1.03, "right": 0.96, "axle_m": 0.097}
    commands, duration_s = tour(7)
    twin = twin_of_run("drive", recorded_drive(world_of(robot, speed_noise=speed_noise), commands, duration_s))
    values = found(twin)
    assert values["motors.speed_noise"] == pytest.approx(speed_noise, rel=0.2)
    assert values["robot.left_wheel_gain"] == pytest.approx(1.03, rel=0.01)
    assert values["robot.axle_m"] == pytest.approx(0.097, abs=0.001)
    assert values["motors.time_constant_s"] == pytest.approx(0.1, abs=0.01)


def test_a_twin_of_a_twin_is_the_same_robot() -> None:
    commands, duration_s = tour(2)
    first = twin_of_run("drive", recorded_drive(world_of(ROBOTS[0]), commands, duration_s))
    second = twin_of_run("drive", recorded_drive(build_world(first.world()), commands, duration_s))
    one, other = first.motion.model, second.motion.model
    assert dataclasses.astuple(other)[:3] == pytest.approx(dataclasses.astuple(one)[:3], rel=0.003)


def test_a_run_without_turns_does_not_determine_a_robot() -> None:
    commands = [(0.0, 0, 0), (1.0, 200, 200), (6.0, 0, 0)]
    with pytest.raises(TwinFitError, match="turns"):
        twin_of_run("drive", recorded_drive(world_of({}), commands, 8.0))


def test_poses_in_other_units_are_refused() -> None:
    commands, duration_s = tour(1)
    run = recorded_drive(world_of({}), commands, duration_s)
    with pytest.raises(TwinFitError, match="do not fit each other"):
        twin_of_run("drive", recorded_run("drive", run.commands.tolist(), (run.poses * [1, 20, 20, 1]).tolist()))


def test_a_report_without_poses_is_refused() -> None:
    with pytest.raises(TwinFitError, match="odometry"):
        twin_of_report("it", BringupReport("it", "2026-11-28"))
