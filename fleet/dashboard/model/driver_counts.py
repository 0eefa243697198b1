"""What drivers count, as each has published it: of those that are there, and of no others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fleet.client.robot_report import number_of
from fleet.dashboard.model.fleet_entries import SeenDriver

_KEPT_NS: Final = 30_000_000_000  # counts are published once a second, unless users have set another period
_PRESENT_S: Final = 2.5  # a driver that is there announces itself once a second
_STATUSES_MAX: Final = 8  # of one driver
_TARGET_STATES: Final = ("connected", "lost")


@dataclass(slots=True)
class DriverCounts:
    """What one driver counts.

    Parameters
    ----------
    host : its host and, if another driver on that host is there too, its token
    numbers : by their names in /diagnostics
    targets : whether each target of its link is connected
    """

    host: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    targets: Mapping[str, bool] = field(default_factory=dict)


class CountBook:
    """The latest diagnostics of all drivers."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Mapping[str, str]]] = {}  # by the driver's token and the status' name
        self._seen_ns: dict[str, int] = {}

    def on_diagnostics(self, token: str, name: str, values: Mapping[str, str], now_ns: int) -> None:
        """Note what a driver counts: the values of one of its statuses, in place of the earlier ones."""
        statuses = self._values.setdefault(token, {})
        if name in statuses or len(statuses) < _STATUSES_MAX:
            statuses[name] = values
        self._seen_ns[token] = now_ns

    def current(self, drivers: Sequence[SeenDriver], now_ns: int) -> list[DriverCounts]:
        """Return what the drivers count that are not silent, and forget all others."""
        present = {driver.token for driver in drivers if not driver.is_silent}
        for token, seen_ns in list(self._seen_ns.items()):
            if token not in present or now_ns - seen_ns > _KEPT_NS:
                del self._values[token], self._seen_ns[token]
        return [
            _counts(host, self._values[token].values())
            for token, host in host_labels(drivers).items()
            if token in self._values
        ]


def host_labels(drivers: Iterable[SeenDriver]) -> dict[str, str]:
    """Return a label for the host of each driver, by its token: the host's name, unless it has several drivers.

    Of drivers on one host, those are left out that have not announced themselves when they should: another one has
    taken the place of a driver that was killed.
    """
    latest: dict[str, list[SeenDriver]] = {}
    for driver in sorted(drivers, key=lambda driver: driver.age_s):
        there = latest.setdefault(driver.host, [])
        if not there or driver.age_s <= _PRESENT_S:
            there.append(driver)
    return {
        driver.token: host if len(there) == 1 else f"{host} ({driver.token})"
        for host, there in latest.items()
        for driver in there
    }


def _counts(host: str, statuses: Iterable[Mapping[str, str]]) -> DriverCounts:
    values = {key: value for status in statuses for key, value in status.items()}
    found = {key: number_of(values, key) for key in values}
    return DriverCounts(
        host,
        {key: number for key, number in found.items() if number is not None},
        {key: value == "connected" for key, value in values.items() if value in _TARGET_STATES},
    )
