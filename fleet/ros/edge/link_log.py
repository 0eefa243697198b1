"""Logs the life cycle of the link; nodes of one target with the same event at once share a line."""

from collections.abc import Callable, Sequence

from rclpy.impl.rcutils_logger import RcutilsLogger

from aseba_link.host.link_events import LinkEvent, NodeFaulted, NodeLost, NodeReady, TargetConnected, TargetLost
from aseba_link.host.node import Node
from thymio_base.number_text import numbered_text


def log_link_events(events: Sequence[LinkEvent], logger: RcutilsLogger, is_foreign: Callable[[Node], bool]) -> None:
    """Log the events of one tick.

    Parameters
    ----------
    events
        events of the link
    logger
        the driver's logger
    is_foreign
        whether a node belongs to no robot of the fleet
    """
    nodes: dict[tuple[Callable[[str], object], str, str], list[int]] = {}  # ids by how, which target, and what
    for event in events:
        match event:
            case TargetConnected(target):
                logger.info(f"{target}: connected")
            case TargetLost(target, reason):
                logger.warning(f"{target}: {reason}; trying again")
            case NodeReady(node, False):
                what = "ready, but not of this fleet" if is_foreign(node) else "ready"
                nodes.setdefault((logger.info, node.address.target, what), []).append(node.address.node_id)
            case NodeLost(address, reason):
                nodes.setdefault((logger.warning, address.target, f"lost: {reason}"), []).append(address.node_id)
            case NodeFaulted(address, reason):
                logger.error(f"{address} cannot run the script: {reason}")
    for (log, target, what), ids in nodes.items():
        log(f"{numbered_text('node', ids)} on {target} {'is' if len(ids) == 1 else 'are'} {what}")
