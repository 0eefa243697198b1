"""Texts for reasons: one sentence each, and what to do."""

from typing import Any, Final

from fleet.control.tracker_config import LawName
from fleet.dashboard.model.event_log import Severity
from fleet.paths.shape_names import SHAPE_NAMES
from fleet.reason import Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS, Kind
from thymio_base.palette import Tone

WORDS: Final[dict[Reason, tuple[str, str]]] = {
    Reason.BUSY: ("The robot performs another task.", "Wait for its end, or cancel it."),
    Reason.EMPTY_ID: ("The task id was empty.", "Choose a new id for each goal."),
    Reason.BAD_ID: ("The task id was too long or not printable.", "Use at most 128 printable characters."),
    Reason.DUPLICATE_ID: ("A task with this id was performed before.", "Choose a new id for each goal."),
    Reason.NON_FINITE_POSE: ("A coordinate was not a number.", "Send metres and radians."),
    Reason.BAD_QUATERNION: ("The orientation was not a heading.", "Send a unit quaternion about z."),
    Reason.UNKNOWN_FRAME: ("The pose was in another frame.", "Send poses in the frame of the fleet."),
    Reason.OUT_OF_ARENA: ("The robot would leave the arena.", "Choose a goal at least 8 cm inside."),
    Reason.UNREACHABLE: ("A wall or a keep-out area leaves no room.", "Choose a goal with room around it."),
    Reason.BAD_PATH: ("The path cannot be driven.", "Check its shape, its laps and its waypoints."),
    Reason.BAD_SPEED: ("The speed is not possible on this path.", "Choose a lower one, or 0 for as fast as possible."),
    Reason.OUTDATED_UPDATE: ("The route has other waypoints by now.", "Send what follows its last waypoint."),
    Reason.NOT_RUNNING: ("The task to be extended does not run.", "Send a new task for what follows."),
    Reason.STOPPED: ("The fleet is stopped.", "Resume it, then send the task again."),
    Reason.ROBOT_LOST: ("There was no link to the robot.", "Check that it is switched on, and its cable or dongle."),
    Reason.POSE_LOST: ("The robot's pose was unknown.", "Is the camera program running, and the marker in sight?"),
    Reason.BATTERY_CRITICAL: ("The battery is too low for a task.", "Send the robot home, and charge it."),
    Reason.SERVED_ELSEWHERE: ("The driver of another host serves the robot.", "Send the task again in a moment."),
    Reason.CLIENT_LOST: ("The program that sent the task has gone.", "Programs must stay until their tasks end."),
    Reason.BLOCKED: ("Nobody moved out of the robot's way.", "Move what is in the way, or choose another goal."),
    Reason.NO_PROGRESS: ("The robot came no nearer to its goal.", "Look for what holds it."),
    Reason.DEADLINE: ("The task took far longer than planned.", "Look for what delays the robot, then send it again."),
    Reason.NOT_A_CHARGER: ("That is not a charger.", "Choose a station with the role charge."),
    Reason.CHARGER_TAKEN: ("Another robot docks at that charger.", "Wait for it, or choose another charger."),
    Reason.NOT_CHARGING: ("The charger did not charge the robot.", "Is it switched on, and where the station says?"),
    Reason.SHUTDOWN: ("The driver has shut down.", "Start it, then send the task again."),
    Reason.INTERNAL: ("The driver has a defect.", "Report what its log says; resume takes the robot back."),
    Reason.BAD_JOB: ("The job names something that does not exist.", "Check its places, robots and earlier jobs."),
    Reason.DEPENDENCY: ("A job that it waits for did not succeed.", "Submit both again."),
    Reason.DEADLINE_MISSED: ("Its deadline has passed.", "Allow more time, or give it a higher priority."),
    Reason.NO_ROBOT: ("No robot that may perform it was able to.", "Put robots on duty, or allow more of them."),
    Reason.ATTEMPTS: ("As many robots as may try have failed.", "See why each did, then submit it again."),
    Reason.HELD_AT_RESTART: ("Nobody knows where its load is.", "Look, then release or cancel the job."),
    Reason.BOOK: ("Jobs cannot be kept at present.", "Look for a full disk."),
}


def words() -> dict[str, Any]:
    """Return all texts that pages need, as JSON."""
    return {
        "tones": {tone.name.lower(): {"label": tone.label, "sign": tone.sign} for tone in Tone},
        "reasons": {one.value: {"sentence": text, "advice": advice} for one, (text, advice) in WORDS.items()},
        "severities": [severity.value for severity in Severity],
        "laws": [law.value for law in LawName],
        "shapes": list(SHAPE_NAMES),
        "kinds": [_kind(kind, facts) for kind, facts in KINDS.items()],
    }


def _kind(kind: TaskKind, facts: Kind) -> dict[str, Any]:
    """Return a kind of task as JSON; a role of "" stands for any station."""
    name = kind.public_name
    return {
        "name": name,
        "words": name.replace("_", " "),
        "places": list(facts.places),
        "role": facts.role,
        "has_path": facts.has_path,
        "has_route": facts.has_route,
    }
