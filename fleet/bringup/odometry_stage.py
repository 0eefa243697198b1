"""The stage `odometry`: the robot's true motion on straights and turns, by poses or a person's ruler.

With poses, an eight with circles of 94 mm radius follows, 1 m each: it validates a twin that is not fitted to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aseba_link.thymio.events import AXLE_LENGTH_M
from aseba_link.thymio.hand_request import HandAction
from fleet.bringup.bringup_record import BringupRecord
from fleet.bringup.capture_stage import CapturedMove, rolled
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import FLOOR, Question, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, Rows, StageResult, Symptom, judged
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

TABLE_M, FLOOR_M = 0.15, 0.5  # straights on a table, and after the word "floor"
_SPEED_RAW = 100
_PAIRS = 2  # straights there and back
_NUMBERS = 2
_SLOW_BACK = 0.95  # of the way there: back only over ground just driven
_SLOW_RAW, _FAST_RAW, _HALF_M = 70, 210, 1.0  # an eight: its circles have a radius of 94 mm
_EIGHT_TEXT = ", and an eight 40 cm wide"
_RULER = "There is no motion capture, so you measure with a ruler how far the robot goes: is one at hand? [y/N]"
_NO_RULER = "neither poses nor a ruler: use --resume with a ruler at hand, or --robot and its motion capture"
TWIN_RUN, KEPT_OUT = "run", "eight"  # prefixes of the series of motion


@dataclass(frozen=True, slots=True)
class MeasuredMove:
    """The wheels' counts in metres, by the nominal unit, and the robot's true motion: ahead, and turned to the left."""

    left_m: float
    right_m: float
    ahead_m: float
    turned_rad: float


def judge_odometry(
    straights: Sequence[MeasuredMove], turns: Sequence[MeasuredMove]
) -> tuple[list[Measure], list[Symptom]]:
    """Return what moves reveal about units, ratio and distance of the wheels.

    On a straight of counted length d, wheels with relative units a (left) and b (right) at the distance w turn the
    robot by d (b - a) / w, and move it by d (a + b) / 2. Counted wheel paths -d and d turn it by d (a + b) / w.
    """
    ratios = np.array([2.0 * move.ahead_m / (move.left_m + move.right_m) for move in straights])
    unit = float(np.mean(ratios))
    differences = [2.0 * move.turned_rad * AXLE_LENGTH_M / (move.left_m + move.right_m) for move in straights]
    sides = 1.0 + float(np.mean(differences)) / max(abs(unit), 1e-3)
    if turns and min(move.turned_rad * (move.right_m - move.left_m) for move in turns) < 0.0:
        return [], [
            Symptom(Cause.TURN_SIGN, f"a turn to the left was one of {math.degrees(turns[0].turned_rad):.0f} degrees")
        ]
    if abs(unit) < 0.3:
        return [], [Symptom(Cause.NOT_MOVED, f"the robot moved {100.0 * unit:.0f} % of the counted way")]
    spread = max(float(np.std(ratios)), float(np.std(differences)))
    checks = [
        (Measure("spread of the runs", 100.0 * spread, "%", 0.0, 2.5), Cause.SLIP, False),
        (Measure("right wheel to left wheel", sides, "", 0.95, 1.05), Cause.WHEEL_RATIO, False),
        (Measure("way to counted way", unit, "", 0.95, 1.05), Cause.WHEEL_UNITS, False),
    ]
    if turns:
        axles = [unit * (move.right_m - move.left_m) / move.turned_rad for move in turns]
        axle_m = float(np.mean(axles))
        checks.append((Measure("axle", 1e3 * axle_m, "mm", 90.0, 98.0), Cause.AXLE, False))
    return judged(checks)


def measured_by_poses(move: CapturedMove) -> MeasuredMove:
    """Return a move as shown by its poses."""
    start, end = move.ends
    headings = np.unwrap([pose.heading_rad for _, pose in move.poses])
    turned_rad = float(np.mean(headings[-3:]) - np.mean(headings[:3]))
    middle_rad = start.heading_rad + 0.5 * turned_rad
    chord_m = (end.x_m - start.x_m) * math.cos(middle_rad) + (end.y_m - start.y_m) * math.sin(middle_rad)
    half_rad = 0.5 * turned_rad
    arc_m = chord_m if abs(half_rad) < 1e-6 else chord_m * half_rad / math.sin(half_rad)
    return MeasuredMove(*move.counted_m, arc_m, turned_rad)


def read_ruler(text: str) -> tuple[float, float] | None:
    """Return the metres and radians in an answer `MM DEGREES`; None if it is not one; 0 is a measurement."""
    parts = text.replace(",", " ").split()
    if len(parts) != _NUMBERS:
        return None
    try:
        ahead_mm, turned_deg = (real_number(part) for part in parts)
    except TextError:
        return None
    return 1e-3 * ahead_mm, math.radians(turned_deg)


def odometry_stage(bench: RobotBench) -> Steps[StageResult]:
    """Drive there and back, then turn both ways; by at most 15 cm, unless the robot is on the floor."""
    stage = BringupStage.ODOMETRY
    straight_m = FLOOR_M if bench.options.is_on_floor else TABLE_M
    if why_not := (yield from _why_not(bench, straight_m)):
        return StageResult(stage, notes=(why_not,), is_skipped=True)
    bench.record.clear()
    yield from bench.guard(FLOOR)
    start_ns = bench.now_ns
    legs = [leg for _ in range(_PAIRS) for leg in ((_SPEED_RAW, straight_m), (-_SPEED_RAW, _SLOW_BACK * straight_m))]
    straights, turns = [], []
    for speed_raw, distance_m in legs:
        measured = yield from _measured(bench, speed_raw, speed_raw, distance_m)
        if bench.record.guards:
            return StageResult(stage, symptoms=(Symptom(Cause.EDGE, f"ground sensors: {bench.record.guards[0][1:]}"),))
        if measured is None:
            return StageResult(stage, notes=("nothing measured how far the robot went",), is_skipped=True)
        straights.append(measured)
    for sign in (1, -1) if bench.options.has_poses else ():
        path_m = 0.5 * AXLE_LENGTH_M * 1.5 * math.pi
        measured = yield from _measured(bench, -sign * _SPEED_RAW, sign * _SPEED_RAW, path_m)
        turns += [measured] if measured is not None else []
    measures, symptoms = judge_odometry(straights, turns)
    series = motion_series(TWIN_RUN, bench.record, start_ns)
    if bench.options.has_poses and not any(symptom.is_fatal for symptom in symptoms):
        bench.record.clear()
        for left_raw, right_raw in ((_SLOW_RAW, _FAST_RAW), (_FAST_RAW, _SLOW_RAW)):
            yield from rolled(bench, left_raw, right_raw, 2.0 * _HALF_M * _FAST_RAW / (_SLOW_RAW + _FAST_RAW))
        series |= motion_series(KEPT_OUT, bench.record, start_ns)
    if bench.record.guards:
        symptoms = [Symptom(Cause.EDGE, f"ground sensors: {bench.record.guards[0][1:]}")]
    moves = [[m.left_m, m.right_m, m.ahead_m, m.turned_rad] for m in (*straights, *turns)]
    series["moves [left, right, ahead, turned]"] = [[round(value, 6) for value in row] for row in moves]
    return StageResult(stage, tuple(measures), tuple(symptoms), series)


def _why_not(bench: RobotBench, straight_m: float) -> Steps[str]:
    """Ask for a ruler, if there are no poses, and for permission; return why the stage is skipped, or ""."""
    if not bench.options.has_poses:
        answer = (yield Question(_RULER)) if bench.options.has_hands else None
        if (answer or "no")[0] not in "yY":
            return _NO_RULER
    text = f"Stand the robot on its floor: it will drive {100.0 * straight_m:.0f} cm ahead and back, and turn"
    text += (_EIGHT_TEXT if bench.options.has_poses else "") + ". Go on?"
    return "" if (yield Question(text, is_permission=True)) else "not allowed to move"


def motion_series(name: str, record: BringupRecord, start_ns: int) -> dict[str, Rows]:
    """Return commands and poses as rows of seconds since an instant and their numbers."""
    commands = [[round(1e-9 * max(at_ns - start_ns, 0), 4), left, right] for at_ns, left, right in record.commands]
    poses = [
        [round(1e-9 * (at_ns - start_ns), 4), round(pose.x_m, 5), round(pose.y_m, 5), round(pose.heading_rad, 5)]
        for at_ns, pose in record.poses
    ]
    return {f"{name} commands [s, left, right]": commands, f"{name} poses [s, x, y, heading]": poses}


def _measured(bench: RobotBench, left_raw: int, right_raw: int, distance_m: float) -> Steps[MeasuredMove | None]:
    bench.ask_hand(HandAction.AWAY, "")  # from here on a ruler counts
    yield from bench.wait(0.7)
    move = yield from rolled(bench, left_raw, right_raw, distance_m)
    if bench.options.has_poses:
        return measured_by_poses(move) if len(move.poses) >= _NUMBERS else None
    bench.ask_hand(HandAction.MEASURE, "")
    yield from bench.wait(0.7)
    answer = yield Question("Millimetres ahead (back is negative) and degrees to the left, such as 148 -2:")
    ruler = read_ruler(answer or "")
    return None if ruler is None else MeasuredMove(*move.counted_m, *ruler)
