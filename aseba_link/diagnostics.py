"""/diagnostics, through diagnostic_updater where a ROS installation has it, else through a publisher of our own."""

from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

try:
    import diagnostic_updater
except ImportError:  # not on PyPI
    diagnostic_updater = None

_PERIOD_S = 1.0

Source = Callable[[], DiagnosticStatus]


def publish_diagnostics(node: Node, hardware_id: str, sources: Mapping[str, Source]) -> None:
    """Publish what each source says, by its name, once a second for as long as the node lives."""
    if diagnostic_updater is None:
        _publish_alone(node, hardware_id, sources)
    else:
        _publish_with_updater(diagnostic_updater, node, hardware_id, sources)


def _publish_with_updater(module: Any, node: Node, hardware_id: str, sources: Mapping[str, Source]) -> None:
    updater = module.Updater(node, period=_PERIOD_S)
    updater.setHardwareID(hardware_id)
    for name, source in sources.items():
        updater.add(name, lambda wrapper, source=source: _fill(wrapper, source()))


def _fill(wrapper: Any, status: DiagnosticStatus) -> Any:
    wrapper.summary(status.level, status.message)
    for value in status.values:
        wrapper.add(value.key, value.value)
    return wrapper


def _publish_alone(node: Node, hardware_id: str, sources: Mapping[str, Source]) -> None:
    publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 1)

    def publish() -> None:
        message = DiagnosticArray()
        message.header.stamp = node.get_clock().now().to_msg()
        for name, source in sources.items():
            status = source()
            status.name, status.hardware_id = f"{node.get_name()}: {name}", hardware_id
            message.status.append(status)
        publisher.publish(message)

    node.create_timer(_PERIOD_S, publish)
