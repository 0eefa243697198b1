"""Explains rejected goals and aborted tasks: each function returns one reason with its numbers and what to try.

Requests and ends of tasks call these functions; ticks do not.
"""

import math
from collections.abc import Collection, Iterable
from operator import attrgetter
from typing import Final

from fleet.floor.obstacles import BODY_RADIUS_M, Obstacles
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.settings.config import ArenaConfig
from thymio_base.number_text import robots_text

USER_SCRIPT: Final = "it runs a script that was loaded to it"  # why a robot counts as not connected
TAKE_BACK: Final = "`thymio-fleet resume`"  # what takes a robot back into service
FOLLOWS_NO_PATH: Final = "follows no path; only a task_follow_path can be extended"
HAS_NO_ROUTE: Final = "has no route; only a follow_route can be extended by legs"
_SWITCHED_ON = "check that it is switched on, and its target"
_MILLIMETRES_BELOW_M: Final = 1e4
_SMALLEST_SIZE_M = 0.05  # a shape that fits the arena only below this size gets no advice


def empty_id(task_id: str) -> Explanation:
    """Explain EMPTY_ID: the id is "", or consists of blanks."""
    what = f"the task id {task_id!r} has blanks alone" if task_id else "the task id is empty, as of an idle robot"
    return Explanation(Reason.EMPTY_ID, f"{what}; choose a new id for each goal")


def bad_id(task_id: str, max_length: int) -> Explanation:
    """Explain BAD_ID: the id is too long, has blanks at an end, or contains a character that cannot be printed."""
    if len(task_id) > max_length:
        detail = f"the task id has {len(task_id)} characters, at most {max_length}"
    elif task_id.isprintable():
        detail = f"the task id {task_id!r} starts or ends with a blank, which people do not see"
    else:
        index = next(index for index, character in enumerate(task_id) if not character.isprintable())
        detail = f"character {index + 1} of the task id, {task_id[index]!r}, is not printable"
    return Explanation(Reason.BAD_ID, detail)


def duplicate_id(task_id: str, performer: str, *, is_running: bool) -> Explanation:
    """Explain DUPLICATE_ID: a robot performs, or performed, a task with this id."""
    verb = "performs" if is_running else "performed"
    return Explanation(
        Reason.DUPLICATE_ID, f"{performer} {verb} a task with the id {task_id!r}; choose a new id for each goal"
    )


def busy(task: str, progress: float, eta_s: float, robot_id: int) -> Explanation:
    """Explain BUSY: the robot performs `task`, described in words."""
    detail = f"it performs {task} ({progress:.0%}, {eta_s:.0f} s to go); wait, or try: thymio-fleet cancel {robot_id}"
    return Explanation(Reason.BUSY, detail)


def not_running(task_id: str, running_id: str, state: str | None, other: str = FOLLOWS_NO_PATH) -> Explanation:
    """Explain NOT_RUNNING: a task cannot be extended; `state` is its own, None if it does not run.

    `other` is the problem with a task that is executing.
    """
    if state is None:
        runs = f"{running_id!r} runs" if running_id else "no task runs"
        text = f"task {task_id!r} has ended, or never ran; {runs} here; send a new goal for what follows"
    elif state == "executing":
        text = f"task {task_id!r} {other}"
    else:
        text = f"task {task_id!r} is being canceled; send a new goal for what follows"
    return Explanation(Reason.NOT_RUNNING, text)


def outdated_update(total: int, after: int) -> Explanation:
    """Explain OUTDATED_UPDATE: an update of a route does not follow the last of its `total` waypoints."""
    text = f"the route has {total} waypoints, and the update follows waypoint {after} of it"
    return Explanation(Reason.OUTDATED_UPDATE, f"{text}; send what follows the last one")


def outdated_extension(total: int, expected: int) -> Explanation:
    """Explain OUTDATED_UPDATE: an extension expects another number of legs than the route has."""
    what = "other legs are there already" if expected < total else "legs between are missing"
    text = f"the route has {total} legs, and the extension follows {expected} of them: {what}"
    return Explanation(Reason.OUTDATED_UPDATE, f"{text}; send what follows the last one")


def too_many_goals(limit: int) -> Explanation:
    """Explain BUSY: too many goals for this robot wait to be decided."""
    return Explanation(Reason.BUSY, f"{limit} goals for this robot wait to be decided; wait for each answer")


def internal(text: str) -> Explanation:
    """Explain INTERNAL: the driver caught an exception of its own; `text` names it."""
    return Explanation(Reason.INTERNAL, text)


def out_of_service(text: str) -> Explanation:
    """Explain INTERNAL: the robot was taken out of service, after several exceptions of the driver."""
    return Explanation(Reason.INTERNAL, f"out of service after repeated errors; {TAKE_BACK} takes it back; {text}")


def out_of_arena(places: Iterable[Pose2D], arena: ArenaConfig, size_m: float | None) -> Explanation | None:
    """Return by how much the worst place is outside; None if the body has room at all places.

    `size_m` is the size of a named shape, measured from its start.
    """
    room, outermost = arena.shrunk(BODY_RADIUS_M), _outermost(list(places))
    worst = max((_violations(place, room) for place in outermost), key=lambda found: max(found, default=(0.0, "")))
    if not worst:
        return None
    limits = ", and ".join(text for _, text in worst)
    detail = f"{limits}, as the body needs {BODY_RADIUS_M:g} m to the arena's edge"
    return Explanation(Reason.OUT_OF_ARENA, detail + _smaller(outermost, room, size_m))


def _outermost(places: list[Pose2D]) -> list[Pose2D]:
    """Return the first place and the outermost ones; a path may have thousands of places."""
    by_x, by_y = attrgetter("x_m"), attrgetter("y_m")
    return [places[0], min(places, key=by_x), max(places, key=by_x), min(places, key=by_y), max(places, key=by_y)]


def unreachable(place: Pose2D, obstacles: Obstacles, needed_m: float) -> Explanation:
    """Explain UNREACHABLE: obstacles leave no room at a place, or on the way to it."""
    clearance_m = obstacles.clearance_m(place.x_m, place.y_m)
    where = place_text(place)
    if clearance_m < needed_m:
        detail = f"{where} is {clearance_m:.3f} m from a wall or keep-out area of `floor`, at least {needed_m:g} m"
    else:
        detail = f"a wall or keep-out area of `floor` is in the way to {where}; try other goals around it"
    return Explanation(Reason.UNREACHABLE, detail)


def no_way_for_any(place: Pose2D, robot_ids: Collection[int]) -> Explanation:
    """Explain UNREACHABLE: no robot that may perform a job can reach a place; without ids, any robot may."""
    who = f"for {robots_text(robot_ids)}" if robot_ids else "for any robot"
    detail = f"walls or keep-out areas of `floor` leave no way to {place_text(place)} {who}; choose another place"
    return Explanation(Reason.UNREACHABLE, detail)


def place_text(place: Pose2D) -> str:
    """Return a position in metres: "(0.900, 0.800)"."""
    return f"({number_text(place.x_m)}, {number_text(place.y_m)})"


def number_text(value: float) -> str:
    """Return a number of metres: with millimetres, or shorter where they do not matter."""
    return f"{value:.3f}" if abs(value) < _MILLIMETRES_BELOW_M else f"{value:g}"


def blocked(blocked_by: str, blocked_s: float) -> Explanation:
    """Explain BLOCKED: there was no way for `blocked_s`."""
    detail = f"no way for {blocked_s:g} s: {blocked_by}; move what is in the way, or choose another goal"
    return Explanation(Reason.BLOCKED, detail)


def _violations(place: Pose2D, arena: ArenaConfig) -> list[tuple[float, str]]:
    """Return by how much a place exceeds each limit of the arena [m], with a text."""
    found = []
    for axis, value_m, min_m, max_m in (
        ("x", place.x_m, arena.x_min_m, arena.x_max_m),
        ("y", place.y_m, arena.y_min_m, arena.y_max_m),
    ):
        if value_m > max_m:
            found.append((value_m - max_m, f"{axis} = {number_text(value_m)}, at most {number_text(max_m)}"))
        elif value_m < min_m:
            found.append((min_m - value_m, f"{axis} = {number_text(value_m)}, at least {number_text(min_m)}"))
    return found


def _smaller(places: list[Pose2D], arena: ArenaConfig, size_m: float | None) -> str:
    """Return the advice to choose a smaller shape that fits the arena, "" if none does."""
    if size_m is None or not arena.contains(places[0]):
        return ""
    start = places[0]
    share = min(
        min(
            _fitting_share(start.x_m, place.x_m, arena.x_min_m, arena.x_max_m),
            _fitting_share(start.y_m, place.y_m, arena.y_min_m, arena.y_max_m),
        )
        for place in places
    )
    fitting_m = math.floor(100.0 * share * size_m) / 100.0
    return f"; try --size {fitting_m:g}" if fitting_m >= _SMALLEST_SIZE_M else ""


def _fitting_share(start_m: float, place_m: float, min_m: float, max_m: float) -> float:
    """Return the largest share of the way from a start to a place, along one axis, that stays within the limits."""
    if place_m > max_m:
        return (max_m - start_m) / (place_m - start_m)
    return (start_m - min_m) / (start_m - place_m) if place_m < min_m else 1.0


def stopped() -> Explanation:
    """Explain STOPPED."""
    return Explanation(Reason.STOPPED, "the fleet is stopped until it is resumed; try: thymio-fleet resume")


def no_link(link_text: str, robot_id: int) -> Explanation:
    """Explain ROBOT_LOST: no connection; `link_text` says why."""
    if link_text == USER_SCRIPT:
        detail = f"{link_text}, and takes no tasks; try: thymio-fleet script default {robot_id}"
        return Explanation(Reason.ROBOT_LOST, detail)
    return Explanation(Reason.ROBOT_LOST, f"no link to the robot: {link_text}; {_SWITCHED_ON}")


def silent(silent_s: float, lost_grace_s: float) -> Explanation:
    """Explain ROBOT_LOST: connected, but without odometry."""
    return Explanation(Reason.ROBOT_LOST, f"no odometry for {silent_s:.1f} s, at most {lost_grace_s:g} s")


def pose_lost(pose_topic: str, age_s: float | None, refusal: str, lost_s: float) -> Explanation:
    """Explain POSE_LOST: no usable pose yet (`age_s` is None) or for too long; `refusal` says why the last was not."""
    if not pose_topic:
        return Explanation(Reason.POSE_LOST, "the robot has not reported its wheels yet; wait for its odometry")
    what = f"nothing usable on {pose_topic}" if refusal else f"nothing on {pose_topic}"
    since = "yet" if age_s is None else f"for {age_s:.1f} s, at most {lost_s:g} s"
    why = f", the last pose was {refusal}" if refusal else ""
    return Explanation(Reason.POSE_LOST, f"{what} {since}{why}; check motion capture")


def battery_critical(percent: int, robot_id: int) -> Explanation:
    """Explain BATTERY_CRITICAL."""
    detail = f"the battery has {percent} %, which allows only to go home or dock; try: thymio-fleet go-home {robot_id}"
    return Explanation(Reason.BATTERY_CRITICAL, detail)


def served_elsewhere(driver: str) -> Explanation:
    """Explain SERVED_ELSEWHERE: `driver` serves the robot; "" if the driver is not known yet."""
    if driver:
        return Explanation(Reason.SERVED_ELSEWHERE, f"{driver} serves the robot; see: thymio-fleet list")
    return Explanation(Reason.SERVED_ELSEWHERE, "this driver does not serve the robot yet; see: thymio-fleet list")


def client_lost(clientless_s: float, allowed_s: float) -> Explanation:
    """Explain CLIENT_LOST."""
    return Explanation(
        Reason.CLIENT_LOST,
        f"no client that could cancel the task for {clientless_s:.1f} s, at most {allowed_s:g} s "
        "(tasks.client_lost_s); clients stay until their task ends",
    )


def no_progress(stalled_s: float, remaining: str) -> Explanation:
    """Explain NO_PROGRESS: `remaining` is the distance from the goal in words."""
    detail = f"no nearer to the goal for {stalled_s:.0f} s, {remaining}; look for what blocks the robot"
    return Explanation(Reason.NO_PROGRESS, detail)


def deadline(duration_s: float, allowed_s: float, planned_s: float, remaining: str) -> Explanation:
    """Explain DEADLINE: `remaining` is the distance from the goal in words."""
    detail = f"not done after {duration_s:.0f} s, at most {allowed_s:.0f} s for a plan of {planned_s:.1f} s"
    return Explanation(Reason.DEADLINE, f"{detail}; {remaining}")


def not_a_charger(place: str, chargers: Collection[str]) -> Explanation:
    """Explain NOT_A_CHARGER: a robot should dock at `place`; `chargers` are the names of possible stations."""
    known = f"chargers are {', '.join(chargers)}" if chargers else "fleet.yaml has no station with the role charge"
    return Explanation(Reason.NOT_A_CHARGER, f"{place} is not a charger; {known}")


def no_approach(charger: Pose2D, approach_m: float) -> Explanation:
    """Explain UNREACHABLE: a body has no room at the distance from which robots drive straight onto a charger."""
    detail = f"no room {approach_m:g} m behind or in front of the charger at {place_text(charger)}"
    return Explanation(
        Reason.UNREACHABLE, f"{detail}, where a robot starts to dock; move it, or lower docking.approach_m"
    )


def charger_taken(robot_id: int) -> Explanation:
    """Explain CHARGER_TAKEN: a robot docks at the charger."""
    return Explanation(Reason.CHARGER_TAKEN, f"robot {robot_id} docks there; wait for it, or choose another charger")


def not_charging(waited_s: float, tries: int, *, is_measured: bool) -> Explanation:
    """Explain NOT_CHARGING after `tries` waits in the charger; `is_measured` is whether the voltage is known."""
    if not is_measured:
        detail = f"the robot reported no voltage for {waited_s:g} s, so charging is not confirmed; check its link"
        return Explanation(Reason.NOT_CHARGING, detail)
    detail = f"not charged within {waited_s:g} s{f', {tries} times' if tries > 1 else ''}"
    return Explanation(Reason.NOT_CHARGING, f"{detail}; check that the charger is on, and where the station is")


def shut_down() -> Explanation:
    """Explain SHUTDOWN."""
    return Explanation(Reason.SHUTDOWN, "the driver shuts down; send the goal again when it is back")


def distance_text(pose: Pose2D | None, goal: Pose2D) -> str:
    """Return how far a pose is from a goal, in words; None for a robot that has not driven yet."""
    if pose is None:
        return "the robot has not driven"
    turn_deg = math.degrees(abs(pose.heading_error_to(goal)))
    return f"{number_text(pose.distance_to(goal))} m and {turn_deg:.0f} degrees from {place_text(goal)}"
