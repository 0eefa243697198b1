"""The latest counts that present drivers have published in /diagnostics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fleet.client.robot_report import number_of
from fleet.dashboard.model.fleet_entries import SeenDriver

_KEPT_NS: Final = 30_000_000_000  # counts are published once a second by default
_PRESENT_S: Final = 2.5  # a running driver announces itself once a second
_STATUSES_MAX: Final = 8  # of one driver
_TARGET_STATES: Final = ("connected", "lost")


@dataclass(slots=True)
class DriverCounts:
    """The counts of one driver.

    Parameters
    ----------
    host : its host, with its token if other drivers run on that host
    numbers : the counts, by their names in /diagnostics
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
        """Note a driver's counts: the values of one of its statuses, which replace earlier ones."""
        statuses = self._values.setdefault(token, {})
        if name in statuses or len(statuses) < _STATUSES_MAX:
            statuses[name] = values
        self._seen_ns[token] = now_ns

    def current(self, drivers: Sequence[SeenDriver], now_ns: int) -> list[DriverCounts]:
        """Return the counts of drivers that are not silent, and forget all others."""
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
    """Return a label for each driver, by token: its host's name, with the token if drivers share the host.

    A driver whose announcement is overdue is left out if a later one came from the same host: it was killed,
    and another driver has taken its place.
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
