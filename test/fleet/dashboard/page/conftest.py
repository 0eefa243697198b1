"""One Chromium for the tests of this folder, and a scripted dashboard for each test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from fleet.dashboard.access.roles import Role
from harness.dashboard.chromium import FleetPage, running_chromium
from harness.dashboard.scripted_dashboard import ServedScript, served_script
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.ros.private_domain import reserve_free_port

OpenPage = Callable[..., FleetPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "fleet/dashboard/page/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def script() -> Iterator[ServedScript]:
    """A dashboard with eight scripted robots."""
    with served_script(reserve_free_port(), ScriptedFleet()) as served:
        yield served


@pytest.fixture
def open_page(chromium: Browser, script: ServedScript) -> Iterator[OpenPage]:
    """Opens pages of the scripted dashboard; after the test none of them may have complained."""
    pages: list[FleetPage] = []

    def open_one(role: Role = Role.TEACHER, **options: Any) -> FleetPage:
        pages.append(FleetPage(chromium, script.url_of(role), **options))
        return pages[-1]

    yield open_one
    complaints = [complaint for page in pages for complaint in page.complained()]
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture
def page(open_page: OpenPage) -> FleetPage:
    """A teacher's page that shows all robots."""
    return open_page().ready()
