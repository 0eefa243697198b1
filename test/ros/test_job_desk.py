"""Requests about jobs: in order, part by part between other requests, and answered whatever they raise."""

import pytest
from thymio_fleet_interfaces.srv import SubmitJobs

from fleet.ros.jobs.job_desk import JobDesk
from fleet.service.request_queue import RequestQueue
from thymio_base.fence import Fence
from thymio_base.parts import Parts


class Desk:
    """A desk with a queue of requests, and the answers in order."""

    def __init__(self) -> None:
        self.queue = RequestQueue(20, 4)
        self.fence = Fence(lambda _: None)
        self.desk = JobDesk(self.queue, self.fence)
        self.log: list[str] = []

    def ask(self, name: str, parts: int) -> None:
        answer = self.desk.serve(SubmitJobs, name, self.work(name, parts), self.refused)
        if isinstance(answer, str):
            self.log.append(answer)

    def work(self, name: str, parts: int, *, is_broken: bool = False) -> Parts[str]:
        for number in range(parts - 1):
            self.log.append(f"{name}{number}")
            yield
        if is_broken:
            raise ValueError("a defect")
        self.log.append(f"{name}{parts - 1}")
        return name

    def refused(self, why: object) -> str:
        return f"refused {why}"


def test_requests_are_answered_in_order_and_share_turns_with_robots() -> None:
    desk = Desk()
    desk.ask("a", 3)
    desk.ask("b", 1)
    desk.queue.put(1, lambda: desk.log.append("robot 1"))
    while desk.queue.serve():
        pass
    assert desk.log == ["a0", "robot 1", "a1", "a2", "b0"]


def test_parts_in_one_tick_are_limited() -> None:
    desk = Desk()
    desk.ask("a", 9)
    while desk.queue.serve():
        pass
    assert desk.log == ["a0", "a1", "a2", "a3"]


@pytest.mark.fenced
def test_request_that_raises_is_refused_and_the_next_one_is_served() -> None:
    desk = Desk()
    answer = desk.desk.serve(SubmitJobs, "door", desk.work("a", 2, is_broken=True), desk.refused)
    desk.ask("b", 1)
    while desk.queue.serve():
        pass
    assert not answer.result().accepted
    assert list(answer.result().reasons) == ["INTERNAL"]
    assert desk.fence.counts == {"door": 1}
    assert desk.log[-1] == "b0"


def test_more_requests_than_may_wait_are_refused_in_words() -> None:
    desk = Desk()
    for number in range(501):
        desk.ask(f"{number}", 1)
    assert len(desk.log) == 1
    assert desk.log[0].startswith("refused BUSY: 500 requests")
