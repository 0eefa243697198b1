"""Two fleets that do not know each other, with the same robots on one target: both notice, and robots stand."""

from pathlib import Path

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import LinkEvent, NodeReady
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import script_constants
from experiments.lab.stage import Stage
from fleet.geometry import Pose2D
from fleet.robots.robot_status import Level
from fleet.service.fleet_service import FleetService
from fleet.tasks.task import go_to
from harness.fleets import read
from harness.worlds import config

TARGET = "tcp:host=127.0.0.1;port=33333"
FLEET = f"""
link: {{targets: ["{TARGET}"]}}
robots:
- {{id: 3, node_id: 1, home: {{x_m: 1.0, y_m: 1.0}}}}
"""
TEXT = f"another host on {TARGET} loads another script into it; stop one of the two"
_STEPS_PER_TICK = 5
_AHEAD_NS = 123_456_789


class Fleet:
    """A fleet on a stage that others may share, and the link's events; each host has a clock of its own."""

    def __init__(self, folder: Path, stage: Stage, rates: str = "", clock_ahead_ns: int = 0) -> None:
        settings = read(folder, FLEET + rates)
        script = shipped_script().with_constants(script_constants(settings.rates.odometry_hz, settings.reports))
        self.link = AsebaLink(settings.link.targets, ScriptPolicy(ScriptCompiler(script)), stage)
        self.service = FleetService(settings, self.link)
        self.events: list[LinkEvent] = []
        self._stage = stage
        self._clock_ahead_ns = clock_ahead_ns

    @property
    def now_ns(self) -> int:
        return self._stage.now_ns + self._clock_ahead_ns

    def tick(self) -> None:
        self.events += self.service.tick(self.now_ns).link_events

    @property
    def uploads(self) -> int:
        return sum(isinstance(event, NodeReady) for event in self.events)

    @property
    def message(self) -> str:
        return self.service.status(3, self.now_ns).message

    @property
    def level(self) -> Level:
        return self.service.status(3, self.now_ns).level


def run(stage: Stage, seconds: float, *fleets: Fleet) -> None:
    for number in range(round(seconds * 100)):
        stage.step()
        if number % _STEPS_PER_TICK == 0:
            for fleet in fleets:
                fleet.tick()


@pytest.fixture
def stage() -> Stage:
    return Stage(config((1.0, 1.0, 0.0)))


@pytest.mark.parametrize("rates", ["", "rates: {odometry_hz: 10}"], ids=["equal scripts", "different scripts"])
@pytest.mark.parametrize("head_start_s", [0.0, 0.3, 5.0, 20.0])
def test_both_fleets_report_each_other_and_the_robot_stops(
    stage: Stage, tmp_path: Path, rates: str, head_start_s: float
) -> None:
    first, second = Fleet(tmp_path, stage), Fleet(tmp_path, stage, rates, _AHEAD_NS)
    run(stage, head_start_s, first)
    first.service.assign(3, go_to("a", Pose2D(1.5, 1.0, 0.0)), stage.now_ns)
    run(stage, 30.0, first, second)
    assert [first.message, second.message] == [f"no link to the robot: {TEXT}"] * 2
    assert [first.level, second.level] == [Level.ERROR] * 2
    assert stage.simulation.world.wheels.speeds_mps.tolist() == [[0.0, 0.0]]


def test_fleets_do_not_fight_for_ever(stage: Stage, tmp_path: Path) -> None:
    first, second = Fleet(tmp_path, stage), Fleet(tmp_path, stage, clock_ahead_ns=_AHEAD_NS)
    run(stage, 60.0, first, second)
    uploads = first.uploads + second.uploads
    run(stage, 120.0, first, second)
    assert first.uploads + second.uploads == uploads


def test_fleet_serves_its_robot_again_once_the_other_has_ended(stage: Stage, tmp_path: Path) -> None:
    first, second = Fleet(tmp_path, stage), Fleet(tmp_path, stage, clock_ahead_ns=_AHEAD_NS)
    run(stage, 30.0, first, second)
    second.link.close()
    run(stage, 15.0, first)
    assert (first.level, first.message) == (Level.OK, "idle")


def test_single_upload_of_another_host_is_undone(stage: Stage, tmp_path: Path) -> None:
    first, second = Fleet(tmp_path, stage), Fleet(tmp_path, stage, clock_ahead_ns=_AHEAD_NS)
    run(stage, 20.0, first)
    run(stage, 0.5, first, second)
    second.link.close()
    run(stage, 15.0, first)
    assert (first.level, first.message) == (Level.OK, "idle")
