"""The stage `capture`: poses of motion capture at rest, on 5 cm straight ahead, and on half a turn to the left."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aseba_link.thymio.events import AXLE_LENGTH_M, MOTOR_PERIOD_S, SPEED_UNIT_MPS
from fleet.bringup.bringup_record import WheelSample
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import FLOOR, Question, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged
from fleet.calibration.pose_run import mean_pose
from fleet.geometry import Pose2D, wrap_angle

Poses = Sequence[tuple[int, Pose2D]]

COUNT_M = SPEED_UNIT_MPS * MOTOR_PERIOD_S
_REST_S = 3.0
_SPEED_RAW = 100
_STRAIGHT_M = 0.05
_TURN_RAD = math.pi
_SETTLE_S = 1.5
_FEWEST = 5
_USELESS_MM = 15.0  # noise with which nothing else can be measured
_JUMP_MM, _OUTLIER = 50.0, 12.0


@dataclass(frozen=True, slots=True)
class CapturedMove:
    """One move: the wheels' counts, and the poses from shortly before its start to after its end."""

    wheels: Sequence[WheelSample]
    poses: Poses

    @property
    def counted_m(self) -> tuple[float, float]:
        """Distances that the left and the right wheel rolled, by their counts."""
        if not self.wheels:
            return 0.0, 0.0
        first, last = self.wheels[0], self.wheels[-1]
        return (last.left - first.left) * COUNT_M, (last.right - first.right) * COUNT_M

    @property
    def ends(self) -> tuple[Pose2D, Pose2D]:
        """Mean of the first five poses, and of the last five; there must be at least one pose."""
        return mean_pose([pose for _, pose in self.poses[:5]]), mean_pose([pose for _, pose in self.poses[-5:]])


def judge_rest(poses: Poses, duration_s: float) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of the poses of a robot at rest."""
    rate_hz = len(poses) / duration_s
    if len(poses) < _FEWEST:
        return [Measure("poses", rate_hz, "Hz", 5.0, math.inf)], [Symptom(Cause.NO_POSES, f"{len(poses)} poses came")]
    places = np.array([(pose.x_m, pose.y_m) for _, pose in poses])
    away_mm = 1e3 * np.hypot(*(places - np.median(places, axis=0)).T)
    median_mm, largest_mm = float(np.median(away_mm)), float(away_mm.max())
    most_mm = max(_JUMP_MM, _OUTLIER * median_mm)
    return judged(
        [
            (Measure("poses", rate_hz, "Hz", 5.0, math.inf), Cause.POSE_RATE, True),
            (Measure("median deviation at rest", median_mm, "mm", 0.0, 5.0), Cause.POSE_NOISE, median_mm > _USELESS_MM),
            (Measure("largest deviation at rest", largest_mm, "mm", 0.0, most_mm), Cause.POSE_JUMPS, True),
            (_silence([at_ns for at_ns, _ in poses], "at rest"), Cause.POSE_GAPS, False),
        ]
    )


def _silence(instants_ns: Sequence[int], when: str) -> Measure:
    longest_s = max((1e-9 * (after - before) for before, after in pairwise(instants_ns)), default=math.inf)
    return Measure(f"longest time without a new pose {when}", longest_s, "s", 0.0, 0.6)


def judge_moves(straight: CapturedMove, turn: CapturedMove) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of frame, units, axes, delay and marker, by a straight move and a left turn."""
    if len(straight.poses) < _FEWEST or len(turn.poses) < _FEWEST:
        return [], [Symptom(Cause.NO_POSES, "poses ended while the robot moved")]
    start, end = straight.ends
    counted_m = 0.5 * sum(straight.counted_m)
    moved_m = start.distance_to(end)
    if moved_m < 0.3 * counted_m and abs(_turned_rad(turn)) < 0.3:
        return [], [
            Symptom(Cause.OTHER_BODY, f"the wheels rolled {1e3 * counted_m:.0f} mm, the pose {1e3 * moved_m:.0f}")
        ]
    direction_rad = math.atan2(end.y_m - start.y_m, end.x_m - start.x_m)
    heading_rad = start.heading_rad
    aside_rad = wrap_angle(direction_rad - heading_rad)
    turned = _turned_rad(turn) * AXLE_LENGTH_M / (turn.counted_m[1] - turn.counted_m[0])
    ratio = moved_m / counted_m
    measures, symptoms = judged(
        [
            (Measure("length, relative", ratio, "", 0.8, 1.25), Cause.POSE_UNITS, True),
            (
                Measure("turn to the left, relative", turned, "", 0.5, 1.5),
                Cause.POSE_MIRRORED if turned < -0.2 else Cause.POSE_AXES,
                True,
            ),
            (Measure("heading against motion", math.degrees(aside_rad), "degrees", -15.0, 15.0), Cause.POSE_AXES, True),
        ]
    )
    if not symptoms:
        further = [
            (Measure("delay", delay_s(straight), "s", -0.2, 0.3), Cause.POSE_LATE, True),
            (max(_new_poses(straight), _new_poses(turn), key=lambda one: one.value), Cause.POSE_GAPS, False),
            (Measure("marker to axle", 1e3 * _circle_radius_m(turn), "mm", 0.0, 8.0), Cause.MARKER_OFFSET, False),
        ]
        more, symptoms = judged(further)
        measures += more
    return measures, symptoms


def _new_poses(move: CapturedMove) -> Measure:
    """Return the longest time without a new pose while the wheels turned; a frozen capture repeats its last one."""
    turning_ns = [
        after.stamp_ns
        for before, after in pairwise(move.wheels)
        if abs(after.right - before.right) > 0.5 * _SPEED_RAW * (after.ticks - before.ticks)
    ]
    new_ns = [at_ns for (_, before), (at_ns, pose) in pairwise(move.poses) if pose != before]
    ends_ns = turning_ns[:1] + turning_ns[-1:]
    within_ns = [at_ns for at_ns in new_ns if ends_ns and ends_ns[0] < at_ns < ends_ns[-1]]
    return _silence(sorted([*ends_ns, *within_ns]), "in motion")


def delay_s(move: CapturedMove) -> float:
    """Return by how much the poses show the start of a straight move later than the wheels' counts [s]."""
    counts_s = [
        (
            1e-9 * sample.stamp_ns,
            0.5 * (sample.left + sample.right - move.wheels[0].left - move.wheels[0].right) * COUNT_M,
        )
        for sample in move.wheels
    ]
    start = move.ends[0]
    poses_s = [(1e-9 * stamp_ns, pose.distance_to(start)) for stamp_ns, pose in move.poses]
    total_m = max(distance_m for _, distance_m in counts_s)
    lags = []
    for share in (0.4, 0.5, 0.6):
        passed = [_passing_s(row, share * total_m) for row in (counts_s, poses_s)]
        lags.append(passed[1] - passed[0])
    return float(np.median(lags))


def capture_stage(bench: RobotBench) -> Steps[StageResult]:
    """Observe the robot at rest, then let it drive 5 cm and turn half round on the spot."""
    stage = BringupStage.CAPTURE
    if not bench.options.has_poses:
        return StageResult(stage, notes=("there is no pose topic",), is_skipped=True)
    bench.record.clear()
    start_ns = bench.now_ns
    yield from bench.wait(_REST_S)
    rest = list(bench.record.poses)
    measures, symptoms = judge_rest(rest, (bench.now_ns - start_ns) * 1e-9)
    series = {"rest [s, x, y, heading]": pose_rows(rest)}
    if any(symptom.is_fatal and symptom.cause is not Cause.POSE_NOISE for symptom in symptoms):
        return StageResult(stage, tuple(measures), tuple(symptoms), series)
    text = "Stand the robot on its floor: it will drive 5 cm ahead and turn half round. Go on?"
    if not (yield Question(text, is_permission=True)):
        return StageResult(stage, tuple(measures), tuple(symptoms), series, ("not allowed to move",), is_skipped=True)
    yield from bench.guard(FLOOR)
    straight = yield from rolled(bench, _SPEED_RAW, _SPEED_RAW, _STRAIGHT_M)
    turn = yield from rolled(bench, -_SPEED_RAW, _SPEED_RAW, 0.5 * AXLE_LENGTH_M * _TURN_RAD)
    more, others = judge_moves(straight, turn)
    if symptoms:  # poses so noisy, or in other units
        others = [one for one in others if one.cause is Cause.POSE_UNITS and more[0].value > 2.0]
        symptoms = [] if others else symptoms
    if bench.record.guards:
        others = [Symptom(Cause.EDGE, f"ground sensors read {bench.record.guards[0][1:]}")]
    series |= {
        "straight [s, x, y, heading]": pose_rows(straight.poses),
        "turn [s, x, y, heading]": pose_rows(turn.poses),
    }
    return StageResult(stage, tuple(measures + more), tuple(symptoms + others), series)


def rolled(bench: RobotBench, left_raw: int, right_raw: int, distance_m: float) -> Steps[CapturedMove]:
    """Drive until the faster wheel has counted a distance, then wait until both wheels rest."""
    record = bench.record
    yield from bench.wait(0.3)
    if not record.wheels:
        yield from bench.wait(_SETTLE_S)
    start = record.wheels[-1] if record.wheels else WheelSample(bench.now_ns, 0, 0, 0)
    first, first_pose = max(len(record.wheels) - 1, 0), max(len(record.poses) - 5, 0)
    counts = distance_m / COUNT_M

    def is_there() -> bool:
        last = record.wheels[-1] if record.wheels else start
        return bool(record.guards) or max(abs(last.left - start.left), abs(last.right - start.right)) >= counts

    limit_s = 2.0 + 2.0 * counts / (100.0 * max(abs(left_raw), abs(right_raw)))
    yield from bench.drive(left_raw, right_raw, limit_s, is_there)
    yield from bench.wait(_SETTLE_S)
    return CapturedMove(record.wheels[first:], record.poses[first_pose:])


def pose_rows(poses: Poses) -> list[list[float]]:
    """Return poses as rows of seconds since the first one, x, y and heading."""
    return [
        [round((stamp_ns - poses[0][0]) * 1e-9, 4), round(pose.x_m, 5), round(pose.y_m, 5), round(pose.heading_rad, 5)]
        for stamp_ns, pose in poses
    ]


def _turned_rad(move: CapturedMove) -> float:
    """Return the change of the heading over all poses [rad]."""
    headings = np.unwrap([pose.heading_rad for _, pose in move.poses])
    return float(np.mean(headings[-3:]) - np.mean(headings[:3]))


def _circle_radius_m(move: CapturedMove) -> float:
    """Return the radius of a turning marker's circle: the length of o in a linear fit of c + R(heading) o."""
    headings = np.array([pose.heading_rad for _, pose in move.poses])
    places = np.array([(pose.x_m, pose.y_m) for _, pose in move.poses])
    cosine, sine, one, none = np.cos(headings), np.sin(headings), np.ones(len(headings)), np.zeros(len(headings))
    rows = np.vstack([np.column_stack([one, none, cosine, -sine]), np.column_stack([none, one, sine, cosine])])
    solution = np.linalg.lstsq(rows, places.T.ravel(), rcond=None)[0]
    return float(np.hypot(solution[2], solution[3]))


def _passing_s(rows: Sequence[tuple[float, float]], distance_m: float) -> float:
    """Return the time at which a distance was first passed."""
    return next((time_s for time_s, moved_m in rows if moved_m >= distance_m), math.inf)
