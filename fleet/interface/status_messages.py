"""Converts the status and the diagnostics of robots to ROS messages: pure functions, `x_to_ros`."""

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from fleet.actuation.chassis import Chassis
from fleet.localization.belief import Gains
from fleet.robots.robot_status import RobotStatus


def status_to_ros(status: RobotStatus, reused: DiagnosticStatus | None = None) -> DiagnosticStatus:
    """Return the customer's status message: battery, busy and assigned_task first, then our additions.

    An older message of the same robot, if given, is reused: creating one takes several times as long.
    """
    if reused is None:
        name = f"robot_{status.robot_id}"
        values = [KeyValue(key=key) for key, _ in status.values]
        reused = DiagnosticStatus(name=name, hardware_id=name, values=values)
    reused.level = bytes([status.level.value])
    reused.message = status.message
    for key_value, (_, value) in zip(reused.values, status.values, strict=True):
        key_value.value = value
    return reused


def chassis_to_ros(
    chassis: Chassis, gain_stds: Gains, learns_latency: bool, reused: list[KeyValue] | None = None
) -> list[KeyValue]:
    """Return what was learned about a robot's wheels; "" where nothing was learned.

    The robot's previous values, if given, are reused.
    """
    gains, actuation = chassis.gains, chassis.actuation
    has_gains = gains != Gains()
    values = (
        ("wheel_gain_left_pct", f"{100.0 * (gains.left - 1.0):+.2f}" if has_gains else ""),
        ("wheel_gain_left_std_pct", f"{100.0 * gain_stds.left:.2f}" if has_gains else ""),
        ("wheel_gain_right_pct", f"{100.0 * (gains.right - 1.0):+.2f}" if has_gains else ""),
        ("wheel_gain_right_std_pct", f"{100.0 * gain_stds.right:.2f}" if has_gains else ""),
        ("latency_ms", f"{1e3 * actuation.latency_s:.0f}"),
        ("latency_std_ms", f"{1e3 * actuation.latency_std_s:.0f}" if learns_latency else ""),
    )
    if reused is None:
        return [KeyValue(key=key, value=value) for key, value in values]
    for key_value, (_, value) in zip(reused, values, strict=True):
        key_value.value = value
    return reused
