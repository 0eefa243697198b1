"""Whatever users do and robots suffer, in any order: each job ends exactly once, and book and robots agree."""

from pathlib import Path
from random import Random

import pytest

from fleet.dispatch.records.job import Duty, JobState
from fleet.reason import Explanation, Reason
from harness.budgets import examples
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go

_ENDS = {JobState.SUCCEEDED, JobState.CANCELED, JobState.ABORTED}


class Fuzz:
    """Random requests and events; `ends` are those that were told first."""

    def __init__(self, fleet: DispatchedFleet, seed: int) -> None:
        self.fleet = fleet
        self.random = Random(seed)
        self.ids: list[str] = []
        self.ends: dict[str, JobState] = {}

    def act(self) -> None:
        """Do something."""
        actions = [self.submit, self.submit, self.change, self.fail, self.duty, self.kill, self.ability, self.wait]
        self.random.choice(actions)()
        self.check()

    def submit(self) -> None:
        job_id = f"job {len(self.ids)}"
        after = tuple(self.random.sample(self.ids, 1)) if self.ids and self.random.random() < 0.2 else ()
        terms = {"priority": self.random.randint(0, 9), "after": after, "after_any_end": self.random.random() < 0.5}
        x_m, to_m = (0.5 + 0.5 * number for number in self.random.sample(range(21), 2))
        job = go(job_id, x_m, **terms) if self.random.random() < 0.5 else carry(job_id, x_m, to_m, **terms)
        self.fleet.submit(job)
        self.ids.append(job_id)

    def change(self) -> None:
        if not self.ids:
            return
        dispatcher, now, job_id = self.fleet.dispatcher, self.fleet.now, self.random.choice(self.ids)
        match self.random.randint(0, 4):
            case 0:
                dispatcher.cancel(job_id, now)
            case 1:
                dispatcher.hold(job_id, now)
            case 2:
                dispatcher.release(job_id, now)
            case 3:
                dispatcher.put_before(job_id, self.random.choice(self.ids), now)
            case 4:
                dispatcher.change(job_id, now, priority=self.random.randint(0, 9))

    def fail(self) -> None:
        busy = [robot for robot in self.fleet.robots.robots.values() if robot.task is not None]
        if busy:
            reasons = [Reason.NO_PROGRESS, Reason.ROBOT_LOST, Reason.STOPPED, Reason.SERVED_ELSEWHERE]
            self.fleet.abort(self.random.choice(busy).robot_id, self.random.choice(reasons))
            self.fleet.tick()
            self.fleet.dispatcher.resume(self.fleet.now)

    def duty(self) -> None:
        robot_id = self.random.choice(list(self.fleet.robots.robots))
        assert self.fleet.dispatcher.set_duty([robot_id], self.random.choice(list(Duty)), self.fleet.now) is None

    def ability(self) -> None:
        robot = self.random.choice(list(self.fleet.robots.robots.values()))
        robot.is_able = not robot.is_able
        busy = Explanation(Reason.BUSY, "a client was faster")
        robot.refusal = busy if self.random.random() < 0.2 else None

    def kill(self) -> None:
        if self.random.random() < 0.2:
            self.fleet.restart()

    def wait(self) -> None:
        self.fleet.run(self.random.choice([0.05, 0.5, 5.0, 20.0]))

    def heal(self) -> None:
        """Give every robot its duty and its health, and release everything."""
        self.fleet.dispatcher.set_duty(list(self.fleet.robots.robots), Duty.IN, self.fleet.now)
        for robot in self.fleet.robots.robots.values():
            robot.is_able, robot.refusal = True, None
        for job_id in self.ids:
            self.fleet.dispatcher.release(job_id, self.fleet.now)

    def check(self) -> None:
        performed = [robot.task.task_id for robot in self.fleet.robots.robots.values() if robot.task is not None]
        assert len(set(performed)) == len(performed)
        executing = [report for report in self.fleet.reports() if report.state is JobState.EXECUTING]
        assert {report.job_id for report in executing} == {task_id.partition("#")[0] for task_id in performed}
        for job_id in self.ids:
            report = self.fleet.report(job_id)
            if report.state in _ENDS:
                assert self.ends.setdefault(job_id, report.state) is report.state, f"{job_id} ended twice"
            else:
                assert job_id not in self.ends, f"{job_id} lives again"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3, 0, 2][: examples(4)])
def test_each_job_ends_exactly_once(seed: int, tmp_path: Path) -> None:
    fuzz = Fuzz(DispatchedFleet(fleet_of(tmp_path, 4)), seed)
    for _ in range(150):
        fuzz.act()
    fuzz.heal()
    fuzz.fleet.run(300.0)
    fuzz.heal()
    fuzz.fleet.run_until_over(20_000.0)
    fuzz.check()
    assert fuzz.ends.keys() == set(fuzz.ids)
