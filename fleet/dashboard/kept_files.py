"""Files that outlive the dashboard, such as its keys and the stations that operators have added."""

import json
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from fleet.dashboard.access.roles import Role
from fleet.geometry import Pose2D
from fleet.settings.station_config import StationConfig, StationRole
from thymio_base.texts.bounds import is_pose
from thymio_base.texts.json_text import read_json

Row = TypeVar("Row")

_KEYS: Final = "dashboard_keys.json"
_SECRET: Final = "secret"


class KeptFiles:
    """Files in a folder of the user that only the user can read.

    Parameters
    ----------
    folder : created when something is kept

    Attributes
    ----------
    folder : the same
    trouble : why the keys cannot be kept; "" if they are
    """

    def __init__(self, folder: Path) -> None:
        self.trouble = ""
        self.folder = folder

    @property
    def keys_path(self) -> Path:
        """The path of the keys."""
        return self.folder / _KEYS

    def keys(self) -> tuple[dict[Role, str], str]:
        """Return the keys of all roles and the secret that signs cookies; make them if there are none.

        New keys that cannot be kept are valid for this run alone.
        """
        names = [*(role.value for role in Role), _SECRET]
        found = self.read(_KEYS)
        if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in names):
            found = {name: secrets.token_urlsafe(16) for name in names}
            try:
                self.write(_KEYS, found)
            except OSError as error:
                self.trouble = f"keys cannot be kept in {self.folder}: {error.strerror or error}"
        return {role: found[role.value] for role in Role}, found[_SECRET]

    def stations(self, domain: int) -> list[StationConfig]:
        """Return the stations that operators have added to the fleet of a ROS domain."""
        return self.rows(_stations_name(domain), _station)

    def station_keeper(self, domain: int) -> Callable[[Sequence[StationConfig]], None]:
        """Return a function that keeps the stations of a ROS domain."""

        def keep(stations: Sequence[StationConfig]) -> None:
            self.write(_stations_name(domain), [_values(station) for station in stations])

        return keep

    def read(self, name: str) -> Any:
        """Return the JSON in a file, None if there is none."""
        try:
            return read_json((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def rows(self, name: str, parse: Callable[[Any], Row | None]) -> list[Row]:
        """Return the parsable rows of a file; none unless it is a list."""
        found = self.read(name)
        rows = map(parse, found) if isinstance(found, list) else ()
        return [row for row in rows if row is not None]

    def write(self, name: str, values: Any) -> None:
        """Write values as JSON to a file that only its user can read, atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.new"
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(values, file, indent=1)
        path.rename(self.folder / name)


def _stations_name(domain: int) -> str:
    return f"stations_of_domain_{domain}.json"


def _values(station: StationConfig) -> dict[str, Any]:
    pose = station.pose
    return {"name": station.name, "pose": [pose.x_m, pose.y_m, pose.heading_rad], "role": station.role.value}


def _station(values: Any) -> StationConfig | None:
    """Return a station, None if its row is corrupt."""
    try:
        x_m, y_m, heading_rad = map(float, values["pose"])
        if not is_pose(x_m, y_m, heading_rad):
            return None
        return StationConfig(str(values["name"]), Pose2D(x_m, y_m, heading_rad), StationRole(values["role"]))
    except (KeyError, TypeError, ValueError):
        return None
