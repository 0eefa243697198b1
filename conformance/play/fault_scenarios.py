"""Scenarios that need hooks: commands of the set-up file that cause a fault and repair it."""

import math

from conformance.play.robot_stage import GO_HOME, GO_TO, TRANSPORT, GoalPlace, OwnGoal, ScenarioStage


def _running(stage: ScenarioStage) -> OwnGoal | None:
    far, near = stage.two()
    goal = {"task_id": stage.task_id(), "pose_from": far.message(), "pose_to": near.message()}
    sent = stage.send("running", TRANSPORT, goal)  # a transport outlasts most of the hooks' commands
    if not stage.is_accepted(sent):
        return None
    stage.sleep(0.4)
    return sent


def _afterwards(stage: ScenarioStage) -> None:
    """Wait up to ten seconds for status OK, then send a goal."""
    stage.port.wait(lambda: stage.port.latest.get("status", {}).get("level") == 0, 10.0)
    sent = stage.send("after", GO_TO, stage.go_to(stage.away()))
    stage.is_accepted(sent)
    stage.end_all()


def lose_link(stage: ScenarioStage) -> None:
    """Cut the link to a driving robot, and restore it."""
    sent = _running(stage)
    if sent is None or not stage.port.run_hook("cut_link"):
        return
    stage.wait_for_end(sent, 12.0)
    stage.sleep(1.0)
    stage.is_accepted(stage.send("while lost", GO_TO, stage.go_to(stage.start)))
    stage.port.read_graph()
    stage.end_all()
    if stage.port.run_hook("mend_link"):
        _afterwards(stage)


def lose_pose(stage: ScenarioStage) -> None:
    """Hide the robot from its pose source, and show it again."""
    if stage.port.run_hook("hide"):
        stage.sleep(6.0)
        stage.port.run_hook("show")
        stage.sleep(4.0)


def stop_fleet(stage: ScenarioStage) -> None:
    """Stop all robots while one drives, and resume."""
    sent = _running(stage)
    if sent is None or not stage.port.run_hook("stop"):
        return
    stage.wait_for_end(sent, 3.0)
    stage.sleep(1.5)
    stage.is_accepted(stage.send("while stopped", GO_TO, stage.go_to(stage.start)))
    stage.end_all()
    if stage.port.run_hook("resume"):
        _afterwards(stage)


def terminate(stage: ScenarioStage) -> None:
    """Terminate the server while a robot drives, and start it again."""
    sent = _running(stage)
    if sent is not None and stage.port.run_hook("terminate"):
        stage.wait_for_end(sent, 4.0)
        stage.sleep(1.0)
        _restart(stage)


def kill(stage: ScenarioStage) -> None:
    """Kill the server while a robot drives, and start it again."""
    if _running(stage) is not None and stage.port.run_hook("kill"):
        stage.sleep(1.0)
        _restart(stage)


def _restart(stage: ScenarioStage) -> None:
    stage.port.latest.clear()
    if stage.port.run_hook("start"):
        stage.port.wait(lambda: stage.port.latest.get("status", {}).get("level") == 0, 30.0)
        stage.ask("restarted")
        _afterwards(stage)


def drain_battery(stage: ScenarioStage) -> None:
    """Make the battery low, critical, and full again."""
    for hook, word in (("battery_low", "low"), ("battery_critical", "critical")):
        if not stage.port.run_hook(hook):
            return
        stage.wait_for_value("battery", word, 45.0)  # the voltage of a driving robot is filtered
    stage.is_accepted(stage.send("home", GO_HOME, {"task_id": stage.task_id()}))
    stage.end_all()
    if stage.port.run_hook("battery_full"):
        stage.wait_for_value("battery", "ok", 90.0)  # until then, other tasks are rejected


def block(stage: ScenarioStage) -> None:
    """Block the way of a robot."""
    goal = stage.away()
    if stage.port.run_hook("block", _where(stage, goal)):
        stage.run("blocked", GO_TO, stage.go_to(goal))
        stage.port.run_hook("unblock")


def occupy(stage: ScenarioStage) -> None:
    """Place another robot at the goal."""
    goal = stage.away()
    if stage.port.run_hook("occupy", _where(stage, goal)):
        stage.run("taken", GO_TO, stage.go_to(goal))
        stage.port.run_hook("vacate")


def _where(stage: ScenarioStage, goal: GoalPlace) -> dict[str, float]:
    """Return a goal and the middle of the line to it, as environment variables of hooks."""
    here = stage.place()
    x_m, y_m = goal.x_m - here.x_m, goal.y_m - here.y_m
    goals = {"GOAL_X_M": goal.x_m, "GOAL_Y_M": goal.y_m, "GOAL_DIRECTION_RAD": math.atan2(y_m, x_m)}
    return {**goals, "MIDDLE_X_M": here.x_m + x_m / 2.0, "MIDDLE_Y_M": here.y_m + y_m / 2.0}
