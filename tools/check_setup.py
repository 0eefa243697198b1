"""Imports the packages that set-up installs; an ImportError names a broken one."""

from collections.abc import Iterator
from types import ModuleType

import asebaros_msgs.msg
import asebaros_msgs.srv
import impedance_control_msgs.msg
import nav_msgs.msg
import orchestrator_interfaces.msg
import orchestrator_interfaces.srv
import rbc_actions.action
import rbc_msgs_srvs.msg
import rbc_msgs_srvs.srv
import rclpy
import ricaip_interfaces.action
import ricaip_interfaces.srv
import sensor_msgs.msg
import simulation_interfaces.msg
import simulation_interfaces.srv
import tf2_msgs.msg
import thymio_fleet_interfaces.msg
import thymio_fleet_interfaces.srv
import thymio_msgs.msg
import thymio_simulator_interfaces.srv
import visualization_msgs.msg

import aseba_link
import body
import conformance
import fleet
import simulator
import thymio_base
import thymio_fleet

INTERFACES = (
    asebaros_msgs.msg,
    asebaros_msgs.srv,
    impedance_control_msgs.msg,
    nav_msgs.msg,
    orchestrator_interfaces.msg,
    orchestrator_interfaces.srv,
    rbc_actions.action,
    rbc_msgs_srvs.msg,
    rbc_msgs_srvs.srv,
    ricaip_interfaces.action,
    ricaip_interfaces.srv,
    sensor_msgs.msg,
    simulation_interfaces.msg,
    simulation_interfaces.srv,
    tf2_msgs.msg,
    thymio_fleet_interfaces.msg,
    thymio_fleet_interfaces.srv,
    thymio_msgs.msg,
    thymio_simulator_interfaces.srv,
    visualization_msgs.msg,
)


def types(module: ModuleType) -> Iterator[type]:
    """Yield the types of a module that rosidl generated."""
    return (value for value in vars(module).values() if isinstance(value, type))


rclpy.init(args=[])
for interface in (interface for module in INTERFACES for interface in types(module)):
    interface.__class__.__import_type_support__()  # the compiled part
rclpy.shutdown()
print("found", aseba_link, body, conformance, fleet, simulator, thymio_base, thymio_fleet, sep="\n")
