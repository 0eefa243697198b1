"""The node `task_player`: sends the tasks of an experiment to the driver, in simulated time."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.utilities import remove_ros_args

from experiments.orchestrated.playlist import Playlist
from experiments.orchestrated.task_goals import goal_messages
from experiments.scenarios.file.experiment import TaskPlan
from experiments.scenarios.file.experiment_file import ExperimentError, load_experiment
from fleet.interface.work_messages import ACTION_TYPES
from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks
from fleet.ros.orchestrated.goal_sender import GoalSender
from fleet.ros.orchestrated.node_config import PLAY_PERIOD_S, PLAYER, player_config
from fleet.tasks.task_kind import TaskKind
from thymio_base.exit_code import ExitCode
from thymio_base.ros.executors import create_executor, spin_once
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.stop_signal import StopSignal

_DEPTH = 10  # reliable and volatile, as the orchestrator publishes messages
_READY = {"state": "idle", "link": "connected", "localization": "tracked"}


def declaration(plans: Sequence[TaskPlan]) -> dict[str, Any]:
    """Return the node configuration of a player of tasks."""
    robot_ids = sorted({plan.robot_id for plan in plans if plan.robot_id is not None})
    used = {plan.work.kind for plan in plans}
    return player_config(robot_ids, [kind for kind in TaskKind if kind in used])


class TaskPlayer(CountedNode):
    """Sends tasks when they are due, and follows their outcomes in the robots' statuses.

    Parameters
    ----------
    plans : the tasks
    goals : their goal messages, by task id
    """

    def __init__(self, plans: Sequence[TaskPlan], goals: dict[str, Any]) -> None:
        super().__init__(PLAYER, DeclaredCallbacks(declaration(plans)))
        self._goals = goals
        self._playlist = Playlist(plans)
        kinds = {(plan.robot_id, plan.work.kind) for plan in plans if plan.robot_id is not None}
        used = {(robot_id, kind): ACTION_TYPES[kind] for robot_id, kind in kinds}
        self.sender = GoalSender(f"{PLAYER}_clients", used)
        for robot_id in self._playlist.robot_ids:
            topic = f"/factory/robot_{robot_id}/status"
            self.create_subscription(DiagnosticStatus, topic, partial(self._on_status, robot_id), _DEPTH)
        self.create_timer(PLAY_PERIOD_S, self._play)

    def _on_status(self, robot_id: int, status: DiagnosticStatus) -> None:
        values = {value.key: value.value for value in status.values}
        if values.items() >= _READY.items():
            self._playlist.note_ready(robot_id)
        self._playlist.note_end(values.get("last_task", ""), self._now_s())

    def _play(self) -> None:
        now_s = self._now_s()
        for plan in self._playlist.due(now_s):
            kind, goal = plan.work.kind, self._goals[plan.task_id]
            if plan.robot_id is not None and not self.sender.send(plan.robot_id, kind, goal):
                self.get_logger().warning(f"task {plan.task_id!r} rejected")
                self._playlist.note_end(plan.task_id, now_s)

    def _now_s(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9


def main(argv: Sequence[str] | None = None) -> int:
    """Play the tasks of an experiment until SIGINT or SIGTERM; return 0, or 2 for a file with problems."""
    arguments = list(sys.argv if argv is None else [PLAYER, *argv])
    parser = argparse.ArgumentParser(prog=PLAYER, description="Sends the tasks of an experiment, in simulated time.")
    parser.add_argument("file", type=Path, metavar="EXPERIMENT.yaml", help="the experiment; its faults are not used")
    options = parser.parse_args(remove_ros_args(arguments)[1:])
    try:
        experiment = load_experiment(options.file)
        goals = goal_messages(experiment, options.file)
    except ExperimentError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    stop = StopSignal()
    start_ros(PLAYER, arguments)
    player = TaskPlayer(experiment.tasks, goals)
    executor = create_executor()
    executor.add_node(player)
    while not stop.is_requested:
        player.fence.call("executor", spin_once, executor, 0.1)
    executor.remove_node(player)
    player.sender.close()
    player.destroy_node()
    rclpy.try_shutdown()
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
