"""Cancels all goals of robots, whichever client sent them."""

from action_msgs.srv import CancelGoal

from fleet.client.graph_client import DISCOVERY_S, GraphClient, until
from fleet.client.served_fleet import ServedFleet
from fleet.errors import NoServerError
from fleet.interface.names import action_name
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS
from thymio_base.parts import Parts

_OURS_S = 0.5  # actions that are not the customer's are found together with those that are, or do not exist


def cancel_goals(client: GraphClient, fleet: ServedFleet, robot_id: int, timeout_s: float = DISCOVERY_S) -> int:
    """Cancel all goals of a robot; return how many are being canceled.

    Raises
    ------
    NoServerError
        The robot is not served, or no server of it answers.
    """
    return client.finish(cancellation(client, fleet, robot_id, timeout_s))


def cancellation(client: GraphClient, fleet: ServedFleet, robot_id: int, timeout_s: float = DISCOVERY_S) -> Parts[int]:
    """Cancel all goals of a robot, as `cancel_goals` does.

    Raises
    ------
    NoServerError
        The robot is not served, or no server of it answers.
    """
    with client.visit() as node:
        kinds = {
            kind: node.create_client(CancelGoal, f"{action_name(robot_id, kind)}/_action/cancel_goal")
            for kind in TaskKind
        }
        client.settle()
        available = []
        for kind, service in kinds.items():
            if KINDS[kind].is_ours:
                is_ready = yield from until(service.service_is_ready, _OURS_S)
            else:
                action = action_name(robot_id, kind)
                yield from fleet.reach_in_parts(robot_id, service.service_is_ready, action, timeout_s)
                is_ready = True
            available += [service] if is_ready else []
        answers = yield from client.call_all_in_parts(available, CancelGoal.Request(), timeout_s)
    if answers is None:
        raise NoServerError(f"robot {robot_id} does not answer a cancel request within {timeout_s:g} s")
    return sum(len(answer.goals_canceling) for answer in answers)
