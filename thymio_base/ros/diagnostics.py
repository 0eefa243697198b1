"""Publishes /diagnostics through diagnostic_updater if the ROS installation has it, else by our own publisher."""

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

try:
    import diagnostic_updater
except ImportError:  # not on PyPI
    diagnostic_updater = None

_PERIOD_S = 1.0
_PARTS = 10  # many sources are published in this many parts over the period: one message with all takes too long
_FEW = 16  # up to this many sources are published at once

Source = Callable[[], DiagnosticStatus]


class Diagnostics:
    """Publishes the status of each source under its name and host, once a second while the node lives.

    Tools keep the latest status of each name: the host distinguishes programs on several hosts.

    Parameters
    ----------
    node : owns the publisher
    host : name of the machine that the program runs on
    has_timer : whether a timer calls `publish_part`; otherwise the owner must, ten times a second
    """

    def __init__(self, node: Node, host: str, *, has_timer: bool = True) -> None:
        self._node = node
        self._host = host
        self._hardware_id = f"{host}/{node.get_name()}"
        self._sources: dict[str, Source] = {}
        self._parts = cycle(range(_PARTS))
        self._updater: Any = None
        self._tasks: dict[str, Any] = {}  # the updater's, by source name
        period_s = _PERIOD_S
        if diagnostic_updater is None:
            self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", _PARTS)
        else:
            self._updater = diagnostic_updater.Updater(node, period=_PERIOD_S)
            self._updater.setHardwareID(self._hardware_id)
            self._updater.timer.cancel()  # it would publish all sources at once
            period_s = self._updater.period  # users may have set it
        if has_timer:
            node.create_timer(period_s / _PARTS, self.publish_part)

    def add(self, name: str, source: Source) -> None:
        """Publish the status of `source` under `name` from now on."""
        self._sources[name] = source
        if self._updater is not None:
            self._updater.add(self._title(name), lambda wrapper: _fill(wrapper, source()))
            self._tasks[name] = self._updater.tasks[-1]

    def remove(self, name: str) -> None:
        """Stop publishing under a name; an unknown name is ignored."""
        self._sources.pop(name, None)
        self._tasks.pop(name, None)

    def publish_part(self) -> None:
        """Publish the sources whose turn it is."""
        part, count = next(self._parts), len(self._sources)
        if count > _FEW:
            self._publish(part * count // _PARTS, (part + 1) * count // _PARTS)
        elif part == 0:
            self._publish(0, count)

    def _title(self, name: str) -> str:
        return f"{name} on {self._host}"

    def _publish(self, start: int, end: int) -> None:
        if self._updater is None:
            self._publish_array(start, end)
        else:
            self._updater.tasks = list(islice(self._tasks.values(), start, end))
            self._updater.update()

    def _publish_array(self, start: int, end: int) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        for name, source in islice(self._sources.items(), start, end):
            status = source()
            status.name, status.hardware_id = f"{self._node.get_name()}: {self._title(name)}", self._hardware_id
            message.status.append(status)
        self._publisher.publish(message)


def _fill(wrapper: Any, status: DiagnosticStatus) -> Any:
    wrapper.summary(status.level, status.message)
    for value in status.values:
        wrapper.add(value.key, value.value)
    return wrapper
