"""A pytest plugin: reruns a failed test if one of its peers died, or if it needs real time on a busy machine.

Both are reported at the end of the run.
"""

from collections.abc import Generator
from typing import Any

import pytest

from harness import peer_deaths
from harness.needs import needs_more
from harness.stall_watch import StallWatch

RUNS = 3  # of one test
DYING_S = 1.0
_MESSAGE = 200  # characters
_DEATH, _STALL = "peer that died", "busy machine"
_TITLES = {_DEATH: "Peers that died and were restarted", _STALL: "Tests that failed while the machine was busy"}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test that has peers or needs real time, up to three times; the last run counts."""
    if item.get_closest_marker("peers") is None and not _needs_real_time(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports_of_last_run(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports_of_last_run(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    reports, is_disturbed = _run(item, nextitem)
    for _ in range(RUNS - 1):
        if not is_disturbed or not any(report.failed for report in reports):
            break
        item._initrequest()  # type: ignore[attr-defined]
        reports, is_disturbed = _run(item, nextitem)
    return reports


def _run(item: pytest.Item, nextitem: pytest.Item | None) -> tuple[list[pytest.TestReport], bool]:
    """Run a test once; return its reports, and whether a peer died meanwhile or the machine was busy."""
    noted = len(_notes_of(item))
    runner: Any = item.config.pluginmanager.getplugin("runner")
    with StallWatch() as watch:
        reports = runner.runtestprotocol(item, log=False, nextitem=nextitem)
    failed = next((report for report in reports if report.failed), None)
    if failed and watch.is_disturbed and _needs_real_time(item):
        item.user_properties.append(
            (_STALL, f"stall {watch.longest_s:.1f} s, pressure {watch.pressure:.0%}; {_reason(failed)}")
        )
    is_disturbed = len(_notes_of(item)) > noted
    if is_disturbed:
        item.session._setupstate.teardown_exact(None)  # also fixtures shared by tests of a file: they need a new peer
    return reports, is_disturbed


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the deaths to a report, for the process that prints the summary."""
    is_failed = call.excinfo is not None
    deaths = peer_deaths.collect(DYING_S if is_failed and item.get_closest_marker("peers") else 0.0)
    item.user_properties += [(_DEATH, death) for death in deaths]
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report which peers died beside which test, and which tests failed and were run again."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    ends = [report for report in reports if isinstance(report, pytest.TestReport) and report.when == "teardown"]
    notes = [(report.nodeid, *note) for report in ends for note in report.user_properties]
    for kind, title in _TITLES.items():
        lines = [f"{nodeid}: {value}" for nodeid, name, value in notes if name == kind]
        if lines:
            terminalreporter.section(title)
        for line in lines:
            terminalreporter.line(line)


def _needs_real_time(item: pytest.Item) -> bool:
    """Whether a test runs beside programs, browsers or threads that have real time."""
    return needs_more(item.path) or item.get_closest_marker("ros") is not None


def _reason(report: pytest.TestReport) -> str:
    """Return where a test failed, and the first line of the exception."""
    place, _, name = str(report.longrepr).rstrip().rpartition("\n")[2].partition(": ")
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message.partition("\n")[0][:_MESSAGE] if crash else name
    return f"{place}: {message}"


def _notes_of(item: pytest.Item) -> list[object]:
    return [value for name, value in item.user_properties if name in _TITLES]
