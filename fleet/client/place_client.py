"""A client of the fleet's stations: all drivers publish their places."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from rclpy.subscription import Subscription
from thymio_fleet_interfaces.msg import Places

from fleet.client.graph_client import GraphClient, until
from fleet.errors import FleetError, NoServerError
from fleet.geometry import Pose2D
from fleet.interface.names import PLACES_TOPIC
from fleet.interface.quality import PLACES_READER_QOS
from fleet.interface.station_messages import places_from_ros
from fleet.robots.place_report import PlaceReport
from fleet.work.work import Place
from thymio_base.parts import Parts

_PATIENCE_S: Final = 6.0
_OTHERS_S: Final = 0.3  # time in which other drivers publish the same places


class PlaceClient:
    """Follows the stations from the first query on, so that later queries are answered at once.

    Parameters
    ----------
    graph : another client's, which spins
    """

    def __init__(self, graph: GraphClient) -> None:
        self._graph: Final = graph
        self._received: Final[dict[str, Places]] = {}
        self._subscription: Subscription | None = None
        self._is_settled = False

    def find(self) -> list[PlaceReport]:
        """Return each station once, with the robots that any driver reports there.

        Raises
        ------
        NoServerError
            No driver publishes places.
        """
        return self._graph.finish(self.find_in_parts())

    def find_in_parts(self) -> Parts[list[PlaceReport]]:
        """Find all stations, as `find` does.

        Raises
        ------
        NoServerError
            No driver publishes places.
        """
        if self._subscription is None or (self._is_settled and self._has_changed()):
            self._subscribe()
        if not self._is_settled:
            if not (yield from self._graph.served_in_parts(lambda: bool(self._received), _PATIENCE_S)):
                raise NoServerError("no driver publishes stations; try `thymio-fleet up`")
            yield from until(lambda: False, _OTHERS_S)
            self._is_settled = True
        found: dict[str, PlaceReport] = {}
        for host in sorted(self._received):
            for place in places_from_ros(self._received[host]):
                known = found.setdefault(place.station.name, PlaceReport(place.station))
                found[place.station.name] = replace(
                    known, robot_ids=known.robot_ids + place.robot_ids, coming_ids=known.coming_ids + place.coming_ids
                )
        return list(found.values())

    def pose(self, name: str) -> Pose2D:
        """Return the pose of a station.

        Raises
        ------
        FleetError
            There is no station with this name.
        NoServerError
            No driver publishes places.
        """
        return self._graph.finish(self.place_in_parts(name)).pose

    def place_in_parts(self, name: str) -> Parts[Place]:
        """Find the station with a name.

        Raises
        ------
        FleetError
            There is no station with this name.
        NoServerError
            No driver publishes places.
        """
        found = yield from self.find_in_parts()
        poses = {place.station.name: place.station.pose for place in found}
        if name not in poses:
            known = f"stations are {', '.join(poses)}" if poses else "fleet.yaml has no stations"
            close = get_close_matches(name, poses, 1)
            raise FleetError(f"there is no station {name!r}{f'; did you mean {close[0]!r}?' if close else ''}; {known}")
        return Place(poses[name], name)

    def _has_changed(self) -> bool:
        """Whether drivers have come or gone, so that received places are outdated."""
        return bool(self._graph.node.count_publishers(PLACES_TOPIC) != len(self._received))

    def _subscribe(self) -> None:
        node, self._is_settled = self._graph.node, False
        if self._subscription is not None:
            node.destroy_subscription(self._subscription)
        self._received.clear()
        self._subscription = node.create_subscription(Places, PLACES_TOPIC, self._on_places, PLACES_READER_QOS)

    def _on_places(self, message: Places) -> None:
        self._received[message.host] = message
