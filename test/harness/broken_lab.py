"""Drives two robots while a method raises, once for each fault; prints JSON lines.

python -m harness.broken "" harness.broken_lab FAULT...
"""

import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from fleet.geometry import Pose2D
from fleet.tasks.task import go_to
from harness.broken import Fault
from harness.closed_loop import closed_loop


def main(texts: list[str]) -> None:
    """Print what each fault did."""
    for text in texts:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(_row(Path(folder), Fault.from_text(text))), flush=True)


def _row(folder: Path, fault: Fault) -> dict[str, Any]:
    loop = closed_loop(folder, 2)
    loop.start()
    for robot_id in (1, 2):
        loop.service.assign(robot_id, go_to(f"task {robot_id}", Pose2D(robot_id + 0.2, 1.4, 0.0)), loop.now_ns)
    loop.run(1.0)
    restore = fault.inject(partial(_concerns, loop.service.robot(1)))
    loop.run(1.0)
    speeds = [loop.speed(robot_id) for robot_id in (1, 2)]
    stopped = loop.service.status(1, loop.now_ns)
    again = loop.service.assign(1, go_to("again", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    restore()
    loop.service.resume()
    taken_back = loop.service.assign(1, go_to("taken back", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    loop.run_until_ended("task 2")
    return {
        "fault": fault.method,
        "outcomes": {outcome.task_id: str(outcome) for outcome in loop.outcomes},
        "speeds": speeds,
        "level": stopped.level.name,
        "message": stopped.message,
        "again": "" if again is None else again.value,
        "taken_back": "" if taken_back is None else taken_back.value,
    }


def _concerns(robot: Any, args: tuple[Any, ...]) -> bool:
    """Whether the arguments of a method are those of one robot: itself, a part of it, its node or its id."""
    parts = (robot, robot.telemetry, robot.chassis, robot._task)
    return any(one in parts or getattr(one, "robot", None) is robot or one == robot.config.id for one in args[:2])


if __name__ == "__main__":
    main(sys.argv[1:])
