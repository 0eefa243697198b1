"""The coupler on ROS: reads variables from topics, publishes the reachers' sum, and serves `/rbc_l2_ctrl`."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from rbc_msgs_srvs.msg import Variables
from rbc_msgs_srvs.srv import RbcL2Ctrl
from rclpy.executors import Executor
from rclpy.task import Future

from body.coupling.coupler import Commands, Coupler
from body.errors import BoardError, ReacherError
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyBoard
from body.ros.body_topics import BodyTopics
from body.ros.member import MemberContext, MemberType
from body.ros.member_pool import LONGEST_NAME, LocalLauncher, MemberPool, ProcessLauncher
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers, serve_unannounced
from thymio_base.ros.fenced_node import FencedNode

NODE_NAME: Final = "rbc"

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_READY_NS: Final = 30_000_000_000  # a new process imports rclpy, which is slow on a busy machine
_SHOWN_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class CouplerSettings:
    """Settings of a coupler.

    Parameters
    ----------
    rate_hz : rate of the commands
    reacher_rate_hz : rate of reachers and extenders in separate processes; others step with the coupler
    is_in_process : whether reachers and extenders run in the coupler's process
    """

    rate_hz: float = 100.0
    reacher_rate_hz: float = 200.0
    is_in_process: bool = False


@dataclass(frozen=True, slots=True)
class _Waiting:
    answer: Future
    since_ns: int


class CouplerNode(FencedNode):
    """The ROS node that couples a body.

    Parameters
    ----------
    layout : the body's layout
    urdf : text of the URDF, for reachers in separate processes
    settings : settings of the coupler
    executor : executor for the nodes of reachers in this process
    clock_ns : returns the time on the core's clock; None means ROS time
    """

    def __init__(
        self,
        layout: BodyLayout,
        urdf: str,
        settings: CouplerSettings,
        executor: Executor,
        clock_ns: Callable[[], int] | None,
    ) -> None:
        super().__init__(NODE_NAME, Fence())
        self._clock_ns = clock_ns or (lambda: self.get_clock().now().nanoseconds)
        self._layout = layout
        self._settings = settings
        self._board = BodyBoard(len(layout.variables), len(layout.motions))
        self._answers = Answers(self._clock_ns, self.fence)
        self._topics = BodyTopics(self, layout, self._clock_ns)
        self._coupler = Coupler(layout, 1 / settings.rate_hz)
        self._pool = self._create_pool(urdf, executor)
        self._is_ending = False
        self._creating: dict[str, _Waiting] = {}
        self._deleting: dict[str, _Waiting] = {}
        self._shown = self.create_publisher(Variables, f"{NODE_NAME}/variables", 1)
        self._answers.create_service(self, RbcL2Ctrl, "rbc_l2_ctrl", self._on_request)
        self._answers.cover(self)
        self.create_timer(1 / settings.rate_hz, self._step)
        self.create_timer(0.02, self._tidy)
        self.create_timer(_SHOWN_S, self._show)
        self.create_timer(1.0, lambda: serve_unannounced(self))
        for warning in layout.robot.warnings:
            self.get_logger().warning(warning)

    @property
    def has_members(self) -> bool:
        """Whether there are reachers or extenders."""
        return bool(self._pool.members)

    def begin_to_end(self) -> None:
        """Ask all reachers and extenders to end; the coupler keeps running until they have."""
        self._is_ending = True
        for name in self._pool.members:
            self._end(name)

    def close(self) -> None:
        """End the remaining members, publish commands at rest, and destroy the node."""
        self._pool.close()
        self._topics.publish(self._commands(self._clock_ns()))
        self.destroy_node()
        self._board.close()

    def _create_pool(self, urdf: str, executor: Executor) -> MemberPool:
        if not self._settings.is_in_process:
            rate_hz = self._settings.reacher_rate_hz
            launcher = ProcessLauncher(self._board, urdf, rate_hz)
            return MemberPool(self._board, launcher, round(1e9 / rate_hz), self.fence)
        context = MemberContext(self._layout, self._board, 0, self._now, self._answers, self.fence)
        period_ns = round(1e9 / self._settings.rate_hz)
        return MemberPool(self._board, LocalLauncher(executor, context), period_ns, self.fence)

    def _now(self) -> Instant:
        return Instant(self._clock_ns(), self.get_clock().now().nanoseconds)

    def _step(self) -> None:
        self._topics.publish(self._commands(self._clock_ns()))

    def _commands(self, now_ns: int) -> Commands:
        """Return the commands of this period; if the step fails, hold what the previous step drove."""
        try:
            state = self._topics.state
            self._board.write_state(state)
            return self._coupler.step(state, self._pool.rows(now_ns), now_ns)
        except Exception as error:
            self.fence.note("the coupler's step", error)
            return self._coupler.rest(now_ns)

    def _tidy(self) -> None:
        """Answer requests whose reachers are ready or gone."""
        now_ns = self._clock_ns()
        self._answers.step()
        for name, member in self._pool.tidy(now_ns).items():
            if name in self._deleting:
                self._answer(self._deleting.pop(name), is_done=True, text=f"{name} is deleted")
            elif name in self._creating:
                self._answer(self._creating.pop(name), is_done=False, text=f"{name} ended while starting; see its log")
            else:
                self.get_logger().error(f"{member.kind.value} {name} has died; its share is gone from the commands")
        for name, waiting in list(self._creating.items()):
            if self._pool.members[name].was_ready:
                self._answer(self._creating.pop(name), is_done=True, text=f"{name} is ready")
            elif now_ns - waiting.since_ns > _READY_NS:
                self._pool.delete(name, now_ns)
                text = f"{name} was not ready after {_READY_NS * 1e-9:g} s, and is deleted"
                self._answer(self._creating.pop(name), is_done=False, text=text)

    def _show(self) -> None:
        if not self._shown.get_subscription_count():
            return
        state = self._topics.state
        pairs = [
            (variable.full_name, float(state.values[index]))
            for index, variable in enumerate(self._layout.variables)
            if state.stamps_ns[index] > 0
        ]
        for name in self._board.read_directory():
            output = self._board.read_output(name)
            if output is not None and output.written_ns:
                pairs.append((name, output.value))
        names, values = [name for name, _ in pairs], [value for _, value in pairs]
        self._shown.publish(Variables(stamp=self.get_clock().now().to_msg(), names=names, values=values))

    def _on_request(self, request: RbcL2Ctrl.Request, response: RbcL2Ctrl.Response) -> Any:
        commands = {"create_re": self._create, "delete_re": self._delete, "list_re": self._list}
        try:
            command = commands.get(request.cmd)
            if command is None:
                raise ReacherError(f"cmd is {request.cmd[:80]!r}; write {', '.join(commands)}")
            return command(request, response)
        except (ReacherError, BoardError) as error:
            response.success, response.message = False, str(error)
            return response

    def _create(self, request: RbcL2Ctrl.Request, _: RbcL2Ctrl.Response) -> Future:
        try:
            kind = MemberType(request.data)
        except ValueError:
            known = ", ".join(one.value for one in MemberType)
            raise ReacherError(f"data is {request.data[:80]!r}; write one of the types {known}") from None
        if not _NAME.fullmatch(request.name) or len(request.name) > LONGEST_NAME:
            text = f"write letters, digits and _, at most {LONGEST_NAME}, beginning with a letter"
            raise ReacherError(f"name is {request.name[:LONGEST_NAME]!r}; {text}")
        if request.name == self.get_name():
            raise ReacherError(f"name is {request.name!r}, which is the coupler's own; choose another name")
        if self._is_ending:
            raise ReacherError("the coupler is ending")
        self._pool.create(kind, request.name)
        return self._wait(self._creating, request.name)

    def _delete(self, request: RbcL2Ctrl.Request, _: RbcL2Ctrl.Response) -> Future:
        return self._end(request.name)

    def _end(self, name: str) -> Future:
        self._pool.delete(name, self._clock_ns())
        if name in self._creating:
            self._answer(self._creating.pop(name), is_done=False, text=f"{name} was deleted meanwhile")
        return self._wait(self._deleting, name)

    def _list(self, _: RbcL2Ctrl.Request, response: RbcL2Ctrl.Response) -> RbcL2Ctrl.Response:
        now_ns = self._clock_ns()
        members = []
        for name, member in self._pool.members.items():
            row = self._board.read_row(member.row)
            is_live = self._pool.is_live(name, now_ns)
            members.append({"name": name, "type": member.kind.value, "weight": row.weight, "live": is_live})
        response.success, response.message = True, json.dumps(members)
        return response

    def _wait(self, waiting: dict[str, _Waiting], name: str) -> Future:
        earlier = waiting.get(name)
        if earlier is None:
            earlier = waiting[name] = _Waiting(Future(), self._clock_ns())
        return earlier.answer

    def _answer(self, waiting: _Waiting, *, is_done: bool, text: str) -> None:
        waiting.answer.set_result(RbcL2Ctrl.Response(success=is_done, message=text))
