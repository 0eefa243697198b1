"""Stations: named places with a role, from the configuration or added by operators."""

from collections.abc import Iterable
from typing import Any

from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.settings.station_config import StationConfig
from fleet.work.work import Place


class AddedStations:
    """All stations, by name.

    Parameters
    ----------
    state : receives the stations
    """

    def __init__(self, state: PublishedState) -> None:
        self._state = state
        self._configured: dict[str, StationConfig] = {}
        self._added: dict[str, StationConfig] = {}

    def configure(self, stations: Iterable[StationConfig]) -> None:
        """Add the stations of the configuration, which cannot be removed."""
        for station in stations:
            self._configured[station.name] = station
            self._publish(station, is_configured=True)

    @property
    def added(self) -> list[StationConfig]:
        """The stations that operators have added."""
        return list(self._added.values())

    def find(self, name: str) -> Place | None:
        """Return a station's place, None if unknown; it has a name only if configured, and so known to drivers."""
        if name in self._configured:
            return Place(self._configured[name].pose, name)
        return Place(self._added[name].pose) if name in self._added else None

    def add(self, station: StationConfig) -> bool:
        """Add a station; return whether its name was free."""
        if self.find(station.name) is not None:
            return False
        self._added[station.name] = station
        self._publish(station, is_configured=False)
        return True

    def remove(self, name: str) -> bool:
        """Remove a station that was added; return whether there was one."""
        if self._added.pop(name, None) is None:
            return False
        self._state.remove(Section.STATIONS, name)
        return True

    def _publish(self, station: StationConfig, *, is_configured: bool) -> None:
        entry: dict[str, Any] = {
            "name": station.name,
            "pose": [station.pose.x_m, station.pose.y_m, station.pose.heading_rad],
            "role": station.role.value,
            "is_configured": is_configured,
        }
        self._state.put(Section.STATIONS, station.name, entry)
