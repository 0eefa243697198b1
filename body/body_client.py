"""A client of the body coupler: creates and configures reachers and sends them goals, each in one call."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final
from uuid import uuid4

import rclpy
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, PointStamped, Pose, Quaternion, Twist, Vector3, Wrench
from rbc_actions.action import VF, JointReacher, SimContact
from rbc_msgs_srvs.msg import JointValue, Variables
from rbc_msgs_srvs.srv import RbcL2Ctrl
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from body.errors import BodyError, ReacherError
from thymio_base.errors import TextError
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.texts.bounds import is_number
from thymio_base.texts.json_text import read_json
from thymio_base.texts.shortened import shortened

_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 16.0
_GONE_S: Final = 3.0  # off the ROS graph, and a server is taken for dead
_APPEARS_S: Final = 15.0  # until the coupler is on the ROS graph
_PATIENCE_S: Final = 40.0  # for answers; the coupler waits 30 s for a new reacher
_ACTIONS: Final = (VF, JointReacher, SimContact)


@dataclass(frozen=True, slots=True)
class ReacherResult:
    """How a goal ended.

    Parameters
    ----------
    success : whether the goal was reached
    reason : REACHED, or why it was not
    message : the result message of the action
    """

    success: bool
    reason: str
    message: Any


class BodyClient:
    """A coupled body for programs; a context manager with its own ROS node.

    Parameters
    ----------
    name : name of the node
    """

    def __init__(self, name: str = "body_client") -> None:
        use_shipped_profile()
        self._context = Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._control = self._node.create_client(RbcL2Ctrl, "rbc_l2_ctrl")
        self._clients: dict[tuple[type, str], Any] = {}
        self._actions: dict[tuple[str, type], ActionClient] = {}

    def __enter__(self) -> "BodyClient":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_re(self, kind: str, name: str) -> None:
        """Create a reacher or extender, and wait until it is ready.

        Parameters
        ----------
        kind
            VF, JR, SC or TC
        name
            name of its node

        Raises
        ------
        ReacherError
            The coupler refuses the request; the message says why.
        BodyError
            The coupler does not answer.
        """
        self._request("create_re", kind, name)

    def remove_re(self, name: str) -> None:
        """Delete a reacher or extender; raises as `add_re` does."""
        self._request("delete_re", "", name)

    def list_re(self) -> list[dict[str, Any]]:
        """Return name, type, weight and liveness of all reachers and extenders; raises as `add_re` does."""
        try:
            members: list[dict[str, Any]] = read_json(self._request("list_re"))
        except TextError as error:
            raise BodyError(f"the answer of the coupler is not JSON: {error}") from error
        return members

    def set_params(self, name: str, values: Mapping[str, Any]) -> None:
        """Set parameters of a reacher or extender, one after the other.

        Raises
        ------
        ReacherError
            A value is rejected; the message names the parameter and says why.
        BodyError
            There is no answer.
        """
        client = self._client(SetParameters, f"{name}/set_parameters")
        for key, value in values.items():
            message = Parameter(key, value=_plain(key, value)).to_parameter_msg()
            (answer,) = self._call(client, SetParameters.Request(parameters=[message])).results
            if not answer.successful:
                raise ReacherError(f"/{name}: {answer.reason}")

    def execute_service(self, name: str, kind: Any = Trigger, request: Any = None) -> Any:
        """Return the answer of a service.

        Parameters
        ----------
        name
            name of the service, such as TC0/tare
        kind
            ROS type of the service
        request
            the request; None sends an empty one

        Raises
        ------
        BodyError
            There is no answer.
        """
        return self._call(self._client(kind, name), kind.Request() if request is None else request)

    def execute_action(self, name: str, goal: Any, *, blocking: bool = True) -> "ReacherResult | SentReacherGoal":
        """Send a goal to a reacher; see `pose_goal`, `joint_goal` and `contact_goal`.

        Parameters
        ----------
        name
            name of the reacher
        goal
            the action's goal message
        blocking
            whether to wait for the result; otherwise the goal is returned as soon as it is accepted

        Raises
        ------
        ReacherError
            The goal is rejected; the reacher's log says why. Or it is not a goal of a reacher.
        BodyError
            There is no answer.
        """
        action = next((one for one in _ACTIONS if isinstance(goal, one.Goal)), None)
        if action is None:
            known = ", ".join(f"{one.__name__}.Goal" for one in _ACTIONS)
            raise ReacherError(f"/{name}: {type(goal).__qualname__} is not a goal of a reacher; send one of {known}")
        client = self._actions.get((name, action))
        if client is None:
            client = self._actions[name, action] = ActionClient(self._node, action, f"{name}/action")
        self._wait(client.server_is_ready, f"/{name}/action")
        goal_id = UUID(uuid=list(uuid4().bytes))  # a goal that is sent again is executed once
        server = ServerOnGraph(f"/{name}/action", client.server_is_ready)
        handle = self.finish(lambda: client.send_goal_async(goal, goal_uuid=goal_id), server)
        if not handle.accepted:
            raise ReacherError(f"/{name} rejects the goal; its log says why")
        sent = SentReacherGoal(self, server, handle)
        return sent.wait() if blocking else sent

    def touch(self, name: str, link: str, point: Sequence[float]) -> None:
        """Send the point of contact to a touch-contact extender (TC).

        Parameters
        ----------
        name
            name of the extender
        link
            the touched link
        point
            the point of contact in the link's frame [m]

        Raises
        ------
        BodyError
            The extender does not subscribe to contacts.
        """
        publisher = self._node.create_publisher(PointStamped, f"{name}/contact", 10)
        message = PointStamped(point=_vector(Point, point))
        message.header.frame_id = link
        try:
            self._wait(lambda: publisher.get_subscription_count() > 0, f"/{name}/contact")
            publisher.publish(message)
            publisher.wait_for_all_acked()
        finally:
            self._node.destroy_publisher(publisher)

    def variables(self) -> dict[str, float]:
        """Return all known variables and outputs of extenders by name.

        Raises
        ------
        BodyError
            The coupler does not publish them.
        """
        heard: list[Variables] = []
        subscription = self._node.create_subscription(Variables, "rbc/variables", heard.append, 1)
        try:
            self._wait(lambda: bool(heard), "/rbc/variables")
        finally:
            self._node.destroy_subscription(subscription)
        return dict(zip(heard[-1].names, heard[-1].values, strict=True))

    def close(self) -> None:
        """Leave the ROS graph; reachers stay."""
        for client in self._actions.values():
            client.destroy()
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _request(self, cmd: str, data: str = "", name: str = "") -> str:
        self._wait(self._control.service_is_ready, self._control.srv_name, _APPEARS_S)
        request = RbcL2Ctrl.Request(cmd=cmd, data=data, name=name)
        answer = self._call(self._control, request, is_repeated=cmd == "list_re")
        if not answer.success:
            raise ReacherError(answer.message)
        return str(answer.message)

    def _client(self, kind: type, name: str) -> Any:
        if (kind, name) not in self._clients:
            self._clients[kind, name] = self._node.create_client(kind, name)
        return self._clients[kind, name]

    def _call(self, client: Any, request: Any, *, is_repeated: bool = True) -> Any:
        self._wait(client.service_is_ready, client.srv_name)
        server = ServerOnGraph(client.srv_name, client.service_is_ready)
        return self.finish(lambda: client.call_async(request), server, is_repeated=is_repeated)

    def _wait(self, condition: Any, what: str, patience_s: float = _PATIENCE_S) -> None:
        end_s = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > end_s:
                raise BodyError(f"{what} does not answer: is rbc running, in the same ROS domain?")
            self._executor.spin_once(timeout_sec=0.02)

    def finish(
        self,
        send: Callable[[], Future],
        server: "ServerOnGraph",
        patience_s: float | None = _PATIENCE_S,
        *,
        sent: Sequence[Future] = (),
        is_repeated: bool = True,
    ) -> Any:
        """Send a request, and return the answer.

        A killed server stays on the ROS graph for some seconds and swallows requests to its successor of the same name;
        so a request is sent again, after 1 s, 2 s and so on.

        Parameters
        ----------
        send
            sends the request, and returns the future of its answer
        server
            the server that answers
        patience_s
            how long to wait; None waits as long as the server is on the ROS graph
        sent
            futures of the same request, if it was sent before
        is_repeated
            whether the request may be sent again

        Raises
        ------
        BodyError
            The server does not answer in time, or has left the ROS graph.
        """
        asked = list(sent) or [send()]
        start_s = there_s = time.monotonic()
        again_s, pause_s = start_s + _FIRST_PAUSE_S, 2 * _FIRST_PAUSE_S
        while not (answered := [one for one in asked if one.done()]):
            now_s = time.monotonic()
            there_s = now_s if server.is_there() else there_s
            if now_s - there_s > _GONE_S:
                raise BodyError(f"{server.name} has disappeared without an answer: has its program died or ended?")
            if patience_s is not None and now_s - start_s > patience_s:
                raise BodyError(f"{server.name} has not answered for {patience_s:g} s: has it died?")
            if now_s >= again_s and is_repeated:
                asked.append(send())
                again_s, pause_s = now_s + pause_s, min(2 * pause_s, _LONGEST_PAUSE_S)
            self._executor.spin_once(timeout_sec=0.05)
        return answered[0].result()


@dataclass(frozen=True, slots=True)
class ServerOnGraph:
    """The server of a service or an action.

    Parameters
    ----------
    name : name of the service or action
    is_there : returns whether it is on the ROS graph
    """

    name: str
    is_there: Callable[[], bool]


class SentReacherGoal:
    """An accepted goal of a reacher; its result is requested on construction.

    Parameters
    ----------
    body : the client that sent the goal
    server : the server of the reacher's action
    handle : rclpy's goal handle
    """

    def __init__(self, body: BodyClient, server: ServerOnGraph, handle: Any) -> None:
        self._body = body
        self._server = server
        self._handle = handle
        self._result: Future = handle.get_result_async()

    def wait(self, patience_s: float | None = None) -> ReacherResult:
        """Wait for the result, for at most `patience_s`; None waits as long as it takes.

        Raises
        ------
        BodyError
            The time has passed, or the reacher has died.
        """
        ask = self._handle.get_result_async
        answer = self._body.finish(ask, self._server, patience_s, sent=[self._result])
        if answer.status == GoalStatus.STATUS_UNKNOWN:
            raise BodyError(f"{self._server.name} no longer knows the goal: it was deleted and created again")
        return ReacherResult(answer.result.success, answer.result.reason, answer.result)

    def cancel(self) -> None:
        """Ask the reacher to end the goal, and wait for its answer."""
        self._body.finish(self._handle.cancel_goal_async, self._server)


def pose_goal(
    position: Sequence[float],
    orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    *,
    precision: Sequence[float] = (0.0,) * 6,
    timeout_s: float = 0.0,
) -> VF.Goal:
    """Return a goal of a vector-field reacher (VF).

    Parameters
    ----------
    position
        target position x, y, z in the frame of base_link [m]
    orientation
        target orientation as a quaternion x, y, z, w
    precision
        precision of each axis [m, rad]; 0 means the reacher's setting
    timeout_s
        time allowed for the goal; 0 means no limit
    """
    precise = list(map(float, precision))
    return VF.Goal(
        goal=Pose(position=_vector(Point, position), orientation=Quaternion(**_named("xyzw", orientation))),
        precision=Twist(linear=_vector(Vector3, precise[:3]), angular=_vector(Vector3, precise[3:])),
        timeout=_duration(timeout_s),
    )


def joint_goal(positions: Mapping[str, float]) -> JointReacher.Goal:
    """Return a goal of a joint reacher (JR): target positions by joint [rad or m]."""
    return JointReacher.Goal(goal=[JointValue(joint=name, value=float(at)) for name, at in positions.items()])


def contact_goal(
    link: str,
    point: Sequence[float],
    force: Sequence[float],
    torque: Sequence[float] = (0.0,) * 3,
    duration_s: float = 0.0,
) -> SimContact.Goal:
    """Return a goal of a simulated-contact reacher (SC).

    Parameters
    ----------
    link
        the touched link
    point
        point of contact in the link's frame [m]
    force, torque
        wrench at the point, in the link's axes [N, Nm]
    duration_s
        duration of the contact; 0 means until it is canceled
    """
    position = PointStamped(point=_vector(Point, point))
    position.header.frame_id = link
    wrench = Wrench(force=_vector(Vector3, force), torque=_vector(Vector3, torque))
    return SimContact.Goal(wrench=wrench, position=position, duration=_duration(duration_s))


def _plain(key: str, value: Any) -> Any:
    """Return a parameter's value with all numbers as floats, as messages need them.

    Raises
    ------
    ReacherError
        The value is not a finite number, a text or a list of either.
    """
    if isinstance(value, str):
        return value
    items = list(value) if isinstance(value, list | tuple) else [value]
    if all(isinstance(item, str) for item in items):
        return items
    if all(map(is_number, items)):
        numbers = [float(item) for item in items]
        return numbers if isinstance(value, list | tuple) else numbers[0]
    shown = shortened(repr(value))
    raise ReacherError(f"{key} is {shown}; write a finite number, a text, or a list of either")


def _vector(kind: Any, values: Sequence[float]) -> Any:
    return kind(**_named("xyz", values))


def _named(names: str, values: Sequence[float]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _duration(seconds: float) -> Duration:
    return Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9) % 1_000_000_000)
