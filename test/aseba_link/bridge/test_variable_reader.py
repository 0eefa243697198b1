from aseba_link.bridge.variable_reader import VariableReader
from aseba_link.host.link_events import LinkEvent, VariablesRead
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.wire.bytecode import CompiledScript
from harness.aseba.fake_node import FakeNode, FakeTarget, dialer_to
from harness.aseba.link_bench import LinkBench

TARGET = "tcp:localhost;1"
ONE, TWO = NodeAddress(TARGET, 1), NodeAddress(TARGET, 2)


class Reading(LinkBench):
    """Two nodes in memory, and a reader of their variables."""

    def __init__(self) -> None:
        self.target = FakeTarget(FakeNode(1), FakeNode(2))
        script_policy = ScriptPolicy(lambda _: CompiledScript((1, 0)), event_timeout_s=None)
        super().__init__(AsebaLink([TARGET], script_policy, dialer_to(self.target)), self.target)
        self.reader = VariableReader()
        self.answers: list[tuple[int, ...] | None] = []
        self.run(1.0)

    def request(self, address: NodeAddress = ONE, name: str = "_id") -> bool:
        return self.reader.read(self.link.node(address), name, self.answers.append, self.now_ns)

    def step(self) -> list[LinkEvent]:
        events = super().step()
        for event in events:
            if isinstance(event, VariablesRead):
                self.reader.on_read(event)
        self.reader.advance(self.now_ns)
        return events


def test_variable_is_answered_once() -> None:
    reading = Reading()
    assert reading.request()
    reading.run(2.0)
    assert reading.answers == [(1,)]


def test_all_callers_that_request_the_same_variable_are_answered() -> None:
    reading = Reading()
    reading.request()
    reading.request()
    reading.run(0.1)
    assert reading.answers == [(1,), (1,)]


def test_answers_of_different_nodes_are_not_mixed_up() -> None:
    reading = Reading()
    reading.request(TWO)
    reading.request(ONE)
    reading.run(0.1)
    assert sorted(filter(None, reading.answers)) == [(1,), (2,)]


def test_lost_request_is_repeated() -> None:
    reading = Reading()
    reading.target.is_deaf = True
    reading.request()
    reading.run(0.2)
    reading.target.is_deaf = False
    reading.run(0.3)
    assert reading.answers == [(1,)]


def test_unanswered_request_times_out_after_a_second() -> None:
    reading = Reading()
    reading.target.is_deaf = True
    reading.request()
    reading.run(0.9)
    assert reading.answers == []
    reading.run(0.2)
    assert reading.answers == [None]


def test_unknown_variable_is_refused_at_once() -> None:
    assert not Reading().request(name="nothing")


def test_first_caller_times_out_although_others_keep_requesting() -> None:
    reading = Reading()
    reading.target.is_deaf = True
    first: list[tuple[int, ...] | None] = []
    reading.reader.read(reading.link.node(ONE), "_id", first.append, reading.now_ns)
    for _ in range(3):
        reading.run(0.4)
        reading.request()
    assert first == [None]


def test_requests_to_a_forgotten_node_are_given_up() -> None:
    reading = Reading()
    reading.target.is_deaf = True
    reading.request(ONE)
    reading.request(TWO)
    reading.reader.forget(ONE)
    assert reading.answers == [None]
