"""Whether the fleet can work, by what drivers publish."""

import pytest

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.job_view import JobsReport
from fleet.dashboard.model.story import Story
from fleet.dashboard.web.fleet_readiness import FleetReadiness, readiness

SECOND = 1_000_000_000
DRIVER = SeenDriver("lab", "/multi_thymio_driver", "token-1", (1, 2))
OTHER = SeenDriver("hall", "/multi_thymio_driver", "token-2", (3,))
TARGETS = {"tcp:host=a": "connected", "tcp:host=b": "connected"}


def at_work(now_s: int = 1, driver: SeenDriver = DRIVER, links: str = "connected", **targets: str) -> Story:
    return published(Story(0), now_s, driver, links, **targets)


def published(story: Story, now_s: int, driver: SeenDriver, links: str = "connected", **targets: str) -> Story:
    now_ns = now_s * SECOND
    story.on_driver(driver, now_ns)
    story.on_diagnostics(driver.token, "link", {"ready_nodes": "2", **TARGETS, **targets}, now_ns)
    for robot_id in driver.serves:
        level = 0 if links == "connected" else 2
        story.on_status(robot_id, level, "", {"state": "idle", "link": links, "localization": "tracked"}, now_ns)
    story.advance(now_ns)
    return story


def states(found: FleetReadiness) -> dict[str, str]:
    return {name: state.value for name, (state, _) in found.parts.items()}


def test_fleet_whose_parts_all_work_is_ready() -> None:
    found = readiness(at_work(), SECOND)
    assert found.entry == {
        "ready": True,
        "state": "ready",
        "parts": {
            "driver": {"state": "ready", "text": "1 of 1 driver announced in the last 5 s"},
            "link": {"state": "ready", "text": "2 of 2 targets connected"},
            "robots": {"state": "ready", "text": "2 of 2 robots with a link"},
            "book": {"state": "ready", "text": "no driver accepts jobs"},
        },
    }


def test_unannounced_fleet_is_not_ready() -> None:
    found = readiness(Story(0), SECOND)
    assert not found.is_ready
    assert found.parts["driver"][1] == "no driver is known"


def test_fleet_whose_link_is_gone_is_not_ready() -> None:
    story = at_work(links="lost", **dict.fromkeys(TARGETS, "lost"))
    found = readiness(story, SECOND)
    assert states(found) == {"driver": "ready", "link": "not_ready", "robots": "not_ready", "book": "ready"}
    assert found.parts["link"][1] == "0 of 2 targets connected"
    assert not found.is_ready


def test_fleet_that_lost_one_of_two_links_works_with_the_rest() -> None:
    found = readiness(at_work(**{"tcp:host=b": "lost"}), SECOND)
    assert (states(found)["link"], found.state.value, found.is_ready) == ("degraded", "degraded", True)


def test_fleet_is_not_ready_when_its_driver_is_silent() -> None:
    story = at_work()
    story.advance(7 * SECOND)
    found = readiness(story, 7 * SECOND)
    assert states(found) == {"driver": "not_ready", "link": "not_ready", "robots": "not_ready", "book": "ready"}


def test_fleet_works_on_when_one_of_two_drivers_is_silent() -> None:
    story = at_work()
    published(story, 7, OTHER)
    found = readiness(story, 7 * SECOND)
    assert found.parts["driver"][1] == "1 of 2 drivers announced in the last 5 s"
    assert found.is_ready


@pytest.mark.parametrize(("trouble", "expected"), [("", "ready"), ("the disk is full", "not_ready")])
def test_fleet_that_accepts_jobs_needs_its_book(trouble: str, expected: str) -> None:
    story = at_work()
    story.jobs.on_report(JobsReport((), (), trouble, 0), SECOND)
    assert states(readiness(story, SECOND))["book"] == expected


def test_texts_name_no_hosts_no_targets_and_no_problem_of_the_book() -> None:
    story = at_work()
    story.jobs.on_report(JobsReport((), (), "cannot write /home/anna/jobs.sqlite", 0), SECOND)
    text = str(readiness(story, SECOND).entry)
    assert not [word for word in ("lab", "tcp", "/home") if word in text]
