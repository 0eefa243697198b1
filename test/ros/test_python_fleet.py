"""The public Python package with simulated fleets: gathers, cancellations, refusals, groups, jobs, and their ends."""

import asyncio
import json
import random
import signal
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from harness.ros.running_fleet import RunningFleet
from thymio_fleet import (
    Fleet,
    FleetError,
    JobState,
    NoServerError,
    Reason,
    SyncFleet,
    TaskAbortedError,
    TaskCanceledError,
    TaskRejectedError,
)

ROBOTS = range(1, 11)
Result = TypeVar("Result")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("logs")
        patch.setenv("THYMIO_FLEET_LOG_DIR", str(folder))
        yield folder


@pytest.fixture(scope="module")
def ten(logs: Path) -> Iterator[Fleet]:
    """Ten simulated robots, each in the middle of a cell of 1 m, at twice their speed."""
    fleet = asyncio.run(Fleet(simulated=10, speed=2.0).open())
    yield fleet
    asyncio.run(fleet.close())


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine, and check that it leaves no task of asyncio behind."""

    async def alone() -> Result:
        result = await coroutine
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    return asyncio.run(alone())


def test_a_gather_of_ten_robots_takes_as_long_as_the_slowest_alone(ten: Fleet) -> None:
    async def circle_s(*robot_ids: int) -> float:
        """Return how long robots take to drive a circle at once, in simulated time [s]."""
        begin_s = await ten.time_s()
        await asyncio.gather(*(ten[one].follow("circle", size_m=0.3, speed_mps=0.06) for one in robot_ids))
        return await ten.time_s() - begin_s

    async def both_s() -> tuple[float, float]:
        await ten.all.each(lambda robot: robot.go_home())  # finds all
        return await circle_s(ROBOTS[0]), await circle_s(*ROBOTS)

    alone_s, together_s = run(both_s())
    assert alone_s > 10.0
    assert together_s <= 1.5 * alone_s, f"{together_s / alone_s:.2f}"  # quiet 1.1; one after the other 10


def test_cancellations_at_random_instants_leave_no_goal_and_no_task(ten: Fleet) -> None:
    chance = random.Random(47)

    async def cancel_ten_times(robot_id: int) -> None:
        for number in range(10):
            pose = await ten[robot_id].pose()
            with suppress(TimeoutError):
                async with asyncio.timeout(chance.uniform(0.0, 0.5)):
                    await ten[robot_id].go_to(pose.x_m + (0.2 if number % 2 else -0.2), pose.y_m)

    async def cancel_all() -> dict[int, bool]:
        await asyncio.gather(*map(cancel_ten_times, ROBOTS))
        left = await ten.all.cancel()
        await ten.all.go_home()
        return left

    assert run(cancel_all()) == dict.fromkeys(ROBOTS, False)


def test_a_refusal_has_a_reason_and_a_sentence(ten: Fleet) -> None:
    with pytest.raises(TaskRejectedError, match=r"^robot 3: OUT_OF_ARENA: x = 99\.000, at most") as caught:
        run(ten[3].go_to(99.0, 0.6))
    assert caught.value.reason is Reason.OUT_OF_ARENA
    with pytest.raises(NoServerError, match="robot 77 is not served; robots 1 to 10 are"):
        run(ten[77].go_home())
    with pytest.raises(FleetError, match="there is no station '1-3'"):
        run(ten[1].go_to("1-3"))


def test_failures_of_a_group_are_raised_together_once_all_have_ended(ten: Fleet) -> None:
    with pytest.raises(
        ExceptionGroup, match=r"2 of 3 robots failed: robot 1: BAD_PATH: .*; robot 2: BAD_PATH: "
    ) as caught:
        run(ten.group(1, 2, 3).each(lambda robot: robot.follow([(0.0, 0.0)] if robot.robot_id < 3 else "circle")))
    assert [type(error) for error in caught.value.exceptions] == [TaskRejectedError] * 2


def test_the_cancellation_by_another_client_is_raised_in_a_group(ten: Fleet) -> None:
    async def cancel_one() -> None:
        group = asyncio.create_task(ten.group(4, 5).follow("circle", size_m=0.3, speed_mps=0.1))
        while not await ten[4].cancel():
            await asyncio.sleep(0.01)
        await group

    with pytest.raises(ExceptionGroup, match="1 of 2 robots failed: robot 4") as caught:
        run(cancel_one())
    assert isinstance(caught.value.exceptions[0], TaskCanceledError)


def test_a_group_that_is_canceled_raises_the_cancellation_and_frees_its_robots(ten: Fleet) -> None:
    async def cancel_group() -> None:
        async with asyncio.timeout(1.0):
            await ten.all.follow("circle", size_m=0.3, endless=True)

    with pytest.raises(TimeoutError):
        run(cancel_group())
    assert set(run(ten.all.go_home())) == set(ROBOTS)


def test_stopped_robots_refuse_until_they_are_resumed(ten: Fleet) -> None:
    async def stop() -> TaskRejectedError:
        await ten.stop()
        with pytest.raises(TaskRejectedError) as caught:
            await ten[1].go_home()
        await ten.resume()
        await ten[1].go_home()
        return caught.value

    assert run(stop()).reason is Reason.STOPPED


def test_jobs_end_with_their_reports_or_reasons(ten: Fleet) -> None:
    async def submit() -> None:
        job = await ten.submit("go_to", "1-2", robots=(1,), job_id="first")
        assert (await job.done()).state is JobState.SUCCEEDED
        with pytest.raises(TaskRejectedError, match="there is no station 'nowhere'"):
            await ten.submit("go_to", "nowhere")
        waiting = await ten.submit("go_home")
        await waiting.done()
        assert {report.job_id for report in await ten.jobs()} >= {"first", waiting.job_id}
        with pytest.raises(TaskAbortedError, match="no longer known"):
            await ten.job("unknown").done()

    run(submit())


def test_poses_come_one_after_the_other_and_time_passes(ten: Fleet) -> None:
    async def some() -> list[float]:
        xs_m = []
        async for pose in ten[2].poses():
            xs_m.append(pose.x_m)
            if len(xs_m) == 3:
                break
        return xs_m

    assert len(run(some())) == 3
    before_s = run(ten.time_s())
    run(ten.sleep(1.5))
    assert run(ten.time_s()) - before_s >= 1.5


def test_orders_and_their_ends_are_in_the_audit_log(ten: Fleet, logs: Path) -> None:
    run(ten[6].go_home())

    def rows() -> list[dict[str, Any]]:
        lines = (logs / "audit.jsonl").read_text().rpartition("\n")[0].splitlines()  # the last one may be half written
        return [row for row in map(json.loads, lines) if row.get("robot") == 6 and row["what"] == "go_home"]

    async def found() -> list[dict[str, Any]]:
        while not [row for row in rows() if row.get("role") == "Python" and row["event"] == "ended"]:
            await ten.sleep(0.1)
        return rows()

    mine = [row for row in run(found()) if row.get("role") == "Python"]
    assert {row["event"] for row in mine} == {"ordered", "ended"}
    assert mine[-1]["outcome"] == "SUCCEEDED"
    assert [row for row in rows() if row["program"] == "multi_thymio_driver"]


def test_a_second_fleet_of_the_program_is_its_own_and_scripts_wait(ten: Fleet) -> None:
    with SyncFleet(simulated=2, speed=4.0) as fleet:
        assert fleet.robot_ids() == [1, 2]
        assert fleet[1].go_to(0.9, 0.8).robot_id == 1
        assert abs(fleet[1].pose().x_m - 0.9) < 0.03
        with pytest.raises(TimeoutError), fleet.timeout(0.3):
            fleet[1].go_home()
        fleet[1].go_to("press", heading_rad=1.0)
        assert fleet[1].pose().heading_rad == pytest.approx(1.0, abs=0.1)
        assert set(fleet.all.go_home()) == {1, 2}
        assert next(fleet[2].poses()).x_m == pytest.approx(1.36, abs=0.03)
        assert fleet.submit("go_to", "press", robots=(2,)).done().robot_id == 2
    with pytest.raises(NoServerError, match="the fleet is not open"):
        run(Fleet(simulated=1)[1].pose())
    assert run(ten.robot_ids()) == list(ROBOTS)


def test_every_call_ends_when_the_driver_is_killed(fleet: RunningFleet) -> None:
    async def outlive_driver() -> tuple[BaseException | Any, ...]:
        async with Fleet() as opened:
            calls = [
                asyncio.create_task(opened[1].follow("circle", endless=True)),
                asyncio.create_task(opened[2].follow("circle", endless=True)),
                asyncio.create_task(_all_poses(opened)),
            ]
            while not all(report.is_busy for report in (await opened.all.status()).values()):
                await asyncio.sleep(0.05)
            fleet.send_signal("driver", signal.SIGKILL).wait()
            return tuple(await asyncio.gather(*calls, return_exceptions=True))

    ends = run(outlive_driver())
    assert [type(end) for end in ends] == [NoServerError] * 3
    assert "has been silent for 15 s" in str(ends[0])


async def _all_poses(fleet: Fleet) -> None:
    async for _ in fleet[1].poses():
        pass
