"""What the dashboard shows when drivers die, and what happens to the fleet when the dashboard does."""

import signal
from pathlib import Path

from fleet.geometry import Pose2D
from harness.dashboard.running_dashboard import RunningDashboard, running_dashboard
from harness.ros.running_fleet import RunningFleet


def test_dashboard_before_the_driver_says_so_and_heals(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        with running_dashboard(tmp_path) as dashboard:
            dashboard.wait_for(lambda: why_empty(dashboard) == "no_driver", "why it is empty")
            fleet.start_simulator()
            fleet.start_driver()
            dashboard.wait_for(lambda: dashboard.has_idle_robots(2), "the robots")
            dashboard.wait_for(lambda: why_empty(dashboard) is None, "a fleet that is not empty")
            assert (dashboard.ready()["state"], parts(dashboard)["link"]) == ("ready", "1 of 1 target connected")
            fleet.send_signal("simulator", signal.SIGKILL).wait()
            dashboard.wait_for(lambda: parts(dashboard)["link"] == "0 of 1 target connected", "the loss of the link")
            assert not dashboard.ready()["ready"]
            fleet.send_signal("driver", signal.SIGKILL).wait()
            dashboard.wait_for(lambda: dashboard.section("fleet")["count"]["lost"] == 2, "silent robots")
            dashboard.wait_for(lambda: parts(dashboard)["driver"].startswith("0 of 1"), "the silence of the driver")
            fleet.start_simulator()
            fleet.start_driver()
            dashboard.wait_for(lambda: dashboard.has_idle_robots(2), "the robots of the next driver")
            dashboard.wait_for(lambda: len(dashboard.section("fleet")["drivers"]) == 1, "one driver")
            assert dashboard.close() == 0
    finally:
        fleet.close()


def test_dashboard_ends_in_order_with_its_terminal(tmp_path: Path) -> None:
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # beside nohup, it would rightly go on
    try:
        with running_dashboard(tmp_path) as dashboard:
            assert dashboard.close(signal.SIGHUP) == 0
    finally:
        signal.signal(signal.SIGHUP, ignored)


def parts(dashboard: RunningDashboard) -> dict[str, str]:
    """Return what `/ready` says of each part."""
    return {name: part["text"] for name, part in dashboard.ready()["parts"].items()}


def why_empty(dashboard: RunningDashboard) -> str | None:
    empty = dashboard.section("fleet").get("empty", {"reason": "not known yet"})
    return None if empty is None else str(empty["reason"])


def test_dashboard_that_dies_ends_its_tasks_and_stops_nothing_else(fleet: RunningFleet, tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    folder.mkdir()
    other = fleet.client.go_to(2, Pose2D(2.6, 0.4, 0.0))
    with running_dashboard(folder) as dashboard:
        fleet.wait_for(lambda: "go_to" in dashboard.section("robots").get("1", {}).get("can", ()), "the robots")
        dashboard.post("follow", {"robots": [1], "path": "circle", "laps": 20, "relative_to": "pose"})
        fleet.wait_for(lambda: fleet.client.value(1, "busy") == "yes", "the task")
        dashboard.kill()
        fleet.wait_for(lambda: fleet.client.value(1, "last_result") == "ABORTED:CLIENT_LOST", "the end of its task")
        fleet.wait_for(lambda: other.state.is_final, "the end of the other task")
        assert other.state.value == "SUCCEEDED"
        dashboard.start()
        assert dashboard.post("name", {"name": "Anna"}) == {"commands": []}  # the cookie is still good
        dashboard.wait_for(lambda: "count" in dashboard.section("fleet"), "the next dashboard's picture")
