"""Sends wheel commands to robots: changed ones at once, others as keep-alive, all within the link's budgets."""

from typing import Final

from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import Event
from fleet.service.robot_fence import RobotFence
from fleet.service.robot_nodes import BATTERY_VARIABLE, Binding, RobotNodes

_SET_SPEED: Final[int] = Event.SET_SPEED  # looked up once because every tick uses it
_BATTERY_PERIOD_S: Final = 5.0
_LATE_PERIODS: Final = 2.0  # of link.keep_alive_s; after twice as long again, robots stop by themselves


class CommandSender:
    """Sends each robot the command that its latest step requested.

    Parameters
    ----------
    link : provides the targets' budgets
    keep_alive_s : period of repeating an unchanged command while the robot moves
    robot_fence : catches exceptions
    """

    def __init__(self, link: AsebaLink, keep_alive_s: float, robot_fence: RobotFence) -> None:
        self._link = link
        self._keep_alive_s = keep_alive_s
        self._robot_fence = robot_fence

    def send(self, nodes: RobotNodes, now_ns: int) -> None:
        """Send commands, and request battery voltages periodically."""
        for binding in self._by_urgency(nodes):
            try:
                self._send(binding, now_ns)
                self._request_battery(binding, now_ns)
            except Exception as error:  # without commands the robot's time-out stops it
                self._robot_fence.catch(binding.robot, error, now_ns)

    def halt(self, nodes: RobotNodes) -> None:
        """Send zero speeds to every robot at once, before anything else."""
        for binding in nodes.bindings.values():
            try:
                binding.handle.emit(_SET_SPEED, (binding.node.address.node_id, 0, 0))
            except Exception as error:  # the others must stop as well
                self._robot_fence.fence.note(f"halt of robot {binding.robot.config.id}", error)

    def _by_urgency(self, nodes: RobotNodes) -> list[Binding]:
        """Return the bindings in sending order: first robots that must stop, then by the longest wait."""
        bindings = list(nodes.bindings.values())
        if not self._link.budgets:
            return bindings
        return sorted(bindings, key=lambda binding: (binding.robot.command.moves, binding.keep_alive.sent_ns))

    def _send(self, binding: Binding, now_ns: int) -> None:
        command = binding.robot.command
        if not binding.keep_alive.is_due(command.nearest_raw, now_ns):
            return
        if command.moves and not self._has_room(binding, now_ns):
            return  # the next tick has newer speeds; without any, the robot's time-out stops it
        binding.waits_ns = None
        chassis = binding.robot.chassis
        targets_raw = chassis.next_targets_raw(command)
        if binding.handle.emit(_SET_SPEED, (binding.node.address.node_id, targets_raw[0], targets_raw[1])):
            binding.keep_alive.on_sent(command.nearest_raw, now_ns)
            chassis.on_sent(targets_raw, now_ns)

    def _has_room(self, binding: Binding, now_ns: int) -> bool:
        """Whether a command may be sent to a node now, or must wait."""
        if binding.waits_ns is None:
            binding.waits_ns = now_ns
        is_late = (now_ns - binding.waits_ns) * 1e-9 > _LATE_PERIODS * self._keep_alive_s
        return binding.handle.has_room(is_late)

    def _request_battery(self, binding: Binding, now_ns: int) -> None:
        requested_ns = binding.battery_requested_ns
        if requested_ns is not None and (now_ns - requested_ns) * 1e-9 < _BATTERY_PERIOD_S:
            return
        if not binding.handle.has_room():
            return
        binding.battery_requested_ns = now_ns
        if binding.node.description.address(BATTERY_VARIABLE) is not None:
            binding.handle.request_variable(BATTERY_VARIABLE)
