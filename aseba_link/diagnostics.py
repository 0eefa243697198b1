"""/diagnostics, through diagnostic_updater where a ROS installation has it, else through a publisher of our own."""

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
_PARTS = 10  # in which many sources are told, spread over the period, for making a message of all takes long
_FEW = 16  # sources that are told at once

Source = Callable[[], DiagnosticStatus]


class Diagnostics:
    """Publishes what each source says, by its name, once a second for as long as the node lives."""

    def __init__(self, node: Node, hardware_id: str) -> None:
        self._node = node
        self._hardware_id = hardware_id
        self._sources: dict[str, Source] = {}
        self._updater: Any = None
        if diagnostic_updater is None:
            self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", _PARTS)
            self._parts = cycle(range(_PARTS))
            node.create_timer(_PERIOD_S / _PARTS, self._publish_part)
        else:
            self._updater = diagnostic_updater.Updater(node, period=_PERIOD_S)
            self._updater.setHardwareID(hardware_id)

    def add(self, name: str, source: Source) -> None:
        """Publish what `source` says under `name` from now on."""
        self._sources[name] = source
        if self._updater is not None:
            self._updater.add(name, lambda wrapper: _fill(wrapper, source()))

    def remove(self, name: str) -> None:
        """Publish nothing more under a name; nothing where nothing is."""
        if self._sources.pop(name, None) is None:
            return
        if self._updater is not None:
            self._updater.removeByName(name)

    def _publish_part(self) -> None:
        """Publish the sources whose turn it is."""
        part, count = next(self._parts), len(self._sources)
        if count > _FEW:
            self._publish(part * count // _PARTS, (part + 1) * count // _PARTS)
        elif part == 0:
            self._publish(0, count)

    def _publish(self, begin: int, end: int) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        for name, source in islice(self._sources.items(), begin, end):
            status = source()
            status.name, status.hardware_id = f"{self._node.get_name()}: {name}", self._hardware_id
            message.status.append(status)
        self._publisher.publish(message)


def _fill(wrapper: Any, status: DiagnosticStatus) -> Any:
    wrapper.summary(status.level, status.message)
    for value in status.values:
        wrapper.add(value.key, value.value)
    return wrapper
