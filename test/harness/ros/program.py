"""A node in its own context, as if alone in a process, for tests that need no fleet."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

DEADLINE_S = 60.0


class Program:
    """A node and its executor."""

    def __init__(self, name: str, namespace: str = "/") -> None:
        self._context = Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node(name, namespace=namespace, context=self._context)
        self.executor = SingleThreadedExecutor(context=self._context)
        self.executor.add_node(self.node)

    def spin_once(self) -> None:
        """Serve pending callbacks, if any."""
        self.executor.spin_once(timeout_sec=0.01)

    def spin_until(self, condition: Callable[[], bool], what: str) -> None:
        """Serve the node until a condition holds; fail otherwise."""
        end_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end_s, f"waited in vain for {what}"
            self.executor.spin_once(timeout_sec=0.05)

    def serving(self, condition: Callable[[], bool]) -> Callable[[], bool]:
        """Return the same condition, which serves pending callbacks whenever it is checked."""

        def is_met() -> bool:
            self.spin_once()
            return condition()

        return is_met

    def close(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()  # it keeps entities that it was about to serve
        for waitable in list(self.node.waitables):
            if isinstance(waitable, ActionClient):  # it keeps the node on the graph
                waitable.destroy()
        self.node.destroy_node()
        self._context.try_shutdown()


@contextmanager
def program(name: str, namespace: str = "/") -> Iterator[Program]:
    """Yield a program; closes it afterwards."""
    running = Program(name, namespace)
    try:
        yield running
    finally:
        running.close()
