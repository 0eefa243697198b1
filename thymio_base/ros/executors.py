"""Executors of ROS entities: one is woken by events, the other builds a new set of all entities for each wait."""

import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Final

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.service import Service
from rclpy.subscription import Subscription

from thymio_base.parts import Parts

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # distributions before Jazzy
    EventsExecutor = None

_DRAINING_S: Final = 0.5
_SLICE_S: Final = 0.05


class ExecutorKind(Enum):
    """The kinds of executor."""

    EVENTS = "events"  # woken by events; its cost does not depend on the number of entities
    WAITING = "waiting"  # builds a set of all entities for each wait; rclpy's old executor, which works everywhere

    def __str__(self) -> str:
        return self.value


def create_executor(kind: ExecutorKind | None = None, context: Context | None = None) -> Executor:
    """Return an executor of the given kind; None chooses the cheaper kind if this rclpy has it.

    Drive it by `spin_once`: the events executor's own `spin` waits forever in some builds of rclpy.

    Raises
    ------
    RuntimeError
        This rclpy has no executor of that kind.
    """
    if kind is ExecutorKind.WAITING or (kind is None and EventsExecutor is None):
        return SingleThreadedExecutor(context=context)
    if EventsExecutor is None:
        raise RuntimeError("this rclpy has no EventsExecutor")
    return EventsExecutor(context=context)


def retire(executor: Executor, node: Node, then: Callable[[], object] | None = None) -> None:
    """Remove a node from an executor; destroy it, or call `then`, once the executor has no work left for it.

    Events for a node are queued, and serving them on destroyed handles raises InvalidHandle or crashes. When the first
    task runs, the executor has released the node's entities; when the second runs, the queue of that time is empty.
    """
    executor.remove_node(node)
    executor.create_task(executor.create_task, node.destroy_node if then is None else then)


def destruction(node: Node) -> Parts[None]:
    """Destroy a node that no executor serves, starting with its publishers and services, one per part."""
    for publisher in list(node.publishers):
        node.destroy_publisher(publisher)
        yield
    for service in list(node.services):
        node.destroy_service(service)
        yield
    node.destroy_node()


def retire_entity(node: Node, entity: Service | Subscription) -> None:
    """Destroy an entity of a living node; only `spin_once` may serve events that are still queued for it."""
    if isinstance(entity, Service):
        node.destroy_service(entity)
    else:
        node.destroy_subscription(entity)
    if node.executor is not None:
        node.executor.create_task(node.executor.create_task, partial(_release, entity))


def spin_once(executor: Executor, timeout_s: float) -> None:
    """Serve an event, or wait for one; events of entities destroyed meanwhile are dropped."""
    with suppress(InvalidHandle):
        executor.spin_once(timeout_sec=timeout_s)


def run_pending(executor: Executor, timeout_s: float) -> None:
    """Run everything queued for an executor, without waiting for more: `spin_once` runs a single callback.

    `spin_until_future_complete` of the events executor would leave an object behind with each call.
    """
    deadline_s = time.monotonic() + timeout_s
    done = executor.create_task(_nothing)
    while not done.done() and time.monotonic() < deadline_s:
        spin_once(executor, _SLICE_S)


def drain(executor: Executor, timeout_s: float = _DRAINING_S) -> None:
    """Run everything queued for an executor, including the destruction of retired nodes."""
    for _ in range(2):
        run_pending(executor, timeout_s)


def _nothing() -> None:
    """Mark a place in an executor's queue."""


def _release(_: Service | Subscription) -> None:
    """Hold the last reference to an entity: the events executor holds none in its queue."""
