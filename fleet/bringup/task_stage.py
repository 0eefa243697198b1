"""The stage `tasks`: the driver's core drives the robot ahead and back, stops it on the way, and loses its link."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from aseba_link.thymio.hand_request import HandAction
from fleet.bringup.bringup_script import ODOMETRY_HZ
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import FLOOR, HAND_S, Question, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged
from fleet.errors import BringupError
from fleet.geometry import Pose2D
from fleet.robots.robot_status import LinkState, TaskOutcome
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig, load_config
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Place, Work

_ROBOT: Final = 1
_AHEAD_M: Final = 0.2
_READY_S, _TASK_S, _STOP_S = 45.0, 60.0, 3.0
_MOST_MM, _MOST_STOP_S = 25.0, 1.0
_UNDER_WAY_RAW, _STANDS_RAW = 60, 25  # speeds of the faster wheel
_CANCELED: Final = "a cancel"
_QUESTION: Final = (
    "Stand the robot on its floor, 40 cm free ahead: it will drive 20 cm ahead and back, and be stopped on its way. "
    "Go on?"
)
_UNPLUG: Final = "unplug the robot's cable, or its dongle; count to five, and plug it in again"


@dataclass(slots=True)
class _Findings:
    """The findings so far."""

    checks: list[tuple[Measure, Cause, bool]] = field(default_factory=list)
    symptoms: list[Symptom] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def result(self) -> StageResult:
        """Return the findings as the result of the stage."""
        measures, symptoms = judged(self.checks)
        return StageResult(BringupStage.TASKS, tuple(measures), (*self.symptoms, *symptoms), notes=tuple(self.notes))


def task_stage(bench: RobotBench) -> Steps[StageResult]:
    """Let the driver's core drive the robot by poses or, without them, by odometry."""
    if not (bench.options.has_poses or bench.options.has_hands):
        return StageResult(BringupStage.TASKS, notes=("neither poses nor a person",), is_skipped=True)
    if not (yield Question(_QUESTION, is_permission=True)):
        return StageResult(BringupStage.TASKS, notes=("not allowed to move",), is_skipped=True)
    bench.close()
    bench.record.clear()
    bench.serve(_config(bench))
    try:
        return (yield from _tried(bench, _Findings()))
    finally:
        bench.close()


def _config(bench: RobotBench) -> FleetConfig:
    """Return a fleet that consists of this robot."""
    origin = {"x_m": 0.0, "y_m": 0.0}
    topic = {"pose_topic": "/pose"} if bench.options.has_poses else {}
    robot = {"id": _ROBOT, "node_id": bench.node_id, "home": origin, "initial_pose": origin, **topic}
    values = {
        "link": {"targets": [bench.options.target]},
        "rates": {"odometry_hz": ODOMETRY_HZ},
        "robots": [robot],
    }
    return load_config(Path("bringup"), with_calibration=False, text=json.dumps(values))


def _tried(bench: RobotBench, found: _Findings) -> Steps[StageResult]:
    service = bench.service
    assert service is not None, "the bench serves the robot"
    is_ready = yield from bench.wait_until(lambda: _pose(service) is not None and _is_connected(bench), _READY_S)
    start = _pose(service)
    if not is_ready or start is None:
        found.symptoms.append(Symptom(Cause.TASK_FAILS, f"not ready: {service.status(_ROBOT, bench.now_ns).message}"))
        return found.result()
    yield from bench.guard(FLOOR)

    def cancel() -> None:
        service.take(_ROBOT, _CANCELED, bench.now_ns)

    may_go_on = (yield from _arrives(bench, found, "ahead", start.along_arc(_AHEAD_M, 0.0))) and (
        (yield from _is_stopped(bench, found, _CANCELED, start, cancel))
        and (yield from _is_stopped(bench, found, "STOP ALL", start, service.stop))
    )
    if may_go_on and _assigned(bench, "refused", start) is None:
        found.symptoms.append(Symptom(Cause.NOT_STOPPED, "a goal was accepted after STOP ALL"))
    service.resume()
    if may_go_on and bench.options.has_hands:
        may_go_on = yield from _comes_back(bench, found)
    if may_go_on and _pose(service) is None:
        found.notes.append("without motion capture the pose is lost with the link, so it did not drive back")
    elif may_go_on:
        yield from _arrives(bench, found, "back", start)
    return found.result()


def _arrives(bench: RobotBench, found: _Findings, name: str, goal: Pose2D) -> Steps[bool]:
    """Drive to a pose; return whether the task succeeded."""
    problem = _assigned(bench, name, goal)
    if problem is None:
        yield from bench.wait_until(lambda: _outcome(bench, name) is not None or bool(bench.record.guards), _TASK_S)
        outcome = _outcome(bench, name)
        if outcome is not None and outcome.state is TaskState.SUCCEEDED and bench.service is not None:
            pose = _pose(bench.service)
            miss_mm = 1e3 * pose.distance_to(goal) if pose is not None else math.nan
            found.checks.append(
                (Measure(f"distance from the goal {name}", miss_mm, "mm", 0.0, _MOST_MM), Cause.TASK_FAILS, True)
            )
            return True
        problem = _end_text(outcome)
    found.symptoms.append(_edge(bench) or Symptom(Cause.TASK_FAILS, f"the task {name}: {problem}"))
    return False


def _is_stopped(
    bench: RobotBench, found: _Findings, name: str, goal: Pose2D, stop: Callable[[], object]
) -> Steps[bool]:
    """Start a task, and stop it under way; return whether it ended, and the wheels with it."""
    problem = _assigned(bench, name, goal)
    if problem is None:
        is_driving = yield from bench.wait_until(lambda: _speed_raw(bench) > _UNDER_WAY_RAW, _STOP_S)
        stop()
        stopped_ns = bench.now_ns
        yield from bench.wait_until(lambda: _outcome(bench, name) is not None, _STOP_S)
        yield from bench.wait(0.2)
        stands = yield from bench.wait_until(lambda: _speed_raw(bench) < _STANDS_RAW, _STOP_S)
        outcome = _outcome(bench, name)
        problem = "it did not set off" if not is_driving else "" if outcome is not None else "it did not end"
        seconds = _turned_on_s(bench, stopped_ns) if stands else _STOP_S
        measure = Measure(f"time to stand after {name}", seconds, "s", 0.0, _MOST_STOP_S)
        found.checks.append((measure, Cause.NOT_STOPPED, True))
    if problem:
        found.symptoms.append(_edge(bench) or Symptom(Cause.TASK_FAILS, f"the task for {name}: {problem}"))
    return not problem


def _comes_back(bench: RobotBench, found: _Findings) -> Steps[bool]:
    """Ask for the robot to be unplugged and plugged in again; return whether it can be driven again."""
    bench.losses.clear()
    bench.ask_hand(HandAction.UNPLUG, _UNPLUG)
    yield from bench.wait_until(lambda: bool(bench.losses), HAND_S, needs_link=False)
    if not bench.losses:
        found.symptoms.append(Symptom(Cause.NO_ANSWER, "the robot was not unplugged", is_fatal=False))
        return True
    lost_ns = bench.now_ns
    yield from bench.wait_until(lambda: _is_connected(bench), _READY_S, needs_link=False)
    if not _is_connected(bench):
        found.symptoms.append(Symptom(Cause.NOT_BACK, f"not reached within {_READY_S:g} s"))
        return False
    found.checks.append(
        (Measure("time until it was back", 1e-9 * (bench.now_ns - lost_ns), "s", 0.0, _READY_S), Cause.NOT_BACK, True)
    )
    bench.losses.clear()
    yield from bench.wait(1.0)
    return True


def _assigned(bench: RobotBench, name: str, goal: Pose2D) -> str | None:
    """Assign a task; return None, or why it is refused."""
    service = bench.service
    if service is None:
        raise BringupError("nothing serves the robot")
    work = Work(TaskKind.GO_TO, (Place(goal),))
    request = task_of_work(work, name, service.config, home=goal, pose=_pose(service))
    explanation = service.give(_ROBOT, request, bench.now_ns)
    return None if explanation is None else f"refused, {explanation.reason.value}: {explanation.detail}"


def _outcome(bench: RobotBench, task_id: str) -> TaskOutcome | None:
    return next((outcome for outcome in bench.outcomes if outcome.task_id == task_id), None)


def _end_text(outcome: TaskOutcome | None) -> str:
    if outcome is None:
        return f"it did not end within {_TASK_S:g} s"
    reason = "" if outcome.reason is None else f" {outcome.reason.value}"
    return f"it ended as {outcome.state.value}{reason} {outcome.detail}".rstrip()


def _edge(bench: RobotBench) -> Symptom | None:
    guards = bench.record.guards
    return Symptom(Cause.EDGE, f"ground sensors: {guards[0][1:]}") if guards else None


def _pose(service: FleetService) -> Pose2D | None:
    estimate = service.robot(_ROBOT).telemetry.estimate
    return None if estimate is None else estimate.pose


def _is_connected(bench: RobotBench) -> bool:
    return bench.service is not None and bench.service.status(_ROBOT, bench.now_ns).link is LinkState.CONNECTED


def _speed_raw(bench: RobotBench) -> float:
    """Return the mean speed of the faster wheel between the latest two reports."""
    speeds = _speeds_raw(bench)
    return speeds[-1][1] if speeds else 0.0


def _speeds_raw(bench: RobotBench) -> list[tuple[int, float]]:
    """Return stamps of the latest reports, and the mean speed of the faster wheel before each."""
    rows = bench.record.wheels[-60:]
    return [
        (
            after.stamp_ns,
            max(abs(after.left - before.left), abs(after.right - before.right)) / max(after.ticks - before.ticks, 1),
        )
        for before, after in pairwise(rows)
    ]


def _turned_on_s(bench: RobotBench, since_ns: int) -> float:
    """Return for how long the wheels still turned after an instant [s]."""
    turning = [stamp_ns for stamp_ns, speed_raw in _speeds_raw(bench) if speed_raw >= _STANDS_RAW]
    return max(1e-9 * (turning[-1] - since_ns), 0.0) if turning else 0.0
