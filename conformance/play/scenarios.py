"""Scenarios without hooks: each performs actions with the server, and cases judge the observations."""

import math
from typing import Any, Final

from conformance.play.robot_stage import GO_HOME, GO_TO, TRANSPORT, GoalPlace, OwnGoal, ScenarioStage
from conformance.record.window import NO_ID, ORDER_S

_IDS: Final = ("ä" * 32, "x" * 129, "a\nb")


def read_graph(stage: ScenarioStage) -> None:
    """Read the server's names, types and quality of service."""
    stage.port.read_graph()


def listen(stage: ScenarioStage) -> None:
    """Listen to an idle robot, subscribe late, and ask for its task fifty times."""
    stage.sleep(float(stage.setup["listen_s"]))
    stage.port.listen_late("pose", "late_pose", is_durable=False)
    stage.port.listen_late("status", "late_status", is_durable=True)
    stage.sleep(1.5)
    for _ in range(50):
        stage.ask("idle")


def reach(stage: ScenarioStage) -> None:
    """Send the robot to a nearby place, then to that same place again, and make it turn there."""
    sent = stage.run("place", *stage.good()) if stage.is_general else _find_place(stage)
    stage.first = stage.first or sent
    if not stage.has_ended(sent):
        return
    number = stage.request_result(sent)
    if stage.is_general:
        stage.answered(number)
        stage.run("next", *stage.good())
        return
    here = stage.place()
    stage.run("already", GO_TO, stage.go_to(_target(stage, sent) or here))
    for _ in range(5):
        stage.ask("after")
        stage.sleep(0.2)
    target = _target(stage, sent) or here
    stage.run("turn", GO_TO, stage.go_to(target.ahead(0.0, 0.0, target.heading_rad + math.pi / 2)))
    stage.sleep(1.3)


def _find_place(stage: ScenarioStage) -> OwnGoal:
    """Find a place that the server accepts, send the robot there, and wait for the end."""
    for direction_rad in stage.directions():
        stage.keep_direction(direction_rad)
        sent = stage.send("place", GO_TO, stage.go_to(stage.away()))
        if stage.is_accepted(sent):
            stage.ask("accepted")
            stage.wait_for_end(sent, ask_s=0.25)
            return sent
        stage.note(f"a goal {math.degrees(direction_rad):.0f} degrees from straight ahead was rejected")
    return sent


def _target(stage: ScenarioStage, sent: OwnGoal) -> GoalPlace | None:
    for event in reversed(stage.port.recording.events):
        if event.number == sent.number and "goal" in event.body:
            pose = event.body["goal"]["goal_pose"]
            position, quaternion = pose["pose"]["position"], pose["pose"]["orientation"]
            heading_rad = 2.0 * math.atan2(quaternion["z"], quaternion["w"])
            return GoalPlace(position["x"], position["y"], heading_rad, pose["header"]["frame_id"])
    return None


def series(stage: ScenarioStage) -> None:
    """Send short goals in a row: turns on the spot."""
    here = stage.place()
    for index in range(int(stage.setup["series"])):
        heading_rad = here.heading_rad + (0.4 if index % 2 == 0 else 0.0)
        stage.run(f"short {index}", GO_TO, stage.go_to(here.ahead(0.0, 0.0, heading_rad)))


def refuse(stage: ScenarioStage) -> None:
    """Send goals that a server should reject; cancel accepted ones at once."""
    stage.sleep(1.1)  # for a status before the first rejection
    for label, action, goal in _bad_goals(stage):
        before = stage.ask("before")
        sent = stage.send(label, action, goal)
        if stage.is_accepted(sent):
            stage.end_all()
            continue
        stage.ask(f"rejected {before}")
        stage.sleep(1.3 if label == "far away" else 0.0)  # for a status that may give the reason


def _bad_goals(stage: ScenarioStage) -> list[tuple[str, str, dict[str, Any]]]:
    here = stage.place()

    def pose(orientation: dict[str, float] | None = None, **position: float) -> dict[str, Any]:
        message = here.message(stage.port.stamp_s())
        message["pose"]["position"].update(position)
        message["pose"]["orientation"].update(orientation or {})
        return message

    far = here.ahead(1000.0, 0.0)
    go_to: list[tuple[str, dict[str, Any]]] = [
        ("empty id", {"task_id": ""}),
        ("long id", {"task_id": _IDS[1]}),
        ("control characters", {"task_id": _IDS[2] + stage.task_id()}),
        ("unknown frame", {"goal_pose": GoalPlace(here.x_m, here.y_m, 0.0, "no_such_frame").message()}),
        ("NaN in the position", {"goal_pose": pose(x=math.nan)}),
        ("infinity in the position", {"goal_pose": pose(y=math.inf)}),
        ("NaN in the quaternion", {"goal_pose": pose({"z": math.nan})}),
        ("quaternion of length 2", {"goal_pose": pose({"z": 0.0, "w": 2.0})}),
        (
            "tilted by 30 degrees",
            {"goal_pose": pose({"x": math.sin(math.pi / 12), "z": 0.0, "w": math.cos(math.pi / 12)})},
        ),
        ("far away", {"goal_pose": far.message()}),
    ]
    bad = [(label, GO_TO, stage.go_to(here, **changes)) for label, changes in go_to]
    transport = {"task_id": stage.task_id(), "pose_from": pose(), "pose_to": pose(x=math.nan)}
    return [*bad, ("bad pose_to", TRANSPORT, transport)]


def accept(stage: ScenarioStage) -> None:
    """Send unusual goals that a server should accept, or may accept; cancel them."""
    for label, changes in (
        ("UTF-8", {"task_id": stage.task_id()[-8:] + "ä→字" * 7}),
        ("empty frame", {"frame": ""}),
        ("length 1.05", {"scale": 1.05}),
        ("z = 1 m", {"z": 1.0}),
        ("stamp of yesterday", {"stamp_s": -86_400.0}),
        ("stamp of tomorrow", {"stamp_s": 86_400.0}),
        ("quaternion of zeros", {"scale": 0.0}),
    ):
        stage.settle()
        sent = stage.send(label, GO_TO, _unusual(stage, changes))
        if stage.is_accepted(sent):
            stage.ask(label)
            stage.sleep(2.0 * ORDER_S)  # so that the goal certainly ends after the answer
            stage.end_all()


def _unusual(stage: ScenarioStage, changes: dict[str, Any]) -> dict[str, Any]:
    message = stage.away().message(stage.port.stamp_s() + changes.get("stamp_s", 0.0))
    message["header"]["frame_id"] = changes.get("frame", message["header"]["frame_id"])
    message["pose"]["position"]["z"] = changes.get("z", 0.0)
    scale = changes.get("scale", 1.0)
    message["pose"]["orientation"] = {key: value * scale for key, value in message["pose"]["orientation"].items()}
    return {"task_id": changes.get("task_id") or stage.task_id(), "goal_pose": message}


def disturb(stage: ScenarioStage) -> None:
    """Send further goals to a busy robot, and watch its task until all goals have ended."""
    sent = stage.send("running", GO_TO, stage.go_to(stage.away()))
    if not stage.is_accepted(sent):
        return
    stage.sleep(0.3)
    others = [
        stage.send("same action", GO_TO, stage.go_to(stage.start)),
        stage.send("other action", GO_HOME, {"task_id": stage.task_id()}),
    ]
    accepted = [other for other in others if stage.is_accepted(other)]
    stage.ask("between")
    stage.wait_for_end(sent, ask_s=0.1)
    for other in accepted:
        stage.wait_for_end(other, ask_s=0.1)
    ended = [event for event in stage.port.recording.events if event.number == sent.number and "goal" in event.body]
    if ended:
        again = stage.go_to(stage.away(), task_id=ended[0].body["goal"]["task_id"])
        if stage.is_accepted(stage.send("id of a task that ended", GO_TO, again)):
            stage.end_all()


def same_uuid(stage: ScenarioStage) -> None:
    """Send another goal with the UUID of a known goal."""
    action, goal = stage.good()
    sent = stage.send("first", action, goal)
    if not stage.is_accepted(sent):
        return
    other = stage.send("second", *stage.good(), uuid=sent.uuid)
    stage.is_accepted(other)
    stage.end_all()


def cancel(stage: ScenarioStage) -> None:
    """Cancel a task while it runs, a second time, and after its end; then send another goal."""
    sent = stage.send("running", *stage.good())
    if not stage.is_accepted(sent):
        return
    stage.sleep(0.6)
    stage.answered(stage.cancel(sent))
    twice = stage.cancel(sent, "twice")
    if not stage.is_general:
        stage.ask("canceling")
    stage.wait_for_end(sent, ask_s=None if stage.is_general else 0.05)
    stage.answered(twice)
    stage.answered(stage.cancel(sent, "ended"))
    stage.answered(stage.cancel_id(sent.action, "5" * 32, "unknown"))
    following = stage.send("next", *stage.good())
    if stage.is_accepted(following):
        stage.end_all()
    stage.sleep(1.3)


def cancel_all(stage: ScenarioStage) -> None:
    """Cancel all goals accepted before a time, then all goals."""
    sent = stage.send("stamped", *stage.good())
    if stage.is_accepted(sent):
        accepted = stage.port.answers[sent.number]["stamp"]
        accepted_s = accepted["sec"] + accepted["nanosec"] * 1e-9
        if accepted_s > 0.0:
            stage.answered(stage.cancel_id(sent.action, NO_ID, "earlier", accepted_s - 10.0))
            stage.answered(
                stage.cancel_id(sent.action, NO_ID, "until its acceptance", accepted_s + 0.5)
            )  # servers may stamp twice
            stage.wait_for_end(sent, 2.0)
    stage.end_all()
    sent = stage.send("every", *stage.good())
    if stage.is_accepted(sent):
        stage.answered(stage.cancel_id(sent.action, NO_ID, "all"))
        stage.wait_for_end(sent)


def race(stage: ScenarioStage) -> None:
    """Cancel goals right after they are sent."""
    for index in range(int(stage.setup["races"])):
        sent = stage.send(f"race {index}", *stage.good())
        stage.sleep(0.0025 * (index + 1) if index else 0.0)
        stage.cancel(sent)
        if stage.is_accepted(sent):
            if not stage.is_general:
                stage.ask(f"race {index}")
            stage.wait_for_end(sent)


def crowd_of_goals(stage: ScenarioStage) -> None:
    """Send ten goals at the same instant."""
    sent = [stage.send(f"at once {index}", GO_TO, stage.go_to(stage.away())) for index in range(10)]
    for one in sent:
        stage.is_accepted(one)
    stage.end_all()


def go_home(stage: ScenarioStage) -> None:
    """Send the robot home from two places, and again when it is already there."""
    first = stage.run("home", GO_HOME, {"task_id": stage.task_id()})
    if not stage.has_ended(first):
        return
    stage.sleep(0.3)
    stage.run("at home", GO_HOME, {"task_id": stage.task_id()})
    stage.run("aside", GO_TO, stage.go_to(stage.away()))
    stage.run("home again", GO_HOME, {"task_id": stage.task_id()})
    stage.sleep(0.3)


def carry(stage: ScenarioStage) -> None:
    """Send transports: between two places, from a place to itself, canceled on the way, and with two frames."""
    far, near = stage.two()
    stage.run("transport", TRANSPORT, _transport(stage, far, near))
    stage.run("same place", TRANSPORT, _transport(stage, near, near))
    sent = stage.send("canceled", TRANSPORT, _transport(stage, stage.away(), stage.start))
    if stage.is_accepted(sent):
        stage.sleep(1.0)
        stage.end_all()
    two_frames = _transport(stage, stage.place(), stage.place())
    two_frames["pose_to"]["header"]["frame_id"] = ""
    if stage.is_accepted(stage.send("two frames", TRANSPORT, two_frames)):
        stage.end_all()


def _transport(stage: ScenarioStage, first: GoalPlace, second: GoalPlace) -> dict[str, Any]:
    return {"task_id": stage.task_id(), "pose_from": first.message(), "pose_to": second.message()}


def many_readers(stage: ScenarioStage) -> None:
    """Add fifty subscribers that never read, and remove them."""
    stage.sleep(2.0)
    for count in (50, 0):
        if not stage.port.crowd(count):
            stage.note("this run cannot create further subscribers")
            return
        stage.sleep(4.0)


def several(stage: ScenarioStage) -> None:
    """Send a goal to one robot while watching another; then send the other robot a goal with the same task id."""
    for number, other in enumerate(stage.setup["others"][:1]):
        stage.ask("own")
        stage.answered(stage.port.call(f"{other}:assigned_task", {}, f"other {number} before"))
        sent = stage.send("mine", TRANSPORT, _transport(stage, *stage.two()))
        if stage.is_accepted(sent):
            stage.sleep(1.2)  # servers may inform each other about their tasks
            stage.answered(stage.port.call(f"{other}:assigned_task", {}, f"other {number} meanwhile"))
            goal = {"task_id": _id_of(stage, sent)}
            uuid = f"{stage.task_id().encode().hex()[-32:]:0>32}"
            taken = stage.port.call(
                f"{other}:{GO_HOME}/send_goal", {"goal_id": {"uuid": uuid}, "goal": goal}, "id of another robot's task"
            )
            if (stage.answered(taken) or {}).get("accepted"):
                info = {"goal_id": {"uuid": uuid}, "stamp": {"sec": 0, "nanosec": 0}}
                stage.answered(stage.port.call(f"{other}:{GO_HOME}/cancel_goal", {"goal_info": info}, "end"))
    stage.end_all()


def _id_of(stage: ScenarioStage, sent: OwnGoal) -> str:
    events = stage.port.recording.events
    return next(str(one.body["goal"]["task_id"]) for one in events if one.number == sent.number and "goal" in one.body)


def late_result(stage: ScenarioStage) -> None:
    """Ask for the result of the run's first goal, half a minute after its end."""
    if stage.first is None or not stage.has_ended(stage.first):
        stage.first = stage.run("kept", *stage.good())
        if not stage.has_ended(stage.first):
            return
    ended_s = max(e.at_s for e in stage.port.recording.events if e.number in stage.first.results)
    stage.sleep(max(0.0, ended_s + 31.0 - stage.port.now_s()))
    stage.answered(stage.request_result(stage.first))
