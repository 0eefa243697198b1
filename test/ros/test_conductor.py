"""The conductor with small nodes in processes of their own: the checks of the thesis on ros2_def, and its watchdog."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from geometry_msgs.msg import PointStamped
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from harness.ros import counter, pairer
from harness.ros.program import program
from harness.ros.relay import declaration
from simulator.conductor.launch_file import node_model
from simulator.conductor.node_model import NodeModel
from simulator.errors import ConductorError
from simulator.ros.orchestrated.ros_conductor import Caller, Passed, RosConductor
from thymio_base.approximate_time_sync import ApproximateTimeSync
from thymio_base.ros.stamps import time_to_ros

RELAY = Path(__file__).parents[1] / "harness/ros/relay.py"
PROVIDER = "/provider"
Relay = tuple[str, str, list[str]]  # name, output, inputs


class Heard:
    """What each node has published, in its order, and what each has received."""

    def __init__(self) -> None:
        self.outputs: dict[str, list[str]] = {}
        self.inputs: dict[str, list[str]] = {}

    def note_input(self, _: int, caller: Caller, message: Passed) -> None:
        self.inputs.setdefault(caller.node, []).append(text(message))

    def note_output(self, _: int, caller: Caller, message: Passed) -> None:
        self.outputs.setdefault(message.topic, []).append(text(message))


def text(message: Passed) -> str:
    found = deserialize_message(message.data, message.type)
    return str(found.data if isinstance(found, String) else found.point.x)


class Stage:
    """A conductor, and the relays that it conducts."""

    def __init__(self, conductor: RosConductor, heard: Heard, relays: dict[str, "subprocess.Popen[bytes]"]) -> None:
        self.conductor = conductor
        self.heard = heard
        self.relays = relays

    def say(self, count: int, *topics: str) -> None:
        """Publish messages on some topics, and wait until everybody has done their part."""
        for number in range(count):
            for topic in topics:
                self.conductor.publish(topic, String, String(data=str(number)))
        self.conductor.wait_for_rest()


def stage(relays: list[Relay], delay_s: float = 0.004, patience_s: float = 20.0) -> AbstractContextManager[Stage]:
    """Start relays and a conductor."""
    models = [node_model(f"/{name}", declaration(name, output, inputs), {}) for name, output, inputs in relays]
    commands = {name: [str(RELAY), name, output, str(delay_s), *inputs] for name, output, inputs in relays}
    return stage_of(models, commands, patience_s)


@contextmanager
def stage_of(
    models: list[NodeModel],
    commands: dict[str, list[str]],
    patience_s: float = 20.0,
    load: Callable[[str, str], list[NodeModel]] | None = None,
) -> Iterator[Stage]:
    """Start nodes, which are Python files with arguments, and a conductor."""
    heard = Heard()
    with ExitStack() as opened:
        running = {}
        for name, command in commands.items():
            process = subprocess.Popen([sys.executable, *command])
            opened.callback(process.wait)
            opened.callback(process.kill)  # a node of rclpy may wait for ever after SIGTERM, and has nothing to save
            running[name] = process
        host = opened.enter_context(program("provider"))
        conductor = RosConductor(
            host.node, host.executor, models, provider=PROVIDER, hear=lambda _, __: None, recorder=heard,
            patience_s=patience_s, load=load,
        )  # fmt: skip
        conductor.begin()
        yield Stage(conductor, heard, running)


def test_slow_node_with_a_short_queue_loses_nothing() -> None:
    with stage([("slow", "/out", ["/in"])]) as slow:
        slow.say(200, "/in")
        assert slow.heard.outputs["/out"] == [f"slow {number + 1} /in: {number}" for number in range(200)]


CHAINS: list[Relay] = [("left", "/one", ["/in"]), ("right", "/two", ["/in"]), ("join", "/out", ["/one", "/two"])]


def test_chains_join_in_the_same_order_each_time() -> None:
    orders = []
    for _ in range(2):
        with stage(CHAINS) as chains:
            chains.say(100, "/in")
            orders.append(chains.heard.inputs["/join"])
    assert orders[0] == orders[1]
    assert len(orders[0]) == 200


def test_messages_of_two_nodes_on_one_topic_come_in_the_same_order_each_time() -> None:
    orders = []
    for _ in range(2):
        with stage([("left", "/one", ["/in"]), ("right", "/one", ["/in"]), ("join", "/out", ["/one"])]) as both:
            both.say(60, "/in")
            orders.append(both.heard.outputs["/one"])
    assert orders[0] == orders[1]
    assert len(orders[0]) == 120


def test_callers_of_one_service_take_turns_in_the_same_order_each_time() -> None:
    names = (counter.SERVER, "left", "right")
    models = [node_model(f"/{name}", counter.declaration(name), {}) for name in names]
    answers = []
    for _ in range(2):
        with stage_of(models, {name: [counter.__file__, name] for name in names}) as asked:
            asked.say(50, counter.INPUT)
            answers.append(asked.heard.outputs)
    assert answers[0] == answers[1]
    assert answers[0]["/left"][:2] == ["1 for left", "3 for left"]


def test_messages_are_paired_by_their_stamps_each_time() -> None:
    random = Random(1)
    arrivals = [(random.randrange(2), 10_000_000 * number + random.randrange(20_000_000)) for number in range(60)]
    sync: ApproximateTimeSync[int] = ApproximateTimeSync(2, pairer.QUEUE, pairer.SLOP_S)
    sets = [sync.add(topic, stamp_ns, number) for number, (topic, stamp_ns) in enumerate(arrivals)]
    pairs = [found for found in sets if found is not None]
    with stage_of(
        [node_model("/pair", pairer.declaration("pair"), {})], {"pair": [pairer.__file__, "pair", "0.02"]}
    ) as pair:
        for number, (topic, stamp_ns) in enumerate(arrivals):
            message = PointStamped()
            message.header.stamp, message.point.x = time_to_ros(stamp_ns), float(number)
            pair.conductor.publish((pairer.LEFT, pairer.RIGHT)[topic], PointStamped, message)
        pair.conductor.wait_for_rest()
        found = pair.heard.outputs[pairer.PAIRS]
    assert found == [f"{left} {right}" for left, right in pairs if left % 5 != 4]
    assert 5 < len(found) < len(pairs)


def test_stack_is_changed_when_a_callback_announces_it_and_all_is_quiet() -> None:
    loaded: list[tuple[str, str]] = []
    deciding = pairer.declaration("decide")
    after = node_model("/decide", deciding | {"callbacks": deciding["callbacks"][1:]}, {})

    def load(package: str, file: str) -> list[NodeModel]:
        loaded.append((package, file))
        return [after]

    models = [node_model("/decide", deciding, {})]
    with stage_of(models, {"decide": [pairer.__file__, "decide"]}, load=load) as changed:
        changed.say(8, pairer.IN, pairer.OTHER)
        outputs = changed.heard.outputs["/decided"]
    assert loaded == [("", pairer.NEXT)]
    assert outputs == ["0", "0 1", *["0 1 2"] * 6]  # from the third message on, nobody reads the topic


def test_node_that_was_killed_is_named_with_what_it_owes() -> None:
    with stage([("left", "/one", ["/in"]), ("right", "/two", ["/one"])], patience_s=2.0) as broken:
        broken.say(3, "/in")
        broken.relays["right"].kill()
        with pytest.raises(ConductorError, match=r"no answer for 2 s: /right, on /one, owes /two"):
            broken.say(3, "/in")


def test_nodes_that_do_not_start_are_named() -> None:
    absent = node_model("/absent", declaration("absent", "/out", ["/in"]), {})
    with program("provider") as host:
        heard: Any = Heard()
        conductor = RosConductor(
            host.node, host.executor, [absent], provider=PROVIDER, hear=lambda _, __: None, recorder=heard, patience_s=1
        )
        with pytest.raises(ConductorError, match=r"/absent does not subscribe to /intercepted/absent/sub/in; .*/out"):
            conductor.begin(patience_s=0.5)
