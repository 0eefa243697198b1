"""Joins the command desk with ROS; importing this module takes most of a second."""

from fleet.client.graph_client import GraphClient
from fleet.dashboard.execution.ros_execution import RosExecution
from fleet.dashboard.feed.ros_feed import RosFeed
from fleet.dashboard.model.floor_entries import FloorPicture
from fleet.dashboard.model.story import Story
from fleet.interface.seen_floor import SceneFloor
from fleet.settings.config import FleetConfig
from thymio_base.fence import Fence


class RosSide:
    """The dashboard's nodes on the graph.

    Parameters
    ----------
    story : the fleet's state, filled by `feed`
    domain : the ROS domain
    frame : frame of all poses
    fence : notes exceptions

    Attributes
    ----------
    feed, execution : read and command the fleet
    """

    def __init__(self, story: Story, domain: int, frame: str, fence: Fence) -> None:
        self._graph = GraphClient()
        self.feed = RosFeed(self._graph.create_node(f"{self._graph.node.get_name()}_reader"), fence)
        self.execution = RosExecution(self._graph, story, domain, frame, fence=fence)

    def close(self) -> None:
        """Leave the graph."""
        self.feed.destroy()
        self._graph.close()


def floor_of(config: FleetConfig) -> FloorPicture:
    """Return the floor of a configuration."""
    arena = config.arena
    walls = tuple(((x1_m, y1_m), (x2_m, y2_m)) for x1_m, y1_m, x2_m, y2_m in config.floor.walls)
    arena_m = None if arena is None else (arena.x_min_m, arena.y_min_m, arena.x_max_m, arena.y_max_m)
    return FloorPicture(SceneFloor(walls), config.floor.keep_out, arena_m)
