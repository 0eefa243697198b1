"""Finds the stations of a fleet: asks all drivers for their places."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Final

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
_OTHERS_S: Final = 0.3  # in which other drivers tell of the same places


def find_places(graph: GraphClient) -> list[PlaceReport]:
    """Return all stations; each is there once, with the robots of all drivers that know it.

    Raises
    ------
    NoServerError
        No driver tells of places.
    """
    return graph.finish(places_in_parts(graph))


def places_in_parts(graph: GraphClient) -> Parts[list[PlaceReport]]:
    """Find all stations, as `find_places` does.

    Raises
    ------
    NoServerError
        No driver tells of places.
    """
    received: dict[str, Places] = {}
    subscription = graph.node.create_subscription(
        Places, PLACES_TOPIC, lambda message: received.update({message.host: message}), PLACES_READER_QOS
    )
    try:
        if not (yield from graph.served_in_parts(lambda: bool(received), _PATIENCE_S)):
            raise NoServerError("no driver tells of stations; try `thymio-fleet up`")
        yield from until(lambda: False, _OTHERS_S)
    finally:
        graph.node.destroy_subscription(subscription)
    found: dict[str, PlaceReport] = {}
    for host in sorted(received):
        for place in places_from_ros(received[host]):
            known = found.setdefault(place.station.name, PlaceReport(place.station))
            found[place.station.name] = replace(
                known, robot_ids=known.robot_ids + place.robot_ids, coming_ids=known.coming_ids + place.coming_ids
            )
    return list(found.values())


def station_pose(graph: GraphClient, name: str) -> Pose2D:
    """Return the pose of a station.

    Raises
    ------
    FleetError
        There is no station with this name.
    NoServerError
        No driver tells of places.
    """
    return graph.finish(station_in_parts(graph, name)).pose


def station_in_parts(graph: GraphClient, name: str) -> Parts[Place]:
    """Find the station with a name.

    Raises
    ------
    FleetError
        There is no station with this name.
    NoServerError
        No driver tells of places.
    """
    found = yield from places_in_parts(graph)
    poses = {place.station.name: place.station.pose for place in found}
    if name not in poses:
        known = f"stations are {', '.join(poses)}" if poses else "fleet.yaml has no stations"
        close = get_close_matches(name, poses, 1)
        raise FleetError(f"there is no station {name!r}{f'; did you mean {close[0]!r}?' if close else ''}; {known}")
    return Place(poses[name], name)
