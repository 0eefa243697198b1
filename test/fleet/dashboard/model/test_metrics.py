"""What Prometheus scrapes: each driver has series of its own, and those of the gone end."""

import math
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.job_view import JobsReport
from fleet.dashboard.model.metrics import DashboardCounts, metrics_text
from fleet.dashboard.model.story import Story
from fleet.dashboard.web.process_numbers import process_numbers
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState

SECOND = 1_000_000_000
STATUS = {"busy": "no", "state": "idle", "link": "connected", "localization": "tracked", "battery_pct": "80"}
_LINE = re.compile(r'^thymio_fleet_([a-z_]+)((?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*\})?) (\S+)$')


def scrape(story: Story, now_s: float) -> dict[str, dict[str, float]]:
    """Return the samples by metric and labels; every line must be one that Prometheus reads, and each only once."""
    found: dict[str, dict[str, float]] = {}
    text = metrics_text(story, {}, DashboardCounts(), {}, round(now_s * SECOND))
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("#"):
            continue
        match = _LINE.match(line)
        assert match, line
        samples = found.setdefault(match[1], {})
        assert match[2] not in samples, line
        samples[match[2]] = float(match[3])
    return found


def announce(story: Story, now_s: float, *drivers: SeenDriver) -> None:
    """Announce drivers; each counts a hundred ticks for each of its robots."""
    now_ns = round(now_s * SECOND)
    for driver in drivers:
        story.on_driver(driver, now_ns)
        counts = {"ticks": str(100 * len(driver.serves)), "tick_overruns": "0", "commands": "7"}
        story.on_diagnostics(driver.token, "driver", counts, now_ns)
        story.on_diagnostics(driver.token, "link", {"tcp:host=robots": "connected", "dropped_messages": "2"}, now_ns)
        for robot_id in driver.serves:
            story.on_status(robot_id, 0, "idle", STATUS, now_ns)
    story.advance(now_ns)


LAB = SeenDriver("lab", "/multi_thymio_driver", "token-1", (1, 2, 3))
HALL = SeenDriver("hall", "/multi_thymio_driver", "token-2", (21,))


def test_each_driver_has_series_of_its_own() -> None:
    story = Story(0)
    announce(story, 1.0, LAB, HALL)
    found = scrape(story, 1.0)
    assert found["driver_ticks_total"] == {'{host="hall"}': 100.0, '{host="lab"}': 300.0}
    assert found["driver_up"] == {'{host="hall"}': 1.0, '{host="lab"}': 1.0}
    assert found["link_up"] == {
        '{host="hall",target="tcp:host=robots"}': 1.0,
        '{host="lab",target="tcp:host=robots"}': 1.0,
    }
    assert found["link_dropped_messages_total"] == {'{host="hall"}': 2.0, '{host="lab"}': 2.0}


def test_series_of_a_silent_driver_end_after_five_seconds() -> None:
    story = Story(0)
    announce(story, 0.0, LAB, HALL)
    announce(story, 5.5, LAB)
    found = scrape(story, 5.5)
    for name in ("driver_ticks_total", "link_dropped_messages_total"):
        assert list(found[name]) == ['{host="lab"}']
    assert list(found["link_up"]) == ['{host="lab",target="tcp:host=robots"}']
    assert found["driver_up"] == {'{host="lab"}': 1.0, '{host="hall"}': 0.0}


def test_silent_robots_and_drivers_are_down_for_five_minutes_and_then_gone() -> None:
    story = Story(0)
    announce(story, 0.0, LAB, HALL)
    announce(story, 290.0, LAB)
    found = scrape(story, 290.0)
    assert found["robot_up"]['{robot="21"}'] == 0.0
    assert '{robot="21"}' not in {**found["robot_level"], **found["robot_busy"], **found["robot_battery_ratio"]}
    assert '{robot="21",state="connected"}' not in found["robot_link_state"]
    announce(story, 301.0, LAB)
    found = scrape(story, 301.0)
    assert list(found["robot_up"]) == ['{robot="1"}', '{robot="2"}', '{robot="3"}']
    assert found["driver_up"] == {'{host="lab"}': 1.0}


def test_series_of_a_driver_that_shuts_down_end_with_it() -> None:
    story = Story(0)
    announce(story, 0.0, LAB, HALL)
    story.on_driver_left(HALL.token, SECOND)
    found = scrape(story, 1.0)
    assert all("hall" not in labels for samples in found.values() for labels in samples)
    announce(story, 5.5, LAB)
    assert '{robot="21"}' not in scrape(story, 5.5)["robot_up"]


def test_robot_without_a_status_is_not_up() -> None:
    story = Story(0)
    story.on_offer(5, ("go_to",))
    assert scrape(story, 1.0)["robot_up"] == {'{robot="5"}': 0.0}


def test_two_drivers_on_one_host_are_distinguished() -> None:
    story = Story(0)
    announce(story, 0.0, LAB, SeenDriver("lab", "/multi_thymio_driver", "token-9", (4,)))
    assert scrape(story, 0.0)["driver_ticks_total"] == {
        '{host="lab (token-1)"}': 300.0,
        '{host="lab (token-9)"}': 100.0,
    }


def test_driver_takes_the_series_of_the_killed_one_on_its_host() -> None:
    story = Story(0)
    announce(story, 0.0, LAB)
    announce(story, 3.0, SeenDriver("lab", "/multi_thymio_driver", "token-9", (1,)))
    found = scrape(story, 3.0)
    assert found["driver_ticks_total"] == {'{host="lab"}': 100.0}
    assert found["driver_up"] == {'{host="lab"}': 1.0}


def test_internal_errors_of_drivers_and_dashboard_are_counted() -> None:
    story = Story(0)
    announce(story, 0.0, LAB)
    story.on_diagnostics(LAB.token, "driver", {"ticks": "1", "internal_errors": "4"}, 0)
    text = metrics_text(story, {}, DashboardCounts(fenced={"GET /api/state": 2}), {}, 0)
    assert 'thymio_fleet_fenced_total{program="dashboard",door="GET /api/state"} 2\n' in text
    assert 'thymio_fleet_fenced_total{program="multi_thymio_driver",host="lab"} 4\n' in text


def test_diagnostics_of_a_driver_that_never_announced_itself_are_ignored() -> None:
    story = Story(0)
    story.on_diagnostics("unknown", "driver", {"ticks": "5"}, 0)
    assert "driver_ticks_total" not in scrape(story, 0.0)


def test_counts_are_written_in_full() -> None:
    story = Story(0)
    story.on_driver(LAB, 0)
    story.on_diagnostics(LAB.token, "driver", {"ticks": "123456789", "commands": "0.1"}, 0)
    text = metrics_text(story, {}, DashboardCounts(), {}, 0)
    assert 'thymio_fleet_driver_ticks_total{host="lab"} 123456789\n' in text
    assert 'thymio_fleet_driver_commands_total{host="lab"} 0.1\n' in text


odd = st.text(max_size=12) | st.sampled_from(
    ["nan", "inf", "1e999", "-1e308", "1_0", "connected", "lost", '"', "\\", "\n", "٣"]
)
keys = odd | st.sampled_from(["ticks", "commands", "dropped_messages", "link", "battery_pct", "pose_age_s"])


@given(st.lists(st.tuples(odd, odd, st.dictionaries(keys, odd)), max_size=4))
def test_no_text_of_a_driver_or_robot_breaks_the_scrape(drivers: list[tuple[str, str, dict[str, str]]]) -> None:
    story = Story(0)
    for index, (host, token, values) in enumerate(drivers):
        story.on_driver(SeenDriver(host, "/driver", token, (index,)), 0)
        story.on_diagnostics(token, "driver", values, 0)
        story.on_status(index, 0, "idle", values, 0)
    found = scrape(story, 0.0)
    assert len(found.get("robot_up", ())) == len(drivers)
    assert all(math.isfinite(value) for samples in found.values() for value in samples.values())


def test_jobs_are_counted_by_state_with_the_age_of_the_oldest_and_their_ends() -> None:
    story = Story(0)
    assert "jobs" not in scrape(story, 1.0)

    def report(now_s: int, *jobs: JobReport, trouble: str = "") -> None:
        story.jobs.on_report(JobsReport(jobs, (3, 4), trouble, now_s * SECOND), now_s * SECOND)

    report(10, job("first", JobState.QUEUED, 4), job("second", JobState.QUEUED, 9), job("third", JobState.HELD, 8))
    report(
        20, job("first", JobState.ABORTED, 4, "UNREACHABLE"), job("second", JobState.EXECUTING, 9), trouble="disk full"
    )
    found = scrape(story, 30.0)
    assert found["jobs"] == {
        f'{{state="{state}"}}': float(state == "executing")
        for state in ("waiting", "queued", "held", "assigned", "executing")
    }
    assert found["job_oldest_age_seconds"] == {'{state="executing"}': 21.0}
    assert found["jobs_ended_total"] == {'{state="ABORTED",reason="UNREACHABLE"}': 1.0}
    assert (found["job_book_up"], found["robots_off_duty"]) == ({"": 0.0}, {"": 2.0})


def job(job_id: str, state: JobState, submitted_s: int, reason: str = "") -> JobReport:
    return JobReport(job_id, "go home", state, 1, -1, 5, -1.0, 0.0, 1, reason, "", submitted_s * SECOND, 0)


def test_process_metrics_have_the_usual_names() -> None:
    counts = DashboardCounts(process=process_numbers())
    text = metrics_text(Story(0), {}, counts, {}, 0)
    found = dict(re.findall(r"^(process_\w+) (\S+)$", text, re.MULTILINE))
    assert float(found["process_cpu_seconds_total"]) > 0.0
    assert float(found["process_start_time_seconds"]) <= time.time()
    assert float(found["process_resident_memory_bytes"]) > 1e6
    assert float(found["process_open_fds"]) > 2
