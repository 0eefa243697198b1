"""Carries out orders on ROS, as an ordinary client of the interface."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from std_msgs.msg import UInt32

from fleet.client.graph_client import GraphClient
from fleet.dashboard.execution.goal_messages import job_call, law_call, simulation_call
from fleet.dashboard.execution.goal_run import GoalRun
from fleet.dashboard.execution.job_lookup import JobLookup
from fleet.dashboard.execution.local_stopping import stop_local
from fleet.dashboard.execution.manual_drive import ManualDrive
from fleet.dashboard.execution.service_run import ServiceRun, cancel_calls
from fleet.dashboard.execution.stop_calls import StopCalls
from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import Finder
from fleet.dashboard.orders.command_log import CommandProgress, CommandState
from fleet.dashboard.orders.fleet_orders import (
    CancelOrder,
    ChangeJobsOrder,
    FleetOrder,
    IdentifyOrder,
    LawOrder,
    SubmitOrder,
    TaskOrder,
)
from fleet.geometry import Twist2D
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from thymio_base.fence import Fence

_OPENED: Final = 3  # goals at most in one step: each client takes milliseconds to create
_SETTLING: Final = 5  # polls until nodes that join or leave have done so


class RosExecution:
    """Carries out orders concurrently; none waits for another.

    Parameters
    ----------
    graph : the client on the graph, polled here
    story : knows the robots
    domain : the ROS domain
    frame : frame of all poses
    fence : notes exceptions; an order that raises one has failed, and the others continue
    """

    def __init__(
        self, graph: GraphClient, story: Story, domain: int, frame: str, *, fence: Fence | None = None
    ) -> None:
        self._fence = fence or Fence()
        self._graph = graph
        self._story = story
        self._domain = domain
        self._frame = frame
        self._waiting: deque[tuple[str, TaskOrder]] = deque()
        self._goals: list[GoalRun] = []
        self._calls: list[ServiceRun] = []
        self._lookup = JobLookup()
        self._progress: list[CommandProgress] = []
        self._stop_calls = StopCalls(graph.node)
        self._manual = ManualDrive(graph.node)
        self._identify = graph.node.create_publisher(UInt32, IDENTIFY_TOPIC, IDENTIFY_QOS)
        self._polls = _SETTLING  # left to do when no order is open

    @property
    def open_goals(self) -> int:
        """The number of goals that are not over."""
        return len(self._waiting) + len(self._goals)

    def start(self, command_id: str, order: FleetOrder) -> None:
        """Carry out an order."""
        match order:
            case TaskOrder():
                self._waiting.append((command_id, order))
            case CancelOrder(robot_id):
                self._cancel(command_id, robot_id)
            case LawOrder():
                self._calls.append(ServiceRun(command_id, self._graph.open_node(), [law_call(order)]))
            case SubmitOrder() | ChangeJobsOrder():
                self._calls.append(ServiceRun(command_id, self._graph.open_node(), [job_call(order)]))
            case IdentifyOrder(robot_id):
                self._identify.publish(UInt32(data=robot_id))
                self._progress.append(CommandProgress(command_id, CommandState.DONE))
            case _:
                robot = self._story.picture.robots.get(order.robot_id)
                call = None if robot is None else simulation_call(order, robot)
                if call is None:
                    text = f"where robot {order.robot_id} is in the simulation is not known"
                    self._progress.append(CommandProgress(command_id, CommandState.FAILED, text=text))
                else:
                    self._calls.append(ServiceRun(command_id, self._graph.open_node(), [call]))

    def call_stop(self, *, is_stop: bool) -> None:
        """Ask every driver to stop or resume; on a stop, cancel the tasks of robots whose server cannot stop."""
        self._stop_calls.call(is_stop=is_stop)
        if not is_stop:
            return
        self._withhold()
        for robot in self._story.picture:
            if not robot.host and robot.report.is_busy:
                self._cancel("", robot.robot_id)

    def find_job(self, job_id: str, tell: Finder) -> None:
        """Ask a driver for a job that it no longer publishes."""
        self._lookup.find(job_id, tell)

    def stop_local(self) -> list[SeenDriver]:
        """Stop the drivers of this host at once, without ROS; return those that confirmed."""
        return stop_local(self._domain)

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        """Drive a robot by hand for a moment."""
        self._manual.drive(robot_id, twist)

    def advance(self, story: Story, now_ns: int) -> Sequence[CommandProgress]:
        """Continue all orders; return their progress."""
        fenced = self._fence.call
        fenced("new goals", self._open)
        fenced("jobs that are looked up", self._look_up)
        if self._goals or self._calls or self._stop_calls.is_open or self._polls:
            fenced("answers of servers", self._graph.poll)
            self._polls = max(self._polls - 1, 0)
        found, self._progress = self._progress, []
        for goal in self._goals:
            picture = story.picture.robots.get(goal.robot_id)
            found += self._advance(goal, partial(goal.advance, picture, now_ns))
        for call in self._calls:
            found += self._advance(call, call.advance)
        fenced("stop of all robots", self._stop_calls.advance, story, now_ns)
        fenced("manual drive", self._manual.tidy)
        fenced("nodes of orders", self._retire)
        return [progress for progress in found if progress.command_id]

    def _advance(
        self, run: GoalRun | ServiceRun, advance: Callable[[], CommandProgress | None]
    ) -> list[CommandProgress]:
        """Continue one order; an exception ends it as failed."""
        try:
            progress = advance()
        except Exception as error:
            run.is_over = True
            text = self._fence.note("an order", error, run)
            return [CommandProgress(run.command_id, CommandState.FAILED, text=text)]
        return [] if progress is None else [progress]

    def _open(self) -> None:
        """Start some of the waiting orders."""
        for _ in range(min(_OPENED, len(self._waiting))):
            command_id, order = self._waiting.popleft()
            self._goals.append(GoalRun(command_id, order, self._graph.open_node(), self._frame))

    def _look_up(self) -> None:
        if (run := self._lookup.advance(self._graph.open_node)) is not None:
            self._calls.append(run)

    def _withhold(self, robot_id: int | None = None) -> None:
        """Withhold the unsent goals of a robot, or of all robots."""
        kept: deque[tuple[str, TaskOrder]] = deque()
        for command_id, order in self._waiting:
            if robot_id is not None and order.robot_id != robot_id:
                kept.append((command_id, order))
            else:
                self._progress.append(CommandProgress(command_id, CommandState.CANCELED))
        self._waiting = kept
        for goal in self._goals:
            if robot_id in (None, goal.robot_id):
                goal.withhold()

    def let_go(self) -> None:
        """Drop all goals: the drivers end their tasks, which no client could cancel otherwise."""
        for goal in self._goals:
            goal.is_over = True
        self._retire()

    def _cancel(self, command_id: str, robot_id: int) -> None:
        self._withhold(robot_id)
        for goal in self._goals:
            if goal.robot_id == robot_id:
                goal.cancel()
        needed, optional = cancel_calls(robot_id)
        self._calls.append(ServiceRun(command_id, self._graph.open_node(), needed, optional))

    def _retire(self) -> None:
        """Remove the nodes of finished orders from the graph."""
        nodes = [goal.node for goal in self._goals if goal.is_over] + [
            call.node for call in self._calls if call.is_over
        ]
        for node in nodes:
            self._graph.retire(node)
            self._polls = _SETTLING
        self._goals = [goal for goal in self._goals if not goal.is_over]
        self._calls = [call for call in self._calls if not call.is_over]
