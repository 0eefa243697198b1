"""The robot under test, as seen by the stages: commands, questions to a person, and waiting, without its own clock.

A stage is a generator: it yields None for one tick, or a `Question` to which it is sent the answer.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from aseba_link.aesl.compiler import ScriptCompiler
from aseba_link.errors import CompilerError
from aseba_link.host.link_events import (
    LinkEvent,
    NodeDisconnected,
    NodeFaulted,
    NodeLost,
    NodeReady,
    TargetLost,
    UserEvent,
    VariablesRead,
)
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import Dialer
from aseba_link.link.node_handle import NodeHandle
from aseba_link.thymio.events import Event
from aseba_link.thymio.hand_request import HAND, SET_GUARD, HandAction, HandRequest, Sight
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import NodeDescription
from fleet.bringup.bringup_record import BUTTON_EVENTS, BringupRecord
from fleet.bringup.bringup_script import bringup_script
from fleet.errors import BringupError
from fleet.robots.robot_status import TaskOutcome
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig

Result = TypeVar("Result")

AIR, FLOOR = 0, 1  # modes of the guard
BUSY_S = 0.2  # a longer pause of this program, or delay of a report, spoils a measurement
HAND_S = 30.0  # for a person to comply
_COMMAND_NS = 100_000_000  # from one speed command to the next


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person; the answer is a line, "" without one. `is_permission` requires a yes before motion."""

    text: str
    is_permission: bool = False


Steps = Generator[Question | None, str | None, Result]


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The person's choices.

    Parameters
    ----------
    target : the robot's Dashel target
    node_id : the robot's node id; None if it is alone on the target
    has_poses : whether motion capture tracks the robot
    is_on_floor : whether the robot may drive further than 20 cm
    has_hands : whether a person can cover sensors and lift the robot
    """

    target: str
    node_id: int | None = None
    has_poses: bool = False
    is_on_floor: bool = False
    has_hands: bool = True


@dataclass(slots=True)
class RobotBench:
    """One robot on one target; `tick` runs once for each step of a stage.

    `say` gets lines for the person; `node_id` is 0 until it is known. `longest_gap_s` is the longest pause of this
    program, `longest_delay_s` the longest delay of a report.
    """

    options: BenchOptions
    dialer: Dialer
    say: Callable[[str], None]
    record: BringupRecord = field(default_factory=BringupRecord)
    now_ns: int = 0
    node_id: int = 0
    readies: int = 0
    losses: list[str] = field(default_factory=list)
    description: NodeDescription | None = None
    longest_gap_s: float = 0.0
    longest_delay_s: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    outcomes: list[TaskOutcome] = field(default_factory=list)
    service: FleetService | None = None
    _link: AsebaLink | None = None
    _served_poses: int = 0
    _read: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _command_ns: int = 0

    def tick(self, now_ns: int) -> None:
        """Read the link."""
        if self.now_ns:
            self.longest_gap_s = max(self.longest_gap_s, (now_ns - self.now_ns) * 1e-9)
        self.now_ns = now_ns
        for event in self._polled(now_ns):
            self._on_event(event)

    def connect(self) -> None:
        """Dial the target, and let our script be loaded."""
        if self._link is None:
            self.readies, self.losses = 0, []
            compiler = ScriptCompiler(bringup_script())
            self._link = AsebaLink((self.options.target,), ScriptPolicy(self._script_for(compiler)), self.dialer)

    def serve(self, config: FleetConfig) -> None:
        """Connect, and let the driver's core serve the robot, as the only one of a configuration."""
        self.connect()
        assert self._link is not None, "it is connected"
        self.outcomes.clear()
        self.service, self._served_poses = FleetService(config, self._link), len(self.record.poses)

    def close(self) -> None:
        """Stop the wheels, and close the link."""
        self.halt()
        if self._link is not None:
            if self.node_id:
                self._handle().reset()
            self._link.close()
            self._link = self.service = None

    def halt(self) -> None:
        """Command the wheels to stop."""
        self._emit(Event.SET_SPEED, 0, 0)

    def command(self, event: int, *words: int) -> bool:
        """Send a command of the script; False if the robot is not ready."""
        return self._emit(event, *words)

    def ask_hand(self, action: HandAction, text: str, index: int = 0) -> None:
        """Ask the person, and a simulated hand, for an action."""
        if text:
            self.say(text)
        if self._link is not None:
            self._link.broadcast(HAND, HandRequest(self.node_id, action, index).words())

    def read(self, name: str) -> Steps[tuple[int, ...]]:
        """Return the words of a variable; () if no answer comes within three tries."""
        for _ in range(3):
            self._read.pop(name, None)
            if self._link is not None:
                self._handle().request_variable(name)
            if (yield from self.wait_until(lambda: name in self._read, 1.0)):
                return self._read[name]
        return ()

    def wait(self, duration_s: float) -> Steps[None]:
        """Let time pass."""
        end_ns = self.now_ns + round(duration_s * 1e9)
        while self.now_ns < end_ns:
            self._require_link()
            yield None

    def wait_until(self, condition: Callable[[], bool], limit_s: float, *, needs_link: bool = True) -> Steps[bool]:
        """Let time pass until a condition holds; return whether it does. Raises if a needed link is lost."""
        end_ns = self.now_ns + round(limit_s * 1e9)
        while not condition():
            if self.now_ns >= end_ns:
                return False
            if needs_link:
                self._require_link()
            yield None
        return True

    def drive(
        self, left_raw: int, right_raw: int, duration_s: float, must_end: Callable[[], bool] | None = None
    ) -> Steps[None]:
        """Turn the wheels for a time, or until a condition holds; then stop them."""
        end_ns, next_ns = self.now_ns + round(duration_s * 1e9), self.now_ns
        while self.now_ns < end_ns and not (must_end is not None and must_end()):
            if self.now_ns >= next_ns:
                next_ns = self.now_ns + _COMMAND_NS
                self._emit(Event.SET_SPEED, left_raw, right_raw)
            self._require_link()
            yield None
        self.halt()

    def guard(self, mode: int) -> Steps[None]:
        """Set the mode of the robot's own guard, twice, as the radio may lose a message."""
        for _ in range(2):
            self._emit(SET_GUARD, mode)
            yield from self.wait(0.05)

    def look(self, sight: Sight, text: str) -> Steps[bool | None]:
        """Ask what the person sees; the answer is a button of the robot, or None."""
        how = "Press the robot's forward button if so, its backward button if not."
        self.ask_hand(HandAction.LOOK, f"{text} {how}", sight)
        felt = yield from self.felt_buttons(("forward", "backward"))
        return felt == ("forward",) if len(felt) == 1 else None

    def felt_buttons(self, names: Sequence[str]) -> Steps[tuple[str, ...]]:
        """Wait until any of some buttons is pressed; return those felt, () if none. The radio may lose an event."""
        since_ns = self.now_ns
        end_ns = since_ns + round(HAND_S * 1e9)
        while self.now_ns < end_ns:
            felt = [name for name in names if (1,) in self.record.values(BUTTON_EVENTS[name], since_ns)]
            for name in () if felt else names:
                words = yield from self.read(f"button.{name}")
                felt += [name] if any(words) else []
            if felt:
                return tuple(felt)
            yield from self.wait(0.1)
        return ()

    def _polled(self, now_ns: int) -> Sequence[LinkEvent]:
        """Return the link's events; if the driver's core serves the robot, it polls the link and gets the poses."""
        if self.service is None:
            return () if self._link is None else list(self._link.poll(now_ns))
        telemetry = self.service.robot(self.service.config.robots[0].id).telemetry
        for measured_ns, pose in self.record.poses[self._served_poses :]:
            telemetry.on_measured_pose(pose, measured_ns, now_ns)
        self._served_poses = len(self.record.poses)
        report = self.service.tick(now_ns)
        self.outcomes += report.outcomes
        return report.link_events

    def _script_for(self, compiler: ScriptCompiler) -> Callable[[Node], CompiledScript | None]:
        def script_for(node: Node) -> CompiledScript | None:
            if self.node_id not in (0, node.address.node_id):
                return None
            compiled = compiler(node)
            if compiled is None:
                raise CompilerError(f"there is no script for a node called {node.description.name!r}")
            return compiled

        return script_for

    def _on_event(self, event: LinkEvent) -> None:
        match event:
            case NodeReady(node) if self.node_id in (0, node.address.node_id):
                self.node_id = node.address.node_id
                if not self.readies:
                    self.losses.clear()  # before it was ready, they were attempts
                self.readies += 1
                self.description = node.description
                self.record.odometry = None
                self.record.wheels.clear()
            case UserEvent(address, rank, args, stamp_ns) if address.node_id == self.node_id:
                self.record.add(rank, args, stamp_ns)
                self.longest_delay_s = max(self.longest_delay_s, self.record.delay_s)
            case VariablesRead(address, name, values, _) if address.node_id == self.node_id:
                self._read[name] = values
            case NodeLost(address, reason) | NodeFaulted(address, reason) | NodeDisconnected(address, reason):
                if self.node_id in (0, address.node_id):  # not another robot behind the same dongle
                    self.losses.append(reason)
            case TargetLost(_, reason):
                self.losses.append(reason)
            case _:
                pass

    def _require_link(self) -> None:
        """Raise BringupError once a ready robot is lost; stages that expect a loss do not wait here."""
        if self._link is not None and self.readies and self.losses:
            raise BringupError(self.losses[-1])

    def _handle(self) -> NodeHandle:
        if self._link is None:
            raise BringupError("there is no link to the robot")
        return self._link.node(NodeAddress(self.options.target, self.node_id))

    def _emit(self, event: int, *words: int) -> bool:
        if self._link is None or not self.node_id:
            return False
        if event == Event.SET_SPEED:
            self.record.note_command(self.now_ns, words[0], words[1])
        return self._handle().emit(event, (_signed(self.node_id), *words))


def _signed(node_id: int) -> int:
    return node_id - 0x10000 if node_id > 0x7FFF else node_id
