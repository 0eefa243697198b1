"""The program `asebaros`: the bridge on its own, with the parameters of the original program."""

import socket
import sys
import time
from collections.abc import Sequence
from functools import partial

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.experimental import EventsExecutor

from aseba_link.aesl.program import Program, read_program
from aseba_link.bridge.acceptance import admit
from aseba_link.bridge.bridge_settings import BridgeSettings, read_parameters
from aseba_link.errors import AsebaLinkError
from aseba_link.host.link_events import LinkEvent, TargetConnected, TargetLost
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.listener import Listener
from aseba_link.link.switch import Switch
from aseba_link.ros.bridge import Bridge
from aseba_link.ros.load_services import LoadServices
from thymio_base.errors import SettingsError
from thymio_base.exit_code import ExitCode
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers, serve_unannounced
from thymio_base.ros.diagnostics import Diagnostics
from thymio_base.ros.executors import spin_once
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.stop_signal import StopSignal

NODE_NAME = "asebaros"
POLL_PERIOD_S = 0.01
_FLUSH_S = 0.3  # for sending the last commands: closing a port discards queued bytes
_SWEEP_PERIOD_S = 1.0  # between checks for requests that were not announced


class AsebaNode(FencedNode):
    """Polls its own link and bridges it.

    Raises
    ------
    AsebaLinkError
        A parameter, or the script it refers to, is invalid.
    OSError
        The port is in use.
    """

    def __init__(self) -> None:
        super().__init__(NODE_NAME, Fence(), automatically_declare_parameters_from_overrides=True)
        parameters = {name: parameter.value for name, parameter in self.get_parameters_by_prefix("").items()}
        self._settings = read_parameters(parameters)
        program = _default_program(self._settings)
        self._link = _link(self._settings, self.fence)
        self._answers = Answers(time.monotonic_ns, self.fence)
        self._answers.cover(self)
        self._bridge = self._create_bridge(program)
        LoadServices(self, self._bridge, self._answers)
        self._were_connected: set[str] = set()
        self.is_over = False
        # the link's timeouts are for real robots and cables, whatever clock ROS uses
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(POLL_PERIOD_S, self._poll, clock=steady)
        self.create_timer(_SWEEP_PERIOD_S, lambda: serve_unannounced(self), clock=steady)

    def destroy_node(self) -> None:
        """Stop the robots if so configured, and close the link."""
        if self._settings.reset_on_closing:
            self.fence.call("the reset of all nodes", self._reset_nodes)
        self._link.close()
        super().destroy_node()

    def _reset_nodes(self) -> None:
        for node in self._bridge.accepted:
            self._link.node(node.address).reset()
        deadline = time.monotonic() + _FLUSH_S
        while self._bridge.accepted and time.monotonic() < deadline:
            self._link.poll(time.monotonic_ns())
            time.sleep(POLL_PERIOD_S)

    def _create_bridge(self, program: Program | None) -> Bridge:
        settings = self._settings
        decide = partial(admit, settings.rules, highest_protocol_version=settings.highest_acceptable_protocol_version)
        return Bridge(
            self,
            self._link,
            admit=decide,
            program=program,
            loads=True,
            diagnostics=Diagnostics(self, socket.gethostname()),
            clock=self._now,
            answers=self._answers,
            sets_id_variable=settings.set_id_variable,
            reloads=settings.reload_on_reconnect,
        )

    def _now(self) -> Instant:
        return Instant(time.monotonic_ns(), self.get_clock().now().nanoseconds)

    def _poll(self) -> None:
        events = self._link.poll(time.monotonic_ns())
        for event in events:
            self.fence.call("the log of the link", self._log, event)
        self._bridge.handle(events)
        self._answers.step()

    def _log(self, event: LinkEvent) -> None:
        match event:
            case TargetConnected(target):
                self._were_connected.add(target)
                self.get_logger().info(f"{target}: connected")
            case TargetLost(target, reason):
                self.get_logger().warning(f"{target}: {reason}; trying again")
                self.is_over = self.is_over or (self._settings.shutdown_on_unconnect and target in self._were_connected)


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return 0, 1 if the port is in use, or 2 for invalid parameters."""
    stop = StopSignal()
    arguments = list(sys.argv if argv is None else [NODE_NAME, *argv])
    try:
        start_ros(NODE_NAME, arguments)
        node = AsebaNode()
    except OSError as error:
        print(error, file=sys.stderr)
        return ExitCode.FAILED
    except (AsebaLinkError, SettingsError, RuntimeError) as error:
        # RuntimeError is from rclpy, for arguments that it cannot parse
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except ValueError as error:  # rclpy knows no type for an empty parameter, and does not name it
        print(f"a parameter is empty, such as []; leave it out instead ({error})", file=sys.stderr)
        return ExitCode.USAGE
    _run(node, stop)
    rclpy.try_shutdown()
    return ExitCode.DONE


def _run(node: AsebaNode, stop: StopSignal) -> None:
    """Serve until the end, and stop the robots in any case."""
    executor = EventsExecutor()
    executor.add_node(node)
    try:
        while not (stop.is_requested or node.is_over):
            node.fence.call("executor", spin_once, executor, 0.2)
    finally:
        executor.remove_node(node)
        node.destroy_node()


def _default_program(settings: BridgeSettings) -> Program | None:
    return read_program(settings.script_path, settings.script_constants) if settings.script_path else None


def _link(settings: BridgeSettings, fence: Fence) -> AsebaLink:
    """Return a link that leaves all scripts to the bridge."""
    script_policy = ScriptPolicy(lambda _: None, event_timeout_s=None, reclaims=False)
    switch = Switch(Listener(settings.address, settings.port), settings.loop) if settings.port else None
    return AsebaLink(settings.targets, script_policy, ThreadDialer(), switch, settings.join_targets, fence=fence)


if __name__ == "__main__":
    sys.exit(main())
