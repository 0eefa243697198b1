"""The report on a station: which robots are there, and which are on the way."""

from dataclasses import dataclass

from fleet.settings.station_config import StationConfig


@dataclass(frozen=True, slots=True)
class PlaceReport:
    """A station, the robots that occupy it or leave no room there, and those on the way."""

    station: StationConfig
    robot_ids: tuple[int, ...] = ()
    coming_ids: tuple[int, ...] = ()
