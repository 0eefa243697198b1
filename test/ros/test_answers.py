"""Answers that cannot be sent at once, and requests not announced to the executor."""

import warnings
from typing import Any

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from std_srvs.srv import Trigger

from harness.ros.program import program
from thymio_base.ros.answers import Answers, serve_unannounced

MS = 1_000_000


class Server:
    """A node that is its own service, with a clock; the middleware refuses its first answers."""

    def __init__(self, *, fails: int) -> None:
        self.now_ns = 0
        self.tries_ns: list[int] = []
        self.sent: list[tuple[Any, Any]] = []
        self.answers = Answers(lambda: self.now_ns)
        self._fails = fails
        self.services = [self]
        self.answers.cover(self)

    def send_response(self, response: Any, header: Any) -> None:
        self.tries_ns.append(self.now_ns)
        if len(self.tries_ns) <= self._fails:
            warnings.warn("failed to send response (timeout): client will not receive response", RuntimeWarning, 1)
        else:
            self.sent.append((response, header))

    def run(self, duration_ms: int) -> None:
        for _ in range(duration_ms):
            self.now_ns += MS
            self.answers.step()


def test_answer_is_sent_at_once_if_possible() -> None:
    server = Server(fails=0)
    server.send_response("yes", 7)
    assert (server.sent, server.answers.waiting) == ([("yes", 7)], 0)


def test_answer_that_cannot_be_sent_is_retried_at_growing_intervals() -> None:
    server = Server(fails=4)
    server.send_response("yes", 7)
    assert (server.sent, server.answers.waiting) == ([], 1)
    server.run(100)
    assert server.sent == [("yes", 7)]
    assert [at_ns // MS for at_ns in server.tries_ns] == [0, 5, 15, 35, 75]
    assert (server.answers.waiting, server.answers.sent_again, server.answers.dropped) == (0, 1, 0)


def test_an_answer_is_dropped_and_counted_after_ten_seconds() -> None:
    server = Server(fails=10_000)
    server.send_response("yes", 7)
    server.run(9_900)
    assert server.answers.waiting == 1
    server.run(700)
    assert (server.answers.waiting, server.answers.dropped) == (0, 1)


def test_oldest_answers_are_dropped_when_there_are_too_many() -> None:
    server = Server(fails=300)
    for number in range(300):
        server.send_response("yes", number)
    assert (server.answers.waiting, server.answers.dropped) == (256, 44)
    server.run(1_000)
    assert sorted(header for _, header in server.sent) == list(range(44, 300))


def test_number_of_answers_tried_per_step_is_limited() -> None:
    server = Server(fails=200)
    for number in range(200):
        server.send_response("yes", number)
    server.now_ns += 5 * MS
    server.answers.step()
    assert len(server.tries_ns) - 200 <= 8


def test_response_may_be_a_future() -> None:
    server, response = Server(fails=0), Future()
    server.send_response(response, 7)
    assert server.sent == []
    response.set_result("later")
    assert server.sent == [("later", 7)]


def test_other_warnings_of_a_callback_do_not_count_as_a_lost_answer() -> None:
    server = Server(fails=0)
    server.send_response("yes", 7)
    assert server.answers.waiting == 0
    with pytest.warns(UserWarning, match="mind the gap"):
        warnings.warn("mind the gap", UserWarning, stacklevel=1)


def test_answer_to_a_client_with_incompatible_qos_is_kept() -> None:
    latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    with program("server") as server, program("client") as client:
        answers = Answers(lambda: 0)
        answers.create_service(server.node, Trigger, "/trigger", lambda _, response: response)
        deaf = client.node.create_client(Trigger, "/trigger", qos_profile=latched)

        def is_kept() -> bool:
            deaf.call_async(Trigger.Request())
            server.spin_once()
            return answers.waiting > 0

        client.spin_until(is_kept, "an answer that cannot be sent")


def test_request_not_announced_to_the_executor_is_found() -> None:
    with program("server") as server, program("client") as client:
        answers = Answers(lambda: 0)
        answers.create_service(server.node, Trigger, "/trigger", lambda _, response: response)
        asking = client.node.create_client(Trigger, "/trigger")
        client.spin_until(asking.service_is_ready, "the service")
        future = asking.call_async(Trigger.Request())

        def is_answered() -> bool:
            serve_unannounced(server.node)  # its executor does not spin
            return bool(future.done())

        client.spin_until(is_answered, "the answer")
