"""A simulator and the program asebaros as processes, and a ROS node."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rclpy
import yaml
from asebaros_msgs.msg import Node, NodeList
from asebaros_msgs.srv import GetVariable
from rclpy.experimental import EventsExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile

from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 60.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

SCRIPT = """<!DOCTYPE aesl-source>
<network>
<event size="2" name="ping"/>
<event size="2" name="pong"/>
<event size="1" name="drive"/>
<constant value="1" name="STEP"/>
<keywords flag="true"/>
<node nodeId="1" name="thymio-II">
var count = 0
onevent ping
if event.args[0] == _id then
	count += STEP
	emit pong [count, event.args[1]]
end
onevent drive
motor.left.target = event.args[0]
motor.right.target = event.args[0]
</node>
</network>
"""


class RunningBridge:
    """Two simulated robots behind asebaros, in the namespaces thymio_1 and thymio_2, both with SCRIPT."""

    def __init__(self, folder: Path, **parameters: Any) -> None:
        self.folder = folder
        self.simulator_port, self.port = reserve_free_port(), reserve_free_port()
        self.script = folder / "ping.aesl"
        self.script.write_text(SCRIPT)
        self._parameters = {
            "targets": [f"tcp:host=127.0.0.1;port={self.simulator_port}"],
            "port": self.port,
            "nodes.thymio.name": "thymio-II",
            "nodes.thymio.prefix": "thymio_",
            "nodes.thymio.include_id_in_events": True,
            "nodes.other.accept": False,
            "script.path": str(self.script),
            **parameters,
        }
        self._world = folder / "world.yaml"
        self._world.write_text(f"""
network: {{port: {self.simulator_port}}}
arena: {{width_m: 3.0, height_m: 2.0}}
robots:
- {{node_id: 1, x_m: 1.0, y_m: 1.0}}
- {{node_id: 2, x_m: 2.0, y_m: 1.0}}
""")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._context = rclpy.Context()
        self._context.init()
        self.node = rclpy.create_node("tester", context=self._context)
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._lists: list[NodeList] = []
        self.node.create_subscription(NodeList, "aseba/nodes", self._lists.append, LATCHED)

    @property
    def nodes(self) -> dict[int, Node]:
        """The latest list of nodes, by their ids."""
        return {node.id: node for node in self._lists[-1].nodes} if self._lists else {}

    def start_simulator(self) -> None:
        """Start the simulator."""
        self._start("simulator", ["-m", "simulator", "--no-ros", "--world", str(self._world)])

    def start_bridge(self) -> None:
        """Start asebaros."""
        tree: dict[str, Any] = {}
        for name, value in self._parameters.items():
            tree[name] = value
        path = self.folder / "parameters.yaml"
        path.write_text(yaml.safe_dump({"asebaros": {"ros__parameters": tree}}))
        self._start("bridge", ["-m", "aseba_link.ros.asebaros", "--ros-args", "--params-file", str(path)])

    def wait_until_running(self) -> None:
        """Wait until both robots run their script."""
        self.wait_for(
            lambda: self.nodes.keys() == {1, 2} and all(node.running for node in self.nodes.values()),
            "both robots to run the script",
        )

    def wait_for(self, condition: Callable[[], bool], what: str, timeout_s: float = DEADLINE_S) -> None:
        """Serve callbacks until a condition holds; fail with `what` and the log otherwise."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {timeout_s:g} s in vain for {what}\n{self.log()}")
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, service_type: Any, name: str, **fields: Any) -> Any:
        """Call a service and return its response."""
        client = self.node.create_client(service_type, name)
        try:
            assert client.wait_for_service(timeout_sec=DEADLINE_S), f"{name} is not served\n{self.log()}"
            future = client.call_async(service_type.Request(**fields))
            self.wait_for(future.done, f"an answer of {name}")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def subscribe(self, message_type: Any, topic: str, qos: Any = 100) -> list[Any]:
        """Return a list that fills with the messages of a topic."""
        messages: list[Any] = []
        self.node.create_subscription(message_type, topic, messages.append, qos)
        return messages

    def variable(self, robot_id: int, name: str) -> list[int]:
        """Return the words of a robot's variable."""
        return list(self.call(GetVariable, f"thymio_{robot_id}/aseba/get_variable", variable=name).data)

    def publish_until(self, topic: str, message: Any, condition: Callable[[], bool], what: str) -> None:
        """Publish a message repeatedly until a condition holds: there may be no subscriber yet."""
        publisher = self.node.create_publisher(type(message), topic, 10)

        def is_reached() -> bool:
            publisher.publish(message)
            return condition()

        try:
            self.wait_for(is_reached, what)
        finally:
            self.node.destroy_publisher(publisher)

    def log(self) -> str:
        """Return the output of the bridge."""
        return (self.folder / "bridge.log").read_text(errors="replace")

    def end_bridge(self) -> int:
        """Terminate the bridge; return its exit code."""
        self.processes["bridge"].send_signal(signal.SIGTERM)
        code = self.processes["bridge"].wait(DEADLINE_S)
        self._lists.clear()
        return code

    def end_simulator(self) -> None:
        """Kill the simulator."""
        self.processes["simulator"].kill()
        self.processes["simulator"].wait()

    def close(self) -> None:
        """End everything."""
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
        self._executor.remove_node(self.node)
        self.node.destroy_node()
        self._executor.shutdown()  # it keeps entities in the graph until then
        self._context.try_shutdown()

    def _start(self, name: str, arguments: list[str]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen([sys.executable, *arguments], stdout=log, stderr=log)


def running_bridge(folder: Path) -> Iterator[RunningBridge]:
    """Yield a bridge whose robots run their script; ends it afterwards."""
    bridge = RunningBridge(folder)
    try:
        bridge.start_simulator()
        bridge.start_bridge()
        bridge.wait_until_running()
        yield bridge
    finally:
        bridge.close()
