"""An exception at any door of the dashboard is answered and counted; pages, other orders and the next step go on."""

from typing import Any

import pytest

from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.fleet_orders import FleetOrder
from fleet.geometry import Twist2D
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage

pytestmark = pytest.mark.fenced


class FaultyFleet(ScriptedFleet):
    """A scripted fleet of which the named parts raise what nobody expects."""

    def __init__(self) -> None:
        super().__init__(3)
        self.faulty = ""

    def _fail_in(self, part: str) -> None:
        if part == self.faulty:
            raise ZeroDivisionError(f"{part} is faulty")

    def take(self, story: Story, now_ns: int) -> None:
        self._fail_in("take")
        super().take(story, now_ns)

    def rays(self, robot_id: int) -> dict[str, Any] | None:
        self._fail_in("rays")
        return super().rays(robot_id)

    def start(self, command_id: str, order: FleetOrder) -> None:
        self._fail_in("start")
        super().start(command_id, order)

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        self._fail_in("drive")
        super().drive(robot_id, twist)

    def advance(self, story: Story, now_ns: int) -> Any:
        self._fail_in("advance")
        return super().advance(story, now_ns)

    def call_stop(self, *, is_stop: bool) -> None:
        self._fail_in("call_stop")
        super().call_stop(is_stop=is_stop)


async def fenced(stage: ServerStage) -> list[str]:
    """Return what the metrics count as caught."""
    browser = await stage.browser().login(Role.OPERATOR)
    text = (await browser.get("/metrics"))[1].decode()
    return [line for line in text.splitlines() if line.startswith("thymio_fleet_fenced_total")]


def test_request_that_fails_is_answered_with_a_sentence_and_counted() -> None:
    fleet = FaultyFleet()

    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        fleet.faulty = "call_stop"
        status, answer = await browser.post("stop", {})
        assert (status, answer["error"]["code"]) == (500, "internal")
        assert answer["error"]["text"].startswith("internal error at POST /api/{verb}: ZeroDivisionError: call_stop is")
        assert (await browser.get("/api/state"))[0] == 200
        assert await fenced(stage) == ['thymio_fleet_fenced_total{program="dashboard",door="POST /api/{verb}"} 1']

    on_stage(scenario, fleet)


def test_message_that_fails_is_refused_and_the_page_stays_connected() -> None:
    fleet = FaultyFleet()

    async def scenario(stage: ServerStage) -> None:
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        await stage.until(lambda: len(page.entries("robots")) == 3, "robots", passing=True)
        fleet.faulty = "drive"
        await page.send(type="drive", robot=1, speed_mps=0.1, turn_radps=0.0)
        await stage.until(lambda: bool(page.others), "the refusal")
        assert page.others[0]["type"] == "refused"
        assert "ZeroDivisionError: drive is faulty" in page.others[0]["text"]
        fleet.faulty = ""
        await page.send(type="drive", robot=1, speed_mps=0.1, turn_radps=0.0)
        await stage.until(lambda: bool(fleet.driven), "the twist")

    on_stage(scenario, fleet)


@pytest.mark.parametrize(
    ("part", "door"), [("take", "the feed"), ("advance", "the execution of orders"), ("rays", "a page")]
)
def test_step_that_fails_in_one_part_goes_on_with_the_others(part: str, door: str) -> None:
    fleet = FaultyFleet()

    async def scenario(stage: ServerStage) -> None:
        first = await (await stage.browser().login(Role.OPERATOR)).open()
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        await stage.until(lambda: bool(first.frames and page.frames), "frames", passing=True)
        await first.send(type="select", robot=1)
        await stage.let_pass(0.2)
        fleet.faulty = part
        await stage.let_pass(0.5)
        assert (await stage.browser().login(Role.OPERATOR)) is not None
        assert any(f'door="{door}"' in line for line in await fenced(stage))
        fleet.faulty = ""
        count = len(page.frames)
        await stage.until(lambda: len(page.frames) > count + 3, "further frames", passing=True)

    on_stage(scenario, fleet)


def test_order_that_fails_is_a_failed_command_and_the_next_one_is_carried_out() -> None:
    fleet = FaultyFleet()

    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        fleet.faulty = "start"
        failed = (await browser.post("go_to", {"goals": [{"robot": 1, "x_m": 0.7, "y_m": 0.6}]}))[1]["commands"][0]
        assert (failed["state"], "start is faulty" in failed["text"]) == ("failed", True)
        fleet.faulty = ""
        await browser.post("go_to", {"goals": [{"robot": 1, "x_m": 0.7, "y_m": 0.6}]})
        assert len(fleet.orders) == 1

    on_stage(scenario, fleet)
