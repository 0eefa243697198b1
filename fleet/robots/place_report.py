"""What is told of a station: who stands there, and who is on the way."""

from dataclasses import dataclass

from fleet.settings.station_config import StationConfig


@dataclass(frozen=True, slots=True)
class PlaceReport:
    """A station, the robots that stand there or leave no room for another one, and those on the way there."""

    station: StationConfig
    robot_ids: tuple[int, ...] = ()
    coming_ids: tuple[int, ...] = ()
