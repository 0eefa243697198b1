"""A pytest plugin: reruns a failed test if one of its peers died, and reports deaths at the end of the run."""

from collections.abc import Generator
from typing import Any

import pytest

from harness import peer_deaths

RUNS = 3  # of one test
DYING_S = 1.0
_PROPERTY = "peer that died"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test that has peers, up to three times; the last run counts."""
    if item.get_closest_marker("peers") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports_of_last_run(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports_of_last_run(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    reports, is_bereaved = _run(item, nextitem)
    for _ in range(RUNS - 1):
        if not is_bereaved or not any(report.failed for report in reports):
            break
        item._initrequest()  # type: ignore[attr-defined]
        reports, is_bereaved = _run(item, nextitem)
    return reports


def _run(item: pytest.Item, nextitem: pytest.Item | None) -> tuple[list[pytest.TestReport], bool]:
    """Run a test once; return its reports, and whether a peer died meanwhile."""
    deaths = len(_deaths_of(item))
    runner: Any = item.config.pluginmanager.getplugin("runner")
    reports = runner.runtestprotocol(item, log=False, nextitem=nextitem)
    is_bereaved = len(_deaths_of(item)) > deaths
    if is_bereaved:
        item.session._setupstate.teardown_exact(None)  # also fixtures shared by tests of a file: they need a new peer
    return reports, is_bereaved


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the deaths to a report, for the process that prints the summary."""
    is_failed = call.excinfo is not None
    deaths = peer_deaths.collect(DYING_S if is_failed and item.get_closest_marker("peers") else 0.0)
    item.user_properties += [(_PROPERTY, death) for death in deaths]
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report which peers died beside which test."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    ends = [report for report in reports if isinstance(report, pytest.TestReport) and report.when == "teardown"]
    lines = [
        f"{report.nodeid}: {value}" for report in ends for name, value in report.user_properties if name == _PROPERTY
    ]
    if lines:
        terminalreporter.section("Peers that died and were restarted")
    for line in lines:
        terminalreporter.line(line)


def _deaths_of(item: pytest.Item) -> list[object]:
    return [value for name, value in item.user_properties if name == _PROPERTY]
