"""Stands in for the fleet while ROS is loaded, which takes longer than the page."""

from collections.abc import Callable, Sequence
from typing import Any

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import Finder
from fleet.dashboard.orders.command_log import CommandProgress, CommandState
from fleet.dashboard.orders.fleet_orders import FleetOrder
from fleet.geometry import Twist2D


class AwaitedFleet:
    """An empty feed, and an execution that can only stop the drivers of this host.

    Parameters
    ----------
    stop_local : stops the drivers of this host, without ROS

    Attributes
    ----------
    is_stop_wanted : whether all drivers must be stopped once they can be reached
    """

    def __init__(self, stop_local: Callable[[], list[SeenDriver]]) -> None:
        self.is_stop_wanted = False
        self._stop_local = stop_local
        self._refused: list[str] = []

    @property
    def waited_s(self) -> float | None:
        """Return None."""

    def take(self, story: Story, now_ns: int) -> None:
        """Read nothing."""

    def rays(self, robot_id: int) -> dict[str, Any] | None:
        """Return None."""

    def start(self, command_id: str, order: FleetOrder) -> None:
        """Refuse an order."""
        self._refused.append(command_id)

    def call_stop(self, *, is_stop: bool) -> None:
        """Remember a STOP."""
        self.is_stop_wanted = is_stop

    def find_job(self, job_id: str, tell: Finder) -> None:
        """Find nothing."""
        tell(None)

    def stop_local(self) -> list[SeenDriver]:
        """Stop the drivers of this host at once."""
        return self._stop_local()

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        """Drive nothing."""

    def advance(self, story: Story, now_ns: int) -> Sequence[CommandProgress]:
        """Return the refusals of orders."""
        refused, self._refused = self._refused, []
        text = "the dashboard has just started: try again in a moment"
        return [CommandProgress(command_id, CommandState.FAILED, text=text) for command_id in refused]
