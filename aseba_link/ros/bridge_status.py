"""Diagnostics of the network and of each accepted node, with the keys of asebaros."""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from aseba_link.bridge.accepted_nodes import AcceptedNodes, NodePlace
from aseba_link.host.node import NodeAddress
from aseba_link.ros.bridged_node import BridgedNode
from thymio_base.fence import Fence
from thymio_base.number_text import count_text


def network_status(targets: Mapping[str, bool], accepted_nodes: AcceptedNodes, fence: Fence) -> DiagnosticStatus:
    """Return the state of the network (see `AsebaLink.targets`) and of the program."""
    connected = [address for address, place in accepted_nodes.accepted.items() if place.is_connected]
    disconnected = [address for address, place in accepted_nodes.accepted.items() if not place.is_connected]
    lost = [target for target, is_connected in targets.items() if not is_connected]
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if lost or fence.total else DiagnosticStatus.OK,
        message="; ".join(
            [f"Connecting to {', '.join(lost)}" if lost else "Connected", *([fence.text] if fence.total else [])]
        ),
        values=[
            KeyValue(key="Connected nodes", value=_count(connected)),
            KeyValue(key="Ignored nodes", value=_count(list(accepted_nodes.ignored))),
            KeyValue(key="Unconnected nodes", value=_count(disconnected)),
            KeyValue(key="Internal errors", value=str(fence.total)),
            *(KeyValue(key=target, value="connected" if up else "lost") for target, up in targets.items()),
        ],
    )


def node_status(bridged: BridgedNode, place: NodePlace) -> DiagnosticStatus:
    """Return the state of a node."""
    level, message = DiagnosticStatus.OK, "Connected"
    if not place.is_connected:
        level, message = DiagnosticStatus.WARN, "Not Connected"
    elif bridged.problem:
        level, message = DiagnosticStatus.ERROR, bridged.problem
    program = bridged.program if bridged.is_running else None
    values: dict[str, Any] = {
        "Type": bridged.node.description.name,
        "Id": bridged.node.address.node_id,
        "ROS Namespace": bridged.admission.namespace,
        "Loaded script": program.name if program else "-",
    }
    return DiagnosticStatus(
        level=level, message=message, values=[KeyValue(key=key, value=str(value)) for key, value in values.items()]
    )


def _count(addresses: Sequence[NodeAddress]) -> str:
    if not addresses:
        return "no node"
    ids = ", ".join(str(address.node_id) for address in addresses)
    return f"{count_text(len(addresses), 'node')} ({ids})"
